/** Goal: the samples end in one memory, in whatever order and by however many passes. NIGHTJAR_ORDERS asks for more. */
import { describe, expect, it } from 'vitest';
import { countRepairs, outcomeOf } from './claim-scene.ts';
import { exportOf, readSampleSources, writeShuffled } from './sample-orders.ts';

const ORDERS = Number(process.env['NIGHTJAR_ORDERS'] ?? 8);

describe('the samples', () => {
  it(
    `in ${ORDERS} shuffled orders by one to eight passes: one export, byte for byte, and nothing to repair`,
    async () => {
      const sources = await readSampleSources();
      expect(sources.length).toBeGreaterThan(20);
      const exports = new Set<string>();
      const attentions = new Set<string>();
      for (let order = 0; order < ORDERS; order++) {
        const scene = await writeShuffled(sources, { passes: 1 + (order % 8), seed: 1 + order });
        exports.add(await exportOf(scene));
        attentions.add(JSON.stringify((outcomeOf(scene) as { attention: object }).attention));
        expect(await countRepairs(scene)).toBe(0);
        scene.close();
      }
      expect(exports.size).toBe(1);
      expect(attentions.size).toBe(1);
      expect([...exports][0]?.split('\n').length).toBeGreaterThan(80);
    },
    10_000 + 30_000 * ORDERS,
  );

  it('are a first run that is worth it: 40 claims that stand, and 3 that something newer took the place of', async () => {
    const scene = await writeShuffled(await readSampleSources(), { passes: 3, seed: 1 });
    const answer = (await (await scene.fetch('claims?state=all&limit=500')).json()) as { claims: { state: string }[] };
    const countOf = (state: string) => answer.claims.filter((claim) => claim.state === state).length;
    expect(countOf('active')).toBeGreaterThanOrEqual(40);
    expect(countOf('superseded')).toBeGreaterThanOrEqual(3);
    scene.close();
  });

  it('twin: another memory is another export', async () => {
    const sources = await readSampleSources();
    const all = await writeShuffled(sources, { passes: 1, seed: 1 });
    const less = await writeShuffled(sources.slice(1), { passes: 1, seed: 1 });
    expect(await exportOf(less)).not.toBe(await exportOf(all));
    all.close();
    less.close();
  });
});
