/** Numbers that are none, as a model may give them: neither its pass nor its sources suffer for them. */
import { describe, expect, it } from 'vitest';
import { countAsked } from '../../functions/core/asked-count.ts';
import type { EvidencePage, ExecutorContext, Tools } from '../../functions/worker/executor/executor.ts';
import { notes } from '../support/deployment.ts';
import { settledOf, useDeployments } from '../support/deployments.ts';
import { look } from '../support/scripted.ts';

const deploy = useDeployments();
const ODD = [Number.NaN, 0.5, -3, Number.POSITIVE_INFINITY, 1e300, -1e300];

/** Reads all there is, after `first` has been called on the first page. */
async function readAfter(first: (tools: Tools, page: EvidencePage, context: ExecutorContext) => Promise<unknown>) {
  const executor = {
    name: 'stub',
    async run(tools: Tools, context: ExecutorContext) {
      const page = await tools.searchEvidence({ limit: 2 });
      await first(tools, page, context);
      for (let { items } = page; items.length > 0; { items } = await tools.searchEvidence({ limit: 2 }))
        await tools.reviewEvidence(items.map(({ source }) => ({ source })));
    },
  };
  const deployment = deploy({ executor });
  await deployment.ingest('s', notes(5));
  await look(deployment);
  return deployment;
}

describe.each(ODD)('%s', (odd) => {
  it.each<[string, (tools: Tools, page: EvidencePage, context: ExecutorContext) => Promise<unknown>]>([
    ['as the limit of a page', (tools) => tools.searchEvidence({ limit: odd })],
    ['as the limit of a query', (tools) => tools.searchEvidence({ query: 'note', limit: odd })],
    ['as the beginning of a look-up', (tools) => tools.searchEvidence({ source: 'note:note-0', start: odd })],
    ['as the end of a look-up', (tools) => tools.searchEvidence({ source: 'note:note-0', end: odd })],
    [
      'as a place acknowledged',
      (tools, { items }) => tools.reviewEvidence(items.map(({ source }) => ({ source, from: odd, through: odd }))),
    ],
    ['as what a call took', async (_tools, _page, { spend }) => spend({ tokensIn: odd, tokensOut: odd })],
  ])('%s', async (_where, call) => {
    const deployment = await readAfter(call);
    expect(deployment.crashes).toEqual([]);
    expect(new Set(deployment.passes().map(({ status }) => status))).toEqual(new Set(['completed']));
    expect(settledOf(deployment)).toBe(5);
  });
});

describe('how many are given', () => {
  it.each<[number | undefined, number]>([
    [undefined, 20],
    [5, 5],
    [1.9, 1],
    [0, 1],
    [-7, 1],
    [21, 20],
    [Number.POSITIVE_INFINITY, 20],
    [Number.NaN, 20],
  ])('asked for %s of at most 20: %i', (asked, given) => {
    expect(countAsked(asked, 20)).toBe(given);
  });
});
