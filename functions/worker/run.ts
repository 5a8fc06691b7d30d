/**
 * The life of one pass: start, read, end. The invocation is a hint and carries ids only: the first write decides whether
 * this execution is the one that runs it. The executor is awaited in a race with a 10-second tick, in which the pass
 * beats: no timer runs beside the work (trap LA6).
 */
import type { WorkEvent } from '../../schema/messages.ts';
import { LIMITS } from '../../schema/limits.ts';
import { endPass, getPass, type PassFailure, passItemSchema, startPass } from '../../schema/pass.ts';
import { AWAY_FAILURE, failureOf } from '../core/pass-failure.ts';
import type { Invocation, WorkerDeps } from './deps.ts';
import { type Executor, type ExecutorContext, ProviderAwayError } from './executor/executor.ts';
import type { StartedPass } from './reading.ts';
import { reportAway } from './release.ts';
import { Session } from './session.ts';

export type RunOutcome =
  | { readonly kind: 'not-mine' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'ended'; readonly status: 'completed' | 'failed' };

export async function runPass(deps: WorkerDeps, event: WorkEvent, invocation: Invocation): Promise<RunOutcome> {
  const started = await start(deps, event, invocation);
  if (!started) return { kind: 'not-mine' };
  const session = new Session(deps, started);
  const executor = await deps.loadExecutor(started.pass.executor);
  const verdict: Verdict = executor
    ? await execute(deps, { session, executor, deadlineAtMs: started.deadlineAtMs })
    : {
        kind: 'failed',
        failure: { code: 'executor_not_configured', message: `no executor "${started.pass.executor}"` },
      };
  if (session.isLost || verdict.kind === 'lost') return { kind: 'lost' };
  if (verdict.kind === 'failed' && verdict.away) await reportAway(deps, started.pass, verdict.away.untilMs);
  return end(deps, { started, session, verdict });
}

/** The first write: admitted → running, with an attempt that is fresh per execution. */
async function start(deps: WorkerDeps, event: WorkEvent, invocation: Invocation): Promise<StartedPass | undefined> {
  const { scope, generation, passId } = event;
  const address = { scope, generation, passId };
  const item = await deps.store.get(getPass(address));
  const admitted = item && passItemSchema.parse(item);
  if (admitted?.status !== 'admitted') return undefined;
  const nowMs = deps.clock.nowMs();
  const allowedMs = Math.min(admitted.passTimeoutMs, invocation.remainingMs() - LIMITS.passEndReserveMs);
  const attempt = deps.ids.fresh();
  const deadlineAtMs = nowMs + Math.max(0, Math.floor(allowedMs));
  const op = deps.ids.fresh();
  const { requestId } = invocation;
  const outcome = await deps.store.write(startPass(address, { attempt, requestId, nowMs, deadlineAtMs, op }));
  if (outcome.kind === 'held') return undefined;
  return { pass: passItemSchema.parse(outcome.item), attempt, startedAtMs: nowMs, deadlineAtMs };
}

type Verdict =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly failure: PassFailure; readonly away?: ProviderAwayError }
  | { readonly kind: 'lost' };

interface Execution {
  readonly session: Session;
  readonly executor: Executor;
  readonly deadlineAtMs: number;
}

/** Runs the executor until it returns, throws, or its time is up; then closes its tools. */
async function execute(deps: WorkerDeps, { session, executor, deadlineAtMs }: Execution): Promise<Verdict> {
  const stop = new AbortController();
  const context: ExecutorContext = {
    signal: stop.signal,
    sleep: (ms) => deps.clock.sleep(ms, stop.signal),
    spend: (amounts) => session.spend(amounts),
  };
  const work = executor.run(session, context).then(
    (): Verdict => ({ kind: 'completed' }),
    (error: unknown): Verdict =>
      error instanceof ProviderAwayError
        ? { kind: 'failed', failure: AWAY_FAILURE, away: error }
        : { kind: 'failed', failure: failureOf(error) },
  );
  try {
    return await raceWithTicks(deps, { session, work, deadlineAtMs });
  } finally {
    stop.abort();
    await session.close();
  }
}

async function raceWithTicks(
  deps: WorkerDeps,
  { session, work, deadlineAtMs }: { session: Session; work: Promise<Verdict>; deadlineAtMs: number },
): Promise<Verdict> {
  for (;;) {
    const leftMs = deadlineAtMs - deps.clock.nowMs();
    // Its time is up: it ends itself as completed, with what it has acknowledged.
    if (leftMs <= 0) return { kind: 'completed' };
    const tick = new AbortController();
    const waited = deps.clock.sleep(Math.min(LIMITS.heartbeatEveryMs, leftMs), tick.signal).then(() => undefined);
    const verdict = await Promise.race([work, waited]);
    tick.abort();
    if (verdict) return verdict;
    if (session.isLost || !(await session.tick())) return { kind: 'lost' };
  }
}

interface Ending {
  readonly started: StartedPass;
  readonly session: Session;
  readonly verdict: Exclude<Verdict, { kind: 'lost' }>;
}

/** The terminal write: from here on the acknowledgements count, or never. */
async function end(deps: WorkerDeps, { started, session, verdict }: Ending): Promise<RunOutcome> {
  const outcome = await deps.store.write(
    endPass(started.pass, {
      ...session.summary(),
      status: verdict.kind,
      attempt: started.attempt,
      nowMs: deps.clock.nowMs(),
      op: deps.ids.fresh(),
      ...(verdict.kind === 'failed' && { failure: verdict.failure }),
    }),
  );
  if (outcome.kind === 'held') return { kind: 'lost' };
  const { counters } = session.summary();
  deps.log.count(verdict.kind === 'completed' ? 'passesCompleted' : 'passesFailed', 1);
  deps.log.count('leasesLost', counters.leasesLost);
  deps.log.count('claimsWritten', counters.claims);
  deps.log.info('pass ended', { passId: started.pass.passId, status: verdict.kind, delivered: counters.delivered });
  return { kind: 'ended', status: verdict.kind };
}
