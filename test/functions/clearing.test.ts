/** Goal: no scope goes idle while a pass holds what is left of it. Method: an index that shows the scheduler nothing. */
import { describe, expect, it } from 'vitest';
import { notes } from '../support/deployment.ts';
import { scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const deploy = useDeployments();

/**
 * A pass that reads for nine minutes, and a scheduler that died before it could say that the scope was served. Where its
 * scope stands after a second look by which the queue seems as empty as by the first; and what became of it all.
 */
async function lookTwice({ seesPasses }: { readonly seesPasses: boolean }) {
  let isBlind = true;
  const deployment = deploy({
    settings: { maxConcurrentPasses: 3, passTimeoutMs: 10 * MINUTE_MS },
    stub: { delayMs: 9 * MINUTE_MS },
    wrapStore: (store, name) => {
      if (name !== 'scheduler') return store;
      return {
        ...store,
        // A row that moves between two places is in neither, where the copies that answer are not equally far.
        query: async (read) =>
          isBlind && read.input.ExpressionAttributeValues?.[':partition'] === 's#1#incremental'
            ? { items: [], lastKey: undefined }
            : store.query(read),
        get: async (read) => {
          const item = await store.get(read);
          return isBlind && !seesPasses && item?.sk === 'LEDGER' ? { ...item, passes: {} } : item;
        },
        write: async (write) => {
          const isServe = JSON.stringify(write.input).includes('REMOVE #waitingSinceMs, #emptyAtVersion');
          return isServe ? { kind: 'held', stored: undefined } : store.write(write);
        },
      };
    },
  });
  await deployment.ingest('s', notes(1));
  await deployment.tick();
  expect(scopeRowOf(deployment)).toHaveProperty('emptyAtVersion');
  await deployment.passTime(12 * MINUTE_MS);
  isBlind = false;
  await deployment.ask(look);
  isBlind = true;
  await deployment.passTime(5 * MINUTE_MS);
  const { workPartition } = scopeRowOf(deployment) ?? {};
  const unread = deployment.evidence().filter(({ state }) => state === 'pending').length;
  isBlind = false;
  await deployment.passTime(10 * MINUTE_MS);
  return { workPartition, unread, settled: settledOf(deployment), after: scopeRowOf(deployment) };
}

describe('a scope that seems empty for the second time', () => {
  it('stays due while a pass of it stands in the ledger, and begins anew when that is counted', async () => {
    const { workPartition, unread, settled, after } = await lookTwice({ seesPasses: true });
    expect({ workPartition, unread, settled }).toEqual({ workPartition: 'due#0', unread: 1, settled: 1 });
    expect(after).not.toHaveProperty('emptyAtVersion');
  });

  it('twin: where nobody asks the ledger, it is idle while its source is unread', async () => {
    const { workPartition, unread } = await lookTwice({ seesPasses: false });
    expect({ workPartition, unread }).toEqual({ workPartition: 'idle#0', unread: 1 });
  });
});
