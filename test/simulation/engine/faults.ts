/** The faults a schedule can draw, and the switch that ends them all at once. */
import { Random } from './random.ts';

/** Each with the probabilities it may have, per occasion, when a schedule draws it at all. */
export const FAULTS = {
  /** A process dies before a write leaves it, or after it was applied and before the reply. */
  crashBeforeWrite: [0.003, 0.01, 0.03],
  crashAfterWrite: [0.003, 0.01, 0.03],
  /** Applied, and every retry of the client fails too: the caller sees an error of a write that stands. */
  appliedButFailed: [0.003, 0.01, 0.03],
  /** Applied, the reply lost; the client sends it again and meets its own write. */
  lostReply: [0.01, 0.05, 0.15],
  /** Refused by the service until the client gives up. */
  throttle: [0.003, 0.01, 0.03],
  throttleRead: [0.002, 0.01],
  /** On its way for up to three lease lengths. */
  pauseWrite: [0.002, 0.01, 0.03],
  /** The process stands still for up to three lease lengths, then goes on. */
  freeze: [0.002, 0.01, 0.03],
  /** It goes on although its function's time is over: a promise that lives on in the next invocation. */
  outliveTimeout: [0.3, 1],
  /** The function ends at some moment, whatever it waits for. */
  killAtRandom: [0.02, 0.1, 0.3],
  triggerDrop: [0.1, 0.5, 1],
  triggerDouble: [0.2, 0.5],
  triggerLate: [0.2, 0.5],
  invokeDrop: [0.1, 0.3, 0.9],
  invokeDouble: [0.2, 0.5],
  invokeLate: [0.1, 0.3],
  failureDrop: [0.3, 1],
  streamDrop: [0.05, 0.3, 0.9],
  streamDouble: [0.2, 0.5],
  streamLate: [0.1, 0.3],
  tickDrop: [0.2, 0.5],
  tickDouble: [0.2, 1],
  tickLate: [0.2, 0.5],
  executorFail: [0.1, 0.3],
  executorSilent: [0.05, 0.2],
  executorAway: [0.1, 0.4],
  executorSlow: [0.2, 0.5],
  executorPartial: [0.2, 0.6],
  executorSkip: [0.1, 0.3],
  cancelPass: [0.3, 0.8],
  changeLimits: [0.3, 1],
  pauseScope: [0.5],
  pauseAll: [0.5],
  /** A finalizer dies right after it settled a source, before it has counted that. */
  dieAfterSettle: [0.2, 0.7],
} as const satisfies Record<string, readonly number[]>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];
export type FaultRates = Readonly<Partial<Record<FaultName, number>>>;

/** A mix for one schedule: every tenth has none; the others differ in how many kinds they have, and how strong. */
export function drawFaults(random: Random): FaultRates {
  if (random.chance(0.1)) return {};
  const share = random.pick([0.15, 0.3, 0.5]);
  const rates: Partial<Record<FaultName, number>> = {};
  for (const name of FAULT_NAMES) if (random.chance(share)) rates[name] = random.pick(FAULTS[name]);
  return rates;
}

export class Faults {
  readonly rates: FaultRates;
  readonly counts: Partial<Record<FaultName, number>> = {};
  #active = true;
  readonly #streams = new Map<FaultName, Random>();
  readonly #seed: number;

  constructor(seed: number, rates: FaultRates) {
    this.#seed = seed;
    this.rates = rates;
  }
  get areActive(): boolean {
    return this.#active;
  }
  stop(): void {
    this.#active = false;
  }
  /** Whether this fault strikes now. */
  hit(name: FaultName): boolean {
    const rate = this.rates[name];
    if (rate === undefined || !this.#active || !this.of(name).chance(rate)) return false;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    return true;
  }
  /** The stream from which a fault's further draws come. */
  of(name: FaultName): Random {
    let stream = this.#streams.get(name);
    if (!stream) this.#streams.set(name, (stream = new Random(this.#seed, `fault ${name}`)));
    return stream;
  }
}
