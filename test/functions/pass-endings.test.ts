/** A pass ends in its time whatever a tool call is doing, and what it gives back is asked for at once. */
import { describe, expect, it } from 'vitest';
import type { Executor } from '../../functions/worker/executor/executor.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Write } from '../../schema/request.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { useDeployments } from '../support/deployments.ts';

const deploy = useDeployments();
const MINUTE_MS = 60_000;
const PASS_MS = 30_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const skOf = (write: Write) => String(write.kind === 'put' ? write.input.Item?.sk : write.input.Key?.sk);
const isClaimWrite = (write: Write) => /^(CLAIM|HEAD|ENTITY)#/.test(skOf(write));

/** Reads a page and, just before its deadline, writes a hundred claims of each source. */
const writesMuch: Executor = {
  name: 'stub',
  async run(tools, { sleep }) {
    const { items } = await tools.searchEvidence({ limit: 5 });
    await sleep(PASS_MS - 2000);
    const claimsOf = (text: string) =>
      Array.from({ length: 100 }, (_, k) => ({
        entity: `entity ${k}`,
        attribute: 'a',
        cardinality: 'one' as const,
        value: 'v',
        quote: { text: text.slice(0, 4), start: 0, end: 4 },
      }));
    await tools.reviewEvidence(items.map(({ source, text }) => ({ source, claims: claimsOf(text) })));
  },
};

/** The deployment, and when its worker last wrote a claim. */
function withSlowClaims(writeClaim: (deployment: Deployment) => Promise<unknown>) {
  const seen: { deployment?: Deployment; lastClaimAtMs: number } = { lastClaimAtMs: 0 };
  const deployment = deploy({
    executor: writesMuch,
    settings: { passTimeoutMs: PASS_MS },
    wrapStore: (store, name) => ({
      ...store,
      async write(write) {
        if (name === 'worker' && isClaimWrite(write)) {
          await writeClaim(deployment);
          seen.lastClaimAtMs = deployment.clock.nowMs();
        }
        return store.write(write);
      },
    }),
  });
  return { deployment, seen };
}

describe('a tool call that outlasts the deadline', () => {
  it('stops before its next write: the pass ends, and no source is in two live passes', async () => {
    const { deployment, seen } = withSlowClaims(({ clock }) => clock.sleep(100));
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 2 * MINUTE_MS });
    const [pass] = deployment.passes();
    const deadlineAtMs = pass?.deadlineAtMs as number;
    expect(pass).toMatchObject({ status: 'completed', finalizedAtMs: expect.any(Number) });
    expect(pass?.endedAtMs).toBeLessThan(deadlineAtMs + 1000);
    expect(seen.lastClaimAtMs).toBeLessThanOrEqual(pass?.endedAtMs as number);
    expect(deployment.leasesLeft()).toBe(0);
  });

  it('is left behind when it hangs in one request: the pass beats, and ends within its reserve', async () => {
    const { deployment } = withSlowClaims(() => new Promise(() => undefined));
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.passTime(2 * MINUTE_MS);
    const [pass] = deployment.passes();
    expect(pass).toMatchObject({ status: 'completed', leftBehind: true, finalizedAtMs: expect.any(Number) });
    expect(pass?.endedAtMs).toBeLessThan((pass?.deadlineAtMs as number) + LIMITS.passEndReserveMs);
  });

  it('its leases last until its worker is surely over', async () => {
    const { deployment } = withSlowClaims(() => new Promise(() => undefined));
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1000 });
    const [pass] = deployment.passes();
    const atLeastMs = (pass?.deadlineAtMs as number) + LIMITS.passEndReserveMs;
    for (const { leaseExpiresAtMs } of deployment.evidence()) expect(leaseExpiresAtMs).toBeGreaterThan(atLeastMs);
  });
});

describe('what a finalizer has just given back', () => {
  it.each([true, false])('is asked for at once, index behind: %s', async (isBehind) => {
    const deployment = deploy({
      settings: { pageCharacters: 16_000, passTimeoutMs: 600_000 },
      stub: { delayMs: 45_000 },
      wrapStore: (store, name) => ({
        ...store,
        query: async (read) =>
          name === 'finalizer' && isBehind && read.input.IndexName !== undefined
            ? { items: [], lastKey: undefined }
            : store.query(read),
      }),
    });
    const text = 'Sentence one of a long note. '.repeat(6000);
    await deployment.ingest('s', [{ kind: 'document', id: 'x', format: 'text', text }]);
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 15 * MINUTE_MS });
    const [first, second] = deployment.passes();
    expect(first?.settled).toBe(1);
    expect(second).toMatchObject({ origin: 'continuation' });
    expect((second?.admittedAtMs as number) - (first?.endedAtMs as number)).toBeLessThan(1000);
  });
});
