/** Makes a failure small: leaves out whatever it does not need, one thing at a time, as long as the same invariant breaks. */
import type { FaultName } from './faults.ts';
import type { Mutant } from './mutant.ts';
import type { Plan } from './plan.ts';
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
  if (plan.model) yield { ...plan, model: undefined };
  if (plan.skewMaxMs > 0) yield { ...plan, skewMaxMs: 0 };
  if (plan.lagsMaxMs[1] > 0) yield { ...plan, lagsMaxMs: [0, 0] };
  if (plan.ttlDelayMs !== undefined) yield { ...plan, ttlDelayMs: undefined };
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
