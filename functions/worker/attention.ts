/**
 * The attention of a scope as one pass sees it: the one that owns it sees what is open and may decide it; a pass beside it
 * sees none, whatever it asks, so that no question is ever decided twice.
 */
import { type AttentionItem, attentionItemSchema, queryAttention } from '../../schema/attention.ts';
import { decideAttention } from '../../schema/attention-decision.ts';
import { isDryRun } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import type { WorkerDeps } from './deps.ts';
import type { AttentionAnswer, AttentionDecision, AttentionPage } from './executor/executor.ts';

const NOT_MINE = 'Another pass of this scope has its attention: there is none for you.';
const NONE_OF_A_DRY_RUN = 'A dry run decides no attention: there is none for you.';

const noteOf = ({ kind }: PassItem): string => (isDryRun(kind) ? NONE_OF_A_DRY_RUN : NOT_MINE);

export async function listAttention({ store }: WorkerDeps, pass: PassItem): Promise<AttentionPage> {
  if (pass.attention === undefined) return { items: [], note: noteOf(pass) };
  const { items } = await store.query(queryAttention(pass, LIMITS.memoryRowsPerPageMax));
  const open = items
    .flatMap((item) => attentionItemSchema.safeParse(item).data ?? [])
    .filter((item) => item.resolvedAtMs === undefined)
    .sort((a, b) => a.raisedAtMs - b.raisedAtMs);
  return { items: open.map(shownOf) };
}

const idOf = ({ kind, subject }: Pick<AttentionItem, 'kind' | 'subject'>): string => `${kind}:${subject}`;

function shownOf(item: AttentionItem): AttentionPage['items'][number] {
  return { id: idOf(item), state: item.subjectKey, raisedAtMs: item.raisedAtMs, details: item.details };
}

/** Decides or declines one; what was closed before or has changed meanwhile is refused with what to do. */
export async function resolveAttention(
  deps: WorkerDeps,
  pass: PassItem,
  { id, state, decision, because }: AttentionDecision,
): Promise<AttentionAnswer> {
  if (pass.attention === undefined) return { decided: false, note: noteOf(pass) };
  const { items } = await deps.store.query(queryAttention(pass, LIMITS.memoryRowsPerPageMax));
  const known = items
    .flatMap((item) => attentionItemSchema.safeParse(item).data ?? [])
    .find((item) => idOf(item) === id);
  if (!known) return { decided: false, note: `there is no attention ${id}: list what is open` };
  const outcome = await deps.store.write(
    decideAttention(pass, {
      kind: known.kind,
      subject: known.subject,
      seenKey: state,
      resolution: `${decision}: ${because}`.slice(0, LIMITS.reasonCharactersMax),
      passId: pass.passId,
      nowMs: deps.clock.nowMs(),
      op: deps.ids.fresh(),
    }),
  );
  if (outcome.kind === 'won') return { decided: true };
  return { decided: false, note: `attention ${id} was closed before or has changed: list what is open` };
}
