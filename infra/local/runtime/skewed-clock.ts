/** A handler's clock that goes wrong: what the thread's own `Date` says, moved. */

const MachineDate = Date;
let aheadMs = 0;

class SkewedDate extends MachineDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(SkewedDate.now());
    else super(...(given as [number]));
  }

  static override now(): number {
    return MachineDate.now() + aheadMs;
  }
}

/**
 * Moves the thread's clock `skewMs` ahead of the machine's from now on. `Date` is replaced at the first skew only, so
 * that a handler without one runs on the platform's own.
 */
export function skewClock(skewMs: number): void {
  if (skewMs === aheadMs) return;
  aheadMs = skewMs;
  globalThis.Date = SkewedDate as DateConstructor;
}
