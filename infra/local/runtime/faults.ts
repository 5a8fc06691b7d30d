/**
 * The faults of one runtime: drawn from a seed, counted, and exchangeable while it runs. Every part of the runtime asks
 * here at the moment where its fault would strike.
 */
import { type Delivery, openDelivery } from './delivery.ts';
import { EDGES, type Edge, type FaultOptions, type RequestFault, type RequestFaultKind } from './fault-options.ts';
import type { Service } from './request-counts.ts';
import { openRandom } from './seeded-random.ts';

/** The request that a fault may strike. */
export interface FaultyRequest {
  readonly service: Service;
  readonly operation: string;
  readonly functionName: string | undefined;
}

/** What a test does to the faults. */
export interface FaultControl {
  /** Puts these in the place of all faults so far, and draws from their seed anew. */
  readonly set: (options: FaultOptions) => void;
  /** Nothing goes wrong any more; what is late already still is. */
  readonly clear: () => void;
  /** How often each fault happened, by name: `throttled`, `queue.twice`, `killed`. */
  readonly counts: Readonly<Record<string, number>>;
}

export class Faults implements FaultControl {
  readonly deliveries: Readonly<Record<Edge, Delivery>>;
  readonly #setIndexLag: (lagMs: number) => void;
  readonly #late = new Map<NodeJS.Timeout, () => void>();
  readonly #counts: Record<string, number> = {};
  #options: FaultOptions = {};
  #randoms = new Map<string, () => number>();
  /** How often each rule has struck, by the rule itself. */
  #strikes = new Map<object, number>();

  constructor(options: FaultOptions, setIndexLag: (lagMs: number) => void) {
    this.#setIndexLag = setIndexLag;
    this.deliveries = Object.fromEntries(EDGES.map((edge) => [edge, this.#openDelivery(edge)])) as Record<
      Edge,
      Delivery
    >;
    this.set(options);
  }

  set(options: FaultOptions): void {
    this.#options = options;
    this.#randoms = new Map();
    this.#strikes = new Map();
    this.#setIndexLag(options.indexesLateMs ?? 0);
  }

  clear(): void {
    this.set({});
  }

  get counts(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }

  /** The fault that strikes this request, if any. */
  drawRequestFault(request: FaultyRequest): RequestFaultKind | undefined {
    for (const rule of this.#options.requests ?? []) {
      if (!fits(rule, request) || !this.#strikesNow(rule, rule.kind)) continue;
      this.#count(rule.kind);
      return rule.kind;
    }
    return undefined;
  }

  /** Milliseconds after its start at which an invocation is killed; undefined for one that lives. */
  drawKill(functionName: string): number | undefined {
    for (const rule of this.#options.kills ?? []) {
      if (rule.function !== functionName || !this.#strikesNow(rule, 'kill')) continue;
      return this.#random('kill')() * rule.withinMs;
    }
    return undefined;
  }

  noteKill(): void {
    this.#count('killed');
  }

  /** Milliseconds by which the function's clock is ahead. */
  clockSkewMs(functionName: string): number {
    return this.#options.clocks?.[functionName] ?? 0;
  }

  /** Ends all waits at once. */
  stop(): void {
    for (const [timer, resolve] of this.#late) {
      clearTimeout(timer);
      resolve();
    }
    this.#late.clear();
  }

  #openDelivery(edge: Edge): Delivery {
    return openDelivery({
      faults: () => this.#options.messages?.[edge] ?? {},
      random: () => this.#random(edge)(),
      note: (fault) => this.#count(`${edge}.${fault === 'lateMs' ? 'late' : fault}`),
      sleep: (delayMs) => this.#sleep(delayMs),
    });
  }

  #strikesNow(rule: { readonly share: number; readonly most?: number | undefined }, purpose: string): boolean {
    const struck = this.#strikes.get(rule) ?? 0;
    if (struck >= (rule.most ?? Number.POSITIVE_INFINITY) || this.#random(purpose)() >= rule.share) return false;
    this.#strikes.set(rule, struck + 1);
    return true;
  }

  #random(purpose: string): () => number {
    let random = this.#randoms.get(purpose);
    if (random === undefined) {
      random = openRandom(this.#options.seed ?? 1, purpose);
      this.#randoms.set(purpose, random);
    }
    return random;
  }

  #sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#late.delete(timer);
        resolve();
      }, delayMs);
      this.#late.set(timer, resolve);
    });
  }

  #count(name: string): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }
}

function fits(rule: RequestFault, { service, operation, functionName }: FaultyRequest): boolean {
  if (rule.service !== undefined && rule.service !== service) return false;
  if (rule.operations !== undefined && !rule.operations.includes(operation)) return false;
  return rule.functions === undefined || (functionName !== undefined && rule.functions.includes(functionName));
}
