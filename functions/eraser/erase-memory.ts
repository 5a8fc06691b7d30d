/**
 * One look of the erasure of a source or a claim: through all that a generation holds of its memory. Nothing lists the
 * claims of a source, so every citation is read, in bounded steps; then what may be left without one: heads that name a
 * citation which is gone, entities nobody speaks of, attentions and proposals with quotes of their own.
 */
import { attentionItemSchema, dropAttention, getAttention, queryAttention } from '../../schema/attention.ts';
import { type CitationItem, getCitation, isEmptied, queryCitations } from '../../schema/citation.ts';
import {
  type EntityItem,
  entityItemSchema,
  entityKey,
  nameKeyOf,
  putEntity,
  queryEntities,
} from '../../schema/entity.ts';
import { queryPassRows } from '../../schema/erasure.ts';
import { type HeadItem, headItemSchema, queryHeads, REGISTERS } from '../../schema/head.ts';
import { LIMITS } from '../../schema/limits.ts';
import { proposalPageSchema } from '../../schema/proposal.ts';
import { type Item, remove } from '../../schema/request.ts';
import { scopePartition } from '../../schema/scope.ts';
import { isErased, tellsOfErased } from '../core/erasing.ts';
import { settleContests } from '../io/heads.ts';
import { readClaimSlots, readSlotRows } from '../io/slot-rows.ts';
import { eraseFromSlot, settleHead } from './erase-slot.ts';
import { eraseSourceTexts, keyOf } from './erase-source.ts';
import { readPosition, type Step, walkPages, writePosition } from './step.ts';

const ROWS_PER_PAGE = LIMITS.erasedRowsPerPageMax;

/** One part of a look: answers where it goes on, undefined at its end. */
type Part = (step: Step, after: string | undefined) => Promise<string | undefined>;

const PARTS: readonly (readonly [name: string, part: Part])[] = [
  ['texts', eraseSourceTexts],
  ['claims', eraseCitations],
  ['heads', mendHeads],
  ['entities', dropEntities],
  ['attention', dropAttentions],
  ['proposals', dropProposals],
];

/** Goes on with a look until its time is up. Answers where the next run goes on, undefined when the look is through. */
export async function eraseMemory(step: Step): Promise<string | undefined> {
  const begun = readPosition(step.erasure.position, 'texts');
  let { after } = begun;
  const first = PARTS.findIndex(([name]) => name === begun.part);
  for (const [part, act] of PARTS.slice(first)) {
    if (step.isOver) return writePosition({ part, after });
    const stoppedAt = await act(step, after);
    if (stoppedAt !== undefined) return writePosition({ part, after: stoppedAt });
    after = undefined;
  }
  return undefined;
}

function startKeyOf({ address }: Step, sk: string | undefined): Item | undefined {
  return sk === undefined ? undefined : { pk: scopePartition(address.scope, address.generation), sk };
}

async function eraseCitations(step: Step, after: string | undefined): Promise<string | undefined> {
  const { deps, address, erasure } = step;
  const rowsPerQuery = LIMITS.claimRowsPerPageMax;
  let known: string | undefined;
  for await (const read of readClaimSlots(deps.store, address, { rowsPerQuery }, after)) {
    const { slot, position, truncated } = read;
    const rows = truncated
      ? (await readSlotRows(deps.store, address, slot, LIMITS.claimRowsPerRebuildMax)).citations
      : read.citations;
    const meant = new Set(rows.filter((citation: CitationItem) => isErased(erasure, citation)));
    if (meant.size > 0) await eraseFromSlot(step, slot, [...meant]);
    const kept = rows.filter((citation) => !meant.has(citation) && !isEmptied(citation));
    if (kept.length > 0 && slot.entity !== known) {
      await keepKnown(step, kept);
      known = slot.entity;
    }
    if (step.isOver) return position;
  }
  return undefined;
}

/**
 * Makes an entity known again that claims are about. The look before dropped it when a writer had made it known and not
 * yet written its first claim; a look that dropped anything is never the last.
 */
async function keepKnown({ deps, address }: Step, kept: readonly CitationItem[]): Promise<void> {
  const names = kept.map(({ entityName }) => entityName);
  const name = names.reduce((best, other) => (nameKeyOf(other) > nameKeyOf(best) ? other : best));
  await deps.store.write(putEntity(address, name, deps.ids.fresh()));
}

/** A writer that raised a head to a row which is gone, and died before it looked again, left it there. */
async function mendHeads(step: Step, after: string | undefined): Promise<string | undefined> {
  return walkPages(
    step,
    (startKey) => queryHeads(step.address, ROWS_PER_PAGE, startKey),
    startKeyOf(step, after),
    async (items) => {
      for (const item of items) {
        const head = headItemSchema.safeParse(item).data;
        if (head && (await isStale(step, head))) await settleHead(step, head.slot);
      }
    },
  );
}

/** It holds nothing, or names a citation that is not there. */
async function isStale({ deps, address }: Step, head: HeadItem): Promise<boolean> {
  const named = REGISTERS.flatMap((register) => head[register] ?? []);
  for (const { claimId, citationId } of named) {
    if (!(await deps.store.get(getCitation(address, { slot: head.slot, claimId, citationId })))) return true;
  }
  return named.length === 0;
}

async function dropEntities(step: Step, after: string | undefined): Promise<string | undefined> {
  return walkPages(
    step,
    (startKey) => queryEntities(step.address, ROWS_PER_PAGE, startKey),
    startKeyOf(step, after),
    async (items) => {
      for (const item of items) {
        const entity = entityItemSchema.safeParse(item).data;
        if (entity) await dropEntity(step, entity);
      }
    },
  );
}

/**
 * Drops an entity that no claim is about: its name may stand in the erased text alone. A writer makes an entity known just
 * before its first claim, so it is looked at again after, and made known again.
 */
async function dropEntity(step: Step, { slug, name }: EntityItem): Promise<void> {
  const { deps, address } = step;
  const hasClaims = async () =>
    (await deps.store.query(queryCitations(address, { entity: slug, limit: 1 }))).items.length > 0;
  if (await hasClaims()) return;
  await step.remove('others', [remove(entityKey(address, slug))]);
  if (await hasClaims()) await deps.store.write(putEntity(address, name, deps.ids.fresh()));
}

async function dropAttentions(step: Step, after: string | undefined): Promise<string | undefined> {
  return walkPages(
    step,
    (startKey) => queryAttention(step.address, ROWS_PER_PAGE, startKey),
    startKeyOf(step, after),
    async (items) => {
      for (const item of items) if (tellsOfErased(step.erasure, item)) await dropOne(step, item);
    },
  );
}

/**
 * What is contested without the erased side is raised anew, with quotes of its own: in place of what goes, since nobody comes
 * again for a contest whose attention went with a look that died. What goes then is of a contest that is over, and goes as
 * it was read: a writer may have raised it again. One that stands by an erased citation, which came back since this look went
 * through them, is left to the next.
 */
async function dropOne(step: Step, listed: Item): Promise<void> {
  const { deps, address, erasure, removed } = step;
  const contested = attentionItemSchema.safeParse(listed).data;
  if (contested) await settleContests(deps, address, contested.details.slot, true);
  const item = contested ? await deps.store.get(getAttention(address, contested)) : listed;
  const isMeant = item !== undefined && tellsOfErased(erasure, item);
  if (isMeant && contested && item.resolvedAtMs === undefined) {
    step.left++;
    return;
  }
  const dropped = isMeant && (await deps.store.write(dropAttention(keyOf(item), String(item.op))));
  if (dropped && dropped.kind === 'held' && dropped.stored) step.left++;
  else removed.others++;
}

/** What dry runs would have written: it quotes sources, and a day until it goes by itself is too long. */
async function dropProposals(step: Step, after: string | undefined): Promise<string | undefined> {
  return walkPages(
    step,
    (startKey) => queryPassRows(step.address, ROWS_PER_PAGE, startKey),
    startKeyOf(step, after),
    async (items) => {
      const meant = items.filter((item) => {
        const page = String(item.sk).includes('#PROPOSAL#') ? proposalPageSchema.safeParse(item).data : undefined;
        return page?.citations.some((citation) => isErased(step.erasure, citation)) ?? false;
      });
      await step.remove(
        'others',
        meant.map((item) => remove(keyOf(item))),
      );
    },
  );
}
