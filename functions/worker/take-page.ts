/**
 * Takes a page of leases. First the LEASE row: the sources about to be leased, a superset of what the pass may hold
 * whatever dies next. Then one conditional write per source, which decides. What was lost is made up for by reading on,
 * at most four times.
 */
import {
  evidenceAddress,
  type EvidenceItem,
  leaseEvidence,
  parseEvidence,
  sourceKeyOfEvidence,
} from '../../schema/evidence.ts';
import { putLeasePage } from '../../schema/lease-page.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassAddress } from '../../schema/pass.ts';
import type { QueueRow } from '../../schema/queue.ts';
import { isOldestFirst, isSuspect, type PageRoom } from '../core/paging.ts';
import type { WorkerDeps } from './deps.ts';
import { advance, TriedRows, nominate, type QueuePosition, type QueueReader } from './queue-position.ts';

export interface Leasing {
  readonly address: PassAddress;
  readonly reader: QueueReader;
  readonly position: QueuePosition;
  /** LEASE rows put so far. */
  leasePages: number;
  leasesLost: number;
  /** Pages asked for so far: every fourth asks first for what has waited longest. */
  pages: number;
  /** What it holds, once it holds something: suspects, or sources that are none. */
  holds?: 'suspects' | 'others';
}

export interface TakenPage {
  readonly taken: readonly EvidenceItem[];
  /** More could be taken than the page had room for. */
  readonly more: boolean;
  readonly heldByOthers: boolean;
  /** Sources were there, and other passes were faster at each one: to be asked again, which is not the end of the queue. */
  readonly lostAll: boolean;
  /** What is left must not be read beside what the pass holds: it is for a pass of its own. */
  readonly setAside: boolean;
}

export async function takePage(deps: WorkerDeps, leasing: Leasing, room: PageRoom): Promise<TakenPage> {
  const taken: EvidenceItem[] = [];
  let characters = room.characters;
  let more = false;
  let heldByOthers = false;
  let lost = false;
  let setAside = false;
  const oldestFirst = isOldestFirst(leasing.pages, leasing.reader.slotNumber);
  leasing.pages++;
  const tried = new TriedRows();
  for (let round = 0; round <= LIMITS.refillMax; round++) {
    const { holds } = leasing;
    const left = { sources: room.sources - taken.length, characters, ...(holds && { holds }) };
    const ask = { need: left.sources, oldestFirst: oldestFirst && round === 0, passOver: tried };
    const nomination = await nominate(deps, leasing.reader, leasing.position, ask);
    const choice = deps.decide.choosePage(nomination.rows, left);
    heldByOthers = nomination.heldByOthers;
    more = choice.left > 0;
    if (choice.chosen.length === 0) {
      // An index that lags shows what was lost before: that is not the end of the queue.
      lost = nomination.passedOver > 0;
      setAside = nomination.rows.length > 0;
      break;
    }
    const won = await leaseAll(deps, leasing, choice.chosen);
    taken.push(...won);
    for (const row of choice.chosen) tried.add(row);
    const [first] = choice.chosen;
    if (won.length > 0 && first) leasing.holds ??= isSuspect(first) ? 'suspects' : 'others';
    characters -= won.reduce((sum, item) => sum + Math.min(item.length - item.cursor, characters), 0);
    lost = won.length < choice.chosen.length;
    const oldest = new Set(nomination.oldest);
    advance(
      leasing.position,
      choice.chosen.filter((row) => !oldest.has(row)),
    );
    const isWhole = !lost || (leasing.holds === 'suspects' && taken.length > 0);
    if (isWhole || characters < LIMITS.pageCharactersMin) break;
  }
  return { taken, more, heldByOthers, lostAll: lost && taken.length === 0, setAside };
}

async function leaseAll(deps: WorkerDeps, leasing: Leasing, rows: readonly QueueRow[]): Promise<EvidenceItem[]> {
  const { lane } = leasing.reader.queue;
  const sourceKeys = rows.map((row) => sourceKeyOfEvidence(row.sk, lane));
  leasing.leasePages++;
  const page = leasing.leasePages;
  const expiresAtMs = leasing.reader.leaseExpiresAtMs;
  await deps.store.write(putLeasePage(leasing.address, { page, sourceKeys, expiresAtMs, op: deps.ids.fresh() }));
  const outcomes = await Promise.all(rows.map((row) => leaseOne(deps, leasing, row)));
  return outcomes.filter((item) => item !== undefined);
}

async function leaseOne(deps: WorkerDeps, leasing: Leasing, row: QueueRow): Promise<EvidenceItem | undefined> {
  const { address, reader } = leasing;
  const { passId } = address;
  const target = { ...reader.queue, sourceKey: sourceKeyOfEvidence(row.sk, reader.queue.lane) };
  const outcome = await deps.store.write(
    leaseEvidence(target, {
      passId,
      seq: row.seq,
      nowMs: deps.clock.nowMs(),
      expiresAtMs: reader.leaseExpiresAtMs,
      op: deps.ids.fresh(),
    }),
  );
  if (outcome.kind === 'won') return parseEvidence(outcome.item);
  leasing.leasesLost++;
  return undefined;
}

/** The address of a leased row. */
export function addressOf({ reader }: Leasing, item: EvidenceItem) {
  return evidenceAddress(reader.queue.scope, reader.queue.generation, reader.queue.lane, item);
}
