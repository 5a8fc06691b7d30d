import { describe, expect, it } from 'vitest';
import type { ScopeStatus } from '../../../functions/reader/read-status.ts';
import { type DrainEnd, drainScope } from '../../../infra/local/drain.ts';
import { PassObserver } from '../../../infra/local/observer.ts';

interface World {
  nowMs: number;
  settled: number;
  running: number;
  readonly drainsAtMs: number[];
  readonly said: string[];
}

interface Look {
  readonly sources?: number;
  readonly held?: boolean;
  /** When the passes of the ledger were admitted. */
  readonly admittedAtMs?: readonly number[];
}

const statusOf = ({ sources = 0, held = false, admittedAtMs = [] }: Look) =>
  ({
    backlog: { sources, tokens: 0, capped: false, held },
    running: admittedAtMs.map((atMs, k) => ({
      passId: `pass-${k}`,
      kind: 'incremental',
      slotNumber: k,
      admittedAt: new Date(atMs).toISOString(),
    })),
  }) as unknown as ScopeStatus;

/** Drains a scope whose state is a function of the world: time passes only while the drain waits. */
async function drain(look: (world: World) => Look): Promise<{ end: DrainEnd; world: World }> {
  const world: World = { nowMs: 1_000_000, settled: 0, running: 0, drainsAtMs: [], said: [] };
  const figures = () => ({ ...new PassObserver().figures, settled: world.settled, running: world.running });
  const end = await drainScope({
    client: {
      status: () => Promise.resolve(statusOf(look(world))),
      drain: () => {
        world.drainsAtMs.push(world.nowMs);
        return Promise.resolve({ kind: 'accepted', triggerId: 't' });
      },
      passes: () => {
        const failure = { code: 'Error', message: 'the stub was told to fail' };
        return Promise.resolve({ scope: 'demo', known: true, passes: [{ passId: 'b' }, { passId: 'a', failure }] });
      },
    },
    observer: {
      get figures() {
        return figures();
      },
      hasStarted: () => false,
    },
    passes: 3,
    owed: 9,
    say: (line) => world.said.push(line),
    clock: {
      nowMs: () => world.nowMs,
      sleep: (ms) => {
        world.nowMs += ms;
        return Promise.resolve();
      },
    },
  });
  return { end, world };
}

describe('draining a scope', () => {
  it('asks for nothing when nothing waits, is held or runs', async () => {
    const { end, world } = await drain(() => ({}));
    expect(end).toEqual({ kind: 'drained' });
    expect(world.drainsAtMs).toEqual([]);
  });

  it.each([
    ['held sources', { held: true }],
    ['a pass that is being finalized', { admittedAtMs: [1_000_000] }],
  ])('waits for %s without asking', async (_, look) => {
    const { end, world } = await drain(({ nowMs }) => (nowMs < 1_002_000 ? look : {}));
    expect(end.kind).toBe('drained');
    expect(world.nowMs).toBeGreaterThanOrEqual(1_002_000);
    expect(world.drainsAtMs).toEqual([]);
  });

  it('asks once, leaves the rest to continuations, and asks again only when none comes', async () => {
    const { end, world } = await drain((it) => {
      it.settled = Math.floor((it.nowMs - 1_000_000) / 500);
      if (it.nowMs < 1_005_000) return { sources: 5, admittedAtMs: [it.nowMs] };
      return it.drainsAtMs.length < 2 ? { sources: 5 } : {};
    });
    expect(end.kind).toBe('drained');
    expect(world.drainsAtMs).toHaveLength(2);
    expect(world.drainsAtMs[0]).toBe(1_000_000);
    expect(world.drainsAtMs[1]).toBeGreaterThan(1_006_500);
  });

  it('gives up when three drains in a row settled nothing more, and says why', async () => {
    const { end, world } = await drain(() => ({ sources: 5 }));
    expect(end).toEqual({
      kind: 'stuck',
      reason: '3 drains in a row settled nothing more; the latest failure says: the stub was told to fail (Error)',
    });
    expect(world.drainsAtMs).toHaveLength(3);
  });

  it('does not give up while each drain settles something', async () => {
    const { end, world } = await drain((it) => {
      it.settled = it.drainsAtMs.length;
      return it.drainsAtMs.length < 9 ? { sources: 5 } : {};
    });
    expect(end.kind).toBe('drained');
    expect(world.drainsAtMs).toHaveLength(9);
  });

  it('says once what it waits for when passes of a dead run hold the scope', async () => {
    const admittedAtMs = [1_000_000 - 60_000, 1_000_000 - 60_000];
    const { world } = await drain(({ nowMs }) => (nowMs < 1_030_000 ? { held: true, admittedAtMs } : {}));
    const waits = world.said.filter((line) => line.includes('of a run that was ended'));
    expect(waits).toHaveLength(1);
    expect(waits[0]).toMatch(/2 passes .* 25 s of silence, at the next minute's tick; at most 85 s from now/);
  });

  it('tells the progress at most once a second', async () => {
    const { world } = await drain((it) => {
      it.running = 1;
      it.settled = Math.floor((it.nowMs - 1_000_000) / 100);
      return it.nowMs < 1_010_000 ? { sources: 5, admittedAtMs: [it.nowMs] } : {};
    });
    expect(world.said.length).toBeGreaterThan(5);
    expect(world.said.length).toBeLessThanOrEqual(11);
    expect(world.said[0]).toBe('  0 of 9 settled, 0 given to a pass; 1 pass running');
  });
});
