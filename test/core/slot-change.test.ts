/** What a pass that did not write would change: as if its citations stood beside those that do. */
import { describe, expect, it } from 'vitest';
import { describePass, withProposed } from '../../functions/core/slot-change.ts';
import type { CitationItem } from '../../schema/citation.ts';
import { cite, dayMs, onDay, type SampleCitation } from './citation-samples.ts';

const DRY = 'dry';
const row = (citation: SampleCitation, fate: Partial<CitationItem> = {}): CitationItem => ({
  ...citation,
  v: 1,
  passes: { first: citation.recordedAtMs },
  passCount: 1,
  undone: {},
  ...fate,
});
const AUSTIN = cite({ value: 'Austin', captured: '2024-01-01', in: 'a' });
const DENVER = cite({ value: 'Denver', captured: '2024-02-01', in: 'b' });

function changes(stored: readonly CitationItem[], proposed: readonly SampleCitation[]): string[] {
  const described = describePass(AUSTIN.slot, withProposed(stored, proposed, DRY), DRY);
  return described.changes.map(({ kind, value }) => `${kind} ${value}`);
}

describe('what is proposed', () => {
  it.each<[string, readonly CitationItem[], readonly SampleCitation[], string[]]>([
    ['into an empty claim slot', [], [AUSTIN], ['adds Austin']],
    ['twice is one', [], [AUSTIN, AUSTIN], ['adds Austin']],
    ['and stands already changes nothing', [row(AUSTIN)], [AUSTIN], []],
    ['newer replaces', [row(AUSTIN)], [DENVER], ['replaces Denver']],
    ['older is history', [row(DENVER)], [AUSTIN], ['adds_history Austin']],
    [
      'for later is a plan',
      [],
      [cite({ value: 'Oslo', captured: '2024-01-01', event: onDay('2030-01-01') })],
      ['plans Oslo'],
    ],
    ['and was undone stands again', [row(AUSTIN, { undone: { first: 1 } })], [AUSTIN], ['adds Austin']],
    ['and was withdrawn for good stays out', [row(AUSTIN, { withdrawnAtMs: 1 })], [AUSTIN], []],
  ])('%s', (_, stored, proposed, expected) => {
    expect(changes(stored, proposed)).toEqual(expected);
  });

  it('by a source that went back to a text stands under the later time, above what came between', () => {
    const again = { ...AUSTIN, capturedAtMs: dayMs('2024-04-01') };
    const between = cite({ value: 'Boston', captured: '2024-03-01', in: 'c' });
    const stored = [row(AUSTIN), row(DENVER)];
    expect(changes(stored, [again, between])).toEqual(['adds_history Boston']);
    expect(changes(stored, [AUSTIN, between])).toEqual(['replaces Boston']);
  });

  it('tells what it would contest, and not what is contested without it', () => {
    const same = cite({ value: 'Boston', captured: '2024-01-01', in: 'c' });
    const contests = (stored: readonly CitationItem[], proposed: readonly SampleCitation[]) =>
      describePass(AUSTIN.slot, withProposed(stored, proposed, DRY), DRY).contests.map(
        ({ details }) => details.because,
      );
    expect(contests([row(AUSTIN)], [same])).toEqual(['same_time']);
    expect(contests([row(AUSTIN), row(same)], [same])).toEqual([]);
  });
});
