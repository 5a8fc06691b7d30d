/** What holds of every plan, whatever the snapshot, and how attention is shared out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planAdmissions } from '../../functions/core/admission.ts';
import type { Candidate, RunningPass } from '../../functions/core/admission-snapshot.ts';
import { BACKLOG, KINDS, NOW, asked, candidate, running, settings, snapshot } from './admission-samples.ts';

describe('attention', () => {
  const none = { ...BACKLOG, sources: 0, tokens: 0 };
  const waiting = (scope: string, attentionSinceMs: number, over: Partial<Candidate> = {}) =>
    candidate({
      scope,
      attentionSinceMs,
      backlog: none,
      request: { triggerId: scope, origin: 'schedule', kind: 'incremental' },
      ...over,
    });
  const own = (pass: RunningPass): RunningPass => ({ ...pass, entry: { ...pass.entry, attention: true } });
  const planned = (candidates: Candidate[], most: number, held: RunningPass[] = []) =>
    planAdmissions(snapshot({ candidates, running: held }), { maxConcurrentPasses: most }, NOW, KINDS).admitted;

  it('alone makes one pass, after every scope with evidence has one and before any gets a second, oldest first', () => {
    const deep = { ...BACKLOG, sources: 50, capped: true };
    const candidates = [
      waiting('y', NOW - 10),
      waiting('x', NOW - 20),
      candidate({ scope: 'e', backlog: deep, settings: settings({ maxPassesPerScope: 3 }), dueAtMs: NOW }),
    ];
    const order = (most: number) =>
      planned(candidates, most)
        .map((pass) => pass.candidate.scope)
        .sort();
    expect([order(1), order(2), order(3)]).toEqual([['e'], ['e', 'x'], ['e', 'x', 'y']]);
    expect(order(9)).toEqual(['e', 'e', 'e', 'x', 'y']);
  });

  it('alone never makes a second pass of its scope, and none while a running one owns it', () => {
    const wide = { settings: settings({ maxPassesPerScope: 3 }) };
    const drain = { ...wide, ...asked('drain', { parallel: 3 }) };
    expect(planned([waiting('a', NOW - 1, drain)], 9)).toHaveLength(1);
    expect(planned([waiting('a', NOW - 1, wide)], 9, [own(running('a', 0))])).toHaveLength(0);
    expect(planned([waiting('a', NOW - 1, wide)], 9, [running('a', 0)])).toHaveLength(1);
  });

  it('is owned by the first pass of a scope that starts when nobody owns it', () => {
    const it = candidate({ settings: settings({ maxPassesPerScope: 4 }), ...asked('drain', { parallel: 2 }) });
    const owners = (held: RunningPass[]) => planned([it], 9, held).map((pass) => pass.attention);
    expect([owners([]), owners([running('a', 0)]), owners([own(running('a', 0))])]).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ]);
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
        attention: fc.option(fc.integer({ min: NOW - 9, max: NOW }), { nil: undefined }),
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
        attentionSinceMs: it.attention,
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

  it('never lets two passes of a scope own its attention', () => {
    fc.assert(
      fc.property(arbitrary, (drawn) => {
        const owners = plan(drawn)
          .admitted.filter((pass) => pass.attention)
          .map((pass) => pass.candidate.scope);
        expect(new Set(owners).size).toBe(owners.length);
      }),
    );
  });

  it('plans the same from the same snapshot in any order, with distinct slot numbers and pass ids', () => {
    fc.assert(
      fc.property(arbitrary, (drawn) => {
        const view = (it: ReturnType<typeof plan>) =>
          it.admitted.map((pass) => `${pass.passId} ${pass.slotNumber}`).sort();
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
