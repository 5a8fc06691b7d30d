/**
 * Whether anything is still going on: work that waits, runs or will start by itself. Every part registers a question and
 * says when something ended; nobody polls.
 */

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Activity {
  readonly #questions: (() => boolean)[] = [];
  readonly #waiters: Waiter[] = [];
  #isChecking = false;
  #isStopped = false;

  /** Adds a part; `isBusy` is asked whenever someone waits and something ended. */
  register(isBusy: () => boolean): void {
    this.#questions.push(isBusy);
  }

  /** Something ended. Costs nothing when nobody waits. */
  settled(): void {
    if (this.#waiters.length === 0 || this.#isChecking) return;
    this.#isChecking = true;
    // After the callbacks of what just ended: they may start more.
    setImmediate(() => {
      this.#isChecking = false;
      if (this.#questions.some((isBusy) => isBusy())) return;
      for (const { resolve } of this.#waiters.splice(0)) resolve();
    });
  }

  /** Resolves when every part is quiet; rejects when the runtime stops first. */
  idle(): Promise<void> {
    if (this.#isStopped)
      return Promise.reject(new Error('The runtime was stopped; nothing will become idle any more.'));
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.settled();
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const { reject } of this.#waiters.splice(0))
      reject(new Error('The runtime was stopped while something waited for it to be idle.'));
  }
}
