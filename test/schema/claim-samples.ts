/** Requests of every builder about the memory: citations, heads, entities, attentions. */
import {
  type AttentionDetails,
  attentionKey,
  clearAttention,
  dropAttention,
  getAttention,
  lowerAttention,
  queryAttention,
  raiseAttention,
} from '../../schema/attention.ts';
import {
  addCitationPass,
  emptyCitation,
  getCitation,
  liftProtection,
  putCitation,
  recaptureCitation,
  queryCitations,
  querySlotCitations,
  restoreCitation,
  undoCitationPass,
  withdrawCitation,
} from '../../schema/citation.ts';
import {
  endAlias,
  getEntity,
  putAlias,
  putEntity,
  queryAliases,
  queryEntities,
  typeEntity,
} from '../../schema/entity.ts';
import { dropHead, flagContest, getHead, queryHeads, raiseRegister, rebuildHead } from '../../schema/head.ts';
import { GENERATION, ME, NOW_MS, OTHER, sampleCitation } from './samples.ts';

const op = 'op-1';
const address = { scope: 'scope-a', generation: GENERATION };
const citation = sampleCitation();
const { slot } = citation;
const startKey = { pk: 'p', sk: 's' };
const pass = { passId: OTHER, nowMs: NOW_MS, op };

export const SUBJECT = { kind: 'contested', subject: 'ada#lives_in#undated' } as const;
export const DETAILS: AttentionDetails = { slot, sides: [], because: 'same_time' };
const raise = { ...SUBJECT, subjectKey: 'k', details: DETAILS, nowMs: NOW_MS, op };

export const ALIAS = {
  from: 'bob',
  into: 'robert',
  fromName: 'Bob',
  intoName: 'Robert',
  author: 'owner',
  recordedAtMs: NOW_MS,
};

export const CLAIM_SAMPLES = {
  putEntity: [putEntity(address, 'Ada', op)],
  typeEntity: [typeEntity(address, { slug: 'ada', entityType: 'person', typeKey: 'k' }, op)],
  getEntity: [getEntity(address, 'ada')],
  queryEntities: [queryEntities(address, 10), queryEntities(address, 10, startKey)],
  putAlias: [putAlias(address, ALIAS, op)],
  endAlias: [endAlias(address, ALIAS, NOW_MS, op)],
  queryAliases: [queryAliases(address, 10)],
  putCitation: [putCitation(address, citation, ME, op), putCitation(address, citation, undefined, op)],
  restoreCitation: [restoreCitation(address, { ...citation, passes: {}, passCount: 0, undone: {} }, op)],
  getCitation: [getCitation(address, citation)],
  addCitationPass: [addCitationPass(address, citation, pass)],
  recaptureCitation: [recaptureCitation(address, citation, op)],
  undoCitationPass: [undoCitationPass(address, citation, pass)],
  withdrawCitation: [withdrawCitation(address, citation, { reason: 'erased', nowMs: NOW_MS, op })],
  emptyCitation: [emptyCitation(address, citation, NOW_MS, op)],
  liftProtection: [liftProtection(address, citation, { nowMs: NOW_MS, op })],
  queryCitations: [
    queryCitations(address, { limit: 10 }),
    queryCitations(address, { entity: 'ada', attribute: 'likes', limit: 10, startKey }),
  ],
  querySlotCitations: [querySlotCitations(address, slot, 10)],
  getHead: [getHead(address, slot)],
  raiseRegister: [
    raiseRegister(address, citation, 'undated', op),
    raiseRegister(address, citation, 'dated', op),
    raiseRegister(address, citation, 'protected', op),
  ],
  rebuildHead: [
    rebuildHead(address, slot, { registers: {}, seenVersion: undefined, op }),
    rebuildHead(address, slot, { registers: { datedKey: 'k' }, seenVersion: 3, op }),
  ],
  dropHead: [dropHead(address, slot, 3)],
  queryHeads: [queryHeads(address, 10)],
  flagContest: [flagContest(address, slot, op)],
  getAttention: [getAttention(address, SUBJECT)],
  raiseAttention: [raiseAttention(address, raise)],
  lowerAttention: [lowerAttention(address, { ...raise, seenOp: 'was' })],
  dropAttention: [dropAttention(attentionKey(address, SUBJECT), 'was')],
  clearAttention: [clearAttention(address, SUBJECT, { belowKey: 'l', resolution: 'settled', nowMs: NOW_MS, op })],
  queryAttention: [queryAttention(address, 10)],
} as const;
