import { describe, expect, it } from 'vitest';
import { Actor } from './actor.ts';
import { Kernel, START_MS } from './kernel.ts';
import { Random } from './random.ts';

function createActor(kernel: Kernel, skewMs = 0): Actor {
  return new Actor({ kernel, role: 'worker', number: 1, skewMs, startedWith: { settings: {}, pools: 1 } });
}

describe('the kernel', () => {
  it('runs events by time, and those of one time in the order they were asked for', async () => {
    const kernel = new Kernel();
    const random = new Random(3, 'heap');
    const asked = Array.from({ length: 500 }, (_, k) => ({ atMs: START_MS + random.int(0, 40), k }));
    const ran: typeof asked = [];
    for (const it of asked) kernel.at(it.atMs, () => void ran.push(it));
    await kernel.run(START_MS + 100);
    expect(ran).toEqual([...asked].sort((a, b) => a.atMs - b.atMs || a.k - b.k));
    expect(kernel.nowMs).toBe(START_MS + 100);
  });

  it('begins no event before everything that waits for the last one has run', async () => {
    const kernel = new Kernel();
    const seen: string[] = [];
    const wait = (ms: number) => new Promise<void>((resolve) => void kernel.after(ms, resolve));
    const deep = async (): Promise<void> => {
      await wait(10);
      for (let k = 0; k < 200; k++) await Promise.resolve();
      await Promise.allSettled([Promise.race([Promise.resolve(), Promise.resolve()]), Promise.reject(new Error('no'))]);
      seen.push('all reactions');
    };
    void deep();
    kernel.after(10, () => void seen.push('next event of the same time'));
    await kernel.run(START_MS + 20);
    expect(seen).toEqual(['all reactions', 'next event of the same time']);
  });

  it('stops at a violation, and keeps the first', async () => {
    const kernel = new Kernel();
    kernel.after(1, () => kernel.fail('first', 'x'));
    kernel.after(2, () => kernel.fail('second', 'y'));
    await kernel.run(START_MS + 10);
    expect(kernel.violation).toMatchObject({ invariant: 'first', message: 'first: x' });
    expect(kernel.nowMs).toBe(START_MS + 1);
  });
});

describe('an actor', () => {
  it('never comes back once it is dead', async () => {
    const kernel = new Kernel();
    const actor = createActor(kernel);
    let cameBack = false;
    void actor.clock.sleep(10).then(() => (cameBack = true));
    kernel.after(5, () => actor.crash('of the test'));
    await kernel.run(START_MS + 1000);
    expect(cameBack).toBe(false);
  });

  it('stands still while frozen, then goes on with all that came', async () => {
    const kernel = new Kernel();
    const actor = createActor(kernel);
    const wokeAtMs: number[] = [];
    for (const ms of [10, 20]) void actor.clock.sleep(ms).then(() => wokeAtMs.push(kernel.nowMs - START_MS));
    kernel.after(5, () => actor.freeze(500));
    await kernel.run(START_MS + 1000);
    expect(wokeAtMs).toEqual([505, 505]);
  });

  it('has a clock of its own, and a sleep that an abort ends', async () => {
    const kernel = new Kernel();
    const actor = createActor(kernel, -5000);
    expect(actor.clock.nowMs()).toBe(START_MS - 5000);
    const stop = new AbortController();
    let isOver = false;
    void actor.clock.sleep(1e9, stop.signal).then(() => (isOver = true));
    kernel.after(1, () => stop.abort());
    await kernel.run(START_MS + 2);
    expect(isOver).toBe(true);
  });
});

describe('randomness', () => {
  it('draws the same from the same seed and purpose, and other things from others', () => {
    const draw = (seed: number, purpose: string) => {
      const random = new Random(seed, purpose);
      return Array.from({ length: 5 }, () => random.int(0, 1e6));
    };
    expect(draw(1, 'a')).toEqual(draw(1, 'a'));
    expect(draw(1, 'b')).not.toEqual(draw(1, 'a'));
    expect(draw(2, 'a')).not.toEqual(draw(1, 'a'));
  });
});
