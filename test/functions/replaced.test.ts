/** What becomes of a revision when a newer one comes: held by a pass, quarantined, stalled. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../functions/io/ports.ts';
import type { EvidenceFragment, ReviewAnswer, Tools } from '../../functions/worker/executor/executor.ts';
import type { Write } from '../../schema/request.ts';
import { call } from '../support/api.ts';
import type { Deployment } from '../support/deployment.ts';
import { settledOf, useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';

const deploy = useDeployments();
const FILLER = Array.from({ length: 20 }, (_, k) => `Sentence ${k} says nothing. `).join('');
const textOf = (city: string) => `Ann lives in ${city}. ${FILLER}`;
const revise = (deployment: Deployment, text: string, day: number) =>
  deployment.ingest('s', [{ kind: 'note', id: 'a', format: 'text', text, capturedAt: `2025-12-0${day}T00:00:00Z` }]);
const livesIn = (city: string, { start }: EvidenceFragment) => ({
  entity: 'Ann',
  attribute: 'lives_in',
  cardinality: 'one' as const,
  value: city,
  quote: { text: `lives in ${city}`, start: start + 4, end: start + 13 + city.length },
});
const cityOf = ({ text }: EvidenceFragment) => (text.includes('Oslo') ? 'Oslo' : 'Bergen');
const isObsoleting = ({ input }: Write) => JSON.stringify(input).includes('"obsolete"');

describe('a source that is edited while a pass holds it', () => {
  /** The first pass is given the text of Oslo, sees it replaced by that of Bergen, and acknowledges what it was given. */
  async function edited(through: number | undefined, wrapStore?: (store: Store, name: string) => Store) {
    const answers: ReviewAnswer[] = [];
    const given: EvidenceFragment[] = [];
    const executor = scripted(async (tools: Tools, nth) => {
      const { items } = await tools.searchEvidence({});
      const [item] = items;
      if (!item) return;
      given.push(item);
      if (nth === 0) await revise(deployment, textOf('Bergen'), 2);
      const claims = [livesIn(cityOf(item), item)];
      answers.push(
        await tools.reviewEvidence([
          { source: item.source, claims, ...(nth === 0 && through !== undefined && { through }) },
        ]),
      );
    });
    const deployment: Deployment = deploy({ executor, ...(wrapStore && { wrapStore }) });
    await revise(deployment, textOf('Oslo'), 1);
    await look(deployment);
    await look(deployment);
    return { deployment, answers, given };
  }

  it('is acknowledged as it was given, at no cost to the new text, which is read from its beginning and stands above', async () => {
    const { deployment, answers, given } = await edited(undefined);
    expect(answers).toMatchObject([
      { reviewed: 1, claimsWritten: 1, refused: [] },
      { reviewed: 1, claimsWritten: 1, refused: [] },
    ]);
    expect(given.map((item) => [cityOf(item), item.start])).toEqual([
      ['Oslo', 0],
      ['Bergen', 0],
    ]);
    expect(settledOf(deployment)).toBe(2);
    const { body } = await call(deployment, 'GET /v1/scopes/s/claims?entity=Ann');
    expect(body.claims).toMatchObject([{ value: 'Bergen', state: 'active' }]);
  });

  it('in part, is not read on: what it said beyond is history', async () => {
    const { deployment, given } = await edited(200);
    expect(given.map(cityOf)).toEqual(['Oslo', 'Bergen']);
    const [old] = deployment.evidence().filter(({ state }) => state !== 'settled');
    expect(old).toMatchObject({ state: 'obsolete', cursor: 200 });
    expect(old).not.toHaveProperty('queuePartition');
  });

  it('twin: left in the queue because it is held, the old text would be read on', async () => {
    const leavingHeld = (store: Store, name: string): Store => ({
      ...store,
      write: async (write) =>
        name === 'ingest' && isObsoleting(write) ? { kind: 'held', stored: undefined } : store.write(write),
    });
    const { given } = await edited(200, leavingHeld);
    expect(given.map((item) => item.start)).toContain(200);
  });
});

describe('a revision that passes got nowhere with', () => {
  async function replacedAfter(looks: number, wrapStore?: (store: Store, name: string) => Store) {
    const executor = scripted(async (tools) => void (await tools.searchEvidence({})));
    const deployment = deploy({ executor, ...(wrapStore && { wrapStore }) });
    await revise(deployment, 'one', 1);
    for (let k = 0; k < looks; k++) await look(deployment);
    const statusOf = async () => (await call(deployment, 'GET /v1/scopes/s/status')).body;
    const before = await statusOf();
    await revise(deployment, 'two', 2);
    return { deployment, before, after: await statusOf() };
  }

  it.each([
    ['stalled', 3, 0],
    ['quarantined', 6, 1],
  ])('%s is neither counted nor asked about when a newer one came', async (state, looks, quarantined) => {
    const { deployment, before, after } = await replacedAfter(looks);
    expect([before.quarantined.sources, before.attention.open]).toEqual([quarantined, 1]);
    expect([after.quarantined.sources, after.attention.open]).toEqual([0, 0]);
    expect(deployment.rows('ATTENTION#evidence#')).toMatchObject([
      { details: { state }, resolution: 'a newer revision came' },
    ]);
    expect(deployment.evidence().map((item) => item.state)).toEqual(expect.arrayContaining(['obsolete', 'pending']));
  });

  it('twin: a write that takes only what is pending leaves it counted for ever', async () => {
    const pendingOnly = (store: Store, name: string): Store => ({
      ...store,
      write: (write) => {
        if (name !== 'ingest' || !isObsoleting(write)) return store.write(write);
        const values = { ...write.input.ExpressionAttributeValues, ':quarantined': 'never' };
        return store.write({ ...write, input: { ...write.input, ExpressionAttributeValues: values } } as Write);
      },
    });
    const { after } = await replacedAfter(6, pendingOnly);
    expect([after.quarantined.sources, after.attention.open]).toEqual([1, 1]);
  });

  it('is read anew when its source goes back to it', async () => {
    const { deployment } = await replacedAfter(6);
    await revise(deployment, 'one', 3);
    const [pending, ...others] = deployment.evidence().filter(({ state }) => state === 'pending');
    expect([pending?.stalls, pending?.cursor, others]).toEqual([0, 0, []]);
    expect(pending?.revision).toBe(deployment.rows('SOURCE#')[0]?.revision);
  });
});

describe('a revision that is replaced while the pass holds it that gets nowhere with it once too often', () => {
  const isOfAttention = ({ input }: Write): boolean =>
    'Key' in input && String(input.Key?.sk).startsWith('ATTENTION#evidence#');
  const isClearing = (write: Write): boolean =>
    isOfAttention(write) && JSON.stringify(write.input).includes('a newer revision came');

  /** Replaced by the pass itself, or when its end has read the row and is about to say that it got nowhere. */
  async function replacedWhileHeld(looks: number, by: 'the pass' | 'its end', clears = true) {
    let isReplaced = false;
    const replace = async (isDue: boolean): Promise<void> => {
      if (!isDue || isReplaced || deployment.passes().length < looks) return;
      isReplaced = true;
      await revise(deployment, 'two', 2);
    };
    const wrapStore = (store: Store, name: string): Store => ({
      ...store,
      async write(write) {
        if (name !== 'finalizer') return store.write(write);
        if (isOfAttention(write)) await replace(by === 'its end' && deployment.passes().length === looks);
        return clears || !isClearing(write) ? store.write(write) : { kind: 'held', stored: undefined };
      },
    });
    const executor = scripted(async (tools) => {
      const { items } = await tools.searchEvidence({});
      if (items.length > 0) await replace(by === 'the pass');
    });
    const deployment: Deployment = deploy({ executor, wrapStore });
    await revise(deployment, 'one', 1);
    for (let k = 0; k < looks; k++) await look(deployment);
    expect(isReplaced).toBe(true);
    return deployment;
  }

  const CASES = [3, 6].flatMap((looks) => (['the pass', 'its end'] as const).map((by) => [looks, by] as const));

  it.each(CASES)('leaves no attention open, after %i passes, replaced by %s', async (looks, by) => {
    const deployment = await replacedWhileHeld(looks, by);
    expect(deployment.rows('ATTENTION#evidence#')).toMatchObject([{ resolution: 'a newer revision came' }]);
    const states = deployment.evidence().map(({ state, leasePass }) => [state, leasePass]);
    expect(states).toEqual(expect.arrayContaining([['obsolete', undefined]]));
  });

  it.each(CASES)('twin: not closed by who raised it, nobody closes it: %i passes, by %s', async (looks, by) => {
    const deployment = await replacedWhileHeld(looks, by, false);
    const [attention] = deployment.rows('ATTENTION#evidence#');
    expect(attention?.resolvedAtMs).toBeUndefined();
  });
});
