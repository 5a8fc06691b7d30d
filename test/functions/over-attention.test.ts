/**
 * Goal: a source that got on needs nobody, also when the call that moved it died before it cleared the attention. Method:
 * the write that clears is lost, at each of those who clear; the row of the source decides what readers show.
 */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../functions/io/ports.ts';
import type { Write } from '../../schema/request.ts';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';

const deploy = useDeployments();
const CLEARERS = ['ingest', 'trigger', 'finalizer'];

const isClearing = (write: Write): boolean =>
  write.kind === 'update' &&
  String(write.input.Key?.sk).startsWith('ATTENTION#evidence#') &&
  JSON.stringify(write.input).includes('resolution') &&
  !JSON.stringify(write.input).includes('raisedAtMs');

/** A deployment whose functions die instead of clearing an attention, with a source that is in this state. */
async function stuck(looks: number, dies = true) {
  let reads = false;
  let died = 0;
  const wrapStore = (store: Store, name: string): Store => ({
    ...store,
    async write(write) {
      if (!dies || !CLEARERS.includes(name) || !isClearing(write)) return store.write(write);
      died++;
      throw new Error('died before it cleared the attention');
    },
  });
  const executor = scripted(async (tools) => {
    const { items } = await tools.searchEvidence({});
    if (reads && items.length > 0) await tools.reviewEvidence(items.map(({ source }) => ({ source })));
  });
  const deployment = deploy({ executor, wrapStore });
  await deployment.ingest('s', notes(1));
  for (let k = 0; k < looks; k++) await look(deployment);
  return { deployment, read: () => void (reads = true), died: () => died };
}

const newer = {
  kind: 'note',
  id: 'note-0',
  format: 'text',
  text: 'It says more now.',
  capturedAt: '2099-01-01T00:00:00Z',
};
const MOVES: Record<string, (deployment: Deployment, read: () => void) => Promise<unknown>> = {
  'a newer revision': (deployment) =>
    deployment.ingest('s', [{ ...newer, capturedAt: new Date(deployment.clock.nowMs()).toISOString() }]),
  'a requeue': (deployment) =>
    call(deployment, 'POST /v1/scopes/s/sources/requeue', { body: { kind: 'note', id: 'note-0' } }),
};

async function seen(deployment: Deployment) {
  const open = (await call(deployment, 'GET /v1/scopes/s/attention')).body.attention as object[];
  const all = (await call(deployment, 'GET /v1/scopes/s/attention?state=all')).body.attention as object[];
  const { attention } = (await call(deployment, 'GET /v1/scopes/s/status')).body;
  return { open: open.length, counted: attention.open as number, all };
}

describe('an attention that nobody came to clear', () => {
  it.each(Object.keys(MOVES).flatMap((move) => [3, 6].map((looks) => [move, looks] as const)))(
    'is not shown after %s, of a source that passes got nowhere with %i times',
    async (move, looks) => {
      const { deployment, read, died } = await stuck(looks);
      expect(await seen(deployment)).toMatchObject({ open: 1, counted: 1 });
      await MOVES[move]?.(deployment, read)?.catch(() => undefined);
      expect(died()).toBe(1);
      const [row] = deployment.rows('ATTENTION#evidence#');
      expect(row?.resolvedAtMs).toBeUndefined();
      expect(await seen(deployment)).toMatchObject({
        open: 0,
        counted: 0,
        all: [{ kind: 'evidence', resolution: 'the source got on' }],
      });
    },
  );

  it('is not shown when the source was read on, whichever run of the finalizer died', async () => {
    const { deployment, read, died } = await stuck(3);
    read();
    await look(deployment);
    expect(died()).toBeGreaterThan(0);
    expect(await seen(deployment)).toMatchObject({ open: 0, counted: 0 });
  });

  it('twin: while its source is in that state, it is shown as before', async () => {
    const { deployment } = await stuck(6, false);
    await deployment.passTime(60_000);
    expect(await seen(deployment)).toMatchObject({ open: 1, counted: 1, all: [{ state: 'quarantined' }] });
    expect((await seen(deployment)).all[0]).not.toHaveProperty('resolution');
  });
});
