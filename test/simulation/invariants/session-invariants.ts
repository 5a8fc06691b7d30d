/** What must hold of sessions that grow: no turn is lost, what was settled is not read again, and only what stands is read. */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import type { Item } from '../../../schema/request.ts';
import type { SourceItem } from '../../../schema/source.ts';
import type { Actor } from '../engine/actor.ts';
import { isPutBack } from '../people/gone-back.ts';
import { SessionErasures } from './session-erasures.ts';
import type { PlannedCall, PlannedSession, PlannedTurn } from '../plans/session-plan.ts';
import { countTurn, standingOf, textOf } from '../people/session-text.ts';
import type { Answered } from '../people/sessions.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** A revision as far as it was watched. */
interface Watched {
  /** The execution that put it into the queue, last. */
  creator?: Actor | undefined;
  /** The execution that first brought its text, since it was last in the queue: to send it again is nothing new. */
  broughtBy?: Actor | undefined;
  /** The execution that queued it once more after it was taken out, last. */
  queuedAgainBy?: Actor | undefined;
  /** The execution by whose place it stands in the queue. */
  queuedBy?: Actor | undefined;
  hasStood: boolean;
  /** Every place of its cursor, with the time from which on it stood there. */
  readonly cursors: { readonly atMs: number; readonly cursor: number }[];
  replaced?: { readonly atMs: number; readonly by: Actor | undefined };
}

export class SessionInvariants {
  readonly #world: World;
  readonly #revisions = new Map<string, Watched>();
  /** Partition and session → turns that stand by the word of an answer. */
  readonly #acknowledged = new Map<string, Set<PlannedTurn>>();
  /** Partition and session → executions that were answered, and not refused. */
  readonly #answered = new Map<string, Actor[]>();
  /** Partition and session of which a file was answered to be history. */
  readonly #history = new Set<string>();
  readonly erasures: SessionErasures;
  /** Sessions of which a call is sent that completes them. */
  readonly #completing = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.erasures = new SessionErasures(world);
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  #watched(pk: string, id: string, revision: string): Watched {
    const name = `${pk} ${id} ${revision}`;
    let watched = this.#revisions.get(name);
    if (!watched) this.#revisions.set(name, (watched = { hasStood: false, cursors: [] }));
    return watched;
  }

  hasStood(pk: string, { id, revision }: Pick<SourceItem, 'id' | 'revision'>): boolean {
    return this.#watched(pk, id, revision).hasStood;
  }

  /** Whether one of its files was answered to be history: what it says need not stand. */
  isHistory(pk: string, id: string): boolean {
    return this.#history.has(`${pk} ${id}`);
  }

  onChange(change: Change, actor: Actor | undefined): void {
    const { pk, sk, before, after } = change;
    this.erasures.onChange(change);
    if (sk.startsWith('EVIDENCE#incremental#transcript#')) this.#onEvidence(pk, before, after, actor);
    else if (sk.startsWith('SOURCE#transcript#') && after?.revision !== before?.revision)
      this.#onStanding(pk, before as SourceItem | undefined, after as SourceItem | undefined, actor);
  }

  /** An execution of a call begins; answers what to call when it ends or dies. */
  begin({ scope, id }: PlannedSession, { turns, completed }: PlannedCall): () => void {
    if (completed) this.#completing.add(`${scope} ${id}`);
    return this.erasures.begin(turns);
  }

  #onEvidence(pk: string, old: Item | undefined, next: Item | undefined, actor: Actor | undefined): void {
    const [before, after] = [old as EvidenceItem | undefined, next as EvidenceItem | undefined];
    if (!after) return;
    const watched = this.#watched(pk, after.id, after.revision);
    if (!before || isPutBack(before, after)) watched.creator = actor;
    if (before?.state !== 'pending' && after.state === 'pending') watched.broughtBy = actor;
    const isQueuedAgain = before?.state === 'obsolete' && after.state === 'pending';
    if (isQueuedAgain) watched.queuedAgainBy = actor;
    if (!before || isQueuedAgain || isPutBack(before, after)) watched.queuedBy = actor;
    if (after.cursor !== before?.cursor) {
      watched.cursors.push({ atMs: this.#world.kernel.nowMs, cursor: after.cursor });
    }
    const isLeased = after.leasePass !== undefined && after.leasePass !== before?.leasePass;
    if (!isLeased || after.cursor !== (after.beganAt ?? 0)) return;
    this.#checkWaited(pk, after, watched);
    this.#onLease(pk, after, watched);
  }

  /** A session that nobody has completed is read when it has stood for a while, counted from the call that brought it. */
  #checkWaited(pk: string, { id, revision }: EvidenceItem, { broughtBy }: Watched): void {
    const { kernel, plan, tables } = this.#world;
    const [, scope = ''] = pk.split('#');
    if (this.#completing.has(`${scope} ${id}`) || standingOf(tables, pk, id)?.revision !== revision) return;
    const waitsMs = (plan.settings.completeAfterIdleMs ?? 0) - 2 * plan.skewMaxMs;
    const waitedMs = kernel.nowMs - (broughtBy?.startedAtMs ?? 0);
    if (waitedMs < waitsMs)
      this.#fail('an unfinished session waits', `${id}@${revision} is leased after ${waitedMs} ms`);
  }

  /**
   * A revision that was replaced is left in the queue by a call that dies before it takes it out, until the next call of
   * that session which begins after that is answered. One that was read in part before is read to its end.
   */
  #onLease(pk: string, { id, revision }: EvidenceItem, { replaced, queuedAgainBy }: Watched): void {
    // What is left where something was erased goes with the next look.
    if (this.erasures.isOver(pk) || this.erasures.isErased(pk, id)) return;
    if (!replaced || standingOf(this.#world.tables, pk, id)?.revision === revision) return;
    const ended = this.#answered.get(`${pk} ${id}`) ?? [];
    // A call that stood still since before it was replaced queues it once more, and takes it out when it has lost its place.
    if (queuedAgainBy && queuedAgainBy.startedAtMs <= replaced.atMs && !ended.includes(queuedAgainBy)) return;
    const should = ended.find((actor) => actor === replaced.by || actor.startedAtMs > replaced.atMs);
    if (should) {
      this.#fail('what was replaced is not read', `${id}@${revision} is leased after ${should.label} was answered`);
    }
  }

  #onStanding(
    pk: string,
    before: SourceItem | undefined,
    after: SourceItem | undefined,
    actor: Actor | undefined,
  ): void {
    const { kernel } = this.#world;
    if (after?.revision === undefined) {
      const id = before?.id ?? '';
      if (!this.erasures.mayGo(pk, id, actor)) this.#fail('nothing given is deleted', `the session of ${id} is gone`);
      return;
    }
    if (this.erasures.isOver(pk)) return;
    this.#watched(pk, after.id, after.revision).hasStood = true;
    if (before) {
      this.#watched(pk, before.id, before.revision).replaced = { atMs: kernel.nowMs, by: actor };
      this.#checkBeginning(pk, before, after, actor);
    }
    this.#checkTurns(pk, after);
  }

  /** No line that was settled, and stands where it stood, is read again. */
  #checkBeginning(pk: string, before: SourceItem, after: SourceItem, actor: Actor | undefined): void {
    const { tables } = this.#world;
    const { creator } = this.#watched(pk, after.id, after.revision);
    // One that was queued before stands where it was put then.
    if (!actor || creator !== actor) return;
    const read = this.#watched(pk, before.id, before.revision).cursors.findLast(({ atMs }) => atMs < actor.startedAtMs);
    if (!read || read.cursor === 0) return;
    const [old, text] = [textOf(tables, pk, before), textOf(tables, pk, after)];
    if (!text.startsWith(old.slice(0, read.cursor))) return;
    const evidence = tables.peek(pk, `EVIDENCE#incremental#transcript#${after.id}#${after.revision}`);
    const beganAt = Number(evidence?.beganAt ?? 0);
    const settled = `${text}\n`.slice(beganAt, read.cursor + 1);
    const start = beganAt === 0 || text[beganAt - 1] === '\n' ? 0 : settled.indexOf('\n') + 1;
    if (settled.slice(start).includes('\n')) {
      this.#fail(
        'what was settled is not read again',
        `${after.id} was settled to ${read.cursor}, and begins at ${beganAt}`,
      );
    }
  }

  #checkTurns(pk: string, source: SourceItem): void {
    const acknowledged = this.#acknowledged.get(`${pk} ${source.id}`);
    if (!acknowledged) return;
    const text = textOf(this.#world.tables, pk, source);
    for (const turn of acknowledged) {
      const found = countTurn(text, turn);
      if (found !== 1)
        this.#fail('no turn is lost', `${turn.id} of ${source.id} stands ${found} times in ${source.revision}`);
    }
  }

  onAnswered({ session: { id }, actor, partition, standing, queued }: Answered): void {
    const { tables } = this.#world;
    const name = `${partition} ${id}`;
    if (standing?.length === 0) this.#history.add(name);
    if (standing?.length) this.erasures.onTaken(partition, id, actor);
    // What was answered of something that was erased meanwhile holds no longer.
    if (this.erasures.isOver(partition) || this.erasures.isErased(partition, id)) return;
    const acknowledged = this.#acknowledged.get(name) ?? new Set();
    for (const turn of standing ?? []) acknowledged.add(turn);
    this.#acknowledged.set(name, acknowledged);
    const source = standingOf(tables, partition, id);
    if (source) this.#checkTurns(partition, source);
    // Who is refused writes nothing, and takes nothing out of the queue that another has replaced.
    if (standing) this.#answered.set(name, [...(this.#answered.get(name) ?? []), actor]);
    // What was read in part meanwhile is read to its end; what another call queued since is for that one to take out.
    for (const revision of queued) {
      const sk = `EVIDENCE#incremental#transcript#${id}#${revision}`;
      const evidence = tables.peek(partition, sk) as EvidenceItem | undefined;
      const isUnread = evidence?.state === 'pending' && evidence.cursor === (evidence.beganAt ?? 0);
      const label = String((evidence as { op?: string } | undefined)?.op).split('.', 1)[0];
      const isOthers = [...this.#world.running].some((other) => other.label === label && other !== actor);
      const { hasStood, queuedBy } = this.#watched(partition, id, revision);
      // A call that died after it had queued the same text, under a later place, or had put it back, leaves it.
      if (isUnread && !isOthers && !hasStood && queuedBy === actor) {
        this.#fail('only what stood is queued', `${actor.label} was answered and left ${id}@${revision} in the queue`);
      }
    }
  }

  /** Whether turns of a session stand by the word of an answer, which nothing has erased since. */
  isOwed(pk: string, id: string): boolean {
    const turns = this.#acknowledged.get(`${pk} ${id}`);
    return turns !== undefined && turns.size > 0 && !this.erasures.isErased(pk, id);
  }

  /** When all is drained: every turn of an answer stands, once. */
  checkEnd(): void {
    const { plan, tables } = this.#world;
    for (const { scope, id } of plan.sessions) {
      const pk = tables.partitionOf(scope);
      const source = standingOf(tables, pk, id);
      if (source) this.#checkTurns(pk, source);
      else if (this.isOwed(pk, id)) this.#fail('no turn is lost', `${id} stands no more`);
    }
  }
}
