/** What must hold of sessions that grow: no turn is lost, what was settled is not read again, and only what stands is read. */
import { decompressText } from '../../functions/io/text.ts';
import type { EvidenceItem } from '../../schema/evidence.ts';
import type { Item } from '../../schema/request.ts';
import type { SourceItem } from '../../schema/source.ts';
import { textPartKey } from '../../schema/text.ts';
import type { Actor } from './actor.ts';
import { isPutBack } from './gone-back.ts';
import type { PlannedSession, PlannedTurn } from './session-plan.ts';
import type { Answered } from './sessions.ts';
import type { Change, Tables } from './tables.ts';
import type { World } from './world.ts';

/** The text of a revision of a session: one part, as no planned one is longer. */
export function textOf(tables: Tables, scope: string, { id, revision }: Pick<SourceItem, 'id' | 'revision'>): string {
  const ref = { kind: 'transcript', id, revision } as const;
  const { pk, sk } = textPartKey({ scope, generation: 1, ref }, 0);
  const part = tables.peek(pk, sk, 'text');
  return part ? decompressText(part.body as Uint8Array) : '';
}

/** How often a rendered text holds a turn. A line that begins with two spaces goes on with the turn before it. */
export function countTurn(text: string, { speaker, text: words, at }: PlannedTurn): number {
  const rendered = `${speaker}${at === undefined ? '' : ` (${at})`}: ${words.replaceAll('\n', '\n  ')}`;
  return text.split(/\n(?! {2})/).filter((turn) => turn === rendered).length;
}

/** A revision as far as it was watched. */
interface Watched {
  /** The execution that put it into the queue, last. */
  creator?: Actor | undefined;
  /** The execution that queued it once more after it was taken out, last. */
  queuedAgainBy?: Actor | undefined;
  hasStood: boolean;
  /** Every place of its cursor, with the time from which on it stood there. */
  readonly cursors: { readonly atMs: number; readonly cursor: number }[];
  replaced?: { readonly atMs: number; readonly by: Actor | undefined };
}

export class SessionInvariants {
  readonly #world: World;
  readonly #revisions = new Map<string, Watched>();
  /** Session → turns that stand by the word of an answer. */
  readonly #acknowledged = new Map<PlannedSession, Set<PlannedTurn>>();
  /** Session → executions that were answered. */
  readonly #answered = new Map<string, Actor[]>();

  constructor(world: World) {
    this.#world = world;
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

  onChange({ pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (sk.startsWith('EVIDENCE#incremental#transcript#')) this.#onEvidence(pk, before, after, actor);
    else if (sk.startsWith('SOURCE#transcript#') && after?.revision !== before?.revision)
      this.#onStanding(pk, before as SourceItem | undefined, after as SourceItem | undefined, actor);
  }

  #onEvidence(pk: string, old: Item | undefined, next: Item | undefined, actor: Actor | undefined): void {
    const [before, after] = [old as EvidenceItem | undefined, next as EvidenceItem | undefined];
    if (!after) return;
    const watched = this.#watched(pk, after.id, after.revision);
    if (!before || isPutBack(before, after)) watched.creator = actor;
    if (before?.state === 'obsolete' && after.state === 'pending') watched.queuedAgainBy = actor;
    if (after.cursor !== before?.cursor) {
      watched.cursors.push({ atMs: this.#world.kernel.nowMs, cursor: after.cursor });
    }
    const isLeased = after.leasePass !== undefined && after.leasePass !== before?.leasePass;
    if (isLeased && after.cursor === (after.beganAt ?? 0)) this.#onLease(pk, after, watched);
  }

  /**
   * A revision that was replaced is left in the queue by a call that dies before it takes it out, until the next call of
   * that session which begins after that is answered. One that was read in part before is read to its end.
   */
  #onLease(pk: string, { id, revision }: EvidenceItem, { replaced, queuedAgainBy }: Watched): void {
    const newest = this.#world.tables.peek(pk, `SOURCE#transcript#${id}`) as SourceItem | undefined;
    if (!replaced || newest?.revision === revision) return;
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
    if (!after) return this.#fail('nothing given is deleted', `the session of ${before?.id} is gone`);
    this.#watched(pk, after.id, after.revision).hasStood = true;
    if (before) {
      this.#watched(pk, before.id, before.revision).replaced = { atMs: kernel.nowMs, by: actor };
      this.#checkBeginning(pk, before, after, actor);
    }
    const scope = pk.split('#')[1] ?? '';
    this.#checkTurns(scope, after);
  }

  /** No line that was settled, and stands where it stood, is read again. */
  #checkBeginning(pk: string, before: SourceItem, after: SourceItem, actor: Actor | undefined): void {
    const { tables } = this.#world;
    const { creator } = this.#watched(pk, after.id, after.revision);
    // One that was queued before stands where it was put then.
    if (!actor || creator !== actor) return;
    const read = this.#watched(pk, before.id, before.revision).cursors.findLast(({ atMs }) => atMs < actor.startedAtMs);
    if (!read || read.cursor === 0) return;
    const scope = pk.split('#')[1] ?? '';
    const [old, text] = [textOf(tables, scope, before), textOf(tables, scope, after)];
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

  #checkTurns(scope: string, source: SourceItem): void {
    for (const [session, turns] of this.#acknowledged) {
      if (session.scope !== scope || session.id !== source.id) continue;
      const text = textOf(this.#world.tables, scope, source);
      for (const turn of turns) {
        const found = countTurn(text, turn);
        if (found !== 1)
          this.#fail('no turn is lost', `${turn.id} of ${session.id} stands ${found} times in ${source.revision}`);
      }
    }
  }

  onAnswered({ session, actor, standing, queued }: Answered): void {
    const { scope, id } = session;
    const { tables } = this.#world;
    const pk = `SCOPE#${scope}#1`;
    const acknowledged = this.#acknowledged.get(session) ?? new Set();
    for (const turn of standing) acknowledged.add(turn);
    this.#acknowledged.set(session, acknowledged);
    const source = tables.peek(pk, `SOURCE#transcript#${id}`) as SourceItem | undefined;
    if (source) this.#checkTurns(scope, source);
    this.#answered.set(`${pk} ${id}`, [...(this.#answered.get(`${pk} ${id}`) ?? []), actor]);
    // What was read in part meanwhile is read to its end; what another call queued since is for that one to take out.
    for (const revision of queued) {
      const evidence = tables.peek(pk, `EVIDENCE#incremental#transcript#${id}#${revision}`) as EvidenceItem | undefined;
      const isUnread = evidence?.state === 'pending' && evidence.cursor === (evidence.beganAt ?? 0);
      const label = String((evidence as { op?: string } | undefined)?.op).split('.', 1)[0];
      const isOthers = [...this.#world.running].some((other) => other.label === label && other !== actor);
      if (isUnread && !isOthers && !this.#watched(pk, id, revision).hasStood) {
        this.#fail('only what stood is queued', `${actor.label} was answered and left ${id}@${revision} in the queue`);
      }
    }
  }

  /** When all is drained: every turn of an answer stands, once. */
  checkEnd(): void {
    for (const session of this.#acknowledged.keys()) {
      const source = this.#world.tables.peek(`SCOPE#${session.scope}#1`, `SOURCE#transcript#${session.id}`);
      if (source) this.#checkTurns(session.scope, source as unknown as SourceItem);
      else this.#fail('no turn is lost', `${session.id} stands no more`);
    }
  }
}
