/** What a deployment's executors are like, as rows of one table: what admission must know of who reads. */
import type { ExecutorName } from './environment.ts';

export interface ExecutorTraits {
  readonly name: string;
  /** Uses tokens and money: budgets of both bind its passes. */
  readonly spends: boolean;
  /** Depends on a provider that may be away: its first pass is a canary. */
  readonly needsProvider: boolean;
  /** Decides attention: attention alone is reason enough for a pass. */
  readonly decidesAttention: boolean;
}

const OFFLINE = { spends: false, needsProvider: false, decidesAttention: false } as const;

export const EXECUTORS: readonly ExecutorTraits[] = [
  { name: 'rules' satisfies ExecutorName, ...OFFLINE },
  { name: 'stub' satisfies ExecutorName, ...OFFLINE },
];

/** The traits of an executor; undefined when there is none of that name. */
export function findExecutor(
  name: string | undefined,
  executors: readonly ExecutorTraits[] = EXECUTORS,
): ExecutorTraits | undefined {
  return executors.find((executor) => executor.name === name);
}
