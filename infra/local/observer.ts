/**
 * Counts what passes were given, from the requests themselves as the runtime shows them: a witness that shares no code
 * with what it watches. Keys and expressions are read as plain text.
 *
 * A successful UpdateItem on an EVIDENCE row that sets `leasePass` is a delivery of that revision to that pass. A pass
 * runs from the write that makes it `running` to the write that makes it terminal. A delivery is double when another
 * pass that was given the same revision is still running.
 */
import type { Item } from './dynamodb/attribute-value.ts';
import { readText } from './row-text.ts';
import type { Observation } from './runtime/request-counts.ts';

export interface ObservedFigures {
  readonly deliveries: number;
  readonly doubleDeliveries: number;
  /** Revisions that were given to a pass. */
  readonly delivered: number;
  /** Revisions that were settled. */
  readonly settled: number;
  /** Passes that started. */
  readonly passes: number;
  readonly running: number;
  /** Most passes that ran at once. */
  readonly peakPasses: number;
}

interface UpdateInput {
  readonly Key: Item;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

const EVIDENCE = /^EVIDENCE#/;
/** Not the LEASE and REVIEW rows below a pass. */
const PASS = /^PASS#([^#]+)$/;
const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'expired']);

export class PassObserver {
  /** Revision → the passes that received it. */
  readonly #receivers = new Map<string, Set<string>>();
  readonly #running = new Set<string>();
  /** Running by the table, left by an earlier run: their worker is dead, but nobody has said so yet. */
  readonly #inherited = new Set<string>();
  readonly #started = new Set<string>();
  readonly #settled = new Set<string>();
  #deliveries = 0;
  #doubleDeliveries = 0;
  #peakPasses = 0;

  get figures(): ObservedFigures {
    return {
      deliveries: this.#deliveries,
      doubleDeliveries: this.#doubleDeliveries,
      delivered: this.#receivers.size,
      settled: this.#settled.size,
      passes: this.#started.size,
      running: this.#running.size,
      peakPasses: this.#peakPasses,
    };
  }

  /** Whether this pass was seen to start. */
  hasStarted(passId: string): boolean {
    return this.#started.has(passId);
  }

  /** Takes up passes and leases that an earlier run left in the table: a pass that died runs until somebody says so. */
  seed(items: readonly Item[]): void {
    for (const item of items) {
      const sk = readText(item.sk) ?? '';
      const passId = PASS.exec(sk)?.[1];
      const leasePass = readText(item.leasePass);
      if (passId !== undefined && readText(item.status) === 'running') this.#inherited.add(passId);
      if (EVIDENCE.test(sk) && leasePass !== undefined) this.#receive(nameRow(item), leasePass);
    }
  }

  /** Sees one request with its answer. */
  see({ service, operation, status, input }: Observation): void {
    if (service !== 'dynamodb' || operation !== 'UpdateItem' || status !== 200) return;
    const update = input as UpdateInput;
    const sk = readText(update.Key.sk) ?? '';
    const passId = PASS.exec(sk)?.[1];
    if (passId !== undefined) this.#noteStatus(passId, readAssignments(update).status);
    else if (EVIDENCE.test(sk)) this.#noteEvidence(nameRow(update.Key), readAssignments(update));
  }

  #noteStatus(passId: string, status: string | undefined): void {
    if (status === 'running') {
      this.#running.add(passId);
      this.#started.add(passId);
      this.#peakPasses = Math.max(this.#peakPasses, this.#running.size);
    } else if (status !== undefined && TERMINAL.has(status)) {
      this.#running.delete(passId);
      this.#inherited.delete(passId);
    }
  }

  #noteEvidence(revision: string, { leasePass, state }: Readonly<Record<string, string>>): void {
    if (state === 'settled') this.#settled.add(revision);
    if (leasePass === undefined) return;
    this.#deliveries += 1;
    const receivers = [...(this.#receivers.get(revision) ?? [])];
    if (receivers.some((passId) => passId !== leasePass && this.#isLive(passId))) this.#doubleDeliveries += 1;
    this.#receive(revision, leasePass);
  }

  #isLive(passId: string): boolean {
    return this.#running.has(passId) || this.#inherited.has(passId);
  }

  #receive(revision: string, passId: string): void {
    const receivers = this.#receivers.get(revision);
    if (receivers === undefined) this.#receivers.set(revision, new Set([passId]));
    else receivers.add(passId);
  }
}

function nameRow({ pk, sk }: Item): string {
  return `${readText(pk)}|${readText(sk)}`;
}

/** The string values that an UpdateItem sets, by attribute name. */
function readAssignments(input: UpdateInput): Record<string, string> {
  const { UpdateExpression = '', ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = input;
  const [, set = ''] = /^SET (.*?)(?: (?:ADD|REMOVE|DELETE) .*)?$/.exec(UpdateExpression) ?? [];
  const assigned: Record<string, string> = {};
  for (const clause of set.split(', ')) {
    const [, name, value] = /^(\S+) = (:\S+)$/.exec(clause) ?? [];
    const text = value === undefined ? undefined : readText(values[value]);
    if (name !== undefined && text !== undefined) assigned[names[name] ?? name] = text;
  }
  return assigned;
}
