/** An executor that does what a test tells it, pass by pass, and what it was given and answered. */
import type { Executor, Tools } from '../../functions/worker/executor/executor.ts';
import type { Deployment } from './deployment.ts';

export type Script = (tools: Tools, nth: number) => Promise<void>;

/** The n-th pass (from 0) runs the script with its number. */
export function scripted(script: Script): Executor {
  let passes = 0;
  return { name: 'stub', run: (tools) => script(tools, passes++) };
}

/** Asks for a look, and waits until what it began has ended. */
export async function look(
  deployment: Deployment,
  { parallel, forMs = 60_000 }: { parallel?: number; forMs?: number } = {},
) {
  const drain = parallel === undefined ? { origin: 'trigger' as const } : { origin: 'drain' as const, parallel };
  await deployment.ask({ scope: 's', kind: 'incremental', ...drain });
  await deployment.quiesce({ untilMs: deployment.clock.nowMs() + forMs });
}
