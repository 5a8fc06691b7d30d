import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AdmissionSnapshot,
  type Candidate,
  filterCandidate,
  planAdmissions,
  type RunningPass,
} from '../../functions/core/admission.ts';
import { findKind, type PassKind } from '../../schema/kind.ts';
import { REFUSALS } from '../../schema/refusal.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../schema/settings.ts';

const NOW = Date.UTC(2026, 0, 1);
const BACKLOG = { sources: 3, tokens: 900, capped: false, continuations: false, held: false };
const KINDS: readonly PassKind[] = [
  { name: 'incremental', shares: true, parallelMax: 16, lane: 'incremental' },
  { name: 'alone', shares: false, parallelMax: 1, lane: 'incremental' },
  { name: 'pair', shares: true, parallelMax: 2, lane: 'incremental' },
];

function settings(over: Partial<Settings> = {}): Settings {
  return { ...DEFAULT_SETTINGS, ...over };
}

function candidate(over: Partial<Candidate> = {}): Candidate {
  return {
    scope: 'a',
    generation: 1,
    settings: settings(),
    dueAtMs: NOW,
    paused: false,
    haltedAtMs: undefined,
    backOffUntilMs: undefined,
    backlog: BACKLOG,
    request: { triggerId: `t-${over.scope ?? 'a'}`, origin: 'schedule', kind: 'incremental' },
    ...over,
  };
}

function running(scope: string, slotNumber: number, kind = 'incremental'): RunningPass {
  const entry = {
    scope,
    generation: 1,
    kind,
    slotNumber,
    triggerId: 'x',
    origin: 'schedule',
    admittedAtMs: NOW,
    op: 'o',
  } as const;
  return { passId: `${scope}-${kind}-${slotNumber}`, entry };
}

function snapshot(over: Partial<AdmissionSnapshot> = {}): AdmissionSnapshot {
  return { pausedAll: false, running: [], candidates: [candidate()], executor: 'stub', ...over };
}

const asked = (origin: 'trigger' | 'drain' | 'continuation' | 'schedule', over: object = {}) => ({
  request: { triggerId: 't', origin, kind: 'incremental', ...over },
});

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

describe('properties over random snapshots', () => {
  const scopeNames = ['a', 'b', 'c', 'd', 'e'];
  const arbitrary = fc.record({
    passesMax: fc.integer({ min: 1, max: 12 }),
    running: fc.uniqueArray(fc.tuple(fc.constantFrom(...scopeNames), fc.integer({ min: 0, max: 5 })), {
      maxLength: 10,
      selector: ([scope, slot]) => `${scope}${slot}`,
    }),
    candidates: fc.uniqueArray(
      fc.record({
        scope: fc.constantFrom(...scopeNames),
        dueAtMs: fc.integer({ min: NOW - 5, max: NOW }),
        perScope: fc.integer({ min: 1, max: 6 }),
        sources: fc.integer({ min: 0, max: 2 }),
        capped: fc.boolean(),
        paused: fc.boolean(),
        drain: fc.option(fc.integer({ min: 1, max: 16 }), { nil: undefined }),
      }),
      { selector: (it) => it.scope, maxLength: 5 },
    ),
  });
  type Drawn = typeof arbitrary extends fc.Arbitrary<infer T> ? T : never;

  function plan({ passesMax, running: held, candidates }: Drawn, order: (a: Candidate[]) => Candidate[] = (a) => a) {
    const all = candidates.map((it) =>
      candidate({
        scope: it.scope,
        dueAtMs: it.dueAtMs,
        paused: it.paused,
        settings: settings({ maxPassesPerScope: it.perScope }),
        backlog: { ...BACKLOG, sources: it.sources, capped: it.capped },
        request: {
          triggerId: it.scope,
          origin: it.drain ? 'drain' : 'schedule',
          kind: 'incremental',
          parallel: it.drain,
        },
      }),
    );
    const shot = snapshot({ running: held.map(([scope, slot]) => running(scope, slot)), candidates: order(all) });
    return planAdmissions(shot, { maxConcurrentPasses: passesMax }, NOW, KINDS);
  }

  it('never admits at or over a limit', () => {
    fc.assert(
      fc.property(arbitrary, (drawn) => {
        const { admitted } = plan(drawn);
        expect(admitted.length).toBeLessThanOrEqual(Math.max(0, drawn.passesMax - drawn.running.length));
        for (const { scope, perScope } of drawn.candidates) {
          const before = drawn.running.filter(([name]) => name === scope).length;
          const now = admitted.filter((pass) => pass.candidate.scope === scope).length;
          expect(now).toBeLessThanOrEqual(Math.max(0, perScope - before));
        }
      }),
    );
  });

  it('never gives a scope two while another eligible one has none', () => {
    fc.assert(
      fc.property(arbitrary, (drawn) => {
        const { verdicts } = plan(drawn);
        const some = verdicts.some((it) => it.admitted.length > 1);
        const starved = verdicts.some((it) => it.admitted.length === 0 && it.effective > 0);
        expect(some && starved).toBe(false);
      }),
    );
  });

  it('plans the same from the same snapshot in any order, with distinct slot numbers and pass ids', () => {
    fc.assert(
      fc.property(arbitrary, (drawn) => {
        const view = (it: ReturnType<typeof plan>) => it.admitted.map((pass) => [pass.passId, pass.slotNumber]).sort();
        const once = plan(drawn);
        expect(view(plan(drawn, (all) => [...all].reverse()))).toEqual(view(once));
        const ids = once.admitted.map((pass) => pass.passId);
        expect(new Set(ids).size).toBe(ids.length);
        const taken = [
          ...drawn.running.map(([scope, slot]) => `${scope} ${slot}`),
          ...once.admitted.map((pass) => `${pass.candidate.scope} ${pass.slotNumber}`),
        ];
        expect(new Set(taken).size).toBe(taken.length);
      }),
    );
  });
});
