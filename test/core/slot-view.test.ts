/** Goal: the view of a claim slot says what design section 9 says. Method: short histories, each with what it must show. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ViewOptions, viewSlot } from '../../functions/core/slot-view.ts';
import { isoOf } from '../../functions/reader/iso-time.ts';
import {
  cite,
  citationArbitrary,
  dayMs,
  inMonth,
  onDay,
  permutationsOf,
  type SampleCitation,
  type Said,
} from './citation-samples.ts';

/** One line a claim: value, state, since, until, what replaced it. */
function linesOf(said: readonly Said[], options: ViewOptions = {}): string[] {
  return viewSlot(said.map(cite), options).claims.map(({ value, state, sinceMs, untilMs, replacedBy }) =>
    [
      value === '' ? '(end)' : value,
      state,
      isoOf(sinceMs).slice(0, 10),
      ...(untilMs === undefined ? [] : [`until ${isoOf(untilMs).slice(0, 10)}`]),
      ...(replacedBy ? [`by ${replacedBy.value === '' ? '(end)' : replacedBy.value}`] : []),
    ].join(' '),
  );
}

const AUSTIN: Said = { value: 'Austin', captured: '2024-03-01' };
const DENVER: Said = { value: 'Denver', captured: '2024-06-01', event: inMonth('2024-05') };

describe('which claim is current', () => {
  it('an undated claim from an older session does not displace a dated one from a newer, in either order', () => {
    for (const said of permutationsOf([AUSTIN, DENVER])) {
      expect(linesOf(said)).toEqual([
        'Denver active 2024-05-01',
        'Austin superseded 2024-03-01 until 2024-05-01 by Denver',
      ]);
    }
  });
  it('an undated claim from a newer session does', () => {
    const back: Said = { value: 'Austin', captured: '2024-07-01' };
    expect(linesOf([DENVER, back])).toEqual([
      'Austin active 2024-07-01',
      'Denver superseded 2024-05-01 until 2024-07-01 by Austin',
    ]);
  });
  it('of two dated ones the later event wins, however early it was told of', () => {
    const older: Said = { value: 'Oslo', captured: '2024-09-01', event: inMonth('2020-01') };
    expect(linesOf([DENVER, older])).toEqual([
      'Denver active 2024-05-01',
      'Oslo superseded 2020-01-01 until 2024-05-01 by Denver',
    ]);
  });
  it('captured at one time, the dated one wins', () => {
    const same: Said = { value: 'Austin', captured: DENVER.captured, in: 'other' };
    expect(linesOf([same, DENVER])[0]).toBe('Denver active 2024-05-01');
  });
  it('the three claims on which the pairwise rule depends on order have one answer', () => {
    const triple: Said[] = [
      { value: 'X', captured: '2024-01-06', event: onDay('2024-01-05') },
      { value: 'Y', captured: '2024-01-07' },
      { value: 'Z', captured: '2024-01-08', event: onDay('2024-01-03') },
    ];
    const answers = permutationsOf(triple).map((said) => linesOf(said));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.[0]).toMatch(/^Y active/);
  });
  it('a slot without a claim shows none', () => {
    expect(viewSlot([])).toEqual({ current: undefined, claims: [] });
  });
});

describe('one claim, many citations', () => {
  it('stands since it was first told without a break, and lists all of them, newest first', () => {
    const said = [AUSTIN, { ...AUSTIN, captured: '2024-04-01', value: 'AUSTIN' }];
    expect(linesOf(said)).toEqual(['AUSTIN active 2024-03-01']);
    const [claim] = viewSlot(said.map(cite)).claims;
    expect(claim?.citations.map(({ capturedAtMs }) => isoOf(capturedAtMs).slice(0, 7))).toEqual(['2024-04', '2024-03']);
  });
  it('a claim that comes back stands since it came back', () => {
    const back: Said = { value: 'Austin', captured: '2024-08-01' };
    expect(linesOf([AUSTIN, DENVER, back])).toEqual([
      'Austin active 2024-08-01',
      'Denver superseded 2024-05-01 until 2024-08-01 by Austin',
    ]);
  });
  it('the current claim stands since what decides says, whatever was told in between', () => {
    const denver: Said = { value: 'Denver', captured: '2024-08-01' };
    const told: Said = { value: 'Denver', captured: '2024-09-01', event: inMonth('2023-01') };
    expect(linesOf([AUSTIN, denver, told])[0]).toBe('Denver active 2023-01-01');
  });
  it('each superseded claim names what came next, not what is current', () => {
    const boston: Said = { value: 'Boston', captured: '2024-09-01' };
    expect(linesOf([boston, DENVER, AUSTIN])).toEqual([
      'Boston active 2024-09-01',
      'Denver superseded 2024-05-01 until 2024-09-01 by Boston',
      'Austin superseded 2024-03-01 until 2024-05-01 by Denver',
    ]);
  });
  it('replaced by an older event told of later: until that was told', () => {
    const late: Said = { value: 'Denver', captured: '2024-09-01', event: inMonth('2023-01') };
    expect(linesOf([AUSTIN, late])).toEqual(
      ['Austin superseded 2024-03-01 until 2024-09-01 by Denver', 'Denver active 2023-01-01'].toReversed(),
    );
  });
});

describe('an end', () => {
  const end: Said = { value: '', captured: '2024-07-01' };
  it('leaves no active claim, and tells since when', () => {
    expect(linesOf([DENVER, end])).toEqual([
      '(end) ended 2024-07-01',
      'Denver superseded 2024-05-01 until 2024-07-01 by (end)',
    ]);
    expect(viewSlot([DENVER, end].map(cite)).current?.value).toBe('');
  });
  it('takes part in the order: a later claim stands', () => {
    const again: Said = { value: 'Boston', captured: '2024-08-01' };
    expect(linesOf([again, end, DENVER])[0]).toBe('Boston active 2024-08-01');
  });
});

describe('a plan', () => {
  const plan: Said = { value: 'Denver', captured: '2024-01-01', event: inMonth('2025-05') };
  it('is shown as such and leaves what is current alone', () => {
    expect(linesOf([AUSTIN, plan])).toEqual(['Austin active 2024-03-01', 'Denver planned 2025-05-01']);
  });
  it('stays planned when its time has come', () => {
    expect(linesOf([AUSTIN, plan], { asOfMs: dayMs('2026-01-01') })).toEqual([
      'Austin active 2024-03-01',
      'Denver planned 2025-05-01',
    ]);
  });
  it('is shown as of a time between its telling and its start', () => {
    expect(linesOf([AUSTIN, plan], { asOfMs: dayMs('2024-06-01') })).toContain('Denver planned 2025-05-01');
  });
  it('is true when a later source says so', () => {
    const done: Said = { value: 'Denver', captured: '2025-06-01' };
    expect(linesOf([AUSTIN, plan, done])[0]).toBe('Denver active 2025-06-01');
  });
  it('is not known before it was told', () => {
    expect(linesOf([plan], { asOfMs: dayMs('2023-12-31') })).toEqual([]);
  });
});

describe('asOf and knownAt', () => {
  it('asOf: what had begun by then, by all that is known', () => {
    expect(linesOf([AUSTIN, DENVER], { asOfMs: dayMs('2024-04-30') })).toEqual(['Austin active 2024-03-01']);
    expect(linesOf([AUSTIN, DENVER], { asOfMs: dayMs('2024-05-01') })[0]).toBe('Denver active 2024-05-01');
    expect(linesOf([AUSTIN, DENVER], { asOfMs: dayMs('2024-02-29') })).toEqual([]);
  });
  it('asOf: the interval of an event is its precision, so it does not end with it', () => {
    expect(linesOf([DENVER], { asOfMs: dayMs('2030-01-01') })).toEqual(['Denver active 2024-05-01']);
  });
  it('knownAt: by what was recorded then', () => {
    const said = [
      { ...AUSTIN, recorded: '2024-03-02' },
      { ...DENVER, recorded: '2024-06-02' },
    ];
    expect(linesOf(said, { knownAtMs: dayMs('2024-06-01') })).toEqual(['Austin active 2024-03-01']);
    expect(linesOf(said, { knownAtMs: dayMs('2024-06-02') })[0]).toBe('Denver active 2024-05-01');
  });
  it('both at once', () => {
    const said = [
      { ...AUSTIN, recorded: '2024-03-02' },
      { ...DENVER, recorded: '2024-06-02' },
    ];
    const options = { asOfMs: dayMs('2024-05-20'), knownAtMs: dayMs('2024-05-20') };
    expect(linesOf(said, options)).toEqual(['Austin active 2024-03-01']);
  });
});

describe('a withdrawn citation', () => {
  const withdrawn: Said = { ...DENVER, recorded: '2024-06-02', withdrawn: '2024-06-10' };
  const austin: Said = { ...AUSTIN, recorded: '2024-03-02' };
  it('counts for nothing, and its claim is retracted', () => {
    expect(linesOf([austin, withdrawn])).toEqual([
      'Austin active 2024-03-01',
      'Denver retracted 2024-05-01 until 2024-06-10',
    ]);
  });
  it('counted until it was withdrawn', () => {
    expect(linesOf([austin, withdrawn], { knownAtMs: dayMs('2024-06-09') })[0]).toBe('Denver active 2024-05-01');
    expect(linesOf([austin, withdrawn], { knownAtMs: dayMs('2024-06-10') })[0]).toBe('Austin active 2024-03-01');
  });
  it('leaves its claim standing on the others', () => {
    expect(linesOf([austin, withdrawn, { ...DENVER, in: 'other' }])[0]).toBe('Denver active 2024-05-01');
  });
});

describe('any history', () => {
  const sample: fc.Arbitrary<SampleCitation> = fc
    .tuple(citationArbitrary, fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 3 }))
    .map(([citation, withdrawn]) => ({
      ...citation,
      ...(withdrawn !== undefined && { withdrawnAtMs: citation.recordedAtMs + withdrawn }),
    }));
  const history = fc.uniqueArray(sample, {
    selector: ({ citationId, capturedAtMs }) => `${citationId} ${capturedAtMs}`,
    maxLength: 12,
  });
  const when = fc.option(fc.integer({ min: -4, max: 8 }), { nil: undefined });

  it('looks the same in whatever order its citations come', () => {
    fc.assert(
      fc.property(
        history.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        when,
        ([all, shuffled], day) => {
          const options = { asOfMs: day === undefined ? undefined : dayMs('2024-01-01') + day * 86_400_000 };
          expect(viewSlot(shuffled, options)).toEqual(viewSlot(all, options));
        },
      ),
    );
  });
  it('shows every claim once, at most one of them active, and what is superseded linked and closed', () => {
    fc.assert(
      fc.property(history, (all) => {
        const { claims, current } = viewSlot(all);
        expect(claims.map(({ claimId }) => claimId).sort()).toEqual(
          [...new Set(all.map(({ claimId }) => claimId))].sort(),
        );
        const active = claims.filter(({ state }) => state === 'active');
        expect(active).toHaveLength(current && current.value !== '' ? 1 : 0);
        for (const { state, replacedBy, sinceMs, untilMs, claimId } of claims) {
          if (state !== 'superseded') continue;
          expect(replacedBy?.claimId).not.toBe(claimId);
          expect(untilMs).toBeGreaterThanOrEqual(sinceMs);
        }
      }),
    );
  });
});
