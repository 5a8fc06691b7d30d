/**
 * Claim slots with merges followed: claims are never moved, so the slots of entities that are one are read together and
 * shown as slots of the one that stands for all. Yielded once each, where the first of them stands in the order of keys.
 */
import type { CitationItem, ClaimSlot, ScopeAddress } from '../../schema/citation.ts';
import { aliasItemSchema, queryAliases } from '../../schema/entity.ts';
import { keyPart } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item } from '../../schema/request.ts';
import { type Aliases, type EntityGroup, joinAliases } from '../core/aliases.ts';
import { claimIdOf } from '../core/claims.ts';
import type { Store } from './ports.ts';
import { positionPrefix, readSlotRows, readClaimSlots, type SlotFilter, type SlotRows } from './slot-rows.ts';

type Reads = Pick<Store, 'get' | 'query'>;

export interface MergedSlot extends SlotRows {
  /** What the entity is called that stands for all, where several are one. */
  readonly entityName: string | undefined;
}

/**
 * How a scope's entities are merged, by what was known at a time (default: now); one query when there are few. Throws
 * when there are more merges than are read.
 */
export async function loadAliases(
  store: Pick<Store, 'query'>,
  address: ScopeAddress,
  knownAtMs?: number,
): Promise<Aliases> {
  const most = LIMITS.aliasRowsPerScopeMax;
  const rows: Item[] = [];
  let startKey: Item | undefined;
  do {
    const page = await store.query(queryAliases(address, most + 1, startKey));
    rows.push(...page.items);
    startKey = page.lastKey;
    if (rows.length > most) throw new Error(`scope ${address.scope} has more than ${most} merges`);
  } while (startKey);
  return joinAliases(
    rows.flatMap((row) => aliasItemSchema.safeParse(row).data ?? []),
    knownAtMs,
  );
}

/** Whether a reading with this filter can begin at a position: the range that is read holds it. */
export function isWithin(position: string, { entity, attribute }: SlotFilter, aliases: Aliases): boolean {
  // The longest sort key DynamoDB takes.
  if (position.length > 1_000 || !/^[\x20-\x7e]+$/.test(position)) return false;
  if (entity === undefined) return true;
  return aliases.groupOf(entity).slugs.some((slug) => position.startsWith(positionPrefix({ entity: slug, attribute })));
}

interface Reading extends SlotFilter {
  readonly aliases: Aliases;
  readonly rowsPerQuery: number;
  readonly from?: string | undefined;
}

/** Yields every claim slot from a position on, whole, entities that are one taken together. */
export async function* readMergedSlots(
  store: Reads,
  address: ScopeAddress,
  { aliases, from, ...filter }: Reading,
): AsyncGenerator<MergedSlot> {
  const { entity } = filter;
  const slugs = entity === undefined ? [undefined] : aliases.groupOf(entity).slugs;
  let rowsRead = 0;
  for (const slug of slugs) {
    const narrowed = { ...filter, ...(slug !== undefined && { entity: slug }) };
    if (slug !== undefined && from !== undefined && isBehind(from, slug)) continue;
    const begins = slug === undefined || from?.startsWith(`${keyPart(slug)}#`) ? from : undefined;
    let ownRows = 0;
    for await (const slot of readClaimSlots(store, address, narrowed, begins)) {
      ownRows = slot.rowsRead;
      const merged = await mergeSlot(store, address, slot, aliases.groupOf(slot.slot.entity));
      if (merged) yield { ...merged, rowsRead: rowsRead + slot.rowsRead };
    }
    rowsRead += ownRows;
  }
}

/** Whether a position lies behind all of an entity's slots. */
function isBehind(position: string, slug: string): boolean {
  const prefix = `${keyPart(slug)}#`;
  return position > prefix && !position.startsWith(prefix);
}

/** The slot with those of its group's other entities; undefined when an earlier one of them stands for it. */
async function mergeSlot(
  store: Reads,
  address: ScopeAddress,
  slot: SlotRows,
  group: EntityGroup,
): Promise<MergedSlot | undefined> {
  if (group.slugs.length === 1) return { ...slot, entityName: undefined };
  const own = group.slugs.indexOf(slot.slot.entity);
  const others = group.slugs.filter((_, position) => position !== own);
  const read = await readOfAll(store, address, slot.slot, others);
  if (read.slice(0, own).some(({ citations }) => citations.length > 0)) return undefined;
  const root: ClaimSlot = { ...slot.slot, entity: group.root };
  const citations = [slot.citations, ...read.map((other) => other.citations)].flat();
  return {
    ...slot,
    slot: root,
    citations: citations.map((row) => moveTo(root, row)),
    truncated: slot.truncated || read.some(({ truncated }) => truncated),
    entityName: group.name,
  };
}

/** The same slot of several entities, one after the other. */
async function readOfAll(store: Reads, address: ScopeAddress, slot: ClaimSlot, slugs: readonly string[]) {
  const read: Awaited<ReturnType<typeof readSlotRows>>[] = [];
  for (const entity of slugs) read.push(await readSlotRows(store, address, { ...slot, entity }));
  return read;
}

/** One claim slot of each entity that is one with its own, as the rows stand. */
export async function readSlotsOfGroup(
  store: Reads,
  address: ScopeAddress,
  slot: ClaimSlot,
): Promise<readonly { readonly slot: ClaimSlot; readonly citations: readonly CitationItem[] }[]> {
  const { slugs } = (await loadAliases(store, address)).groupOf(slot.entity);
  const read = await readOfAll(store, address, slot, slugs);
  return read.map(({ citations }, position) => ({
    slot: { ...slot, entity: slugs[position] as string },
    citations,
  }));
}

/** One claim slot, with those of all entities that are one with its own. */
export async function readMergedSlot(
  store: Reads,
  address: ScopeAddress,
  aliases: Aliases,
  slot: ClaimSlot,
): Promise<Pick<MergedSlot, 'slot' | 'citations' | 'truncated' | 'entityName'>> {
  const group = aliases.groupOf(slot.entity);
  const read = await readOfAll(store, address, slot, group.slugs);
  const root: ClaimSlot = { ...slot, entity: group.root };
  const citations = read.flatMap((one) => one.citations);
  return {
    slot: root,
    citations: group.slugs.length === 1 ? citations : citations.map((row) => moveTo(root, row)),
    truncated: read.some(({ truncated }) => truncated),
    entityName: group.name,
  };
}

/** A citation as one of the slot that stands for all: the same value there is the same claim. */
function moveTo(slot: ClaimSlot, row: CitationItem): CitationItem {
  return { ...row, slot, claimId: claimIdOf(slot, row.value) };
}
