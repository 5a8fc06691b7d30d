/**
 * Claim slots whole, from the citation rows: those of one slot stand together. Those of an attribute's one-valued slot go
 * on with a claim id; those of its many-valued ones with a key, which sorts behind.
 */
import {
  type CitationItem,
  citationItemSchema,
  type ClaimSlot,
  getCitation,
  queryCitations,
  querySlotCitations,
  type ScopeAddress,
  slotKeyOf,
} from '../../schema/citation.ts';
import { getHead, headItemSchema, REGISTERS } from '../../schema/head.ts';
import { keyPart } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item } from '../../schema/request.ts';
import { scopePartition } from '../../schema/scope.ts';
import type { Store } from './ports.ts';

type Reads = Pick<Store, 'get' | 'query'>;

export interface SlotRows {
  readonly slot: ClaimSlot;
  /** In no meaningful order. */
  readonly citations: readonly CitationItem[];
  /** There are more rows than are read for one claim slot: what its head names is among those read, other rows are not. */
  readonly truncated: boolean;
  /** Where a reading goes on behind this claim slot. */
  readonly position: string;
  /** Rows read so far, of all claim slots. */
  readonly rowsRead: number;
}

export interface SlotFilter {
  /** Slug. */
  readonly entity?: string | undefined;
  /** Narrows the reading only together with an entity, since keys begin with the entity. */
  readonly attribute?: string | undefined;
}

const PREFIX = 'CLAIM#';
const ROWS_PER_QUERY = 500;

/** The first place behind a claim slot's rows: '{' follows all that a claim id is made of, '$' follows '#'. */
function positionBehind(slot: ClaimSlot): string {
  return slot.key === undefined ? `${slotKeyOf(slot)}#{` : `${slotKeyOf(slot)}$`;
}

/** The prefix of a filter's positions. */
export function positionPrefix({ entity, attribute }: SlotFilter): string {
  const parts = [entity, entity === undefined ? undefined : attribute].filter((part) => part !== undefined);
  return parts.map((part) => `${keyPart(part)}#`).join('');
}

/**
 * All rows of one claim slot, at most `rowsMax`; `truncated` when there are more.
 */
export async function readSlotRows(
  { query }: Pick<Store, 'query'>,
  address: ScopeAddress,
  slot: ClaimSlot,
  rowsMax: number = LIMITS.claimRowsPerSlotMax,
): Promise<{ readonly citations: CitationItem[]; readonly truncated: boolean }> {
  const citations: CitationItem[] = [];
  let startKey: Item | undefined;
  do {
    const page = await query(querySlotCitations(address, slot, ROWS_PER_QUERY, startKey));
    for (const item of page.items) {
      const row = citationItemSchema.safeParse(item).data;
      if (!row) continue;
      if (citations.length === rowsMax) return { citations, truncated: true };
      citations.push(row);
    }
    startKey = page.lastKey;
  } while (startKey);
  return { citations, truncated: false };
}

/** Yields every claim slot from a position on, whole. One query at a time; the caller stops when it has enough. */
export function readClaimSlots(
  store: Reads,
  address: ScopeAddress,
  filter: SlotFilter & { readonly rowsPerQuery: number },
  from?: string,
): AsyncGenerator<SlotRows> {
  const { entity, attribute, rowsPerQuery: limit } = filter;
  const narrowed = { ...(entity !== undefined && { entity }), ...(attribute !== undefined && { attribute }), limit };
  const page = (startKey: Item | undefined) =>
    store.query(queryCitations(address, { ...narrowed, ...(startKey && { startKey }) }));
  return walkSlots(store, address, page, from);
}

type ReadPage = (startKey: Item | undefined) => ReturnType<Store['query']>;

async function* walkSlots(
  store: Reads,
  address: ScopeAddress,
  readPage: ReadPage,
  from: string | undefined,
): AsyncGenerator<SlotRows> {
  const startAt = (position: string): Item => ({
    pk: scopePartition(address.scope, address.generation),
    sk: `${PREFIX}${position}`,
  });
  let startKey = from === undefined ? undefined : startAt(from);
  let rows: CitationItem[] = [];
  let rowsRead = 0;
  do {
    const page = await readPage(startKey);
    startKey = page.lastKey;
    for (const item of page.items) {
      const row = citationItemSchema.safeParse(item).data;
      if (!row) continue;
      rowsRead++;
      if (rows[0] && slotKeyOf(rows[0].slot) !== slotKeyOf(row.slot)) {
        yield await gather(store, address, rows, rowsRead);
        rows = [];
      }
      rows.push(row);
      if (rows.length <= LIMITS.claimRowsPerSlotMax) continue;
      startKey = startAt(positionBehind(row.slot));
      break;
    }
  } while (startKey);
  if (rows.length > 0) yield await gather(store, address, rows, rowsRead);
}

async function gather(
  store: Reads,
  address: ScopeAddress,
  rows: readonly CitationItem[],
  rowsRead: number,
): Promise<SlotRows> {
  const { slot } = rows[0] as CitationItem;
  const truncated = rows.length > LIMITS.claimRowsPerSlotMax;
  const citations = truncated ? await withHead(store, address, slot, rows) : rows;
  return { slot, citations, truncated, position: positionBehind(slot), rowsRead };
}

/** As many rows as are read, with those that the head names: what is current is right in the largest claim slot. */
async function withHead(
  store: Reads,
  address: ScopeAddress,
  slot: ClaimSlot,
  rows: readonly CitationItem[],
): Promise<CitationItem[]> {
  const read = rows.slice(0, LIMITS.claimRowsPerSlotMax);
  const head = headItemSchema.safeParse(await store.get(getHead(address, slot))).data;
  const known = new Set(read.map(({ citationId }) => citationId));
  for (const name of REGISTERS) {
    const register = head?.[name];
    if (!register || known.has(register.citationId)) continue;
    known.add(register.citationId);
    const named = await store.get(getCitation(address, { slot, ...register }));
    const row = citationItemSchema.safeParse(named).data;
    if (row) read.push(row);
  }
  return read;
}
