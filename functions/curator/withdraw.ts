/**
 * Takes citations back: all that one pass said, all of one source, or a single one. Rows are marked first, then the head
 * of their claim slot is rebuilt; a call that died in between is repaired by sending it again, which marks nothing and
 * rebuilds all the same.
 */
import {
  type CitationItem,
  type ClaimSlot,
  type ScopeAddress,
  undoCitationPass,
  withdrawCitation,
} from '../../schema/citation.ts';
import { WORK } from '../../schema/edges.ts';
import { passIdSchema, type SourceKind } from '../../schema/ids.ts';
import type { WithdrawBody } from '../../schema/memory-api.ts';
import { getPass, isTerminal, type PassItem, passItemSchema } from '../../schema/pass.ts';
import type { Write } from '../../schema/request.ts';
import { slotOf } from '../core/claims.ts';
import { stands } from '../core/counting.ts';
import { rebuildSlot } from '../io/heads.ts';
import { HttpError } from '../io/http.ts';
import { loadLedger } from '../io/ledger-row.ts';
import { readSlotsOfGroup } from '../io/merged-slots.ts';
import type { CuratorDeps } from './deps.ts';
import { addressOf } from './scope-address.ts';
import { positionOf, walkSlots } from './walk-slots.ts';

export interface WithdrawnAnswer {
  readonly scope: string;
  /** Citations taken back by this call. */
  readonly withdrawn: number;
  /** Citations of an undone pass that stand all the same, because another pass said the same. */
  readonly kept: number;
  /** Heads that this call found and set to another state. */
  readonly headsChanged: number;
  /**
   * Present when the worker of an undone pass may write on until then: the pass was expired or cancelled, which stops its
   * worker by its next beat, and not what is on its way; or a request of it hung when it ended. Send the call again
   * after it, to take that back as well.
   */
  readonly againAt?: string;
  /** Present when there may be more: send it with the next call. */
  readonly cursor?: string;
}

interface Taking {
  readonly address: ScopeAddress;
  readonly from: string | undefined;
  readonly isMeant: (citation: CitationItem) => boolean;
  readonly take: (citation: CitationItem) => Write;
  /** The citation as it is after that. */
  readonly after: (citation: CitationItem) => CitationItem;
}

async function takeBack(deps: CuratorDeps, taking: Taking): Promise<WithdrawnAnswer> {
  const { address, from, isMeant, take, after } = taking;
  const counts = { withdrawn: 0, kept: 0, headsChanged: 0 };
  const visit = async (slot: ClaimSlot, citations: readonly CitationItem[]): Promise<boolean> => {
    const meant = citations.filter(isMeant);
    if (meant.length === 0) return false;
    for (const citation of meant) {
      const isTaken = (await deps.store.write(take(citation))).kind === 'won';
      if (stands(after(citation))) counts.kept++;
      else if (isTaken) counts.withdrawn++;
    }
    if (await rebuildSlot(deps, address, slot, { isChanged: true })) counts.headsChanged++;
    return true;
  };
  const { cursor: next } = await walkSlots(deps, address, from, visit);
  return { scope: address.scope, ...counts, ...(next !== undefined && { cursor: next }) };
}

/**
 * Until when a pass that is over may be heard of: a worker lives no longer than its function. One that was expired or
 * cancelled is stopped by its next beat. One that ended itself closed its tools, and waited for the call that was under
 * way; when that hung, what it had sent is left behind (`close` in `worker/session.ts`), and its row says so.
 */
function mayWriteUntilMs({ status, startedAtMs, leftBehind = false }: PassItem): number | undefined {
  if (startedAtMs === undefined) return undefined;
  const wasStopped = status === 'expired' || status === 'cancelled';
  return wasStopped || leftBehind ? startedAtMs + WORK.functionTimeoutS * 1000 : undefined;
}

/**
 * Undoes a pass: takes back its word for every citation it made. Throws a 400 for a malformed id, and a 409 while it is
 * admitted or runs: what it writes after that would stand.
 */
export async function undoPass(
  deps: CuratorDeps,
  scope: string,
  { passId, cursor }: { readonly passId: string; readonly cursor?: string | undefined },
): Promise<WithdrawnAnswer> {
  const parsed = passIdSchema.safeParse(passId);
  if (!parsed.success) throw new HttpError(400, 'invalid_request', parsed.error.issues[0]?.message ?? 'no pass id');
  const from = positionOf(cursor);
  const { store, clock, ids } = deps;
  const address = await addressOf(deps, scope);
  const load = async () => passItemSchema.safeParse(await store.get(getPass({ ...address, passId }))).data;
  let pass = await load();
  // One that was just admitted stands in the ledger before it has a row; one that left it meanwhile has a row by now.
  const isListed = !pass && (await loadLedger(deps, scope)).passes[passId] !== undefined;
  if (!pass && !isListed) pass = await load();
  const status = isListed ? 'admitted' : pass?.status;
  if (status !== undefined && !isTerminal(status)) {
    throw new HttpError(409, 'pass_running', `pass ${passId} is ${status}: cancel it, or wait until it has ended`);
  }
  const nowMs = clock.nowMs();
  const untilMs = pass && mayWriteUntilMs(pass);
  const taken = await takeBack(deps, {
    address,
    from,
    isMeant: (citation) => citation.passes[passId] !== undefined,
    take: (citation) => undoCitationPass(address, citation, { passId, nowMs, op: ids.fresh() }),
    after: (citation) => ({ ...citation, undone: { ...citation.undone, [passId]: nowMs } }),
  });
  return untilMs !== undefined && nowMs < untilMs ? { ...taken, againAt: new Date(untilMs).toISOString() } : taken;
}

/** Takes back every citation of a source, in all its revisions: it was erased. */
export async function withdrawSource(
  deps: CuratorDeps,
  address: ScopeAddress,
  source: { readonly kind: SourceKind; readonly id: string },
  { reason, from }: { readonly reason: string; readonly from?: string | undefined },
): Promise<WithdrawnAnswer> {
  const { clock, ids } = deps;
  const nowMs = clock.nowMs();
  return takeBack(deps, {
    address,
    from,
    isMeant: (citation) => citation.source.kind === source.kind && citation.source.id === source.id,
    take: (citation) => withdrawCitation(address, citation, { reason, nowMs, op: ids.fresh() }),
    after: (citation) => ({ ...citation, withdrawnAtMs: nowMs }),
  });
}

const REASON = 'a person took it back';

/** Takes back what a body names. Throws a 404 for a citation that is not there. */
export async function withdraw(deps: CuratorDeps, scope: string, body: WithdrawBody): Promise<WithdrawnAnswer> {
  const from = 'source' in body ? positionOf(body.cursor) : undefined;
  const address = await addressOf(deps, scope);
  const { reason = REASON } = body;
  if ('source' in body) return withdrawSource(deps, address, body.source, { reason, from });
  const { store, clock, ids } = deps;
  const { entity, attribute, cardinality, value, citation: citationId } = body;
  const slot = slotOf({ entity, attribute, cardinality, value: value ?? '', ends: value });
  const slots = await readSlotsOfGroup(store, address, slot);
  const citation = slots.flatMap(({ citations }) => citations).find((one) => one.citationId === citationId);
  if (!citation) {
    throw new HttpError(404, 'not_found', `${entity} ${attribute}: there is no citation ${JSON.stringify(citationId)}`);
  }
  const write = withdrawCitation(address, citation, { reason, nowMs: clock.nowMs(), op: ids.fresh() });
  const isTaken = (await store.write(write)).kind === 'won';
  const isChanged = await rebuildSlot(deps, address, citation.slot, { isChanged: true });
  return { scope, withdrawn: isTaken ? 1 : 0, kept: 0, headsChanged: isChanged ? 1 : 0 };
}
