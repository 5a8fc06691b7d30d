/**
 * The memory that sessions leave: what the text says that stands at the end. Which revision a claim was found in, and so
 * where its quote stands, depends on the order of calls and passes; what it says, when that was said and in which words
 * does not.
 */
import { makeCitation } from '../../../functions/core/claims.ts';
import { viewSlot } from '../../../functions/core/slot-view.ts';
import { type Citation, slotKeyOf } from '../../../schema/citation.ts';
import { type HeadItem, registerOf, registerTimeOf } from '../../../schema/head.ts';
import type { SourceItem } from '../../../schema/source.ts';
import { isEqual } from '../engine/expression.ts';
import type { SessionInvariants } from './session-invariants.ts';
import type { PlannedSession } from '../plans/session-plan.ts';
import { standingOf, textOf } from '../people/session-text.ts';
import { isContradictory } from '../people/sessions.ts';
import { claimsIn } from '../executors/turn-claims.ts';
import type { World } from '../engine/world.ts';

/** What a claim says, wherever it stands. When it was said is known of turns that bear a time. */
function saidBy({ slot, entityName, value, event, quote, capturedAtMs }: Citation, isTimed: boolean): string {
  return JSON.stringify([slotKeyOf(slot), entityName, value, event, quote.text, isTimed ? capturedAtMs : 0]);
}

function citationsOf(text: string, { kind, id, revision, capturedAtMs }: SourceItem): Citation[] {
  const source = { kind, id, revision };
  const drafts = claimsIn({ source: `transcript:${id}`, start: 0 }, text);
  return drafts.map((draft) => makeCitation({ draft, source, capturedAtMs, executor: 'stub', recordedAtMs: 0 }));
}

/** What the slots of a timed session come to: by times alone, as no two of its turns share one. */
function viewSaid(citations: readonly Citation[]): unknown {
  const slots = Map.groupBy(citations, ({ slot }) => slotKeyOf(slot));
  const views = [...slots].map(([key, own]) => {
    const { current, claims } = viewSlot(own.map((citation) => ({ ...citation, passes: { any: 0 }, undone: {} })));
    const stands = claims.map(({ value, state, sinceMs, untilMs = 0 }) => ({ value, state, sinceMs, untilMs }));
    return [key, { current: current?.value ?? '', claims: stands }] as const;
  });
  return Object.fromEntries(views);
}

type Fail = (found: string) => void;

function isQuarantined({ tables }: World, partition: string, { id, revision }: SourceItem): boolean {
  return tables.peek(partition, `EVIDENCE#incremental#transcript#${id}#${revision}`)?.state === 'quarantined';
}

/** `found`: the citations of a scope that quote a session. */
export function checkSessions(
  world: World,
  { scope, found, invariants }: { scope: string; found: readonly Citation[]; invariants: SessionInvariants },
  fail: Fail,
): void {
  const { plan, tables } = world;
  const timed: Citation[] = [];
  const partition = tables.partitionOf(scope);
  for (const session of plan.sessions) {
    if (session.scope !== scope) continue;
    const source = standingOf(tables, partition, session.id);
    // What was erased, and that nobody sent since, says nothing.
    if (!source && (!plan.erasing || invariants.isOwed(partition, session.id))) {
      return fail(`${session.id} does not stand`);
    }
    const said = source ? citationsOf(textOf(tables, partition, source), source) : [];
    const own = found.filter(({ source: { id } }) => id === session.id);
    // What was given up stands in view of everybody: of that only what was found by then.
    const told = new Set(own.map((citation) => saidBy(citation, session.isTimed)));
    const isGivenUp = source !== undefined && isQuarantined(world, partition, source);
    const must = isGivenUp ? said.filter((citation) => told.has(saidBy(citation, session.isTimed))) : said;
    checkSaid({ session, must, own, invariants, partition }, fail);
    checkRaised(world, scope, session.isTimed ? must : [], fail);
    if (session.isTimed) timed.push(...must);
  }
  const wanted = new Set(timed.map((citation) => saidBy(citation, true)));
  const owed = found.filter((citation) => wanted.has(saidBy(citation, true)));
  if (!isEqual(viewSaid(owed), viewSaid(timed)))
    fail(`${scope}: what its sessions say reads otherwise than their text`);
}

interface Said {
  readonly session: PlannedSession;
  readonly must: readonly Citation[];
  readonly own: readonly Citation[];
  readonly invariants: SessionInvariants;
  readonly partition: string;
}

function checkSaid({ session, must, own, invariants, partition }: Said, fail: Fail): void {
  const { scope, id, isTimed } = session;
  const wanted = new Set(must.map((citation) => saidBy(citation, isTimed)));
  for (const citation of own) {
    if (
      wanted.delete(saidBy(citation, isTimed)) ||
      must.some((it) => saidBy(it, isTimed) === saidBy(citation, isTimed))
    )
      continue;
    // A call that died between queueing its revision and making it stand, and was refused when it was sent again, may have
    // been read: its words are its client's, and no text that ever stood has them. So may a file that was found to be history
    // when it was sent again: after an erase it says what the appends since then have never held.
    const { source } = citation;
    const isOwn = isContradictory(session) || invariants.isHistory(partition, id);
    const isLeftover = isOwn && !invariants.hasStood(partition, source);
    if (!isLeftover) fail(`${scope}: ${id} says nowhere "${citation.quote.text}"`);
  }
  const [missing] = wanted;
  if (missing !== undefined) fail(`${scope}: nothing was found of what ${id} says: ${missing}`);
}

/** The head of a slot is not below what the text says: by time, as where a quote stands is left open. */
function checkRaised({ tables }: World, scope: string, must: readonly Citation[], fail: Fail): void {
  for (const citation of must) {
    const register = registerOf(citation);
    if (!register) continue;
    const head = tables.peek(tables.partitionOf(scope), `HEAD#${slotKeyOf(citation.slot)}`) as HeadItem | undefined;
    const time = registerTimeOf(citation);
    if ((head?.[`${register}Key`] ?? '').slice(0, time.length) < time)
      fail(`${scope}: the head of ${slotKeyOf(citation.slot)} is below what a session says`);
  }
}
