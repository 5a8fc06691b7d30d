/** Ten thousand deliveries: five drains of two thousand sources, sixteen passes at once in one scope, none of which waits. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../functions/io/ports.ts';
import { getLedger, ledgerItemSchema } from '../../schema/ledger.ts';
import type { Write } from '../../schema/request.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { deliveredOf, settledOf, useDeployments } from '../support/deployments.ts';
import { createDirectStore } from '../support/direct-store.ts';
import { withoutClause } from '../support/without-clause.ts';

const deploy = useDeployments();
const DRAINS = 5;
const SOURCES = 2_000;
const PASSES = 16;
const PER_CALL = 50;
const ROUNDS_MAX = 20_000;
const AS_READ = '#seq = :seq';
const FREE = 'attribute_not_exists(#leasePass) OR #leasePass = :me OR #leaseExpiresAtMs < :expiredBefore';

/** What the writes of evidence show: who held what, what was lost, and what was settled. */
class Watch {
  won = 0;
  lost = 0;
  /** A source leased by a pass while another that had not ended held it. */
  double = 0;
  settledTwice = 0;
  most = 0;
  readonly #holder = new Map<string, string>();
  readonly #settled = new Set<string>();

  wrap(store: Store, changed: (write: Write) => Write): Store {
    return {
      ...store,
      write: async (write) => {
        const outcome = await store.write(changed(write));
        this.#see(write, outcome.kind === 'won');
        return outcome;
      },
    };
  }

  #see(write: Write, isWon: boolean): void {
    if (write.kind !== 'update') return;
    const { Key: key, UpdateExpression: expression = '', ExpressionAttributeValues: values = {} } = write.input;
    const row = String(key?.sk);
    if (!row.startsWith('EVIDENCE#')) return;
    const takes = expression.includes('#leasePass = :');
    if (takes && !isWon) this.lost++;
    if (!isWon) return;
    const me = String(values[':me']);
    if (takes) this.#take(row, me);
    else if (this.#holder.get(row) === me) this.#holder.delete(row);
    if (!expression.includes('#settledBy = :')) return;
    if (this.#settled.has(row)) this.settledTwice++;
    this.#settled.add(row);
  }

  #take(row: string, me: string): void {
    this.won++;
    const holder = this.#holder.get(row);
    if (holder !== undefined && holder !== me) this.double++;
    this.#holder.set(row, me);
    this.most = Math.max(this.most, new Set(this.#holder.values()).size);
  }
}

/** Turns of the event loop that a request takes: drawn, so that the passes of each drain meet in another order. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + (state >>> 30);
  };
}

interface Drain {
  readonly seed: number;
  readonly sources?: number;
  readonly changed?: (write: Write) => Write;
}

async function drain({ seed, sources = SOURCES, changed = (write) => write }: Drain) {
  const watch = new Watch();
  const stores: { atOnce?: Store; inTurns?: Store } = {};
  const deployment: Deployment = deploy({
    settings: { maxPassesPerScope: PASSES, maxConcurrentPasses: PASSES },
    wrapStore: (_, name) => {
      const { engine } = deployment.tables;
      if (name === 'ingest') return (stores.atOnce ??= createDirectStore(engine, () => 0));
      return watch.wrap((stores.inTurns ??= createDirectStore(engine, drawing(seed))), changed);
    },
  });
  for (let from = 0; from < sources; from += PER_CALL) {
    const page = notes(PER_CALL, (k) => `Text ${from + k}.`);
    await deployment.ingest(
      's',
      page.map((note, k) => ({ ...(note as object), id: `n${from + k}` })),
    );
  }
  await deployment.ask({ scope: 's', origin: 'drain', kind: 'incremental', parallel: PASSES });
  // Time stands still: texts are unpacked on a thread, which takes as long as it takes.
  const ledger = async () => ledgerItemSchema.parse(await deployment.tables.store.get(getLedger()));
  for (let round = 0; round < ROUNDS_MAX && Object.keys((await ledger()).passes).length > 0; round++) {
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() });
  }
  await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1_000 });
  expect(deployment.crashes).toEqual([]);
  const [delivered, settled, leasesLeft] = [deliveredOf(deployment), settledOf(deployment), deployment.leasesLeft()];
  return { settled, leasesLeft, delivered, watch };
}

describe('sixteen passes on two thousand sources, five times', () => {
  it('give none to two live passes, lose none, settle none twice, and lose less than one race a lease', async () => {
    const ratios: number[] = [];
    let deliveries = 0;
    for (let seed = 1; seed <= DRAINS; seed++) {
      const { settled, leasesLeft, delivered, watch } = await drain({ seed });
      expect([settled, leasesLeft, watch.double, watch.settledTwice]).toEqual([SOURCES, 0, 0, 0]);
      expect(watch.most).toBe(PASSES);
      deliveries += delivered;
      ratios.push(watch.lost / watch.won);
    }
    expect(deliveries).toBe(DRAINS * SOURCES);
    ratios.sort((a, b) => a - b);
    expect(ratios[Math.floor(DRAINS / 2)]).toBeLessThan(1);
    // Races were lost: it was contention.
    expect(ratios[0]).toBeGreaterThan(0.01);
  }, 240_000);

  it('twin: were a lease taken whoever holds it, and however old its reading, sources are in two live passes', async () => {
    const blind = (write: Write): Write =>
      write.kind === 'update' && (write.input.UpdateExpression ?? '').includes('#leasePass = :')
        ? withoutClause(withoutClause(write, AS_READ), FREE)
        : write;
    const { watch } = await drain({ seed: 1, sources: 400, changed: blind });
    expect(watch.double).toBeGreaterThan(0);
  }, 60_000);
});
