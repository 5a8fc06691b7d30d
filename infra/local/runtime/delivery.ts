/**
 * Ill-behaved delivery, for tests: standard queues and stream mappings may deliver twice, late and out of order, and a
 * handler has to give the same table whatever they do (design rule 4).
 */

export interface DeliveryOptions {
  /** Every batch is delivered twice. */
  readonly duplicates?: boolean;
  /** The records of a batch come in any order, also those of one key. */
  readonly reorder?: boolean;
  /** Each delivery waits a random time up to this many milliseconds, so that later batches overtake earlier ones. */
  readonly delayMs?: number;
  /** Random numbers in [0, 1); give a seeded one to repeat a run. */
  readonly random?: () => number;
}

export interface Delivery {
  /** How often each batch is delivered. */
  readonly times: number;
  /** The records in the order in which to deliver them. */
  readonly arrange: <T>(records: readonly T[]) => readonly T[];
  /** Waits as long as this delivery is late. */
  readonly wait: () => Promise<void>;
  /** Ends all waits at once. */
  readonly stop: () => void;
}

/** Turns the options into what the mappings ask before each delivery. */
export function planDelivery({
  duplicates = false,
  reorder = false,
  delayMs = 0,
  random = Math.random,
}: DeliveryOptions = {}): Delivery {
  const late = new Map<NodeJS.Timeout, () => void>();
  return {
    times: duplicates ? 2 : 1,
    arrange: (records) => (reorder ? shuffle(records, random) : records),
    wait() {
      if (delayMs === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          late.delete(timer);
          resolve();
        }, random() * delayMs);
        late.set(timer, resolve);
      });
    },
    stop() {
      for (const [timer, resolve] of late) {
        clearTimeout(timer);
        resolve();
      }
      late.clear();
    },
  };
}

function shuffle<T>(records: readonly T[], random: () => number): T[] {
  const shuffled = [...records];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}
