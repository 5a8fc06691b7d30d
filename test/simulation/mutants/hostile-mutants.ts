/** Mutants of what stands between an executor and the memory: each lets something through that must come to nothing. */
import { makeCitation } from '../../../functions/core/claims.ts';
import { planDraft } from '../../../functions/core/claim-plan.ts';
import { planReview } from '../../../functions/core/review-plan.ts';
import { putEntity } from '../../../schema/entity.ts';
import { type EvidenceItem, evidenceAddress, settleEvidence } from '../../../schema/evidence.ts';
import { sourceKeyOf, type SourceRef } from '../../../schema/ids.ts';
import type { Item, Write } from '../../../schema/request.ts';
import { FIRST_GENERATION } from '../../../schema/scope.ts';
import { type Mutant, onWrite, without } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';

/** Every executor means ill, and nothing else goes wrong but what is drawn. */
const hostile = (plan: Plan): Plan => ({
  ...plan,
  erasing: undefined,
  hostile: { share: 1, callsMax: 2, strayShare: 0 },
});

interface LookedAt {
  readonly sourceKey: string;
  readonly length: number;
}

/** The acknowledgements of a pass, and those of sources that it only named. */
function withForged(write: Write, forged: readonly LookedAt[]): Write {
  if (write.kind !== 'put') return write;
  const reviews = (write.input.Item?.reviews ?? []) as readonly LookedAt[];
  const known = new Set(reviews.map(({ sourceKey }) => sourceKey));
  const added = forged
    .filter(({ sourceKey }) => !known.has(sourceKey))
    .map(({ sourceKey, length }) => ({ sourceKey, from: 0, to: length, length }));
  return { ...write, input: { ...write.input, Item: { ...write.input.Item, reviews: [...reviews, ...added] } } };
}

export const HOSTILE_MUTANTS: readonly Mutant[] = [
  {
    name: 'fabricated quote taken',
    replaces: 'planDraft plans a claim whose quote is not what was delivered',
    caughtBy: ['a hostile call is refused', 'memory'],
    within: 20,
    direct: hostile,
    decide: {
      planDraft: (draft, index, from, recordedAtMs) => {
        const planned = planDraft(draft, index, from, recordedAtMs);
        if (planned.kind === 'planned' || !planned.reason.startsWith('quote_')) return planned;
        return { kind: 'planned', index, citation: makeCitation({ draft, ...from, recordedAtMs }) };
      },
    },
  },
  {
    name: 'acknowledged beyond the text',
    replaces: 'planReview cuts a range to what was delivered in place of refusing it',
    caughtBy: ['a hostile call is refused'],
    within: 20,
    direct: hostile,
    decide: {
      planReview: (standing, item) => {
        const plan = planReview(standing, item);
        if (plan.kind === 'take' || plan.error.code !== 'offset_out_of_range') return plan;
        return { kind: 'take', from: standing.reviewedTo, to: standing.deliveredTo };
      },
    },
  },
  {
    name: 'acknowledged without delivery',
    replaces: 'a source that a pass named or looked up, and was never given, stands among its acknowledgements',
    caughtBy: ['only what was delivered is acknowledged'],
    within: 20,
    direct: hostile,
    wrapStore: (store, { role }) => {
      if (role !== 'worker') return undefined;
      const named: LookedAt[] = [];
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        if (item && String(read.input.Key?.sk).startsWith('SOURCE#'))
          named.push({ sourceKey: sourceKeyOf(item as unknown as SourceRef), length: item.length as number });
        return item;
      };
      const forging = onWrite(store, (write, name, pass) =>
        pass(name === 'review-page:put' ? withForged(write, named) : write),
      );
      return { ...forging, get };
    },
  },
  {
    name: 'refused call leaves a trace',
    replaces: 'what is asked for in vain is written down beside the memory',
    caughtBy: ['a refused call changes nothing'],
    within: 20,
    direct: hostile,
    wrapStore: (store, { role, scope = '', ids }) => {
      if (role !== 'worker') return undefined;
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        const isInVain = item === undefined && String(read.input.Key?.sk).startsWith('SOURCE#');
        if (isInVain) await store.write(putEntity({ scope, generation: FIRST_GENERATION }, 'Nobody', ids.fresh()));
        return item;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'look-up moves a cursor',
    replaces: 'a source that is looked up counts as read as far as it was shown',
    caughtBy: ['a refused call changes nothing', 'I2 fence', 'I9 reviewed only'],
    within: 20,
    direct: hostile,
    wrapStore: (store, { role, scope = '', passId = '', ids, clock }) => {
      if (role !== 'worker') return undefined;
      const settle = (row: Item): Write => {
        const { kind, id, revision, cursor, length } = row as unknown as EvidenceItem;
        const address = evidenceAddress(scope, FIRST_GENERATION, 'incremental', { kind, id, revision });
        const range = { from: cursor, to: Math.min(length, cursor + 1), length };
        const settlement = settleEvidence(address, { passId, ...range, nowMs: clock.nowMs(), op: ids.fresh() });
        return without('#leasePass = :me')(settlement);
      };
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        if (item?.state === 'pending' && String(read.input.Key?.sk).startsWith('EVIDENCE#'))
          await store.write(settle(item));
        return item;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
];
