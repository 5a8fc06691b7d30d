/** Calls under one key that are refused at once, at the same moment: each is told so, and none waits for another's outcome. */
import { describe, expect, it } from 'vitest';
import type { Item } from '../../schema/request.ts';
import { notes } from '../support/deployment.ts';
import { useDeployments } from '../support/deployments.ts';
import { call } from '../support/api.ts';

const deploy = useDeployments();
const look = { scope: 's', origin: 'trigger', kind: 'incremental', idempotencyKey: 'k' } as const;

/** The second call has read what the key stands for when the third takes it over; both are refused, like the first. */
async function refusedAtOnce(show: (item: Item | undefined, key: Item) => Item | undefined): Promise<string> {
  let isLate = false;
  let hasLost = false;
  const deployment = deploy({
    wrapStore: (store, name) =>
      name !== 'trigger'
        ? store
        : {
            ...store,
            get: async (read) => {
              const item = await store.get(read);
              return hasLost && read.input.Key?.sk === 'TRIGGER' ? show(item, read.input.Key) : item;
            },
            async write(write) {
              if (isLate && JSON.stringify(write.input).includes(':refused')) {
                isLate = false;
                expect((await deployment.ask(look)).body.status).toBe('refused');
                hasLost = true;
              }
              return store.write(write);
            },
          },
  });
  await deployment.ingest('s', notes(1));
  await call(deployment, 'POST /v1/scopes/s/pause');
  expect((await deployment.ask(look)).body.status).toBe('refused');
  isLate = true;
  return (await deployment.ask(look)).body.status;
}

describe('a call that loses its key to one that was refused at once', () => {
  it('is told its own refusal', async () => {
    expect(await refusedAtOnce((item) => item)).toBe('refused');
  });

  it('[negative twin] that takes the other for a trigger somebody handles waits for what nobody tells', async () => {
    const asked = (item: Item | undefined, key: Item) => {
      const triggerId = String(key.pk).slice('TRIGGER#'.length);
      return item ?? { ...key, v: 1, triggerId, ...look, requestedAtMs: Number.MAX_SAFE_INTEGER };
    };
    expect(await refusedAtOnce(asked)).toBe('queued');
  });
});
