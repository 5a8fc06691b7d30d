/**
 * A dry run: what the writer of claims would write of these drafts, and what that would change, by the writer's own plan
 * over what stands now. Nothing is written: the reader cannot.
 */
import {
  type Citation,
  type CitationItem,
  type ClaimSlot,
  type ScopeAddress,
  slotKeyOf,
} from '../../schema/citation.ts';
import { revisionOf } from '../../schema/ids.ts';
import type { PreviewBody } from '../../schema/memory-api.ts';
import type { ClaimDraft } from '../core/claim-draft.ts';
import { type DraftRefusal, planDraft } from '../core/claim-plan.ts';
import { normalizeText } from '../core/normalize.ts';
import { describePass, withProposed } from '../core/slot-change.ts';
import { readSlotRows } from '../io/slot-rows.ts';
import { changeBody, type ChangeBody } from './change-body.ts';
import { type ContestBody, contestBody } from './contest-body.ts';
import type { ReaderDeps } from './deps.ts';
import { loadScope } from '../io/scope-row.ts';

export interface PreviewAnswer {
  readonly scope: string;
  readonly known: boolean;
  /** Drafts that would stand in the table. */
  readonly would: number;
  /** Of those, the ones that stand there already. */
  readonly stand: number;
  readonly refused: readonly DraftRefusal[];
  readonly changes: readonly ChangeBody[];
  /** What would be contested by them, and is not. */
  readonly contested: readonly ContestBody[];
}

/** Stands for the pass that would write. */
const IMAGINED_PASS = 'preview';

export async function readPreview(deps: ReaderDeps, scope: string, body: PreviewBody): Promise<PreviewAnswer> {
  const { text } = normalizeText(body.text);
  const nowMs = deps.clock.nowMs();
  const from = {
    source: { ...body.source, revision: revisionOf(text) },
    capturedAtMs: body.capturedAt === undefined ? nowMs : Date.parse(body.capturedAt),
    executor: IMAGINED_PASS,
    delivered: { text, start: 0 },
  };
  // planDraft checks each by the draft's own schema: a call with one bad draft tells of it and goes on.
  const plans = body.claims.map((draft, index) => planDraft(draft as ClaimDraft, index, from, nowMs));
  const refused = plans.flatMap((plan) => {
    if (plan.kind !== 'refused') return [];
    const { index, reason, message } = plan;
    return [{ index, reason, message }];
  });
  const citations = plans.flatMap((plan) => (plan.kind === 'planned' ? [plan.citation] : []));
  const row = await loadScope(deps, scope);
  const address = row && { scope, generation: row.generation };
  let stand = 0;
  const changes: ChangeBody[] = [];
  const contested: ContestBody[] = [];
  for (const planned of Map.groupBy(citations, ({ slot }) => slotKeyOf(slot)).values()) {
    const { slot } = planned[0] as Citation;
    const stored = await readStored(deps, address, slot);
    const known = new Set(stored.map(({ citationId }) => citationId));
    stand += planned.filter(({ citationId }) => known.has(citationId)).length;
    const described = describePass(slot, withProposed(stored, planned, IMAGINED_PASS), IMAGINED_PASS);
    changes.push(...described.changes.map(changeBody));
    contested.push(...described.contests.map(({ details }) => contestBody(details)));
  }
  return { scope, known: row !== undefined, would: citations.length, stand, refused, changes, contested };
}

async function readStored(
  { store }: ReaderDeps,
  address: ScopeAddress | undefined,
  slot: ClaimSlot,
): Promise<readonly CitationItem[]> {
  if (!address) return [];
  return (await readSlotRows(store, address, slot)).citations;
}
