import { describe, expect, it } from 'vitest';
import { previewTick } from '../../functions/core/plan-preview.ts';
import { type ScopeSnapshot, type TickSnapshot, tickSnapshotSchema } from '../../functions/core/tick-snapshot.ts';
import { DEFAULT_SETTINGS } from '../../schema/settings.ts';

const NOW = Date.UTC(2026, 0, 1);
const BACKLOG = { sources: 3, tokens: 9000, capped: false, continuations: false, held: false };

function scope(name: string, over: Partial<ScopeSnapshot> = {}): ScopeSnapshot {
  return {
    scope: name,
    generation: 1,
    settings: { ...DEFAULT_SETTINGS },
    dueAtMs: NOW,
    paused: false,
    backlog: BACKLOG,
    ...over,
  };
}
function snapshot(scopes: ScopeSnapshot[], over: Partial<TickSnapshot> = {}): TickSnapshot {
  const rest = { v: 1, takenAtMs: NOW, maxConcurrentPasses: 2, pausedAll: false, executor: 'rules' } as const;
  return { ...rest, running: [], scopes, moreScopes: false, ...over };
}
const view = (lines: ReturnType<typeof previewTick>) => lines.map(({ scope: of, verdict }) => `${of} ${verdict}`);

describe('what the next tick would do', () => {
  it('tells of every scope: admitted, refused with the reason, waiting with until when, empty', () => {
    const lines = previewTick(
      snapshot([
        scope('a'),
        scope('paused', { paused: true }),
        scope('halted', { haltedAtMs: NOW - 5 }),
        scope('failing', { backOffUntilMs: NOW + 60_000 }),
        scope('small', { backlog: { ...BACKLOG, tokens: 10 }, waitingSinceMs: NOW - 1000 }),
        scope('held', { backlog: { ...BACKLOG, sources: 0, tokens: 0, held: true, nextAtMs: NOW + 5 } }),
        scope('empty', { backlog: { ...BACKLOG, sources: 0, tokens: 0 } }),
      ]),
    );
    expect(view(lines)).toEqual([
      'a admitted',
      'paused refused',
      'halted refused',
      'failing refused',
      'small waits',
      'held waits',
      'empty empty',
    ]);
    expect(lines[0]?.passes).toMatchObject([{ slotNumber: 0, attention: true }]);
    expect(lines[1]?.because).toEqual(['paused: this scope is paused']);
    expect(lines[3]).toMatchObject({ againAtMs: NOW + 60_000 });
    expect(lines[4]).toMatchObject({
      because: ['3 sources of 10 tokens wait for a batch of 4000'],
      againAtMs: NOW - 1000 + DEFAULT_SETTINGS.maxWaitMs,
    });
    expect(lines[5]).toMatchObject({ because: ['others hold all that is left'], againAtMs: NOW + 5 });
  });

  it('tells what other settings would do', () => {
    const deep = { ...BACKLOG, sources: 50, capped: true };
    const given = snapshot([scope('a', { backlog: deep }), scope('b', { backlog: deep }), scope('c')]);
    const counts = (set: object) => previewTick(given, set).map(({ passes }) => passes.length);
    expect(counts({})).toEqual([1, 1, 0]);
    expect(previewTick(given)[2]?.because).toEqual([
      'capacity: the deployment runs as many passes as it may: 2 passes in all',
    ]);
    expect(counts({ maxConcurrentPasses: 6, maxPassesPerScope: 4 })).toEqual([3, 2, 1]);
    expect(counts({ batchTokens: 100_000, maxWaitMs: 0 })).toEqual([1, 1, 0]);
  });

  it('counts what a model may be asked at once, where one is asked', () => {
    const scopes = [scope('a'), scope('b'), scope('c')];
    const asking = snapshot(scopes, { maxConcurrentPasses: 9, maxModelConcurrency: 2, provider: { kind: 'proven' } });
    expect(view(previewTick(asking))).toEqual(['a admitted', 'b admitted', 'c refused']);
    expect(view(previewTick(asking, { maxModelConcurrency: 1 }))).toEqual(['a admitted', 'b refused', 'c refused']);
    const { maxModelConcurrency: _, ...older } = asking;
    expect(view(previewTick(tickSnapshotSchema.parse(older)))).toEqual(['a admitted', 'b admitted', 'c admitted']);
  });

  it('of a paused deployment is nothing', () => {
    expect(view(previewTick(snapshot([scope('a')], { pausedAll: true })))).toEqual(['a refused']);
  });

  it('reads a snapshot of a release that knows fewer settings, and keeps to its defaults for the others', () => {
    const given = JSON.parse(JSON.stringify(snapshot([scope('a', { settings: { batchTokens: 1 } })]))) as unknown;
    expect(view(previewTick(tickSnapshotSchema.parse(given)))).toEqual(['a admitted']);
  });
});
