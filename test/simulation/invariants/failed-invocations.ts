/** What must hold of a worker's invocation that failed, or grew too old: its pass is ended, or somebody is invoked again. */
import type { WorkerInvoker } from '../../../functions/io/ports.ts';
import type { WorkEvent } from '../../../schema/messages.ts';
import { type PassItem, passKey } from '../../../schema/pass.ts';
import type { World } from '../engine/world.ts';

export interface FailedInvocation {
  readonly event: WorkEvent;
  readonly requestId: string;
  readonly condition: 'RetriesExhausted' | 'EventAgeExceeded';
}

function passOf({ tables }: World, event: WorkEvent): PassItem | undefined {
  const { pk, sk } = passKey(event);
  return tables.peek(pk, sk) as PassItem | undefined;
}

/** Follows what its record brings about; the sweep would find it too, up to a minute and a half later. */
export async function watchFailed(
  world: World,
  { event, requestId, condition }: FailedInvocation,
  invoker: WorkerInvoker,
  follow: (invoker: WorkerInvoker) => Promise<void>,
): Promise<void> {
  const before = passOf(world, event);
  let hasInvoked = false;
  const invoke: WorkerInvoker['invoke'] = (again) => {
    hasInvoked = true;
    return invoker.invoke(again);
  };
  await follow({ invoke });
  const after = passOf(world, event);
  if (!before || !after || before.status !== after.status) return;
  const fail = (found: string): void =>
    world.kernel.fail('a failed invocation is followed up', `${event.passId}: ${condition}, and ${found}`);
  if (before.status === 'running' && before.requestId === requestId) fail('it is still said to run');
  if (before.status === 'admitted' && condition === 'EventAgeExceeded' && !hasInvoked) fail('nobody is invoked again');
}
