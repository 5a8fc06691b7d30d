/** The executors a deployment can name, each loaded when a pass first needs it: only the worker carries their weight. */
import type { Executor } from './executor.ts';

/** Loads an executor by name; undefined when there is none of that name. `stubJson` configures the stub alone. */
export async function loadExecutor(name: string, stubJson: () => string): Promise<Executor | undefined> {
  if (name === 'rules') {
    const { createRules } = await import('./rules-executor.ts');
    return createRules();
  }
  if (name === 'stub') {
    const { createStub, stubOptionsSchema } = await import('./stub.ts');
    return createStub(stubOptionsSchema.parse(JSON.parse(stubJson())));
  }
  return undefined;
}
