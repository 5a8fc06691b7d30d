/**
 * What passes are given and told, page by page, held against what stood in the queue: an empty page is true, what is left
 * is told of, and what has waited longest is not passed over by four pages of one pass.
 */
import { NOTHING_LEFT } from '../../../functions/worker/empty-pages.ts';
import type { EvidencePage, Executor, Tools } from '../../../functions/worker/executor/executor.ts';
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { isDryRun } from '../../../schema/kind.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PassItem } from '../../../schema/pass.ts';
import { STALLED_TIER, tierOf } from '../../../schema/queue.ts';
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';
import { FRESH_TIER, isFresh, isRipe, isTakeable, placeOf, QueueWatch, WAITING_TIER } from './queue-watch.ts';

/** One call for a page, that was answered. */
interface Asked {
  readonly actor: Actor;
  readonly pk: string;
  readonly passId: string;
  readonly beganAtMs: number;
  readonly page: EvidencePage;
}

/** What a reader has seen: the pages it leased one after another, by when each was asked for. */
interface Reader {
  hasLeased: boolean;
  /** The first source that it leased was held by passes that broke off, so often. */
  firstAttempts?: number;
  readonly pagesAtMs: number[];
  /** It has taken four pages in a row, or was answered that one failed. */
  hasBegun: boolean;
}

export class Pages {
  readonly #world: World;
  readonly #queue: QueueWatch;
  readonly #readers = new Map<Actor, Reader>();
  /** Who means ill asks as it likes, and what is erased is passed over. */
  readonly #isWatched: boolean;

  constructor(world: World) {
    this.#world = world;
    this.#queue = new QueueWatch(world);
    this.#isWatched = !world.plan.hostile && !world.plan.erasing;
  }

  onChange(change: Change, actor: Actor | undefined): void {
    if (!this.#isWatched) return;
    this.#queue.onChange(change);
    const reader = actor && this.#readers.get(actor);
    if (!reader || change.after?.leasePass !== actor.passId || change.before?.leasePass === actor.passId) return;
    reader.hasLeased = true;
    reader.firstAttempts ??= Number(change.before?.attempts ?? 0);
  }

  /** The executor, with an eye on each page. */
  listen(actor: Actor, executor: Executor): Executor {
    if (!this.#isWatched) return executor;
    const { scope = '', generation, passId = '' } = actor;
    const pk = `SCOPE#${scope}#${generation}`;
    const pass = this.#world.tables.peek(pk, `PASS#${passId}`) as PassItem | undefined;
    if (!pass || isDryRun(pass.kind)) return executor;
    const reader: Reader = { hasLeased: false, pagesAtMs: [], hasBegun: false };
    this.#readers.set(actor, reader);
    const toolsOf = (tools: Tools): Tools => ({
      searchEvidence: async (request) => {
        const isQueue = !('source' in request || 'query' in request || 'since' in request || 'before' in request);
        if (!isQueue) return tools.searchEvidence(request);
        const beganAtMs = this.#world.kernel.nowMs;
        reader.hasLeased = false;
        try {
          const page = await tools.searchEvidence(request);
          this.#onPage({ actor, pk, passId, beganAtMs, page }, reader, pass.slotNumber);
          return page;
        } catch (error) {
          // It may have been the turn of what has waited longest.
          reader.pagesAtMs.length = 0;
          reader.hasBegun = true;
          throw error;
        }
      },
      reviewEvidence: (items) => tools.reviewEvidence(items),
      listAttention: () => tools.listAttention(),
      resolveAttention: (decision) => tools.resolveAttention(decision),
    });
    return { name: executor.name, run: (tools, context) => executor.run(toolsOf(tools), context) };
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  #onPage(asked: Asked, reader: Reader, slotNumber: number): void {
    const { page, beganAtMs } = asked;
    if (page.items.length === 0) return this.#checkEmpty(asked);
    if (!reader.hasLeased) return;
    if (!page.hasMore) this.#checkLast(asked);
    const { pagesAtMs, firstAttempts = 0 } = reader;
    if (pagesAtMs.length === 0 && firstAttempts >= LIMITS.aloneFromAttempts) this.#checkSuspect(asked);
    reader.firstAttempts = 0;
    pagesAtMs.push(beganAtMs);
    if (pagesAtMs.length > LIMITS.oldestFirstEvery) pagesAtMs.shift();
    // Beyond, a pass begins behind some of what has waited longest, so that passes side by side do not meet there.
    if (pagesAtMs.length < LIMITS.oldestFirstEvery) return;
    if (slotNumber < LIMITS.oldestFirstEvery) this.#checkOldest(asked, pagesAtMs[0] as number);
    // All others begin behind the head, and whoever has begun goes on from where it came to.
    if (slotNumber === 0 && !reader.hasBegun) this.#checkNewest(asked, pagesAtMs[0] as number);
    reader.hasBegun = true;
  }

  /** Who is told that nothing is left, or that others hold it. */
  #checkEmpty({ actor, pk, passId, beganAtMs, page }: Asked): void {
    const isHeld = page.heldByOtherPasses === true;
    if (!isHeld && page.note !== NOTHING_LEFT.note) return;
    const sinceMs = this.#queue.seenSince(beganAtMs);
    const steady = this.#queue.rows(pk).filter((row) => this.#queue.isUnmoved(pk, row, sinceMs));
    const left = steady.find((row) => isTakeable(row, beganAtMs + actor.skewMs));
    if (left) this.#fail('an empty page is true', `${passId} was told "${page.note}", and ${left.sk} can be taken`);
    if (isHeld && !this.#queue.wasHeld(pk, passId, sinceMs))
      this.#fail('an empty page is true', `${passId} was told "${page.note}", and nobody holds anything`);
    const liveUntilMs = this.#world.kernel.nowMs + actor.skewMs;
    const isOthers = ({ leasePass, leaseExpiresAtMs = 0 }: EvidenceItem): boolean =>
      leasePass !== undefined && leasePass !== passId && leaseExpiresAtMs > liveUntilMs;
    const held = isHeld ? undefined : steady.find(isOthers);
    if (held)
      this.#fail('an empty page is true', `${passId} was told "${page.note}", and ${held.leasePass} holds ${held.sk}`);
  }

  /** Who is told that there is no more. */
  #checkLast({ pk, passId, beganAtMs }: Asked): void {
    const sinceMs = this.#queue.seenSince(beganAtMs);
    // What broke off a pass is for a pass of its own.
    if (this.#queue.hadSuspects(pk, sinceMs)) return;
    const left = this.#queue
      .rows(pk)
      .find((row) => tierOf(placeOf(row)) <= STALLED_TIER && this.#queue.isUnmoved(pk, row, sinceMs));
    if (left) this.#fail('what is left is told of', `${passId} was told that there is no more, and ${left.sk} stands`);
  }

  /** Who begins with what broke two passes has found nothing else. */
  #checkSuspect({ pk, passId, beganAtMs }: Asked): void {
    const sinceMs = this.#queue.seenSince(beganAtMs);
    const sound = this.#queue
      .rows(pk)
      .find(
        (row) => row.attempts === 0 && tierOf(placeOf(row)) < STALLED_TIER && this.#queue.isUnmoved(pk, row, sinceMs),
      );
    if (sound) this.#fail('what broke two passes comes last', `${passId} began with it, and ${sound.sk} stands`);
  }

  /**
   * One of four pages in a row begins with what stopped waiting first, else with what was captured first. Nothing is said
   * where passes broke off at something, which goes before, or where what goes before moved meanwhile.
   */
  #checkOldest({ actor, pk, passId }: Asked, beganAtMs: number): void {
    const sinceMs = this.#queue.seenSince(beganAtMs);
    const byThen = beganAtMs + actor.skewMs;
    const now = this.#world.kernel.nowMs + actor.skewMs;
    const rows = this.#queue.rows(pk);
    if (this.#queue.hadSuspects(pk, sinceMs)) return;
    // A lease that ran out goes before what is fresh.
    if (this.#queue.hadRunOut(pk, sinceMs)) return;
    if (rows.some((row) => row.leasePass !== undefined && isTakeable(row, now))) return;
    const ripe = rows.filter((row) => isRipe(row, now)).sort(byPlace);
    const fresh = rows.filter(isFresh).sort(byPlace);
    const first = ripe[0] ?? fresh.at(-1);
    if (!first || !this.#queue.isUnmoved(pk, first, sinceMs)) return;
    const isWaiting = ripe.length > 0;
    if (isWaiting && !isRipe(first, byThen)) return;
    const goesBefore = (key: string): boolean => {
      if (tierOf(key) === WAITING_TIER) return !isWaiting || key < first.homeKey;
      return !isWaiting && tierOf(key) === FRESH_TIER && key > first.homeKey;
    };
    if (this.#queue.wasLeft(pk, sinceMs, goesBefore)) return;
    this.#fail('the oldest is not passed over', `${passId} took four pages, and left ${first.sk}`);
  }

  /** The other three take what stands first: what is read in part, then what was captured last. */
  #checkNewest({ pk, passId }: Asked, beganAtMs: number): void {
    const sinceMs = this.#queue.seenSince(beganAtMs);
    if (this.#queue.hadSuspects(pk, sinceMs)) return;
    const [first] = this.#queue
      .rows(pk)
      .filter((row) => tierOf(placeOf(row)) <= STALLED_TIER)
      .sort(byPlace);
    if (!first || !this.#queue.isUnmoved(pk, first, sinceMs)) return;
    if (this.#queue.wasLeft(pk, sinceMs, (key) => key < first.homeKey)) return;
    this.#fail('the newest is not passed over', `${passId} took its first four pages, and left ${first.sk}`);
  }
}

const byPlace = (a: EvidenceItem, b: EvidenceItem): number => (a.homeKey < b.homeKey ? -1 : 1);
