/**
 * Reads what a dry run would change, claim slot by claim slot, as `read-changes.ts` tells it of a pass that wrote: by the
 * same function, over what stands now and what the dry run took down. So it says what a pass would do if it were done now.
 */
import { type Citation, slotKeyOf } from '../../schema/citation.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import { proposalPageSchema, queryProposalPages } from '../../schema/proposal.ts';
import { describePass, withProposed } from '../core/slot-change.ts';
import { encodeCursor } from '../io/page-cursor.ts';
import { readAll } from '../io/read-all.ts';
import { readSlotRows } from '../io/slot-rows.ts';
import { changeBody, type ChangeBody } from './change-body.ts';
import { type ContestBody, contestBody } from './contest-body.ts';
import type { ReaderDeps } from './deps.ts';
import type { ChangesAnswer } from './read-changes.ts';

const ANSWER_BYTES = 1_000_000;
const READS_MAX = Math.ceil(LIMITS.proposalRowsMax / Math.floor(ANSWER_BYTES / LIMITS.proposalRowBytesMax)) + 1;

/** Where a claim slot stands among the rows of the table, and so in the list. */
const placeOf = ({ slot }: Citation): string => `${slotKeyOf(slot)}#`;

/** One page of a dry run's changes; `from`: behind this place. */
export async function readProposals(
  { store }: ReaderDeps,
  pass: PassItem,
  from: string | undefined,
): Promise<ChangesAnswer> {
  const { scope, passId } = pass;
  const items = await readAll(store, (startKey) => queryProposalPages(pass, startKey), READS_MAX);
  const proposed = items.flatMap((item) => proposalPageSchema.safeParse(item).data?.citations ?? []);
  const slots = [...Map.groupBy(proposed, placeOf)]
    .filter(([place]) => from === undefined || place > from)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const page = slots.slice(0, LIMITS.proposedSlotsPerPageMax);
  const changes: ChangeBody[] = [];
  const contested: ContestBody[] = [];
  for (const [, citations] of page) {
    const { slot } = citations[0] as Citation;
    const stored = await readSlotRows(store, pass, slot);
    const described = describePass(slot, withProposed(stored.citations, citations, passId), passId);
    changes.push(...described.changes.map(changeBody));
    contested.push(...described.contests.map(({ details }) => contestBody(details)));
  }
  const last = page.at(-1)?.[0];
  const cursor = slots.length > page.length && last !== undefined ? { cursor: encodeCursor(last) } : {};
  return { scope, known: true, pass: passId, dryRun: true, changes, contested, ...cursor };
}
