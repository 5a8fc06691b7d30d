/** Goal: a fact is as old as its words, not as the session they stand in. Method: the rules, over a whole deployment. */
import { describe, expect, it } from 'vitest';
import { createRules } from '../../functions/worker/executor/rules-executor.ts';
import { call } from '../support/api.ts';
import { useDeployments } from '../support/deployments.ts';

const deploy = useDeployments();
const MINUTE_MS = 60_000;
const turn = (at: string, text: string) => ({ speaker: 'Ola', text, at });
const OLD = turn('2024-01-10T09:00:00Z', 'I live in Bergen.');
const MIDDLE = turn('2024-09-01T09:00:00Z', 'I live in Oslo.');
const GREETING = turn('2025-06-10T09:00:00Z', 'Good morning.');

type Session = readonly ReturnType<typeof turn>[];

/** Where Ola lives after these sessions, and since when as told. */
async function home(...calls: readonly Readonly<Record<string, Session>>[]) {
  const deployment = deploy({ settings: { batchTokens: 0 }, executor: await createRules() });
  for (const sessions of calls) {
    const sources = Object.entries(sessions).map(([id, turns]) => ({ kind: 'transcript', id, turns }));
    await deployment.ingest('s', sources);
    await deployment.passTime(2 * MINUTE_MS);
  }
  const { body } = await call(deployment, 'GET /v1/scopes/s/claims?entity=Ola');
  return (body.claims as { attribute: string; value: string; since: string }[])
    .filter(({ attribute }) => attribute === 'lives_in')
    .map(({ value, since }) => [value, since.slice(0, 10)]);
}

describe('what was said', () => {
  it('later in one session stands, in whatever order the two are told', async () => {
    expect(await home({ a: [OLD, MIDDLE] })).toEqual([['Oslo', '2024-09-01']]);
    const swapped = [turn(OLD.at, MIDDLE.text), turn(MIDDLE.at, OLD.text)];
    expect(await home({ a: swapped })).toEqual([['Bergen', '2024-09-01']]);
  });

  it('long ago is not made new by a session that goes on', async () => {
    expect(await home({ long: [OLD, GREETING], mid: [MIDDLE] })).toEqual([['Oslo', '2024-09-01']]);
  });

  it('is told of the same time, whether the session came whole or bit by bit', async () => {
    const whole = await home({ a: [OLD, GREETING] });
    expect(whole).toEqual([['Bergen', '2024-01-10']]);
    expect(await home({ a: [OLD] }, { a: [OLD, GREETING] })).toEqual(whole);
  });
});
