/** The only reader of the clock, and the only source of randomness. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Ids } from './ports.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch {
      // Aborted: the caller looks at the signal itself.
    }
  },
};

export const randomIds: Ids = { fresh: () => randomUUID() };
