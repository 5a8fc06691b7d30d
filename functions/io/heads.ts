/**
 * Keeps a claim slot's head and its attention in step with its citations, where more than a raise is needed: after
 * something was withdrawn, and when two claims contest a place. Each reads, decides, writes on condition of what was
 * read, and looks again until nothing is left to do: whoever is last sees what all others wrote.
 */
import {
  attentionItemSchema,
  clearAttention,
  getAttention,
  lowerAttention,
  raiseAttention,
} from '../../schema/attention.ts';
import type { ClaimSlot, ScopeAddress } from '../../schema/citation.ts';
import { flagContest, getHead, headItemSchema, rebuildHead } from '../../schema/head.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Write } from '../../schema/request.ts';
import { CONTEST_PLACES, type Contest, contestSubject, findContests } from '../core/contests.ts';
import { holdsRegisters, registersOf } from '../core/registers.ts';
import { markBacklog } from './backlog-mark.ts';
import type { Clock, Ids, Store } from './ports.ts';
import { loadScope } from './scope-row.ts';
import { readSlotRows } from './slot-rows.ts';

export interface ClaimDeps {
  readonly store: Pick<Store, 'get' | 'query' | 'write'>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
}

/** A head that passes raise faster than it can be rebuilt: calling again is safe. */
export class SlotBusyError extends Error {
  constructor(slot: ClaimSlot) {
    super(`the claim slot ${slot.entity} ${slot.attribute} is being written by passes: send this again`);
    this.name = 'SlotBusyError';
  }
}

/** A claim slot with more rows than a rebuild can see. */
export class SlotTooLargeError extends Error {
  constructor(slot: ClaimSlot) {
    super(
      `the claim slot ${slot.entity} ${slot.attribute} holds more than ${LIMITS.claimRowsPerRebuildMax} citations: its head cannot be rebuilt`,
    );
    this.name = 'SlotTooLargeError';
  }
}

/**
 * Sets the head of a claim slot to what its citations say, and its attentions too. Answers whether the head was another.
 * With `isChanged`, what citations say was just changed: then the head is written also when it is right, so that a rebuild
 * that read them before, and is still on its way, finds another version and reads again.
 * Throws SlotBusyError and SlotTooLargeError.
 */
export async function rebuildSlot(
  deps: ClaimDeps,
  address: ScopeAddress,
  slot: ClaimSlot,
  { isChanged = false }: { readonly isChanged?: boolean } = {},
): Promise<boolean> {
  const { store, ids } = deps;
  let changed = false;
  let hasWritten = false;
  for (let round = 0; round < LIMITS.rebuildRoundsMax; round++) {
    // The head first: a citation that raises it after this look is among the rows, or raises the version.
    const head = headItemSchema.safeParse(await store.get(getHead(address, slot))).data;
    const { citations, truncated } = await readSlotRows(store, address, slot, LIMITS.claimRowsPerRebuildMax);
    if (truncated) throw new SlotTooLargeError(slot);
    const registers = registersOf(citations);
    const isWrong = !holdsRegisters(head, registers);
    changed ||= isWrong;
    if (isWrong || (isChanged && !hasWritten)) {
      const rebuilt = rebuildHead(address, slot, { registers, seenVersion: head?.version, op: ids.fresh() });
      if ((await store.write(rebuilt)).kind === 'won') hasWritten = true;
      // Lost or won, it looks again: a citation written after the rows were read may have lost to a register that this
      // write lowered, and a raise that loses leaves the version as it is.
      continue;
    }
    if (head?.contested || findContests(slot, citations).length > 0)
      await settleContests(deps, address, slot, head?.contested);
    return changed;
  }
  throw new SlotBusyError(slot);
}

/**
 * Raises, lowers and clears the attentions of a claim slot until they are those of its citations. `isFlagged`: its head is
 * known to say that it was contested.
 */
export async function settleContests(
  deps: ClaimDeps,
  address: ScopeAddress,
  slot: ClaimSlot,
  isFlagged = false,
): Promise<void> {
  const { store, ids } = deps;
  // From here on every raise of a register looks here too: it sees the flag, or its row is among those read below.
  if (!isFlagged) await store.write(flagContest(address, slot, ids.fresh()));
  for (let round = 0; round < LIMITS.rebuildRoundsMax; round++) {
    const { citations } = await readSlotRows(store, address, slot);
    const wanted = findContests(slot, citations);
    let moved = false;
    for (const place of CONTEST_PLACES) {
      const subject = contestSubject(slot, place);
      const contest = wanted.find((one) => one.subject === subject);
      moved = (await settleOne(deps, address, subject, contest)) || moved;
    }
    if (!moved) return;
  }
}

/** Why this file clears an attention: what came after may be taken back, and then it is contested again. */
const NO_LONGER = 'no longer contested';

/** True when it wrote, or another did meanwhile: then the citations are read again. */
async function settleOne(
  deps: ClaimDeps,
  address: ScopeAddress,
  subject: string,
  contest: Contest | undefined,
): Promise<boolean> {
  const { store, clock, ids } = deps;
  const named = { kind: 'contested', subject } as const;
  const item = await store.get(getAttention(address, named));
  const stored = attentionItemSchema.safeParse(item).data;
  const stamp = { nowMs: clock.nowMs(), op: ids.fresh() };
  if (!contest) {
    if (!stored || stored.resolvedAtMs !== undefined) return false;
    // '~' follows all that a subject's key is made of.
    const clear = { belowKey: `${stored.subjectKey}~`, resolution: NO_LONGER, ...stamp };
    await store.write(clearAttention(address, named, clear));
    return true;
  }
  const isClosedByUs = stored?.resolution === NO_LONGER;
  if (stored?.subjectKey === contest.subjectKey && !isClosedByUs) return false;
  const raise = { ...named, subjectKey: contest.subjectKey, details: contest.details, ...stamp };
  const isLower = stored !== undefined && stored.subjectKey >= contest.subjectKey;
  const write = isLower
    ? lowerAttention(address, { ...raise, seenOp: String(item?.op) })
    : raiseAttention(address, raise);
  await writeAwake(deps, address, write);
  return true;
}

/** An attention is work: its scope is marked before it is raised and after, or an idle one would never look. */
async function writeAwake(deps: ClaimDeps, { scope }: ScopeAddress, write: Write): Promise<void> {
  const row = await loadScope(deps, scope);
  const marked = row && (await markBacklog(deps, scope, row, { bringsNoEvidence: true }));
  await deps.store.write(write);
  if (marked) await markBacklog(deps, scope, marked, { bringsNoEvidence: true });
}
