/** What the samples promise to whoever runs them first, and that the machine's zone and locale change nothing. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClaimDraft, loadRules } from '../../../../../functions/worker/executor/rules/extract.ts';
import { readRenderedSamples } from './rendered-samples.ts';

const { extractClaims } = await loadRules();
const samples = readRenderedSamples();
const claims = samples.map(({ path, text }) => ({ path, text, found: extractClaims({ text, baseOffset: 0 }) }));
const claimsOf = (path: string): ClaimDraft[] => claims.find((sample) => sample.path === path)?.found ?? [];

describe('the samples', () => {
  it('are 44 transcripts, three notes and two plain texts, one beyond 400 KB', () => {
    const count = (ending: string) => samples.filter(({ path }) => path.endsWith(ending)).length;
    expect([count('.jsonl'), count('.md'), count('.txt')]).toEqual([44, 3, 2]);
    expect(samples.filter(({ text }) => Buffer.byteLength(text) > 400_000).map(({ path }) => path)).toEqual([
      '2025-03/priya-fifty-two-walks.jsonl',
    ]);
  });

  it('give at least 150 claims, and at least three single-valued slots with more than one value', () => {
    const slots = new Map<string, Set<string>>();
    for (const claim of claims.flatMap(({ found }) => found)) {
      if (claim.cardinality === 'many') continue;
      const key = `${claim.entity}|${claim.attribute}`;
      slots.set(key, (slots.get(key) ?? new Set()).add(claim.value));
    }
    expect(claims.flatMap(({ found }) => found).length).toBeGreaterThanOrEqual(150);
    expect([...slots].filter(([, values]) => values.size > 1).map(([slot]) => slot)).toEqual(
      expect.arrayContaining([
        'Maya|lives_in',
        'Maya|works_at',
        'Jonas|lives_in',
        'Jonas|relationship',
        'Priya|birthday',
        'Priya|works_at',
        'Amara|lives_in',
      ]),
    );
  });

  it('hold the pair of an undated Austin and a later, dated Denver, for both executors', () => {
    const older = '2024-01/maya-running-shoes.jsonl';
    const newer = '2024-06/maya-hello-denver.jsonl';
    const home = (path: string) => claimsOf(path).find(({ attribute }) => attribute === 'lives_in');
    expect(home(older)).toMatchObject({ entity: 'Maya', value: 'Austin' });
    expect(home(older)).not.toHaveProperty('event');
    expect(home(newer)).toMatchObject({ entity: 'Maya', value: 'Denver', event: { precision: 'month', from: 'text' } });
    const text = (path: string) => samples.find((sample) => sample.path === path)?.text;
    expect(text(older)).toContain('\n  @claim Maya | lives_in | Austin\n');
    expect(text(newer)).toContain('\n  @claim Maya | lives_in | Denver | 2024-05\n');
  });

  it('give no claim from an assistant: each quote stands in a turn of a person', () => {
    for (const { path, text, found } of claims) {
      for (const { quote } of found) {
        const before = Array.from(text).slice(0, quote.start).join('');
        const line = before.slice(before.lastIndexOf('\n') + 1);
        expect(line.toLowerCase().startsWith('assistant'), `${path}: ${line}`).toBe(false);
      }
    }
    expect(samples.some(({ text }) => text.includes('assistant ('))).toBe(true);
  });

  it('give quotes whose first and last characters are no white space, all inside the text', () => {
    for (const { text, found } of claims) {
      const characters = Array.from(text);
      for (const { quote } of found) {
        const slice = characters.slice(quote.start, quote.end).join('');
        expect(slice).toBe(slice.trim());
        expect(slice.length).toBeGreaterThan(0);
      }
    }
  });

  it('give the same claims in other zones and locales of the machine', () => {
    const script = join(import.meta.dirname, 'samples-digest.ts');
    const digest = (environment: Record<string, string>) =>
      execFileSync(process.execPath, [script], { env: { ...process.env, ...environment }, encoding: 'utf8' });
    const digests = [
      digest({ TZ: 'UTC', LANG: 'C', LC_ALL: 'C' }),
      digest({ TZ: 'Asia/Tokyo', LANG: 'ja_JP.UTF-8', LC_ALL: 'ja_JP.UTF-8' }),
      digest({ TZ: 'America/Los_Angeles', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }),
    ];
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(digests).size).toBe(1);
  });
});
