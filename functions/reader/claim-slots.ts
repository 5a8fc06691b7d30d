/**
 * Claim slots in key order, each whole, from the citation rows: all rows of one claim slot stand together. Those of an
 * attribute's one-valued slot go on with a claim id; those of its many-valued ones with a key, which sorts behind.
 */
import {
  type CitationItem,
  citationItemSchema,
  type ClaimSlot,
  queryCitations,
  type ScopeAddress,
  slotKeyOf,
} from '../../schema/citation.ts';
import { keyPart } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item } from '../../schema/request.ts';
import { scopePartition } from '../../schema/scope.ts';
import type { ReaderDeps } from './deps.ts';

export interface SlotRows {
  readonly slot: ClaimSlot;
  /** In no meaningful order. */
  readonly citations: readonly CitationItem[];
  /** There are more rows than are read for one claim slot. */
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
// The longest sort key DynamoDB takes, less the prefix.
const POSITION_MAX = 1024 - PREFIX.length;

/** The first place behind a claim slot's rows: '{' follows all that a claim id is made of, '$' follows '#'. */
function positionBehind(slot: ClaimSlot): string {
  return slot.key === undefined ? `${slotKeyOf(slot)}#{` : `${slotKeyOf(slot)}$`;
}

/** Whether a reading with this filter can begin at a position: the range that is read holds it. */
export function isWithin(position: string, { entity, attribute }: SlotFilter): boolean {
  if (position.length > POSITION_MAX || !/^[\x20-\x7e]+$/.test(position)) return false;
  const parts = [entity, entity === undefined ? undefined : attribute].filter((part) => part !== undefined);
  return position.startsWith([...parts.map(keyPart), ''].join('#'));
}

/** Yields every claim slot from a position on, whole. One query at a time; the caller stops when it has enough. */
export async function* readSlots(
  { store }: Pick<ReaderDeps, 'store'>,
  address: ScopeAddress,
  { entity, attribute, rowsPerQuery }: SlotFilter & { readonly rowsPerQuery: number },
  from?: string,
): AsyncGenerator<SlotRows> {
  const narrowed = { ...(entity !== undefined && { entity }), ...(attribute !== undefined && { attribute }) };
  const startAt = (position: string): Item => ({
    pk: scopePartition(address.scope, address.generation),
    sk: `${PREFIX}${position}`,
  });
  let startKey = from === undefined ? undefined : startAt(from);
  let rows: CitationItem[] = [];
  let rowsRead = 0;
  do {
    const limited = { ...narrowed, limit: rowsPerQuery, ...(startKey && { startKey }) };
    const page = await store.query(queryCitations(address, limited));
    startKey = page.lastKey;
    for (const item of page.items) {
      const row = citationItemSchema.safeParse(item).data;
      if (!row) continue;
      rowsRead++;
      if (rows[0] && slotKeyOf(rows[0].slot) !== slotKeyOf(row.slot)) {
        yield slotOf(rows, rowsRead);
        rows = [];
      }
      rows.push(row);
      if (rows.length <= LIMITS.claimRowsPerSlotMax) continue;
      startKey = startAt(positionBehind(row.slot));
      break;
    }
  } while (startKey);
  if (rows.length > 0) yield slotOf(rows, rowsRead);
}

function slotOf(rows: readonly CitationItem[], rowsRead: number): SlotRows {
  const { slot } = rows[0] as CitationItem;
  return {
    slot,
    citations: rows.slice(0, LIMITS.claimRowsPerSlotMax),
    truncated: rows.length > LIMITS.claimRowsPerSlotMax,
    position: positionBehind(slot),
    rowsRead,
  };
}
