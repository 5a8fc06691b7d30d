/**
 * The memory a schedule must leave, whatever happened on the way: the claims of each source's newest revision, and of an
 * older one only what it says. Compared without recorded times and passes.
 */
import { findClaimLines } from '../../../functions/worker/executor/claim-lines.ts';
import { makeCitation } from '../../../functions/core/claims.ts';
import { type SlotCitation, stands } from '../../../functions/core/counting.ts';
import { viewSlot } from '../../../functions/core/slot-view.ts';
import { type Citation, type CitationItem, citationKey, slotKeyOf } from '../../../schema/citation.ts';
import { type HeadItem, registerKeyOf, registerOf } from '../../../schema/head.ts';
import { sourceKeyOf, type SourceRef } from '../../../schema/ids.ts';
import type { Item } from '../../../schema/request.ts';
import { isDisputed } from '../people/dispute.ts';
import type { Erasing } from '../people/erase.ts';
import { isEqual } from '../engine/expression.ts';
import type { Plan, PlannedSource } from '../plans/plan.ts';
import type { SessionInvariants } from './session-invariants.ts';
import { checkSessions } from './session-memory.ts';
import { isSloppy } from '../people/sloppy-lines.ts';
import { storedOf } from '../plans/source-forms.ts';
import type { Change, Tables } from '../engine/tables.ts';
import type { Undoing } from '../people/undo.ts';
import type { World } from '../engine/world.ts';

/**
 * A citation with what may differ from run to run made equal: when it was recorded, and by which passes. `isTakenBack`: all
 * of these were undone.
 */
function withoutHistory(citation: Citation, isTakenBack = false): Citation {
  const { v: _v, pk: _pk, sk: _sk, op: _op, ...said } = citation as Citation & Item;
  const undone = isTakenBack ? { any: 0 } : {};
  return { ...said, recordedAtMs: 0, passes: { any: 0 }, passCount: 1, undone } as unknown as Citation;
}

interface Expected {
  /** Sort key → row. */
  readonly must: Map<string, Citation>;
  readonly may: Map<string, Citation>;
}

function citationsOf(seed: number, planned: PlannedSource): { newestKey: string; citations: [string, Citation][] } {
  const { kind, id, revision, newestKey, capturedAtMs, text } = storedOf(seed, planned);
  const source = { kind, id, revision };
  const citations = findClaimLines(text, 0).map((draft): [string, Citation] => {
    const citation = makeCitation({ draft, source, capturedAtMs, executor: 'stub', recordedAtMs: 0 });
    return [citationKey({ scope: planned.scope, generation: 1 }, citation).sk, citation];
  });
  return { newestKey, citations };
}

function expectedOf(plan: Plan, scope: string, erasing: Erasing | undefined): Expected {
  const calls = erasing ? [...plan.ingests, ...erasing.sentAfterwards] : plan.ingests;
  const sent = calls.flatMap((call) =>
    call.scope === scope
      ? call.sources.map((source) => ({ id: source.id, source, fate: erasing?.memory.fateOf(call, source) ?? 'must' }))
      : [],
  );
  const bySource = Map.groupBy(
    sent.filter(({ fate }) => fate !== 'gone'),
    ({ id }) => id,
  );
  const must = new Map<string, Citation>();
  const may = new Map<string, Citation>();
  for (const revisions of bySource.values()) {
    const all = revisions.map(({ source, fate }) => ({ fate, ...citationsOf(plan.seed, source) }));
    const newest = all.reduce((a, b) => (b.newestKey > a.newestKey ? b : a));
    for (const { fate, newestKey, citations } of all) {
      const isOwed = fate === 'must' && newestKey === newest.newestKey;
      for (const [key, citation] of citations) (isOwed ? must : may).set(key, citation);
    }
  }
  if (erasing) leaveOutForgotten({ must, may }, scope, erasing);
  return { must, may };
}

/** A forgotten claim is said by nobody; one that was lifted by whoever was read after that. */
function leaveOutForgotten({ must, may }: Expected, scope: string, { watch }: Erasing): void {
  const told = [...must, ...may].map(([key, citation]) => ({
    key,
    citation,
    fate: watch.fateOfClaim(scope, citation),
  }));
  for (const { key, citation, fate } of told) {
    if (fate === undefined) continue;
    must.delete(key);
    may.delete(key);
    if (fate === 'lifted') may.set(key, citation);
  }
}

/** After every write: a citation stays as it was first recorded, and the passes that said it only become more. */
export function checkCitation({ sk, before, after }: Change, fail: (found: string) => void): void {
  const [old, next] = [before as CitationItem | undefined, after as CitationItem | undefined];
  if (!next) return fail(`${sk} is gone`);
  if (Object.keys(next.passes).length !== next.passCount)
    fail(`${sk} counts ${next.passCount} passes and lists others`);
  if (!old) return;
  if (next.recordedAtMs !== old.recordedAtMs) fail(`${sk} was recorded anew`);
  if (Object.keys(old.passes).some((passId) => next.passes[passId] !== old.passes[passId])) {
    fail(`${sk} forgot a pass that said it`);
  }
}

export function citationsIn(tables: Tables, scope: string): CitationItem[] {
  return tables.list(tables.partitionOf(scope), 'CLAIM#') as unknown as CitationItem[];
}

/** Every claim slot of a scope as readers see it, without recorded times and passes. */
export function viewMemory(
  citations: readonly Citation[],
  isTakenBack: (citation: Citation) => boolean = () => false,
): Record<string, unknown> {
  const slots = Map.groupBy(citations, (citation) => slotKeyOf(citation.slot));
  const views = [...slots].map(([key, own]) => {
    return [key, viewSlot(own.map((citation) => withoutHistory(citation, isTakenBack(citation))))] as const;
  });
  return Object.fromEntries(views.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isQuarantined(tables: Tables, scope: string, { source }: Citation): boolean {
  const evidence = tables.peek(tables.partitionOf(scope), `EVIDENCE#incremental#${sourceKeyOf(source as SourceRef)}`);
  return evidence?.state === 'quarantined';
}

const isSaidInSession = ({ source }: Citation): boolean => source.kind === 'transcript';

/** What a schedule has beside sources that are read. */
interface Beside {
  readonly sessions?: SessionInvariants | undefined;
  readonly undoing?: Undoing | undefined;
}

/** Fails when the memory of any scope is not what its sources say. */
export function checkMemory(world: World, erasing?: Erasing, { sessions, undoing }: Beside = {}): void {
  const { plan, tables, kernel } = world;
  for (const scope of plan.scopes) {
    const { must, may } = expectedOf(plan, scope, erasing);
    // A source that killed its pass alone three times is given up, in view of everybody: what it says is owed by nobody.
    for (const [sk, citation] of must) {
      if (!isQuarantined(tables, scope, citation)) continue;
      must.delete(sk);
      may.set(sk, citation);
    }
    const all = citationsIn(tables, scope);
    const found = sessions ? all.filter((citation) => !isSaidInSession(citation)) : all;
    const keys = new Set<string>();
    // Nobody reads once more what undone passes read: it stays said by them alone.
    const isTakenBack = undoing ? takenBackIn(all, undoing) : () => false;
    for (const citation of found) {
      const { sk } = citation as unknown as { sk: string };
      keys.add(sk);
      if (plan.dispute && isDisputed(citation)) continue;
      if (plan.slips.length > 0 && isSloppy(citation)) continue;
      const expected = must.get(sk) ?? may.get(sk);
      if (!expected) return kernel.fail('memory', `${scope}: no source says ${sk}`);
      if (!isEqual(withoutHistory(citation, hasFallen(citation)), withoutHistory(expected, isTakenBack(sk)))) {
        return kernel.fail('memory', `${scope}: ${sk} is not what its source says`);
      }
    }
    for (const sk of must.keys()) if (!keys.has(sk)) return kernel.fail('memory', `${scope}: ${sk} is missing`);
    const owed = found.filter((citation) => must.has((citation as unknown as { sk: string }).sk));
    const fallen = new Set([...must].flatMap(([sk, citation]) => (isTakenBack(sk) ? [citation] : [])));
    const said = viewMemory([...must.values()], (citation) => fallen.has(citation));
    if (!isEqual(viewMemory(owed, hasFallen), said)) {
      return kernel.fail('memory', `${scope}: its claims read otherwise than after a sequential run`);
    }
    const standing = all.filter((citation) => !isTakenBack((citation as unknown as { sk: string }).sk));
    const raised = [...must.values()].filter((citation) => !fallen.has(citation));
    checkHeads(tables, scope, standing, raised, (found) => kernel.fail('memory', found));
    if (!sessions) continue;
    const told = { scope, found: all.filter(isSaidInSession), invariants: sessions };
    checkSessions(world, told, (found) => kernel.fail('memory', found));
  }
}

const hasFallen = (row: SlotCitation): boolean => !stands(row);

/** Tells of a row, by its key, whether nothing of it stands. */
function takenBackIn(rows: readonly CitationItem[], { watch }: Undoing): (sk: string) => boolean {
  const taken = rows.filter(({ passes }) => watch.isTakenBack(passes));
  const keys = new Set(taken.map((row) => (row as unknown as { sk: string }).sk));
  return (sk) => keys.has(sk);
}

/** A head is a cache: never above the citations, and not below those that had to be written. */
function checkHeads(
  tables: Tables,
  scope: string,
  found: readonly Citation[],
  must: readonly Citation[],
  fail: (found: string) => void,
): void {
  const stands = new Map<string, Set<string>>();
  for (const citation of found) {
    const register = registerOf(citation);
    const slot = `${slotKeyOf(citation.slot)} ${register}`;
    if (register) stands.set(slot, (stands.get(slot) ?? new Set()).add(registerKeyOf(citation)));
  }
  for (const head of tables.list(tables.partitionOf(scope), 'HEAD#') as unknown as HeadItem[]) {
    for (const register of ['dated', 'undated'] as const) {
      const key = head[`${register}Key`];
      const slot = `${slotKeyOf(head.slot)} ${register}`;
      if (key !== undefined && !stands.get(slot)?.has(key)) fail(`${scope}: the head of ${slot} names no citation`);
    }
  }
  for (const citation of must) {
    const register = registerOf(citation);
    if (!register) continue;
    const head = tables.peek(tables.partitionOf(scope), `HEAD#${slotKeyOf(citation.slot)}`) as HeadItem | undefined;
    const key = head?.[`${register}Key`];
    if (key === undefined || key < registerKeyOf(citation)) {
      fail(`${scope}: the head of ${slotKeyOf(citation.slot)} is below a citation`);
    }
  }
}
