/** A source that is edited and put back while a pass still reads its first text: the same revision is new work. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../functions/io/ports.ts';
import type { EvidenceFragment, Tools } from '../../functions/worker/executor/executor.ts';
import type { Write } from '../../schema/request.ts';
import { call } from '../support/api.ts';
import type { Deployment } from '../support/deployment.ts';
import { settledOf, useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';

const MINUTE_MS = 60_000;
const deploy = useDeployments();
const isRequeue = ({ kind, input }: Write): boolean =>
  kind === 'update' && JSON.stringify(input).includes('"EVIDENCE#') && JSON.stringify(input).includes(':set_beganAt');
const revise = (deployment: Deployment, city: string, day: number) =>
  deployment.ingest('s', [
    { kind: 'note', id: 'a', format: 'text', text: `Ann lives in ${city}.`, capturedAt: `2025-12-0${day}T00:00:00Z` },
  ]);

interface Given {
  readonly pass: number;
  readonly city: string;
  /** The first pass was still at it. */
  readonly duringFirst: boolean;
}

async function putBack(wrapStore?: (store: Store, name: string) => Store) {
  const given: Given[] = [];
  let isFirstOver = false;
  const review = async (tools: Tools, items: readonly EvidenceFragment[]) => {
    for (const { source, start, text } of items) {
      const value = text.slice('Ann lives in '.length, -1);
      const quote = { text, start, end: start + text.length };
      await tools.reviewEvidence([
        { source, claims: [{ entity: 'Ann', attribute: 'lives_in', cardinality: 'one', value, quote }] },
      ]);
    }
  };
  const executor = scripted(async (tools, nth) => {
    const { items } = await tools.searchEvidence({});
    for (const { text } of items)
      given.push({ pass: nth, city: text.slice(13, -1), duringFirst: nth > 0 && !isFirstOver });
    if (nth === 0) {
      await revise(deployment, 'Bergen', 2);
      await revise(deployment, 'Oslo', 3);
      await deployment.ask({ scope: 's', origin: 'drain', kind: 'incremental', parallel: 2 });
      await deployment.clock.sleep(30_000);
    }
    await review(tools, items);
    if (nth === 0) isFirstOver = true;
  });
  const settings = { maxPassesPerScope: 3, maxConcurrentPasses: 3, batchTokens: 0 };
  const deployment: Deployment = deploy({ executor, settings, ...(wrapStore && { wrapStore }) });
  await revise(deployment, 'Oslo', 1);
  await look(deployment);
  return { deployment, given };
}

/** The count of failures that each outcome leaves, in order. */
async function failuresOf(ingested: (write: Write) => Write): Promise<unknown[]> {
  const failures: unknown[] = [];
  const { deployment } = await putBack((store, name) => ({
    ...store,
    write: (write) => {
      const { ':set_failures': counted } = write.input.ExpressionAttributeValues ?? {};
      if (name === 'finalizer' && counted !== undefined) failures.push(counted);
      return store.write(name === 'ingest' ? ingested(write) : write);
    },
  }));
  await deployment.passTime(20 * MINUTE_MS);
  return failures;
}

describe('a text that its source goes back to while a pass reads it', () => {
  it('is given to nobody else before that lease would have run out, and then it is read as what is true now', async () => {
    const { deployment, given } = await putBack();
    expect(given.filter(({ duringFirst }) => duringFirst)).toEqual([]);
    await deployment.passTime(20 * MINUTE_MS);
    expect(given.map(({ city }) => city)).toEqual(['Oslo', 'Oslo']);
    expect(settledOf(deployment)).toBe(1);
    const { body } = await call(deployment, 'GET /v1/scopes/s/claims?entity=Ann');
    expect(body.claims).toMatchObject([{ value: 'Oslo', state: 'active' }]);
  });

  it('is no failure of the pass that read it: whether that was settled nothing tells any more', async () => {
    expect(await failuresOf((write) => write)).toEqual([0, 0]);
  });

  it('[negative twin] and would be one, did the row not say that it was put back', async () => {
    const untold = (write: Write): Write => {
      const { ':set_putBackAtMs': _, ...values } = write.input.ExpressionAttributeValues ?? {};
      if (!isRequeue(write) || write.kind !== 'update') return write;
      const text = write.input.UpdateExpression?.replace(/#putBackAtMs = :set_putBackAtMs, /, '');
      return { ...write, input: { ...write.input, UpdateExpression: text, ExpressionAttributeValues: values } };
    };
    expect(await failuresOf(untold)).toEqual([1, 0]);
  });

  it('[negative twin] queued to be read at once, two passes read it at the same time', async () => {
    const atOnce = (store: Store, name: string): Store => ({
      ...store,
      write: async (write) => {
        if (name !== 'ingest' || !isRequeue(write)) return store.write(write);
        const values = write.input.ExpressionAttributeValues ?? {};
        const captured = String(values[':set_capturedAtMs']).padStart(15, '0');
        const key = String(values[':set_homeKey']).replace(/^[0-9]#[0-9]+/, `2#${captured}`);
        const changed = { ...values, ':set_homeKey': key, ':set_queueKey': key };
        return store.write({ ...write, input: { ...write.input, ExpressionAttributeValues: changed } } as Write);
      },
    });
    const { given } = await putBack(atOnce);
    expect(given.filter(({ duringFirst }) => duringFirst)).toMatchObject([{ pass: 1, city: 'Oslo' }]);
  });
});
