/**
 * Recalls: the current claims that a question is about, each with its date and the id of the quote it stands on, within a
 * budget of tokens. Which entities it is about is judged by their names, merged ones included.
 */
import type { CitationItem, ScopeAddress } from '../../schema/citation.ts';
import { entityItemSchema, queryEntities } from '../../schema/entity.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { RecallQuery } from '../../schema/memory-api.ts';
import type { Item } from '../../schema/request.ts';
import type { Aliases } from '../core/aliases.ts';
import { type Candidate, chooseClaims, chooseEntities, type Recallable } from '../core/recall.ts';
import { type SlotClaim, viewSlot } from '../core/slot-view.ts';
import { loadAliases, type MergedSlot, readMergedSlots } from '../io/merged-slots.ts';
import type { ReaderDeps } from './deps.ts';
import { isoOf } from './iso-time.ts';
import { loadScope } from '../io/scope-row.ts';

export interface RecallAnswer {
  readonly scope: string;
  readonly known: boolean;
  readonly tokens: { readonly budget: number; readonly used: number };
  readonly claims: readonly {
    /** As a prompt may hold it. */
    readonly text: string;
    readonly id: string;
    readonly entity: string;
    readonly attribute: string;
    readonly value: string;
    readonly since: string;
    /** The citation it stands on: `claims/history` has it with its quote. */
    readonly quote: string;
  }[];
}

/** Claims read of one entity: more than a prompt has room for. */
const CLAIMS_PER_ENTITY_MAX = 200;
/** As much of a citation's id as tells it from others in one answer: 48 bits. */
const QUOTE_ID_SHOWN = 8;

export async function readRecall(
  deps: ReaderDeps,
  scope: string,
  { q, tokens: budget }: RecallQuery,
): Promise<RecallAnswer> {
  const row = await loadScope(deps, scope);
  if (!row) return { scope, known: false, tokens: { budget, used: 0 }, claims: [] };
  const address: ScopeAddress = { scope, generation: row.generation };
  const aliases = await loadAliases(deps.store, address);
  const chosen = chooseEntities(q, await readCandidates(deps, address, aliases), LIMITS.recallEntitiesMax);
  const found: Found[] = [];
  for (const [entityRank, { slug }] of chosen.entries()) {
    found.push(...(await readCurrent(deps, address, { aliases, slug, entityRank })));
  }
  const { chosen: claims, tokens: used } = chooseClaims(q, found, budget);
  return {
    scope,
    known: true,
    tokens: { budget, used },
    claims: claims.map(({ text, id, entity, attribute, value, sinceMs, quote }) => ({
      text,
      id,
      entity,
      attribute,
      value,
      since: isoOf(sinceMs),
      quote,
    })),
  };
}

/** One candidate for each group of entities that are one, with all their names. */
async function readCandidates({ store }: ReaderDeps, address: ScopeAddress, aliases: Aliases): Promise<Candidate[]> {
  const names = new Map<string, string[]>();
  let read = 0;
  let startKey: Item | undefined;
  do {
    const page = await store.query(queryEntities(address, LIMITS.memoryRowsPerPageMax, startKey));
    for (const item of page.items) {
      const entity = entityItemSchema.safeParse(item).data;
      if (!entity) continue;
      read++;
      const { root } = aliases.groupOf(entity.slug);
      names.set(root, [...(names.get(root) ?? []), entity.name]);
    }
    startKey = page.lastKey;
  } while (startKey && read < LIMITS.recallCandidatesMax);
  return [...names].map(([slug, own]) => ({
    slug,
    names: [...own, ...aliases.groupOf(slug).slugs.map((one) => one.replaceAll('-', ' '))],
  }));
}

interface Found extends Recallable {
  readonly entity: string;
  readonly attribute: string;
  readonly value: string;
  readonly quote: string;
}

async function readCurrent(
  { store }: ReaderDeps,
  address: ScopeAddress,
  { aliases, slug, entityRank }: { readonly aliases: Aliases; readonly slug: string; readonly entityRank: number },
): Promise<Found[]> {
  const found: Found[] = [];
  const reading = { aliases, entity: slug, rowsPerQuery: LIMITS.claimRowsPerPageMax };
  for await (const merged of readMergedSlots(store, address, reading)) {
    const { current, claims } = viewSlot(merged.citations);
    const active = claims.find(({ state }) => state === 'active');
    if (current && active) found.push(describe(merged, active, current, entityRank));
    if (found.length >= CLAIMS_PER_ENTITY_MAX || merged.rowsRead >= LIMITS.claimRowsPerSlotMax) break;
  }
  return found;
}

function describe(
  { slot, entityName }: MergedSlot,
  claim: SlotClaim<CitationItem>,
  { citationId }: CitationItem,
  entityRank: number,
): Found {
  const { claimId, value, sinceMs } = claim;
  const entity = entityName ?? claim.entityName;
  const since = isoOf(sinceMs).slice(0, 'yyyy-mm-dd'.length);
  const text = `${entity} ${slot.attribute}: ${value} (since ${since}) [${citationId.slice(0, QUOTE_ID_SHOWN)}]`;
  return {
    entityRank,
    id: claimId,
    text,
    sinceMs,
    entity,
    attribute: slot.attribute,
    value,
    quote: citationId,
  };
}
