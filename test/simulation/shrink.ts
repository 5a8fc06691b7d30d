/** Makes a failure small: leaves out whatever it does not need, one thing at a time, as long as the same invariant breaks. */
import type { FaultName } from './engine/faults.ts';
import type { Mutant } from './mutants/mutant.ts';
import type { Plan } from './plans/plan.ts';
import { runSchedule, type ScheduleResult } from './schedule.ts';

export interface Shrunk {
  readonly plan: Plan;
  readonly result: ScheduleResult;
  /** What is left of the faults. */
  readonly faults: readonly FaultName[];
}

function* simpler(plan: Plan): Generator<Plan> {
  for (const fault of Object.keys(plan.faults) as FaultName[]) {
    const { [fault]: _gone, ...faults } = plan.faults;
    yield { ...plan, faults };
  }
  for (const request of plan.requests) yield { ...plan, requests: plan.requests.filter((it) => it !== request) };
  for (const call of plan.ingests) {
    yield { ...plan, ingests: plan.ingests.filter((it) => it !== call) };
    for (const source of call.sources.length > 1 ? call.sources : []) {
      const smaller = { ...call, sources: call.sources.filter((it) => it !== source) };
      yield { ...plan, ingests: plan.ingests.map((it) => (it === call ? smaller : it)) };
    }
  }
  yield* plainer(plan);
  yield* lessErased(plan);
  if (plan.dispute) yield { ...plan, dispute: undefined };
  if (plan.hostile) yield { ...plan, hostile: undefined };
  yield* lessThemed(plan);
  if (plan.model) yield { ...plan, model: undefined };
  if (plan.skewMaxMs > 0) yield { ...plan, skewMaxMs: 0 };
  if (plan.lagsMaxMs[1] > 0) yield { ...plan, lagsMaxMs: [0, 0] };
  if (plan.ttlDelayMs !== undefined) yield { ...plan, ttlDelayMs: undefined };
}

/** Sessions are left out call by call; a text that breaks its readers breaks nobody. */
function* lessThemed(plan: Plan): Generator<Plan> {
  if (plan.poison) yield { ...plan, poison: undefined };
  for (const session of plan.sessions) {
    yield { ...plan, sessions: plan.sessions.filter((it) => it !== session) };
    for (const call of session.calls) {
      const smaller = { ...session, calls: session.calls.filter((it) => it !== call) };
      yield { ...plan, sessions: plan.sessions.map((it) => (it === session ? smaller : it)) };
    }
  }
}

/** What is erased, and what follows from it, is left out one by one. */
function* lessErased({ erasing, ...plan }: Plan): Generator<Plan> {
  if (!erasing) return;
  yield { ...plan, erasing: undefined };
  if (erasing.afterwards.length > 0) yield { ...plan, erasing: { ...erasing, afterwards: [] } };
  for (const erasure of erasing.erasures) {
    yield { ...plan, erasing: { ...erasing, erasures: erasing.erasures.filter((it) => it !== erasure) } };
    if (erasure.againAtMs.length === 0) continue;
    const once = erasing.erasures.map((it) => (it === erasure ? { ...it, againAtMs: [] } : it));
    yield { ...plan, erasing: { ...erasing, erasures: once } };
  }
}

/** The same in a deployment that is run as most are. */
function* plainer(plan: Plan): Generator<Plan> {
  const { deployment } = plan;
  if (deployment.release) yield { ...plan, deployment: { ...deployment, release: undefined } };
  if (deployment.mistake) yield { ...plan, deployment: { ...deployment, mistake: undefined } };
  if (deployment.pools > 1) yield { ...plan, deployment: { ...deployment, pools: 1, mistake: undefined } };
}

/** The smallest plan found that still breaks the same invariant, run once more with its trace. */
export async function shrink(first: Plan, invariant: string, mutant?: Mutant): Promise<Shrunk> {
  let plan = first;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of simpler(plan)) {
      const { violation } = await runSchedule(candidate, { mutant });
      if (violation?.invariant !== invariant) continue;
      plan = candidate;
      isSmaller = true;
      break;
    }
  }
  const result = await runSchedule(plan, { mutant, keepTrace: true });
  return { plan, result, faults: Object.keys(plan.faults) as FaultName[] };
}
