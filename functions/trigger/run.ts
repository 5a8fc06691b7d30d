/**
 * Takes a request to look at a scope: answers at once what cannot be admitted, else hands it to the scheduler and waits a
 * little for what it recorded. It admits nothing itself.
 */
import { createHash } from 'node:crypto';
import { findExecutor } from '../../schema/executor.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import { findKind, KINDS } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import { poolOf, shareOf } from '../../schema/pool.ts';
import { httpCodeOf, precedenceOf, REFUSALS, type RefusalReason } from '../../schema/refusal.ts';
import { resolveSettings } from '../../schema/settings.ts';
import {
  bindTrigger,
  getTrigger,
  putTrigger,
  rebindTrigger,
  type TriggerBinding,
  triggerBindingSchema,
  type TriggerItem,
  triggerItemSchema,
  type TriggerOutcome,
} from '../../schema/trigger.ts';
import { besideRequest, filterCandidate, refuseCapacity } from '../core/admission-filters.ts';
import type { Candidate } from '../core/admission-snapshot.ts';
import { judgeProvider } from '../core/provider.ts';
import { HttpError } from '../io/http.ts';
import { loadLedger } from '../io/ledger-row.ts';
import { loadScope } from '../io/scope-row.ts';
import type { TriggerDeps } from './deps.ts';

export interface TriggerRequest {
  readonly scope: string;
  readonly origin: 'trigger' | 'drain';
  readonly kind: string;
  readonly parallel?: number;
  readonly idempotencyKey?: string;
}

export interface TriggerAnswer {
  readonly status: 202 | 400 | 409 | 429 | 503;
  readonly body: {
    readonly triggerId: string;
    readonly status: 'admitted' | 'refused' | 'queued';
    /** As given, or made: the same call with it is answered with the same passes. */
    readonly idempotencyKey: string;
  } & Partial<TriggerOutcome>;
  readonly retryAfterS?: number;
}

/** Requests a look. Throws HttpError 422 when the idempotency key stands for another body. */
export async function requestLook(deps: TriggerDeps, request: TriggerRequest): Promise<TriggerAnswer> {
  const nowMs = deps.clock.nowMs();
  const triggerId = triggerIdOf(nowMs, deps.ids.fresh());
  const idempotencyKey = request.idempotencyKey ?? deps.ids.fresh();
  const answer = (of: string, outcome: TriggerOutcome) =>
    answerOf({ triggerId: of, idempotencyKey }, outcome, deps.clock.nowMs());
  const refused = await refuseAtOnce(deps, request, nowMs);
  if (refused && request.idempotencyKey === undefined) return answer(triggerId, refused);
  const { scope, origin, kind } = request;
  // Before the key names it: an identical call that finds a key without its trigger takes the key over.
  if (!refused) {
    const requestedAtMs = deps.clock.nowMs();
    await deps.store.write(putTrigger({ triggerId, scope, origin, kind, requestedAtMs }, deps.ids.fresh()));
  }
  const bound = await bind(deps, { ...request, idempotencyKey }, triggerId);
  if (refused && bound.triggerId === triggerId) return answer(triggerId, refused);
  // Its message may be lost; another names the same passes.
  if (bound.isSilent) await submit(deps, request, bound.triggerId);
  const outcome = await waitForOutcome(deps, bound.triggerId);
  if (outcome) return answer(bound.triggerId, outcome);
  return { status: 202, body: { triggerId: bound.triggerId, status: 'queued', idempotencyKey } };
}

async function submit(
  deps: TriggerDeps,
  { scope, origin, kind, parallel }: TriggerRequest,
  triggerId: string,
): Promise<void> {
  await deps.queue.send({ v: 1, triggerId, scope, origin, kind, ...(parallel !== undefined && { parallel }) });
}

/** What scope and ledger rule out without asking the queue: the same filters as the plan, given that there is work. */
async function refuseAtOnce(
  deps: TriggerDeps,
  request: TriggerRequest,
  nowMs: number,
): Promise<TriggerOutcome | undefined> {
  const [ledger, scope] = await Promise.all([loadLedger(deps, request.scope), loadScope(deps, request.scope)]);
  const settings = resolveSettings(deps.deploymentSettings, scope?.settings ?? {}, ledger.settings);
  const running = Object.entries(ledger.passes).map(([passId, entry]) => ({ passId, entry }));
  const candidate: Candidate = {
    scope: request.scope,
    generation: scope?.generation ?? 1,
    settings,
    dueAtMs: nowMs,
    paused: scope?.paused === true,
    haltedAtMs: scope?.haltedAtMs,
    backOffUntilMs: undefined,
    backlog: { sources: scope ? 1 : 0, tokens: 1, capped: false, continuations: false, held: false },
    request: { triggerId: '', origin: request.origin, kind: request.kind },
  };
  const inScope = besideRequest(running, candidate, KINDS);
  const provider = judgeProvider(ledger.provider, findExecutor(deps.executor, deps.executors), nowMs);
  const pausedAll = ledger.paused === true;
  const snapshot = { pausedAll, running, candidates: [candidate], executor: deps.executor, provider };
  const kind = findKind(request.kind);
  const refusal =
    filterCandidate({ candidate, kind, inScope, kinds: KINDS, snapshot, nowMs }) ??
    refuseCapacity(running.length, shareOf(settings, poolOf(request.scope, deps.pools)));
  if (!refusal) return undefined;
  const requested = request.origin === 'drain' ? (request.parallel ?? settings.drainParallel) : 1;
  const alreadyRunning = inScope.map(({ passId, entry }) => ({ passId, slotNumber: entry.slotNumber }));
  return { passIds: [], alreadyRunning, requested, effective: 0, refused: [refusal] };
}

interface Bound {
  readonly triggerId: string;
  /** Nobody answered it yet, though there was time: new, or its message was lost. */
  readonly isSilent: boolean;
}

/** Which trigger an idempotency key stands for: this one when it is new, or when the one before was refused. */
async function bind(
  deps: TriggerDeps,
  request: TriggerRequest & { readonly idempotencyKey: string },
  triggerId: string,
): Promise<Bound> {
  const { scope, origin, kind, parallel, idempotencyKey } = request;
  const requestHash = createHash('sha256')
    .update(JSON.stringify([origin, kind, parallel ?? null]))
    .digest('base64url');
  const binding = { scope, idempotencyKey, requestHash, triggerId, nowMs: deps.clock.nowMs(), op: deps.ids.fresh() };
  const outcome = await deps.store.write(bindTrigger(binding));
  if (outcome.kind === 'won') return { triggerId, isSilent: true };
  let stored: TriggerBinding = triggerBindingSchema.parse(outcome.stored);
  if (stored.requestHash !== requestHash) {
    throw new HttpError(
      422,
      'idempotency_key_reused',
      'this Idempotency-Key was used with another body: use a fresh key',
    );
  }
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const before = await loadTrigger(deps, stored.triggerId);
    if (before && (!before.outcome || before.outcome.passIds.length > 0)) {
      const waitedMs = deps.clock.nowMs() - before.requestedAtMs;
      return { triggerId: stored.triggerId, isSilent: !before.outcome && waitedMs > LIMITS.triggerWaitMs };
    }
    const again = await deps.store.write(rebindTrigger({ ...binding, op: deps.ids.fresh() }, stored.triggerId));
    if (again.kind === 'won') return { triggerId, isSilent: true };
    // Who was faster may have been refused at once: of such a trigger nobody ever hears.
    stored = triggerBindingSchema.parse(again.stored);
  }
  const message = `others use this Idempotency-Key at the same moment: send the call again`;
  throw new HttpError(409, 'contended', message);
}

export async function loadTrigger(
  { store }: Pick<TriggerDeps, 'store'>,
  triggerId: string,
): Promise<TriggerItem | undefined> {
  const item = await store.get(getTrigger(triggerId));
  return item && triggerItemSchema.parse(item);
}

async function waitForOutcome(deps: TriggerDeps, triggerId: string): Promise<TriggerOutcome | undefined> {
  const untilMs = deps.clock.nowMs() + LIMITS.triggerWaitMs;
  for (;;) {
    const outcome = (await loadTrigger(deps, triggerId))?.outcome;
    if (outcome || deps.clock.nowMs() >= untilMs) return outcome;
    await deps.clock.sleep(LIMITS.triggerPollMs);
  }
}

/** 202 when anything was admitted; otherwise the code of the refusal that goes first. */
function answerOf(
  named: Pick<TriggerAnswer['body'], 'triggerId' | 'idempotencyKey'>,
  outcome: TriggerOutcome,
  nowMs: number,
): TriggerAnswer {
  if (outcome.passIds.length > 0) return { status: 202, body: { ...named, status: 'admitted', ...outcome } };
  const [first] = [...outcome.refused].sort((a, b) => rank(a.reason) - rank(b.reason));
  const status = (first ? httpCodeOf(first.reason as RefusalReason) : 409) as TriggerAnswer['status'];
  return {
    status,
    body: { ...named, status: 'refused', ...outcome },
    ...(first?.retryAtMs !== undefined && { retryAfterS: Math.max(1, Math.ceil((first.retryAtMs - nowMs) / 1000)) }),
  };
}

function rank(reason: string): number {
  const known = REFUSALS.some((refusal) => refusal.reason === reason);
  return known ? precedenceOf(reason as RefusalReason) : REFUSALS.length;
}
