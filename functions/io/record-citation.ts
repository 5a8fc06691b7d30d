/**
 * Writes one citation and what follows from it: the row, then its register. Every write is idempotent, so that whoever
 * writes the same again repairs what a crash left: a citation found written still raises its register. Reads compute from
 * the citations, so a missing head is late, never wrong.
 */
import {
  addCitationPass,
  type Citation,
  type CitationItem,
  citationItemSchema,
  getCitation,
  putCitation,
  recaptureCitation,
  type ScopeAddress,
} from '../../schema/citation.ts';
import {
  getHead,
  type HeadItem,
  headItemSchema,
  raiseRegister,
  type RegisterName,
  registerOf,
  REGISTERS,
} from '../../schema/head.ts';
import { protects, type SlotCitation, stands } from '../core/counting.ts';
import { tiesWith } from '../core/registers.ts';
import { type ClaimDeps, rebuildSlot, settleContests, SlotBusyError, SlotTooLargeError } from './heads.ts';

export interface CitationWrite {
  readonly address: ScopeAddress;
  readonly citation: Citation;
  /** Absent: a person said it. */
  readonly passId: string | undefined;
}

/**
 * new: nobody said it before. known: it was there. withdrawn: it was taken back for good, and writing it again changes
 * nothing.
 */
export type Recorded = 'new' | 'known' | 'withdrawn';

/** Writes a citation. Throws what the store throws; for a retraction also SlotBusyError and SlotTooLargeError. */
export async function recordCitation(deps: ClaimDeps, write: CitationWrite): Promise<Recorded> {
  const { address } = write;
  const { row, isNew } = await writeRow(deps, write);
  if (!stands(row)) {
    await lowerStaleHead(deps, address, row);
    return 'withdrawn';
  }
  const register = registerOf(row);
  if (row.retracts) await rebuildSlot(deps, address, row.slot, { isChanged: true });
  // The row as it stands, under the latest captured time it was written with.
  if (register) await raise(deps, address, row, register);
  if (register && protects(row)) await raise(deps, address, row, 'protected');
  else if (row.protects) await lowerStaleHead(deps, address, row);
  if (row.contradicts !== undefined) await settleContests(deps, address, row.slot);
  return isNew ? 'new' : 'known';
}

type Row = Citation & SlotCitation;

async function writeRow(
  { store, ids }: ClaimDeps,
  { address, citation, passId }: CitationWrite,
): Promise<{ readonly row: Row; readonly isNew: boolean }> {
  const outcome = await store.write(putCitation(address, citation, passId, ids.fresh()));
  if (outcome.kind === 'won') return { row: citation, isNew: true };
  const found = citationItemSchema.safeParse(outcome.stored).data;
  if (!found) return { row: citation, isNew: false };
  // What a person said stands where they said it, also when a call was repeated.
  const isLater = passId !== undefined && citation.capturedAtMs > found.capturedAtMs;
  const stored = isLater ? await recapture({ store, ids }, address, citation, found) : found;
  if (stored.withdrawnAtMs !== undefined || passId === undefined || stored.passes[passId] !== undefined) {
    return { row: stored, isNew: false };
  }
  const nowMs = citation.recordedAtMs;
  const added = await store.write(addCitationPass(address, citation, { passId, nowMs, op: ids.fresh() }));
  const fresh = added.kind === 'won' ? added.item : added.stored;
  return { row: citationItemSchema.safeParse(fresh).data ?? stored, isNew: false };
}

/** The source went back to this text: the citation as it stands under its later captured time. */
async function recapture(
  { store, ids }: Pick<ClaimDeps, 'store' | 'ids'>,
  address: ScopeAddress,
  citation: Citation,
  found: CitationItem,
): Promise<CitationItem> {
  const outcome = await store.write(recaptureCitation(address, citation, ids.fresh()));
  return citationItemSchema.safeParse(outcome.kind === 'won' ? outcome.item : outcome.stored).data ?? found;
}

async function raise(deps: ClaimDeps, address: ScopeAddress, row: Row, register: RegisterName): Promise<void> {
  const { store, ids } = deps;
  const outcome = await store.write(raiseRegister(address, row, register, ids.fresh()));
  const head = headItemSchema.safeParse(outcome.kind === 'won' ? outcome.item : outcome.stored).data;
  if (outcome.kind === 'held' && Object.keys(row.undone ?? {}).length > 0) {
    // It may have stood no longer before this pass said it: a rebuild that saw it so may still be on its way.
    await mendHead(deps, address, row, { isChanged: true });
    return;
  }
  if (outcome.kind === 'won' && !(await stillStands(deps, { address, row, register }))) {
    await mendHead(deps, address, row);
    return;
  }
  if (head && isContested(head, row, register)) await settleContests(deps, address, row.slot, head.contested);
}

/**
 * Looks at the row again after its register was raised: whoever took it back, lifted or erased it, in between rebuilt the
 * head before the raise, and would not again. With this look, whichever of the two comes last sees the other.
 */
async function stillStands(
  { store }: ClaimDeps,
  { address, row, register }: { readonly address: ScopeAddress; readonly row: Row; readonly register: RegisterName },
): Promise<boolean> {
  const item = await store.get(getCitation(address, row));
  if (!item) return false;
  const stored = citationItemSchema.safeParse(item).data;
  return stored === undefined || (stands(stored) && (register !== 'protected' || protects(stored)));
}

/**
 * For a row that stands no longer, or protects no longer. Whoever raised a head to it and died before looking again left it
 * there: the next to write the same mends it.
 */
async function lowerStaleHead(deps: ClaimDeps, address: ScopeAddress, row: Row): Promise<void> {
  const head = headItemSchema.safeParse(await deps.store.get(getHead(address, row.slot))).data;
  const isNamed = REGISTERS.some((register) => head?.[register]?.citationId === row.citationId);
  if (isNamed) await mendHead(deps, address, row);
}

/** A head that cannot be set right now is a stale cache, which reads find out and a repair mends: no reason to fail. */
async function mendHead(
  deps: ClaimDeps,
  address: ScopeAddress,
  { slot }: Row,
  options: Parameters<typeof rebuildSlot>[3] = {},
): Promise<void> {
  try {
    await rebuildSlot(deps, address, slot, options);
  } catch (error) {
    if (!(error instanceof SlotBusyError || error instanceof SlotTooLargeError)) throw error;
  }
}

/**
 * Another claim stood, or stands, at the same time; or the claim slot was contested once. Then every raise looks, also one
 * that lost: whether a claim that was called wrong still stands hangs on what comes next to the top, too.
 */
function isContested(head: HeadItem, row: Row, register: RegisterName): boolean {
  if (head.contested || register === 'protected') return head.contested === true;
  return [head[`${register}Key`], head[`${register}Was`]].some((other) => tiesWith(other, row));
}
