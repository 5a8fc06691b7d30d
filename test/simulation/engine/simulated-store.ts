/**
 * The Store port of one actor. A request takes time, may die on the way in either direction, and is sent again by the
 * client as the SDK does: the second attempt meets what the first one wrote, and `isMine` decides, as in
 * `functions/io/dynamo.ts`.
 */
import type { QueryPage, Store } from '../../../functions/io/ports.ts';
import type { BatchGet, Get, Item, Outcome, Query, Write } from '../../../schema/request.ts';
import { PARTITION_KEY, SORT_KEY } from '../../../schema/table.ts';
import type { Actor } from './actor.ts';
import type { Faults } from './faults.ts';
import type { Kernel } from './kernel.ts';
import type { Random } from './random.ts';
import type { SlowWrite } from './slow-writes.ts';
import type { Tables } from './tables.ts';
import { nameOfGet, nameOfWrite } from './write-name.ts';

/** The SDK's default for DynamoDB. */
const ATTEMPTS_MAX = 4;

export interface Network {
  readonly kernel: Kernel;
  readonly tables: Tables;
  readonly faults: Faults;
  readonly delays: Random;
  readonly slowness: Random;
  /** The longest a write may be under way, and a process frozen: three lease lengths. */
  readonly pauseMaxMs: number;
  /** Writes that are long on their way, while faults strike. */
  readonly slow: readonly SlowWrite[];
  /** Faults stop at this time: what is under way arrives then. */
  readonly calmFromMs: number;
  /** Told of each write that reached the table, before its reply leaves. */
  readonly onWrite: (actor: Actor, write: Write, name: string, outcome: Outcome) => void;
  readonly onRequest: (actor: Actor, partition: string) => void;
  /** Whether this read fails, whenever it is sent. */
  readonly isUnreadable: (actor: Actor, partition: string) => boolean;
  /** The actor whose write is being applied. */
  current: Actor | undefined;
}

export class ServiceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServiceError';
  }
}

interface Call {
  readonly write: Write;
  readonly name: string;
  attempt: number;
  /** The item as an earlier attempt of this call left it. */
  applied: Item | undefined;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

const never = <T>(): Promise<T> => new Promise(() => undefined);

function partitionOf(write: Write): string {
  const key = write.kind === 'put' ? write.input.Item : write.input.Key;
  return key?.[PARTITION_KEY] as string;
}

export class SimulatedStore implements Store {
  readonly #network: Network;
  readonly #actor: Actor;

  constructor(network: Network, actor: Actor) {
    this.#network = network;
    this.#actor = actor;
  }

  // Bound, as the real store's are: who takes one out of it may.
  readonly write = (write: Write): Promise<Outcome> => {
    if (!this.#actor.isAlive) return never();
    this.#network.onRequest(this.#actor, partitionOf(write));
    return new Promise((resolve, reject) => {
      this.#send({ write, name: nameOfWrite(write), attempt: 1, applied: undefined, resolve, reject });
    });
  };

  #send(call: Call): void {
    const { kernel, faults, delays, pauseMaxMs } = this.#network;
    const actor = this.#actor;
    if (faults.hit('crashBeforeWrite')) return actor.crash(`before ${call.name}`);
    let delayMs = delays.int(1, 8);
    if (faults.hit('pauseWrite')) {
      const untilCalmMs = this.#network.calmFromMs - kernel.nowMs;
      delayMs += Math.min(faults.of('pauseWrite').int(0, pauseMaxMs), untilCalmMs);
    }
    delayMs += this.#slownessOf(call.name);
    // The request of a process that died meanwhile is on the wire: it arrives, or not.
    kernel.after(delayMs, () => {
      if (actor.isAlive || delays.chance(0.5)) this.#arrive(call);
    });
  }

  #slownessOf(called: string): number {
    const { slow, slowness, calmFromMs, kernel } = this.#network;
    let slowMs = 0;
    for (const { name, role = this.#actor.role, forMs, chance = 1 } of slow) {
      if (name !== called || role !== this.#actor.role || !slowness.chance(chance)) continue;
      slowMs += Math.max(0, Math.min(forMs, calmFromMs - kernel.nowMs));
    }
    return slowMs;
  }

  #arrive(call: Call): void {
    const { faults } = this.#network;
    if (faults.hit('throttle')) return this.#reject(call, `${call.name} was throttled`);
    let outcome: Outcome;
    try {
      outcome = this.#apply(call);
    } catch (error) {
      // What client or service refuse as a request is told to who sent it: it is a surprise to everybody.
      return this.#reply(() => call.reject(error as Error));
    }
    if (call.name === 'evidence:settle' && faults.hit('dieAfterSettle')) return this.#actor.crash(`after ${call.name}`);
    if (faults.hit('crashAfterWrite')) return this.#actor.crash(`after ${call.name}`);
    if (faults.hit('appliedButFailed')) return this.#reject(call, `${call.name} got no answer in all its attempts`);
    if (faults.hit('lostReply')) return this.#retry(call);
    this.#reply(() => call.resolve(outcome));
  }

  #apply(call: Call): Outcome {
    const { kernel, tables } = this.#network;
    const { write, name } = call;
    this.#network.current = this.#actor;
    let outcome = tables.apply(write, kernel.nowMs);
    this.#network.current = undefined;
    const stored = outcome.kind === 'held' ? outcome.stored : undefined;
    if (stored && write.isMine(stored)) outcome = { kind: 'won', item: stored };
    else if (stored && stored === call.applied) {
      kernel.fail('E1 own write given up', `${this.#actor.label} took its own ${name} for a loss`);
    }
    const key = write.kind === 'put' ? write.input.Item : write.input.Key;
    const [pk, sk] = [key?.[PARTITION_KEY] as string, key?.[SORT_KEY] as string];
    if (outcome.kind === 'won') call.applied = tables.peek(pk, sk, write.table);
    kernel.note(`${this.#actor.label} ${name} ${sk}: ${outcome.kind}`);
    this.#network.onWrite(this.#actor, write, name, outcome);
    return outcome;
  }

  #retry(call: Call): void {
    if (call.attempt >= ATTEMPTS_MAX)
      return this.#reject(call, `${call.name} got no answer in ${call.attempt} attempts`);
    call.attempt++;
    this.#actor.resumeAt(this.#network.kernel.nowMs + this.#network.delays.int(20, 200), () => this.#send(call));
  }

  #reject(call: Call, message: string): void {
    this.#reply(() => call.reject(new ServiceError(message)));
  }

  #reply(go: () => void): void {
    const { kernel, faults, delays, pauseMaxMs } = this.#network;
    if (faults.hit('freeze')) this.#actor.freeze(faults.of('freeze').int(0, pauseMaxMs));
    this.#actor.resumeAt(kernel.nowMs + delays.int(1, 4), go);
  }

  readonly get = (read: Get): Promise<Item | undefined> =>
    this.#read(
      read.input.Key?.[PARTITION_KEY] as string,
      () => this.#network.tables.get(read),
      this.#slownessOf(nameOfGet(read.input.Key?.[SORT_KEY] as string)),
    );

  readonly query = (read: Query): Promise<QueryPage> => {
    const partition = read.input.ExpressionAttributeValues?.[':partition'] as string;
    return this.#read(partition, () => this.#network.tables.query(read, this.#network.kernel.nowMs));
  };

  readonly batchGet = (read: BatchGet): Promise<readonly Item[]> =>
    this.#read(read.keys[0]?.[PARTITION_KEY] as string, () => this.#network.tables.batchGet(read));

  #read<T>(partition: string, look: () => T, slowMs = 0): Promise<T> {
    const { kernel, faults, delays } = this.#network;
    const actor = this.#actor;
    if (!actor.isAlive) return never();
    this.#network.onRequest(actor, partition);
    return new Promise((resolve, reject) => {
      kernel.after(delays.int(1, 6) + slowMs, () => {
        if (!actor.isAlive) return;
        if (this.#network.isUnreadable(actor, partition))
          return this.#reply(() => reject(new ServiceError(`${partition} cannot be read`)));
        if (faults.hit('throttleRead')) return this.#reply(() => reject(new ServiceError('a read was throttled')));
        const seen = look();
        if (actor.isFrozen) actor.resumeAt(kernel.nowMs, () => resolve(seen));
        else resolve(seen);
      });
    });
  }
}
