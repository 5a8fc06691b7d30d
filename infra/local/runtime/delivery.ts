/**
 * Ill-behaved delivery: standard queues, streams and asynchronous invocations may deliver twice, late, never and out of
 * order, and a handler has to give the same table whatever they do (design rule 4).
 */
import type { MessageFaults } from './fault-options.ts';

/** What an edge asks before it delivers. */
export interface Delivery {
  /** Asked once for each message: true when it never arrives. */
  readonly isLost: () => boolean;
  /** Asked once for each batch: how often it is delivered. */
  readonly times: () => number;
  /** The messages of a batch in the order in which to deliver them. */
  readonly arrange: <T>(messages: readonly T[]) => readonly T[];
  /** Waits as long as this delivery is late; undefined when it is on time. */
  readonly wait: () => Promise<void> | undefined;
}

export interface DeliveryOptions {
  /** The faults at this moment. */
  readonly faults: () => MessageFaults;
  /** In [0, 1). */
  readonly random: () => number;
  /** Told of each fault that happens. */
  readonly note: (fault: keyof MessageFaults) => void;
  /** Keeps the timer of a late delivery; `resolve` delivers at once. */
  readonly sleep: (delayMs: number) => Promise<void>;
}

export function openDelivery({ faults, random, note, sleep }: DeliveryOptions): Delivery {
  const happens = (fault: 'twice' | 'never'): boolean => {
    const share = faults()[fault] ?? 0;
    if (share === 0 || random() >= share) return false;
    note(fault);
    return true;
  };
  return {
    isLost: () => happens('never'),
    times: () => (happens('twice') ? 2 : 1),
    arrange(messages) {
      if (faults().outOfOrder !== true || messages.length < 2) return messages;
      note('outOfOrder');
      return shuffle(messages, random);
    },
    wait() {
      const lateMs = faults().lateMs ?? 0;
      if (lateMs === 0) return undefined;
      note('lateMs');
      return sleep(random() * lateMs);
    },
  };
}

/** Delivers each message once, at once and in order. */
export const ON_TIME: Delivery = {
  isLost: () => false,
  times: () => 1,
  arrange: (messages) => messages,
  wait: () => undefined,
};

function shuffle<T>(messages: readonly T[], random: () => number): T[] {
  const shuffled = [...messages];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}
