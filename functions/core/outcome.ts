/** What a finalized pass means for its scope: success, failure or neither, counted once per pass. */
import { LIMITS } from '../../schema/limits.ts';
import { type PassFailure, type PassItem, PROVIDER_AWAY } from '../../schema/pass.ts';
import type { ScopeItem } from '../../schema/scope.ts';
import type { OutcomeCount, WorkMove } from '../../schema/scope-outcome.ts';
import { backOffUntilMs, mustHalt } from './back-off.ts';

export type PassOutcome = 'success' | 'failure' | 'neutral';

/**
 * A completed pass that settled nothing got nowhere and counts as a failure, unless nothing was delivered to it because
 * the queue itself had nothing left to take (others hold the rest): a third pass on a shallow backlog has done no wrong.
 */
export function judgeOutcome(
  pass: Pick<PassItem, 'status' | 'sawEmptyQueue' | 'counters' | 'failure' | 'attention'>,
  settled: number,
): PassOutcome {
  if (pass.status === 'cancelled' || pass.failure?.code === PROVIDER_AWAY) return 'neutral';
  if (pass.status !== 'completed') return 'failure';
  if (settled > 0 || pass.counters.decided > 0) return 'success';
  // It had nothing to read: attention alone was its work, and it decided none.
  if (pass.attention === 'only') return 'failure';
  // Whoever won the races it lost got somewhere.
  const hadNothing = pass.sawEmptyQueue || pass.counters.leasesLost > 0;
  return hadNothing && pass.counters.delivered === 0 ? 'neutral' : 'failure';
}

interface Counting {
  readonly scope: ScopeItem;
  readonly passId: string;
  readonly endedAtMs: number;
  readonly outcome: PassOutcome;
  /** What the pass itself says of its end; a completed one says nothing. */
  readonly failure?: PassFailure | undefined;
  readonly backlogLeft: boolean;
  readonly nowMs: number;
}

const NO_PROGRESS: PassFailure = { code: 'no_progress', message: 'it completed and settled nothing' };

function keepNewest(counted: Readonly<Record<string, number>>): Record<string, number> {
  const newest = Object.entries(counted)
    .sort(([, a], [, b]) => b - a)
    .slice(0, LIMITS.countedPassesMax - 1);
  return Object.fromEntries(newest);
}

/** The values to count with, for `countOutcome`; undefined when this pass is counted already. */
export function planCount({
  scope,
  passId,
  endedAtMs,
  outcome,
  failure = NO_PROGRESS,
  backlogLeft,
  nowMs,
}: Counting): Omit<OutcomeCount, 'op'> | undefined {
  if (scope.counted[passId] !== undefined) return undefined;
  const failed = outcome === 'failure';
  const cleared = outcome === 'success';
  const failures = failed ? scope.failures + 1 : cleared ? 0 : scope.failures;
  const times = failed
    ? [...scope.failureTimesMs, endedAtMs].sort((a, b) => a - b)
    : cleared
      ? []
      : scope.failureTimesMs;
  const failureTimesMs = times.slice(-LIMITS.haltFailures);
  return {
    scope: scope.scope,
    passId,
    statsVersion: scope.statsVersion,
    failures,
    failureTimesMs,
    counted: { ...keepNewest(scope.counted), [passId]: endedAtMs },
    lastPassAtMs: Math.max(scope.lastPassAtMs ?? 0, endedAtMs),
    ...(failed && { lastFailure: { passId, ...failure, atMs: endedAtMs } }),
    move: moveOf({ scope, outcome, backlogLeft, failures, failureTimesMs, nowMs }),
  };
}

function moveOf(it: {
  scope: ScopeItem;
  outcome: PassOutcome;
  backlogLeft: boolean;
  failures: number;
  failureTimesMs: readonly number[];
  nowMs: number;
}): WorkMove {
  if (it.scope.paused) return { kind: 'stay' };
  const halted = it.scope.haltedAtMs !== undefined;
  if (it.outcome === 'failure') {
    if (halted) return { kind: 'stay' };
    if (mustHalt(it.failureTimesMs, it.nowMs)) return { kind: 'halt', atMs: it.nowMs };
    return { kind: 'due', atMs: backOffUntilMs(it.failures, it.failureTimesMs) ?? it.nowMs };
  }
  if (it.outcome === 'success' && (halted || it.backlogLeft)) return { kind: 'due', atMs: it.nowMs };
  return { kind: 'stay' };
}

/** Whether the end of a pass asks for the next one: there is backlog, and this pass got somewhere. */
export function asksForMore(outcome: PassOutcome, settled: number, backlogLeft: boolean): boolean {
  return outcome === 'success' && settled > 0 && backlogLeft;
}
