/**
 * What an erasure takes of a source itself: the tombstone first, so that nothing new comes in; then the passes that hold
 * it; then the texts of all its revisions, and last the rows that name them.
 */
import { parseEvidence } from '../../schema/evidence.ts';
import { keyPart } from '../../schema/ids.ts';
import { LANES } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import { cancelPass } from '../../schema/pass-cancel.ts';
import { type Item, type Key, remove, type Write } from '../../schema/request.ts';
import { eraseSource, queryRevisions } from '../../schema/source-erasure.ts';
import { queryTextList, queryTextRows, removeTextRow, textListItemSchema, UPLOAD } from '../../schema/text-list.ts';
import { type Step, walkPages } from './step.ts';

type PageOf = Parameters<typeof walkPages>[1];
type Act = Parameters<typeof walkPages>[3];

export const keyOf = (item: Item): Key => ({ pk: String(item.pk), sk: String(item.sk) });

/** Parts, ids of turns, uploads: what stands under one name in the table of texts. False when rows of it are left. */
export async function eraseText(step: Step, sourceKey: string): Promise<boolean> {
  for (let page = 0; page < LIMITS.erasedTextPagesMax; page++) {
    const { items, lastKey } = await step.deps.store.query(
      queryTextRows(step.address, sourceKey, LIMITS.erasedTextRowsPerPageMax),
    );
    await step.remove('textRows', items.map(keyOf).map(removeTextRow));
    // Not told by their number: an answer ends at 1 MB, which a few slices of an upload fill.
    if (!lastKey) return true;
  }
  step.left++;
  return false;
}

/** The name of a text that a row bears: `<kind>#<id>#<revision>` of an EVIDENCE or a TEXTLIST row. */
export function sourceKeyIn(sk: string): string | undefined {
  return /^(?:TEXTLIST|EVIDENCE#[^#]+)#(.*)$/.exec(sk)?.[1];
}

/**
 * Removes what names texts, after the texts. A name stays while rows of its text are left, and when it was listed just
 * now: its call may still be writing, and would leave parts that nothing names.
 */
export async function eraseNamed(step: Step, items: readonly Item[]): Promise<readonly Write[]> {
  const youngFromMs = step.deps.clock.nowMs() - LIMITS.textListGraceMs;
  const removable: Write[] = [];
  for (const item of items) {
    // A page names 200 texts, each of many rows: the next look takes what this run has no time for.
    if (step.isOver) {
      step.left++;
      continue;
    }
    const { sk } = keyOf(item);
    const sourceKey = sourceKeyIn(sk);
    if (sourceKey !== undefined && !(await eraseText(step, sourceKey))) continue;
    const listed = sk.startsWith('TEXTLIST#') ? textListItemSchema.safeParse(item).data : undefined;
    if (listed && listed.listedAtMs > youngFromMs) step.left++;
    else removable.push(remove(keyOf(item)));
  }
  return removable;
}

/** Does nothing for the erasure of a claim: what a source says stays with the source. */
export async function eraseSourceTexts(step: Step): Promise<string | undefined> {
  const { deps, address, erasure } = step;
  const { source } = erasure;
  if (!source) return undefined;
  const named = { ...address, ...source };
  await deps.store.write(eraseSource(named, erasure.requestedAtMs, deps.ids.fresh()));
  await eraseText(step, `${source.kind}#${keyPart(source.id)}#${UPLOAD}`);
  for (const lane of LANES) {
    const ofLane = (startKey: Item | undefined) => queryRevisions(named, lane, LIMITS.erasedRowsPerPageMax, startKey);
    await walkAll(step, ofLane, async (items) => {
      for (const item of items) await cancelHolder(step, item);
      await step.remove('evidence', await eraseNamed(step, items));
    });
  }
  const ofList = (startKey: Item | undefined) => queryTextList(named, LIMITS.erasedRowsPerPageMax, startKey);
  await walkAll(step, ofList, async (items) => step.remove('others', await eraseNamed(step, items)));
  return undefined;
}

/** The revisions of one source. When the time is up before the last of them, this look has not been through. */
async function walkAll(step: Step, pageOf: PageOf, act: Act): Promise<void> {
  const stoppedAt = await walkPages(step, pageOf, undefined, act);
  if (stoppedAt !== undefined) step.left++;
}

/** The pass that reads it stops at its next beat; what else it held goes back to the queue. */
async function cancelHolder({ deps, address }: Step, item: Item): Promise<void> {
  const passId = parseEvidence(item)?.leasePass;
  if (passId === undefined) return;
  await deps.store.write(cancelPass({ ...address, passId }, deps.clock.nowMs(), deps.ids.fresh()));
}
