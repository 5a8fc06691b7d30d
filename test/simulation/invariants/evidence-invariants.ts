/** What must hold of evidence, its leases and what is read under them; looked at after every write. */
import type { EvidencePage } from '../../../functions/worker/executor/executor.ts';
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { sourceKeyOf } from '../../../schema/ids.ts';
import { leasePageSchema } from '../../../schema/lease-page.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { isTerminal, type PassItem } from '../../../schema/pass.ts';
import { tierOf, timeOfQueueKey } from '../../../schema/queue.ts';
import { type Review, reviewPageSchema } from '../../../schema/review-page.ts';
import type { Actor } from '../engine/actor.ts';
import type { EraseInvariants } from './erase-invariants.ts';
import { isPutBack } from '../people/gone-back.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const WAITING_TIER = 3;

/** A pass as far as the invariants watched it. */
interface Watched {
  /** True time of its end. */
  endedAtMs?: number;
  lastLeaseAtMs: number;
  settledSources: number;
}

export class EvidenceInvariants {
  readonly #world: World;
  readonly #passes = new Map<string, Watched>();
  /** LEASE rows put after their pass had ended: a late writer's, left to TTL. */
  readonly lateLeasePages = new Set<string>();
  leasesWon = 0;
  deliveries = 0;

  /** Given where something is erased. */
  readonly #erased: EraseInvariants | undefined;

  constructor(world: World, erased?: EraseInvariants) {
    this.#world = world;
    this.#erased = erased;
  }

  watched(passId: string): Watched {
    let watched = this.#passes.get(passId);
    if (!watched) this.#passes.set(passId, (watched = { lastLeaseAtMs: 0, settledSources: 0 }));
    return watched;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  #passOf(pk: string, passId: string): PassItem | undefined {
    return this.#world.tables.peek(pk, `PASS#${passId}`) as PassItem | undefined;
  }

  onLeasePage({ pk, sk, before, after }: Change): void {
    const passId = sk.split('#')[1] ?? '';
    const pass = this.#passOf(pk, passId);
    if (after && !before && pass && isTerminal(pass.status)) this.lateLeasePages.add(`${pk} ${sk}`);
  }

  onEvidence(change: Change, actor: Actor | undefined): void {
    const before = change.before as EvidenceItem | undefined;
    const after = change.after as EvidenceItem | undefined;
    if (!after) {
      if (!this.#erased?.allows(change, actor)) this.#fail('nothing given is deleted', `${change.sk} is gone`);
      return;
    }
    if (!before) return;
    if (after.seq !== before.seq + 1) this.#fail('I5 monotone', `${change.sk}: seq ${before.seq} → ${after.seq}`);
    const isBack = actor?.role === 'ingest' && isPutBack(before, after);
    if (after.cursor < before.cursor && !isBack) {
      this.#fail('I5 monotone', `${change.sk}: cursor ${before.cursor} → ${after.cursor}`);
    }
    if (before.state === 'settled' && !isBack)
      this.#fail('I1 settle once', `${change.sk} was settled and changed again`);
    // A revision that comes back may begin behind what was settled of the one it replaces: the memory must have that too.
    const begins = actor?.role === 'ingest' && after.state === 'pending' && after.cursor === (after.beganAt ?? 0);
    const settles = (after.cursor > before.cursor && !begins) || after.state === 'settled';
    if (settles) this.#onSettle(change, before, after);
    if (after.leasePass !== undefined && (after.leasePass !== before.leasePass || after.attempts > before.attempts)) {
      this.#onLease(change, before, after, actor);
    } else if (before.leasePass !== undefined && after.leasePass === undefined) {
      this.#onRelease(change, before, after, actor);
    } else if (before.leasePass !== undefined && !settles && after.state !== 'obsolete') {
      this.#fail('I6 own release', `${change.sk} is leased by ${before.leasePass} and was changed by ${actor?.label}`);
    }
  }

  #onLease({ pk, sk }: Change, before: EvidenceItem, after: EvidenceItem, actor: Actor | undefined): void {
    const { nowMs } = this.#world.kernel;
    const passId = after.leasePass as string;
    this.leasesWon++;
    if (before.state !== 'pending') this.#fail('only pending is leased', `${sk} is ${before.state}`);
    const { leasePass: holder, leaseExpiresAtMs = 0 } = before;
    // A clock that is ahead by more than the margin sees the end of a lease by so much too early, and by no more.
    const earlyMs = Math.max(0, (actor?.skewMs ?? 0) - LIMITS.leaseMarginMs);
    if (holder !== undefined && holder !== passId && leaseExpiresAtMs >= nowMs + earlyMs) {
      this.#fail(
        'I3 one live lease',
        `${sk}: ${holder} holds it for ${leaseExpiresAtMs - nowMs} ms, ${passId} took it`,
      );
    }
    if (holder !== undefined && holder !== passId) this.#world.count('a lease that ran out is taken over');
    this.watched(passId).lastLeaseAtMs = nowMs;
    const pass = this.#passOf(pk, passId);
    // A generation that goes loses its PASS and LEASE rows while a late reader still leases what is left in it.
    if (this.#erased?.isErased(pk)) return;
    if (!pass) return this.#fail('a lease belongs to a pass', `${sk} is leased by ${passId}, which has no row`);
    // After the end nothing keeps the list; a lease that had run out before it was written binds nobody.
    if (isTerminal(pass.status) || (after.leaseExpiresAtMs ?? 0) < nowMs) return;
    const isNamed = this.#world.tables
      .list(pk, `PASS#${passId}#LEASE#`)
      .some((row) => leasePageSchema.parse(row).sourceKeys.includes(sourceKeyOf(after)));
    if (!isNamed) this.#fail('a LEASE row names every lease', `${passId} leased ${sk}, which no LEASE row of it names`);
  }

  #onRelease({ sk }: Change, before: EvidenceItem, after: EvidenceItem, actor: Actor | undefined): void {
    if (actor?.passId === before.leasePass) return;
    // Its source went back to this text: who holds it loses it, and nobody else takes it before that lease would be over.
    const isBack = actor?.role === 'ingest' && after.state === 'pending' && after.cursor === (after.beganAt ?? 0);
    const takenFromMs = tierOf(after.homeKey) === WAITING_TIER ? timeOfQueueKey(after.homeKey) : 0;
    const heldUntilMs = before.leaseExpiresAtMs ?? 0;
    if (isBack && Math.max(takenFromMs, actor.clock.nowMs()) >= heldUntilMs) return;
    this.#fail(
      'I6 own release',
      `${actor?.label} for ${actor?.passId} ended the lease of ${before.leasePass} on ${sk}`,
    );
  }

  #onSettle({ pk, sk }: Change, before: EvidenceItem, after: EvidenceItem): void {
    const passId = after.settledBy ?? '';
    if (before.leasePass !== passId) {
      this.#fail('I2 fence', `${passId} settled ${sk}, which is leased by ${before.leasePass ?? 'nobody'}`);
    }
    const pass = this.#passOf(pk, passId);
    // A generation that goes loses its PASS and REVIEW rows while a late finalizer still settles what is left in it.
    if (this.#erased?.isErased(pk)) return void this.watched(passId).settledSources++;
    if (pass?.status !== 'completed') {
      this.#fail('I9 reviewed only', `${passId} settled ${sk} and is ${pass?.status ?? 'unknown'}`);
      return;
    }
    const reviews = this.#reviewsOf(pk, pass, sourceKeyOf(after));
    let reached = before.cursor;
    for (const { from, to } of reviews) if (from <= reached) reached = Math.max(reached, to);
    if (reached < after.cursor) {
      this.#fail('I9 reviewed only', `${sk} is settled to ${after.cursor}, acknowledged to ${reached}`);
    }
    if (after.state === 'settled' && after.cursor < after.length) {
      this.#fail('I9 reviewed only', `${sk} is settled at ${after.cursor} of ${after.length}`);
    }
    this.watched(passId).settledSources++;
  }

  #reviewsOf(pk: string, pass: PassItem, sourceKey: string): Review[] {
    return this.#world.tables
      .list(pk, `PASS#${pass.passId}#REVIEW#`)
      .map((row) => reviewPageSchema.parse(row))
      .filter((page) => page.n <= pass.reviewRows)
      .flatMap((page) => page.reviews.filter((review) => review.sourceKey === sourceKey))
      .sort((a, b) => a.from - b.from);
  }

  /** What an executor was given. */
  onPage(actor: Actor, page: EvidencePage): void {
    const { nowMs } = this.#world.kernel;
    const { passId = '' } = actor;
    if (page.items.length === 0) {
      if (page.hasMore) this.#fail('I11 pages', 'an empty page says that there is more');
      return;
    }
    const watched = this.watched(passId);
    if (watched.endedAtMs !== undefined && watched.endedAtMs < watched.lastLeaseAtMs) {
      const ago = nowMs - watched.endedAtMs;
      this.#fail('a page needs a running pass', `${passId} ended ${ago} ms ago, then leased a page and was given it`);
    }
    this.deliveries += page.items.length;
    for (const item of page.items) this.#onDelivered(actor, item.source, item.start);
  }

  #onDelivered({ scope = '', generation, passId = '' }: Actor, source: string, start: number): void {
    const { nowMs } = this.#world.kernel;
    const pk = `SCOPE#${scope}#${generation}`;
    const evidence = this.#world.tables
      .list(pk, 'EVIDENCE#')
      .map((item) => item as unknown as EvidenceItem)
      .find((item) => `${item.kind}:${item.id}@${item.revision}` === source);
    // It was leased, and erased before it was handed over.
    if (!evidence && this.#erased?.isErasedSource(pk, source.slice(source.indexOf(':') + 1, source.lastIndexOf('@'))))
      return;
    if (!evidence) return this.#fail('I12 isolation', `${passId} was given ${source}, which scope ${scope} has not`);
    const isRunning = this.#passOf(pk, passId)?.status === 'running';
    const { leasePass: holder, leaseExpiresAtMs = 0 } = evidence;
    if (isRunning && holder === passId && start < evidence.cursor) {
      this.#fail('I11 pages', `${passId} was given ${source} from ${start}; it is settled to ${evidence.cursor}`);
    }
    const isOthers = holder !== undefined && holder !== passId && leaseExpiresAtMs > nowMs;
    if (!isRunning || !isOthers) return;
    const other = this.#passOf(pk, holder);
    // Its own lease may have run out while its answer was under way; then the fence refuses what it settles. It ran so long
    // beyond the deadline, and nobody takes it before the margin is over by a clock that is ahead.
    const mineUntilMs = (this.#passOf(pk, passId)?.deadlineAtMs ?? 0) + LIMITS.passEndReserveMs + LIMITS.leaseMarginMs;
    if (other?.status === 'running' && mineUntilMs + LIMITS.leaseMarginMs > nowMs + this.#world.plan.skewMaxMs) {
      this.#fail('I11 pages', `${source} was given to ${passId} while ${holder} holds it`);
    }
  }
}
