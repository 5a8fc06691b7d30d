/** A source that is edited, or goes back to an earlier text: the memory says what its text says now, whenever passes ran. */
import { afterEach, expect, it } from 'vitest';
import type { TriggerRequest } from '../../functions/trigger/run.ts';
import { Deployment } from '../support/deployment.ts';

const MINUTE_MS = 60_000;
const look: TriggerRequest = { scope: 's', origin: 'trigger', kind: 'incremental' };

const open: Deployment[] = [];
afterEach(() => {
  for (const deployment of open.splice(0)) deployment.close();
});

it.each([
  ['after each', [true, true]],
  ['after the first alone', [true, false]],
  ['after the second alone', [false, true]],
  ['after none', [false, false]],
])('A, B, A, read %s of the first two, is A', async (_, reads) => {
  const deployment = new Deployment();
  open.push(deployment);
  const read = async () => {
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5 * MINUTE_MS });
  };
  for (const [k, city] of ['Austin', 'Denver', 'Austin'].entries()) {
    const text = `@claim Maya | city | ${city}`;
    await deployment.ingest('s', [
      { kind: 'note', id: 'a', text, format: 'text', capturedAt: `2026-01-0${k + 1}T00:00:00Z` },
    ]);
    if (reads[k] ?? true) await read();
  }
  const [head] = deployment.rows('HEAD#') as { undated?: { value: string; capturedAtMs: number } }[];
  expect(head?.undated).toMatchObject({ value: 'Austin', capturedAtMs: Date.parse('2026-01-03T00:00:00Z') });
  const denver = deployment.rows('CLAIM#').some((row) => row['value'] === 'Denver');
  expect(denver).toBe(reads[1]);
  expect(deployment.crashes).toEqual([]);
});

it('edits under one captured time that are read one after the other leave the last one current, and contest nothing', async () => {
  const deployment = new Deployment();
  open.push(deployment);
  for (const city of ['Austin', 'Denver', 'Oslo', 'Rome', 'Lima']) {
    const text = `---\ndate: 2026-01-01\n---\n@claim Maya | city | ${city}`;
    await deployment.ingest('s', [{ kind: 'document', id: 'a', text, format: 'markdown' }]);
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5 * MINUTE_MS });
    const [head] = deployment.rows('HEAD#') as { undated?: { value: string }; contested?: boolean }[];
    expect(head?.undated?.value).toBe(city);
    expect(head?.contested).toBeUndefined();
  }
});
