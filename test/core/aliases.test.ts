import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinAliases } from '../../functions/core/aliases.ts';
import type { AliasItem } from '../../schema/entity.ts';

const merge = (from: string, into: string, change: Partial<AliasItem> = {}): AliasItem => ({
  v: 1,
  from,
  into,
  fromName: from.toUpperCase(),
  intoName: into.toUpperCase(),
  author: 'owner',
  recordedAtMs: 10,
  ...change,
});

describe('groups of entities', () => {
  it.each<[string, AliasItem[], string, string[]]>([
    ['nobody merged: itself', [], 'a', ['a']],
    ['one merge', [merge('a', 'b')], 'b', ['a', 'b']],
    ['a chain', [merge('a', 'b'), merge('b', 'c')], 'c', ['a', 'b', 'c']],
    ['one into two: the least of them', [merge('a', 'b'), merge('a', 'c')], 'b', ['a', 'b', 'c']],
    ['a circle: the least of all', [merge('b', 'c'), merge('c', 'a'), merge('a', 'b')], 'a', ['a', 'b', 'c']],
    ['others beside it', [merge('x', 'y'), merge('b', 'a')], 'a', ['a', 'b']],
    ['an ended merge joins nothing', [merge('a', 'b', { endedAtMs: 20 })], 'a', ['a']],
  ])('%s', (_, rows, root, slugs) => {
    expect(joinAliases(rows).groupOf('a')).toMatchObject({ root, slugs });
  });

  it('by what was known at a time', () => {
    const rows = [merge('a', 'b', { endedAtMs: 20 })];
    expect([9, 10, 19, 20].map((atMs) => joinAliases(rows, atMs).groupOf('a').root)).toEqual(['a', 'b', 'b', 'a']);
  });

  it('are the same in whatever order merges come, and every member names the same group', () => {
    const slug = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'ü');
    const edges = fc.array(
      fc.tuple(slug, slug).map(([from, into]) => merge(from, into)),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(
        edges.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          for (const one of ['a', 'b', 'c', 'd', 'e', 'ü']) {
            const group = joinAliases(all).groupOf(one);
            expect(joinAliases(shuffled).groupOf(one)).toEqual(group);
            for (const other of group.slugs) expect(joinAliases(all).groupOf(other)).toEqual(group);
            expect(group.slugs).toContain(one);
          }
        },
      ),
    );
  });
});
