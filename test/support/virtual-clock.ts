/** Time that moves only when a test moves it: nothing waits in real time. */
import type { Clock } from '../../functions/io/ports.ts';

export const START_MS = Date.UTC(2026, 0, 1);

interface Timer {
  readonly atMs: number;
  readonly fire: () => void;
}

/** Time that moves only when it is told to. */
export class VirtualClock implements Clock {
  #nowMs = START_MS;
  #timers: Timer[] = [];

  nowMs(): number {
    return this.#nowMs;
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = { atMs: this.#nowMs + ms, fire: resolve };
      this.#timers.push(timer);
      signal?.addEventListener('abort', () => {
        this.#timers = this.#timers.filter((it) => it !== timer);
        resolve();
      });
    });
  }
  nextTimerMs(): number | undefined {
    return this.#timers.length === 0 ? undefined : Math.min(...this.#timers.map((timer) => timer.atMs));
  }
  advanceTo(timeMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, timeMs);
    const due = this.#timers.filter((timer) => timer.atMs <= this.#nowMs);
    this.#timers = this.#timers.filter((timer) => timer.atMs > this.#nowMs);
    for (const timer of due.sort((a, b) => a.atMs - b.atMs)) timer.fire();
  }
}
