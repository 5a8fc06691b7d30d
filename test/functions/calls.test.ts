/** The audit of a pass: every tool call with what it named and was given, and nothing that anybody wrote. */
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../functions/core/call-record.ts';
import type { Tools } from '../../functions/worker/executor/executor.ts';
import { hash22 } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item, Outcome, Write } from '../../schema/request.ts';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';

const deploy = useDeployments();
const SECRET = 'only-in-the-text';
const callRows = (deployment: Deployment) =>
  deployment.rows('PASS#').filter((item) => String(item.sk).includes('#CALL#'));

async function callsOf(deployment: Deployment, cursor = '') {
  const callsIn = (pass: Item) => (pass.counters as { toolCalls: number }).toolCalls;
  const [pass] = deployment.passes().sort((a, b) => callsIn(b) - callsIn(a));
  return (await call(deployment, `GET /v1/scopes/s/passes/${String(pass?.passId)}?calls=1${cursor}`)).body;
}

describe('the tool calls of a pass', () => {
  it('are taken down in order, with references and codes, without a text', async () => {
    const executor = scripted(async (tools, nth) => {
      if (nth > 0) return;
      const { items } = await tools.searchEvidence({ limit: 2 });
      await tools.searchEvidence({ query: `${SECRET} words` });
      await tools.searchEvidence({ source: 'note:note-1', start: 2, end: 9 });
      const [first] = items;
      if (!first) return;
      await tools.reviewEvidence([
        { source: first.source, through: SECRET },
        { source: SECRET, through: 4 },
      ]);
      await tools.reviewEvidence([]);
    });
    const deployment = deploy({ executor });
    await deployment.ingest(
      's',
      notes(2, (k) => `Note ${k}: ${SECRET} and more.`),
    );
    await look(deployment);
    const { calls } = await callsOf(deployment);
    expect(calls.map(({ seq, tool }: { seq: number; tool: string }) => [seq, tool])).toEqual([
      [1, 'search_evidence'],
      [2, 'search_evidence'],
      [3, 'search_evidence'],
      [4, 'review_evidence'],
      [5, 'review_evidence'],
    ]);
    const text = `Note 0: ${SECRET} and more.`;
    expect(calls[0]).toMatchObject({ arguments: { limit: 2 } });
    // What has waited longest comes first.
    expect(calls[0].given[1]).toMatchObject({
      source: expect.stringMatching(/^note#note-0#/),
      start: 0,
      length: text.length,
      hash: hash22(text),
    });
    expect(calls[1]).toMatchObject({ arguments: { queryCharacters: SECRET.length + 6 } });
    expect(calls[2]).toMatchObject({ arguments: { source: 'note#note-1#', start: 2, end: 9 }, given: [{ length: 7 }] });
    expect(calls[3]).toMatchObject({ asked: [{}, { source: hash22(SECRET), length: 4 }], refused: ['unknown_source'] });
    expect(calls[4]).toMatchObject({ error: 'no_items' });
    const rows = callRows(deployment);
    expect(JSON.stringify([rows, calls])).not.toContain(SECRET);
    expect(rows.every(({ ttl }) => Number(ttl) * 1000 > deployment.clock.nowMs() + LIMITS.passKeepMs / 2)).toBe(true);
  });

  it('hold of what is named no words: an attention, whose name tells of its claim, and what is no time, are hashes', () => {
    const place = { seq: 1, atMs: 0 };
    const id = `contested:${SECRET}#lives_in#undated`;
    const argumentsOf = (request: object) => recordOf({ tool: 'x', request: { ...request } }, { answer: {} }, place);
    const decided = argumentsOf({ id, state: SECRET, decision: 'declined', because: SECRET });
    expect(decided.arguments).toEqual({ id: hash22(id), state: hash22(SECRET), decision: 'declined' });
    const asked = argumentsOf({ since: '2024-05-03T10:00:00Z', before: SECRET, scope: 's', limit: 2 });
    const expected = { since: '2024-05-03T10:00:00Z', before: hash22(SECRET), scope: 's', limit: 2 };
    expect(asked.arguments).toEqual(expected);
    expect(JSON.stringify(argumentsOf({ decision: SECRET, scope: `${SECRET} {}` }))).not.toContain(SECRET);
  });

  it('tell of one that threw, too', () => {
    const place = { seq: 1, atMs: 0 };
    expect(recordOf({ tool: 'x', request: {} }, { thrown: 'PassLostError' }, place)).toMatchObject({
      error: 'PassLostError',
    });
  });

  it('cost less than one write for twenty sources, and show on no other route', async () => {
    const deployment = deploy({ stub: { limit: 20 } });
    for (let k = 0; k < 4; k++) await deployment.ingest('s', notes(200).slice(50 * k, 50 * k + 50));
    await look(deployment);
    const rows = callRows(deployment);
    expect(deployment.passes().length).toBeGreaterThan(0);
    expect(rows.length / 200).toBeLessThan(1 / 20);
    const { body } = await call(deployment, 'GET /v1/scopes/s/passes');
    expect(body.passes).toHaveLength(deployment.passes().length);
    expect((await call(deployment, `GET /v1/scopes/s/passes/${body.passes[0].id}`)).body).not.toHaveProperty('calls');
  });

  it('are read page by page, each row once', async () => {
    const executor = scripted(async (tools: Tools, nth) => {
      for (let k = 0; nth === 0 && k < 30 * LIMITS.callsPerRowMax; k++) await tools.reviewEvidence([]);
    });
    const deployment = deploy({ executor });
    await deployment.ingest('s', notes(1));
    await look(deployment);
    const first = await callsOf(deployment);
    expect(first.calls).toHaveLength(LIMITS.callRowsPerPageMax * LIMITS.callsPerRowMax);
    const second = await callsOf(deployment, `&cursor=${encodeURIComponent(first.cursor)}`);
    const seqs = [...first.calls, ...second.calls].map(({ seq }: { seq: number }) => seq);
    expect(seqs).toEqual(Array.from({ length: 30 * LIMITS.callsPerRowMax }, (_, k) => k + 1));
    expect(second).not.toHaveProperty('cursor');
    const { status } = await call(
      deployment,
      `GET /v1/scopes/s/passes/${String(deployment.passes()[0]?.passId)}?calls=1&cursor=x`,
    );
    expect(status).toBe(400);
  });

  describe('of which a row cannot be written', () => {
    const COUNT = LIMITS.callsPerRowMax + 3;
    const isCallRow = (write: Write) => write.kind === 'put' && String(write.input.Item?.sk).includes(`#CALL#`);

    /** The numbers of the calls on record; `fail` is asked at the first of their rows. */
    async function seqsOn(fail: (write: () => Promise<Outcome>) => Promise<Outcome>): Promise<number[]> {
      let hasFailed = false;
      const deployment = deploy({
        executor: scripted(async (tools, nth) => {
          for (let k = 0; nth === 0 && k < COUNT; k++) await tools.reviewEvidence([]);
        }),
        wrapStore: (store, name) => ({
          ...store,
          async write(write) {
            if (name !== 'worker' || !isCallRow(write) || hasFailed) return store.write(write);
            hasFailed = true;
            return fail(() => store.write(write));
          },
        }),
      });
      await deployment.ingest('s', notes(1));
      await look(deployment);
      expect(deployment.passes()).toMatchObject([{ status: 'completed', counters: { toolCalls: COUNT } }]);
      const { calls } = await callsOf(deployment);
      return calls.map(({ seq }: { seq: number }) => seq);
    }
    const ALL = Array.from({ length: COUNT }, (_, k) => k + 1);

    it('are noted with the next, and each is answered all the same', async () => {
      expect(await seqsOn(() => Promise.reject(new Error('throttled')))).toEqual(ALL);
    });

    it('are noted once when it was written and only said to have failed', async () => {
      const seqs = await seqsOn(async (write) => {
        await write();
        throw new Error('no answer');
      });
      expect(seqs).toEqual(ALL);
    });

    it('twin: taken for written, they are on no record', async () => {
      expect(await seqsOn(async () => ({ kind: 'won', item: undefined }))).toEqual(ALL.slice(LIMITS.callsPerRowMax));
    });
  });

  it('of a pass whose worker is killed are there up to its last tick', async () => {
    const executor = {
      name: 'stub',
      async run(tools: Tools, { sleep }: { sleep: (ms: number) => Promise<void> }) {
        await tools.searchEvidence({});
        await sleep(25_000);
        throw new Error('never reached before the look below');
      },
    };
    const deployment = deploy({ executor });
    await deployment.ingest('s', notes(1));
    await look(deployment, { forMs: 1_000 });
    expect(callRows(deployment)).toEqual([]);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + LIMITS.heartbeatEveryMs });
    expect(callRows(deployment)).toHaveLength(1);
  });
});
