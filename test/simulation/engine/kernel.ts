/**
 * The kernel: virtual time, one heap of events ordered by (time, sequence), one event a step. Nothing here waits in real
 * time, and nothing runs at once with anything else.
 *
 * After each event all promise reactions are run before the next begins. A callback of `process.nextTick` that was queued
 * from inside a microtask runs when the microtask queue is empty and not before; since code under simulation waits for
 * nothing but promises that events resolve, an empty microtask queue means that every actor waits for an event.
 */
import { hashText } from './random.ts';

export const START_MS = Date.UTC(2026, 0, 1);

export interface Timer {
  readonly atMs: number;
  readonly seq: number;
  run: (() => void) | undefined;
}

/** What broke: an invariant by its name, and what was seen. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, found: string) {
    super(`${invariant}: ${found}`);
    this.name = 'Violation';
    this.invariant = invariant;
  }
}

const isBefore = (a: Timer, b: Timer): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.seq < b.seq);

export class Kernel {
  nowMs = START_MS;
  steps = 0;
  /** Changes with everything that happens: two runs with the same hash were the same run. */
  traceHash = 0x811c9dc5;
  /** Lines one can read; gathered only when a failure is looked at. */
  readonly trace: string[] | undefined;
  violation: Violation | undefined;
  readonly #heap: Timer[] = [];
  #seq = 0;

  constructor({ keepTrace = false }: { readonly keepTrace?: boolean } = {}) {
    this.trace = keepTrace ? [] : undefined;
  }

  at(atMs: number, run: () => void): Timer {
    const timer: Timer = { atMs: Math.max(atMs, this.nowMs), seq: ++this.#seq, run };
    const heap = this.#heap;
    let place = heap.length;
    heap.push(timer);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(timer, heap[parent] as Timer)) break;
      heap[place] = heap[parent] as Timer;
      place = parent;
    }
    heap[place] = timer;
    return timer;
  }
  after(ms: number, run: () => void): Timer {
    return this.at(this.nowMs + ms, run);
  }

  note(line: string): void {
    this.traceHash = hashText(line, this.traceHash ^ (this.nowMs & 0xffffffff));
    this.trace?.push(`${((this.nowMs - START_MS) / 1000).toFixed(3).padStart(9)}  ${line}`);
  }

  /** Records the first violation; the run stops at the end of this step. */
  fail(invariant: string, found: string): void {
    if (this.violation) return;
    this.violation = new Violation(invariant, found);
    this.note(`VIOLATION ${this.violation.message}`);
  }

  /** Runs events until `untilMs`, a violation, or `isDone` after some event. Time then stands at `untilMs` or at the last event. */
  run(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      const queueStep = () => process.nextTick(step);
      const step = (): void => {
        try {
          if (this.violation || isDone()) return resolve();
          const timer = this.#popUntil(untilMs);
          if (!timer) {
            this.nowMs = Math.max(this.nowMs, untilMs);
            return resolve();
          }
          this.nowMs = timer.atMs;
          this.steps++;
          timer.run?.();
        } catch (error) {
          return reject(error);
        }
        queueMicrotask(queueStep);
      };
      queueMicrotask(queueStep);
    });
  }

  #popUntil(untilMs: number): Timer | undefined {
    for (;;) {
      const top = this.#heap[0];
      if (!top || top.atMs > untilMs) return undefined;
      this.#dropTop();
      // A cancelled timer costs no step.
      if (top.run) return top;
    }
  }

  #dropTop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child++;
      if (!isBefore(heap[child] as Timer, last)) break;
      heap[place] = heap[child] as Timer;
      place = child;
    }
    heap[place] = last;
  }
}
