import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planAdmissions } from '../../functions/core/admission.ts';
import { filterCandidate } from '../../functions/core/admission-filters.ts';
import type { AdmissionSnapshot, Candidate, RunningPass } from '../../functions/core/admission-snapshot.ts';
import { findKind, type PassKind } from '../../schema/kind.ts';
import { REFUSALS } from '../../schema/refusal.ts';
import { BACKLOG, KINDS, NOW, asked, candidate, running, settings, snapshot } from './admission-samples.ts';

describe('filters: the first refusal that holds, in the order of the one list', () => {
  // Each row is the one before with its own reason taken away: the test walks the list by descending precedence.
  const everything: Partial<Candidate> = {
    paused: true,
    haltedAtMs: NOW - 1,
    backOffUntilMs: NOW + 1000,
    backlog: { ...BACKLOG, sources: 0 },
  };
  const unknown = { request: { triggerId: 't', origin: 'schedule' as const, kind: 'nonsense' } };
  const table: [string, Partial<Candidate>, Partial<AdmissionSnapshot>, readonly RunningPass[]][] = [
    [
      'unknown_kind',
      { ...everything, ...unknown },
      { executor: undefined, pausedAll: true },
      [running('a', 0, 'alone')],
    ],
    ['executor_not_configured', everything, { executor: undefined, pausedAll: true }, [running('a', 0, 'alone')]],
    ['paused_all', everything, { pausedAll: true }, [running('a', 0, 'alone')]],
    ['paused', everything, {}, [running('a', 0, 'alone')]],
    ['halted', { ...everything, paused: false }, {}, [running('a', 0, 'alone')]],
    ['backing_off', { ...everything, paused: false, haltedAtMs: undefined }, {}, [running('a', 0, 'alone')]],
    [
      'provider_away',
      { backlog: { ...BACKLOG, sources: 0 } },
      { provider: { kind: 'away', untilMs: NOW + 9 } },
      [running('a', 0, 'alone')],
    ],
    ['nothing_to_do', { backlog: { ...BACKLOG, sources: 0 } }, {}, [running('a', 0, 'alone')]],
    ['scope_closed', {}, {}, [running('a', 0, 'alone')]],
    ['scope_full', {}, {}, [running('a', 0)]],
    ['none', {}, {}, []],
  ];
  it.each(table)('%s', (reason, over, snapshotOver, inScope) => {
    const it = candidate(over);
    const refusal = filterCandidate({
      candidate: it,
      kind: findKind(it.request.kind, KINDS),
      inScope,
      kinds: KINDS,
      snapshot: snapshot(snapshotOver),
      nowMs: NOW,
    });
    expect(refusal?.reason ?? 'none').toBe(reason);
  });

  it('walks the reasons in the order of the list', () => {
    const order = REFUSALS.map((refusal) => refusal.reason as string);
    const walked = table.map(([reason]) => reason).filter((reason) => reason !== 'none');
    expect(walked).toEqual(order.filter((reason) => walked.includes(reason)));
  });

  it('lets explicit triggers and drains pass halt and back-off, never the continuation', () => {
    const troubled = { haltedAtMs: NOW - 1, backOffUntilMs: NOW + 1000 };
    const admittedBy = (origin: 'trigger' | 'drain' | 'continuation') =>
      planAdmissions(
        snapshot({ candidates: [candidate({ ...troubled, ...asked(origin) })] }),
        { maxConcurrentPasses: 5 },
        NOW,
        KINDS,
      ).admitted.length;
    expect([admittedBy('trigger'), admittedBy('drain'), admittedBy('continuation')]).toEqual([1, 1, 0]);
  });

  it('names when a back-off ends, so that the scope can be due then', () => {
    const { verdicts } = planAdmissions(
      snapshot({ candidates: [candidate({ backOffUntilMs: NOW + 5000 })] }),
      { maxConcurrentPasses: 5 },
      NOW,
      KINDS,
    );
    expect(verdicts[0]?.refused[0]).toMatchObject({ reason: 'backing_off', retryAtMs: NOW + 5000 });
  });
});

describe('partition of capacity', () => {
  const deep = { ...BACKLOG, sources: 50, capped: true };
  const wide = settings({ maxPassesPerScope: 4 });

  it('gives every scope one pass before any gets a second, oldest due first', () => {
    const candidates = ['c', 'a', 'b'].map((scope, k) =>
      candidate({
        scope,
        dueAtMs: NOW - k * 1000,
        backlog: deep,
        settings: wide,
        request: { triggerId: scope, origin: 'schedule', kind: 'incremental' },
      }),
    );
    const plan = planAdmissions(snapshot({ candidates }), { maxConcurrentPasses: 5 }, NOW, KINDS);
    const counts = Object.fromEntries(plan.verdicts.map((it) => [it.candidate.scope, it.admitted.length]));
    expect(counts).toEqual({ b: 2, a: 2, c: 1 });
  });

  it('gives extras only to deep scopes', () => {
    const shallow = candidate({ settings: wide });
    const plan = planAdmissions(snapshot({ candidates: [shallow] }), { maxConcurrentPasses: 5 }, NOW, KINDS);
    expect(plan.admitted).toHaveLength(1);
    const measured = candidate({ settings: wide, backlog: { ...BACKLOG, tokens: wide.tokenThreshold } });
    expect(
      planAdmissions(snapshot({ candidates: [measured] }), { maxConcurrentPasses: 5 }, NOW, KINDS).admitted,
    ).toHaveLength(4);
  });

  it('admits a drain without asking for depth, into the lowest free slot numbers, whatever runs', () => {
    const it = candidate({ settings: wide, ...asked('drain', { parallel: 2 }) });
    const held = [running('a', 0), running('a', 2)];
    const plan = planAdmissions(snapshot({ candidates: [it], running: held }), { maxConcurrentPasses: 9 }, NOW, KINDS);
    expect(plan.admitted.map((pass) => pass.slotNumber)).toEqual([1, 3]);
    expect(plan.verdicts[0]).toMatchObject({ requested: 2, effective: 2, refused: [] });
    expect(plan.verdicts[0]?.alreadyRunning.map((it) => it.slotNumber)).toEqual([0, 2]);
  });

  it('lowers a drain above a cap and says so', () => {
    const it = candidate({ settings: settings({ maxPassesPerScope: 3 }), ...asked('drain', { parallel: 8 }) });
    const plan = planAdmissions(snapshot({ candidates: [it] }), { maxConcurrentPasses: 2 }, NOW, KINDS);
    expect(plan.verdicts[0]).toMatchObject({ requested: 8, effective: 3 });
    expect(plan.verdicts[0]?.refused.map((refusal) => refusal.reason)).toEqual(['capacity', 'scope_full']);
    expect(plan.admitted).toHaveLength(2);
  });

  it('keeps to the kind’s own parallelMax', () => {
    const it = candidate({
      settings: settings({ maxPassesPerScope: 9 }),
      ...asked('drain', { parallel: 9, kind: 'pair' }),
    });
    const plan = planAdmissions(snapshot({ candidates: [it] }), { maxConcurrentPasses: 9 }, NOW, KINDS);
    expect(plan.admitted).toHaveLength(2);
  });
});

describe('capacity among few', () => {
  const large = { backlog: { ...BACKLOG, sources: 50, capped: true } };
  const of = (scope: string, perScope: number, over: Partial<Candidate> = {}): Candidate =>
    candidate({
      scope,
      dueAtMs: NOW,
      settings: settings({ maxPassesPerScope: perScope }),
      request: { triggerId: scope, origin: 'schedule', kind: 'incremental' },
      ...over,
    });
  it.each([
    ['a large scope of three and a small one in 4', [of('l', 3, large), of('s', 3)], 4, { l: 3, s: 1 }],
    ['the same in 2', [of('l', 3, large), of('s', 3)], 2, { l: 1, s: 1 }],
    ['the same in 9', [of('l', 3, large), of('s', 3)], 9, { l: 3, s: 1 }],
    ['two large ones of four in 5', [of('l', 4, large), of('o', 4, large)], 5, { l: 3, o: 2 }],
    ['more scopes than capacity', [of('a', 1), of('b', 1), of('c', 1)], 2, { a: 1, b: 1, c: 0 }],
    ['nothing free', [of('l', 3, large)], 0, { l: 0 }],
  ] as const)('%s', (_, candidates, most, counts) => {
    const plan = planAdmissions(snapshot({ candidates }), { maxConcurrentPasses: most }, NOW, KINDS);
    expect(Object.fromEntries(plan.verdicts.map((it) => [it.candidate.scope, it.admitted.length]))).toEqual(counts);
  });

  it('of a kind that may run once is one, whatever a drain asks for, and says so', () => {
    const once: PassKind = { name: 'once', shares: true, parallelMax: 1, lane: 'incremental' };
    const it = candidate({
      settings: settings({ maxPassesPerScope: 9 }),
      ...asked('drain', { parallel: 8, kind: 'once' }),
    });
    const plan = planAdmissions(snapshot({ candidates: [it] }), { maxConcurrentPasses: 9 }, NOW, [...KINDS, once]);
    expect(plan.verdicts[0]).toMatchObject({
      requested: 8,
      effective: 1,
      coerced: [expect.stringContaining('once allows 1')],
    });
    expect(plan.admitted).toHaveLength(1);
  });
});

describe('decisions', () => {
  it('know of one ledger: how many there are is told in the schema alone', () => {
    const core = new URL('../../functions/core/', import.meta.url);
    const files = readdirSync(core).map((name) => [name, readFileSync(new URL(name, core), 'utf8')] as const);
    expect(files.filter(([, text]) => /\bpools?\b/i.test(text)).map(([name]) => name)).toEqual([]);
    expect(readFileSync(new URL('../../schema/ledger.ts', import.meta.url), 'utf8')).toMatch(/\bpool\b/);
  });
});
