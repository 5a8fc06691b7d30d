/** Sample requests of what erases. */
import {
  claimErasureKey,
  dropLiftedErasure,
  getErasure,
  hastenErasure,
  liftErasure,
  openErasure,
  queryDueErasures,
  queryErasures,
  queryForgotten,
  queryGeneration,
  queryPassRows,
  queryScopeErasures,
  saveErasure,
  scopeErasureKey,
  sourceErasureKey,
} from '../../schema/erasure.ts';
import { moveGeneration } from '../../schema/scope-erasure.ts';
import { eraseSource, queryRevisions, readmitSource } from '../../schema/source-erasure.ts';
import { listText, queryTextList, queryTextRows, removeTextRow } from '../../schema/text-list.ts';
import type { Samples } from './builder-samples.ts';
import { GENERATION, NOW_MS, sampleEvidence } from './samples.ts';

const op = 'op-1';
const address = { scope: 'scope-a', generation: GENERATION };
const source = { kind: 'note', id: 'a' } as const;
const startKey = { pk: 'p', sk: 's' };
const { ref } = sampleEvidence('scope-a').evidence;

export const ERASURE = { kind: 'source', ...address, source, by: 'owner', requestedAtMs: NOW_MS } as const;
export const SOURCE_KEY = sourceErasureKey(address, source);
export const PROGRESS = {
  quietSinceMs: NOW_MS,
  lookBeganAtMs: NOW_MS,
  found: 0,
  position: undefined,
  isUnderWay: false,
  looks: 1,
  removed: { citations: 0, textRows: 0, evidence: 0, others: 0 },
  dueAtMs: NOW_MS,
  finishedAtMs: undefined,
} as const;

export const ERASURE_SAMPLES: Samples = {
  openErasure: [
    openErasure(SOURCE_KEY, ERASURE, op),
    openErasure(scopeErasureKey(address), { ...ERASURE, kind: 'scope', source: undefined }, op),
    openErasure(claimErasureKey(address, 'h'), { ...ERASURE, kind: 'claim', source: undefined, hash: 'h' }, op),
  ],
  saveErasure: [
    saveErasure(SOURCE_KEY, 1, PROGRESS, op),
    saveErasure(SOURCE_KEY, 1, { ...PROGRESS, position: 'claims|ada' }, op),
    saveErasure(SOURCE_KEY, 1, { ...PROGRESS, finishedAtMs: NOW_MS }, op),
  ],
  hastenErasure: [hastenErasure(claimErasureKey(address, 'h'), NOW_MS, op)],
  liftErasure: [liftErasure(SOURCE_KEY, NOW_MS, op)],
  dropLiftedErasure: [dropLiftedErasure(claimErasureKey(address, 'h'), NOW_MS)],
  getErasure: [getErasure(SOURCE_KEY)],
  queryErasures: [queryErasures(address, 10), queryErasures(address, 10, startKey)],
  queryForgotten: [queryForgotten(address, 10)],
  queryScopeErasures: [queryScopeErasures('scope-a', 1)],
  queryDueErasures: [queryDueErasures(NOW_MS)],
  queryGeneration: [queryGeneration(address, 10), queryGeneration(address, 10, startKey)],
  queryPassRows: [queryPassRows(address, 10)],
  moveGeneration: [
    moveGeneration({ ...address, statsVersion: 0, wakes: false, nowMs: NOW_MS, op }),
    moveGeneration({ ...address, statsVersion: 0, wakes: true, nowMs: NOW_MS, op }),
  ],
  eraseSource: [eraseSource({ ...address, ...source }, NOW_MS, op)],
  readmitSource: [readmitSource({ ...address, ...source }, NOW_MS)],
  queryRevisions: [queryRevisions({ ...address, ...source }, 'incremental', 10)],
  listText: [listText({ ...address, ref }, NOW_MS, op)],
  queryTextList: [queryTextList({ ...address, ...source }, 10)],
  queryTextRows: [queryTextRows(address, 'note#a#0', 10)],
  removeTextRow: [removeTextRow({ pk: 'p', sk: 's' })],
};
