/**
 * `review_evidence`: acknowledges what was read, with the claims found in it. Each item is judged before anything of it is
 * written, so that one that is refused changes nothing; the others stand.
 */
import type { Citation } from '../../schema/citation.ts';
import { formatSourceRef, parseSourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { getSource, sourceItemSchema } from '../../schema/source.ts';
import type { ClaimDraft } from '../core/claim-draft.ts';
import type { DraftRefusalReason } from '../core/claim-plan.ts';
import {
  noItems,
  notDelivered,
  scopeMismatch,
  sourceChanged,
  type ToolError,
  tooManyItems,
  unknownSource,
} from '../core/tool-errors.ts';
import { type ClaimsWritten, writeClaims } from './claim-writer.ts';
import type { ReviewAnswer, ReviewItem } from './executor/executor.ts';
import { acknowledge, type Held, quotable, standingOf } from './held-sources.ts';
import type { Reading } from './reading.ts';

export async function reviewItems(reading: Reading, items: readonly ReviewItem[]): Promise<ReviewAnswer> {
  const nothing = { reviewed: 0, claimsWritten: 0, progress: [], refused: [] };
  if (items.length === 0) return { ...nothing, error: noItems() };
  if (items.length > LIMITS.reviewItemsMax) return { ...nothing, error: tooManyItems(items.length) };
  // What follows writes claims: a pass that was cancelled or expired meanwhile writes nothing more.
  await reading.mustLive();
  const refused: ReviewAnswer['refused'][number][] = [];
  const progress: ReviewAnswer['progress'][number][] = [];
  let reviewed = 0;
  let claimsWritten = 0;
  for (const item of items) {
    reading.mustBeOpen();
    const { source } = item;
    const taken = await reviewItem(reading, item);
    if ('error' in taken) {
      refused.push({ source, reason: taken.error.code, message: taken.error.message });
      continue;
    }
    claimsWritten += taken.claims.written;
    refused.push(...taken.claims.refused.map(({ reason, message }) => ({ source, reason, message })));
    progress.push({ source, through: taken.held.reviewedTo, length: taken.held.item.length });
    if (taken.isProgress) reviewed++;
  }
  return { reviewed, claimsWritten, progress, refused };
}

/** Why a claim is refused that cites what its source does not say, or what was not delivered of it. */
const MISQUOTES: readonly DraftRefusalReason[] = ['quote_mismatch', 'quote_not_delivered'];

interface Taken {
  readonly held: Held;
  readonly claims: ClaimsWritten;
  readonly isProgress: boolean;
}

async function reviewItem(reading: Reading, item: ReviewItem): Promise<Taken | { readonly error: ToolError }> {
  const { scope } = reading.started.pass;
  if (item.scope !== undefined && item.scope !== scope) return { error: scopeMismatch(item.scope, scope) };
  const held = reading.held.get(item.source);
  if (!held) return { error: await explainUnheld(reading, item.source) };
  const plan = reading.deps.decide.planReview(standingOf(held), item);
  if (plan.kind === 'refused') return plan;
  const claims = await writeDrafts(reading, held, item.claims ?? []);
  reading.counters.claims += claims.written;
  held.claims += claims.written;
  held.wasCited ||= claims.written > 0;
  held.misquotes += claims.refused.filter(({ reason }) => MISQUOTES.includes(reason)).length;
  const review = acknowledge(held, plan);
  if (review) {
    if (!reading.proposals) reading.reviews.add(review);
    reading.counters.reviewed++;
  }
  return { held, claims, isProgress: review !== undefined };
}

/** Why a source that this pass does not hold cannot be acknowledged: at most one read an item. */
async function explainUnheld({ deps, started, held }: Reading, source: string): Promise<ToolError> {
  const named = parseSourceRef(source);
  if (!named) return unknownSource(source);
  const other = held.otherRevision(named);
  if (other !== undefined) return sourceChanged(source, other);
  const { kind, id, revision } = named;
  const { scope, generation } = started.pass;
  const stored = await deps.store.get(getSource({ scope, generation, kind, id }));
  const newest = sourceItemSchema.safeParse(stored).data;
  if (!newest) return unknownSource(source);
  return revision === newest.revision ? notDelivered(source) : sourceChanged(source, formatSourceRef(newest));
}

async function writeDrafts(
  { deps, started, knownEntities, knownTypes, mustBeOpen, proposals }: Reading,
  held: Held,
  drafts: readonly ClaimDraft[],
): Promise<ClaimsWritten> {
  if (drafts.length === 0) return { written: 0, refused: [] };
  const { pass } = started;
  const { store } = deps;
  const write: typeof store.write = async (request) => {
    mustBeOpen();
    return store.write(request);
  };
  return writeClaims(
    { ...deps, store: { ...store, write } },
    {
      address: pass,
      passId: pass.passId,
      source: held.ref,
      capturedAtMs: held.item.capturedAtMs,
      executor: pass.executor,
      drafts,
      plan: deps.decide.planDraft,
      delivered: quotable(held),
      knownEntities,
      knownTypes,
      ...(proposals && { propose: (citation: Citation) => proposals.add(citation) }),
    },
  );
}
