/**
 * Takes a request to look at a scope: answers at once what cannot be admitted, else hands it to the scheduler and waits a
 * little for what it recorded. It admits nothing itself.
 */
import { createHash } from 'node:crypto';
import { triggerIdOf } from '../../schema/ids.ts';
import { findKind, KINDS } from '../../schema/kind.ts';
import { EMPTY_LEDGER, getLedger, ledgerItemSchema } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { httpCodeOf, precedenceOf, REFUSALS, type RefusalReason } from '../../schema/refusal.ts';
import { getScope, scopeItemSchema } from '../../schema/scope.ts';
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
import { type Candidate, filterCandidate } from '../core/admission.ts';
import { HttpError } from '../io/http.ts';
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
    readonly idempotencyKey?: string;
  } & Partial<TriggerOutcome>;
  readonly retryAfterS?: number;
}

/** Requests a look. Throws HttpError 422 when the idempotency key stands for another body. */
export async function requestLook(deps: TriggerDeps, request: TriggerRequest): Promise<TriggerAnswer> {
  const nowMs = deps.clock.nowMs();
  const triggerId = triggerIdOf(nowMs, deps.ids.fresh());
  const refused = await refuseAtOnce(deps, request, nowMs);
  if (refused && request.idempotencyKey === undefined) return answerOf(triggerId, refused, nowMs);
  const bound = request.idempotencyKey === undefined ? triggerId : await bind(deps, request, triggerId);
  if (bound === triggerId) {
    if (refused) return answerOf(triggerId, refused, nowMs);
    await submit(deps, request, triggerId);
  }
  const outcome = await waitForOutcome(deps, bound);
  const answer: TriggerAnswer = outcome
    ? answerOf(bound, outcome, deps.clock.nowMs())
    : { status: 202, body: { triggerId: bound, status: 'queued' } };
  return request.idempotencyKey === undefined
    ? answer
    : { ...answer, body: { ...answer.body, idempotencyKey: request.idempotencyKey } };
}

async function submit(
  deps: TriggerDeps,
  { scope, origin, kind, parallel }: TriggerRequest,
  triggerId: string,
): Promise<void> {
  const requestedAtMs = deps.clock.nowMs();
  await deps.store.write(putTrigger({ triggerId, scope, origin, kind, requestedAtMs }, deps.ids.fresh()));
  await deps.queue.send({ v: 1, triggerId, scope, origin, kind, ...(parallel !== undefined && { parallel }) });
}

/** What scope and ledger rule out without asking the queue: the same filters as the plan, given that there is work. */
async function refuseAtOnce(
  deps: TriggerDeps,
  request: TriggerRequest,
  nowMs: number,
): Promise<TriggerOutcome | undefined> {
  const [ledgerRow, scopeRow] = await Promise.all([
    deps.store.get(getLedger()),
    deps.store.get(getScope(request.scope)),
  ]);
  const ledger = ledgerRow ? ledgerItemSchema.parse(ledgerRow) : EMPTY_LEDGER;
  const scope = scopeRow && scopeItemSchema.parse(scopeRow);
  const settings = resolveSettings(deps.deploymentSettings, scope?.settings ?? {});
  const running = Object.entries(ledger.passes).map(([passId, entry]) => ({ passId, entry }));
  const inScope = running.filter(({ entry }) => entry.scope === request.scope);
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
  const snapshot = { pausedAll: ledger.paused === true, running, candidates: [candidate], executor: deps.executor };
  const kind = findKind(request.kind);
  const refusal = filterCandidate({ candidate, kind, inScope, kinds: KINDS, snapshot, nowMs });
  if (!refusal) return undefined;
  const alreadyRunning = inScope.map(({ passId, entry }) => ({ passId, slotNumber: entry.slotNumber }));
  return { passIds: [], alreadyRunning, requested: request.parallel ?? 1, effective: 0, refused: [refusal] };
}

/** Which trigger an idempotency key stands for: this one when it is new, or when the one before was refused. */
async function bind(deps: TriggerDeps, request: TriggerRequest, triggerId: string): Promise<string> {
  const { scope, origin, kind, parallel, idempotencyKey = '' } = request;
  const requestHash = createHash('sha256')
    .update(JSON.stringify([origin, kind, parallel ?? null]))
    .digest('base64url');
  const binding = { scope, idempotencyKey, requestHash, triggerId, nowMs: deps.clock.nowMs(), op: deps.ids.fresh() };
  const outcome = await deps.store.write(bindTrigger(binding));
  if (outcome.kind === 'won') return triggerId;
  const stored: TriggerBinding = triggerBindingSchema.parse(outcome.stored);
  if (stored.requestHash !== requestHash) {
    throw new HttpError(
      422,
      'idempotency_key_reused',
      'this Idempotency-Key was used with another body: use a fresh key',
    );
  }
  const before = await loadTrigger(deps, stored.triggerId);
  if (before && (!before.outcome || before.outcome.passIds.length > 0)) return stored.triggerId;
  const again = await deps.store.write(rebindTrigger({ ...binding, op: deps.ids.fresh() }, stored.triggerId));
  if (again.kind === 'won') return triggerId;
  return triggerBindingSchema.parse(again.stored).triggerId;
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
function answerOf(triggerId: string, outcome: TriggerOutcome, nowMs: number): TriggerAnswer {
  if (outcome.passIds.length > 0) return { status: 202, body: { triggerId, status: 'admitted', ...outcome } };
  const [first] = [...outcome.refused].sort((a, b) => rank(a.reason) - rank(b.reason));
  const status = (first ? httpCodeOf(first.reason as RefusalReason) : 409) as TriggerAnswer['status'];
  return {
    status,
    body: { triggerId, status: 'refused', ...outcome },
    ...(first?.retryAtMs !== undefined && { retryAfterS: Math.max(1, Math.ceil((first.retryAtMs - nowMs) / 1000)) }),
  };
}

function rank(reason: string): number {
  const known = REFUSALS.some((refusal) => refusal.reason === reason);
  return known ? precedenceOf(reason as RefusalReason) : REFUSALS.length;
}
