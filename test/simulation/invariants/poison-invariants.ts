/** What must hold of sources that break off their passes: who is blamed, who is given up, who waits, and who may come back. */
import { type EvidenceItem, UNBLAMED } from '../../../schema/evidence.ts';
import { sourceKeyOf } from '../../../schema/ids.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { isTerminal, type PassItem, PROVIDER_AWAY } from '../../../schema/pass.ts';
import { tierOf, timeOfQueueKey } from '../../../schema/queue.ts';
import { reviewPageSchema } from '../../../schema/review-page.ts';
import type { SourceItem } from '../../../schema/source.ts';
import type { Actor } from '../engine/actor.ts';
import { classCalls } from '../people/poison.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const WAITING_TIER = 3;

/** A pass that broke off at a source, as its finalizer found it. */
interface Crash {
  readonly passId: string;
  readonly endedAtMs: number;
  /** When the source was given back: by then it is noted. */
  readonly foundAtMs: number;
}

export class PoisonInvariants {
  readonly #world: World;
  /** Pass → evidence it leased while it ran. */
  readonly #leased = new Map<string, Set<string>>();
  /** `<pass> <evidence>` of leases that were on their way when their pass ended: who gives them back cannot tell. */
  readonly #leasedLate = new Set<string>();
  /** SOURCE rows, and acknowledgements of passes → since when they stand. */
  readonly #standsSinceMs = new Map<string, number>();
  /** SOURCE rows → since when they name another revision. */
  readonly #revisedAtMs = new Map<string, number>();
  /** `<kind>#<id>` of a scope → passes that broke off at it. */
  readonly #crashes = new Map<string, Crash[]>();
  /** Evidence → the execution that put it into the queue. */
  readonly #creators = new Map<string, Actor | undefined>();

  constructor(world: World) {
    this.#world = world;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  onChange({ table, pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (table !== 'control' || !after) return;
    if (sk.startsWith('EVIDENCE#')) {
      this.#onEvidence(pk, before as EvidenceItem | undefined, after as unknown as EvidenceItem, actor);
    } else if (sk.startsWith('SOURCE#')) {
      this.#onSource(pk, before as SourceItem | undefined, after as unknown as SourceItem, actor);
    } else if (sk.includes('#REVIEW#') && !before) {
      this.#standsSinceMs.set(`${pk} ${sk}`, this.#world.kernel.nowMs);
    } else if (sk.startsWith('RETRIES#') && Number(after.retries) > LIMITS.retriesPerHourMax) {
      this.#fail(
        'an hour of retries is bounded',
        `${sk} counts ${Number(after.retries)} of ${LIMITS.retriesPerHourMax}`,
      );
    }
  }

  #onEvidence(pk: string, before: EvidenceItem | undefined, after: EvidenceItem, actor: Actor | undefined): void {
    const name = `${pk} ${after.sk}`;
    if (!before) return void this.#creators.set(name, actor);
    const { leasePass: holder } = before;
    if (after.leasePass !== undefined && after.leasePass !== holder) this.#onLease(pk, before, after);
    if (after.crashesAlone > before.crashesAlone) this.#onBlame(pk, before, holder ?? '', actor?.startedAtMs);
    if (after.state === 'quarantined' && before.state !== 'quarantined') this.#onGivenUp(after);
    if (before.state === 'quarantined' && after.state === 'pending') {
      this.#onRequeue(after);
      if (actor?.role === 'operator') this.#checkMeant(pk, before, actor);
    }
    if (holder !== undefined && after.leasePass === undefined && actor?.role === 'finalizer') {
      this.#onReturn(pk, before, holder, actor);
    }
  }

  #onLease(pk: string, before: EvidenceItem, { sk, leasePass = '' }: EvidenceItem): void {
    const { kernel, tables, plan } = this.#world;
    const { homeKey, leasePass: holder } = before;
    const isWaiting = holder === undefined && tierOf(homeKey) === WAITING_TIER;
    const earlyMs = timeOfQueueKey(homeKey) - kernel.nowMs - plan.skewMaxMs;
    if (isWaiting && earlyMs > 0) {
      this.#fail('a source that breaks off waits', `${sk} is leased ${earlyMs} ms before its time`);
    }
    const pass = tables.peek(pk, `PASS#${leasePass}`) as PassItem | undefined;
    if (pass && isTerminal(pass.status)) return void this.#leasedLate.add(`${leasePass} ${sk}`);
    this.#leased.set(leasePass, (this.#leased.get(leasePass) ?? new Set()).add(sk));
  }

  /** Which of the sources that a pass held it had not read to their end, by what it had acknowledged then. */
  #unread(pk: string, passId: string, asOfMs = Number.POSITIVE_INFINITY): string[] {
    const read = this.#world.tables
      .list(pk, `PASS#${passId}#REVIEW#`)
      .filter(({ sk }) => (this.#standsSinceMs.get(`${pk} ${String(sk)}`) ?? 0) < asOfMs)
      .flatMap((row) => reviewPageSchema.parse(row).reviews)
      .filter(({ to, length }) => to >= length)
      .map(({ sourceKey }) => `EVIDENCE#incremental#${sourceKey}`);
    return [...(this.#leased.get(passId) ?? [])].filter((sk) => !read.includes(sk));
  }

  /** By what the finalizer may have seen: an acknowledgement of a dead pass may come while it looks. */
  #onBlame(pk: string, { sk }: EvidenceItem, passId: string, lookedFromMs: number | undefined): void {
    const unread = this.#unread(pk, passId).filter((other) => other !== sk);
    if (unread.length === 0 && this.#unread(pk, passId, lookedFromMs).includes(sk)) return;
    if (this.#leasedLate.has(`${passId} ${sk}`)) return;
    this.#fail(
      'who is blamed was alone',
      `${sk} is blamed for ${passId}, which had not read ${unread.join(', ') || 'nothing'} besides`,
    );
  }

  #onGivenUp({ sk, quarantineClass, crashesAlone }: EvidenceItem): void {
    if (quarantineClass !== 'broke_off' || crashesAlone >= LIMITS.crashesAloneMax) return;
    this.#fail('given up after three alone', `${sk} is given up after ${crashesAlone} passes that it broke off alone`);
  }

  #onRequeue(after: EvidenceItem): void {
    const { sk } = after;
    const blames = Object.entries(UNBLAMED).filter(([name, none]) => after[name as keyof typeof UNBLAMED] !== none);
    if (blames.length > 0) {
      this.#fail(
        'a requeued source begins without blame',
        `${sk} keeps its ${blames.map(([name]) => name).join(', ')}`,
      );
    }
  }

  /** Of a class, what was given up for that reason alone; and the newest of its source, as it was when the call began. */
  #checkMeant(pk: string, { kind, id, revision, quarantineClass }: EvidenceItem, actor: Actor): void {
    const call = classCalls.get(actor);
    call?.requeued.push(`${id} ${revision}`);
    if (call && call.why !== quarantineClass)
      this.#fail('requeued as it was meant', `${id} is requeued as ${call.why}, given up for ${quarantineClass}`);
    const newest = this.#world.tables.peek(pk, `SOURCE#${kind}#${id}`) as SourceItem | undefined;
    const isOlder = (this.#revisedAtMs.get(`${pk} ${kind} ${id}`) ?? 0) < actor.startedAtMs;
    if (newest?.revision !== revision && isOlder)
      this.#fail('requeued as it was meant', `${id} ${revision} is requeued, replaced by ${newest?.revision}`);
  }

  /** A finalizer gives back what a pass broke off at: the source remembers it by then. */
  #onReturn(pk: string, { sk, kind, id, revision }: EvidenceItem, passId: string, { startedAtMs }: Actor): void {
    const { kernel, tables } = this.#world;
    const pass = tables.peek(pk, `PASS#${passId}`) as PassItem | undefined;
    const brokeOff = pass?.status === 'failed' || pass?.status === 'expired';
    if (!pass || !brokeOff || pass.failure?.code === PROVIDER_AWAY || !this.#unread(pk, passId).includes(sk)) return;
    const sourceKey = sourceKeyOf({ kind, id, revision });
    const source = tables.peek(pk, `SOURCE#${sourceKey.slice(0, sourceKey.lastIndexOf('#'))}`) as
      | SourceItem
      | undefined;
    // One that did not stand yet when the finalizer looked is remembered by nothing.
    if (!source || (this.#standsSinceMs.get(`${pk} ${kind} ${id}`) ?? 0) >= startedAtMs) return;
    const { crashes = [] } = source;
    const isKept = crashes.length >= LIMITS.sourceCrashesMax || crashes.some((crash) => crash.passId === passId);
    if (!isKept) this.#fail('a source forgets no crash', `${kind} ${id} does not know that ${passId} broke off at it`);
    const name = `${pk} ${kind} ${id}`;
    const known = this.#crashes.get(name) ?? [];
    if (known.some((crash) => crash.passId === passId)) return;
    known.push({ passId, endedAtMs: pass.endedAtMs ?? 0, foundAtMs: kernel.nowMs });
    this.#crashes.set(name, known);
  }

  #onSource(pk: string, before: SourceItem | undefined, after: SourceItem, actor: Actor | undefined): void {
    if (!before) this.#standsSinceMs.set(`${pk} ${after.kind} ${after.id}`, this.#world.kernel.nowMs);
    const kept = new Set(after.crashes?.map(({ passId }) => passId));
    const lost = (before?.crashes ?? []).find(({ passId }) => !kept.has(passId));
    if (lost && kept.size < LIMITS.sourceCrashesMax) {
      this.#fail('a source forgets no crash', `${after.kind} ${after.id} forgot that ${lost.passId} broke off at it`);
    }
    if (after.revision === before?.revision) return;
    this.#revisedAtMs.set(`${pk} ${after.kind} ${after.id}`, this.#world.kernel.nowMs);
    this.#checkWait(pk, after, actor);
  }

  /** As of when the call that brought it began: it asked then, in its own time. */
  #checkWait(pk: string, { kind, id, revision }: SourceItem, actor: Actor | undefined): void {
    const { plan, tables } = this.#world;
    const sk = `EVIDENCE#incremental#${sourceKeyOf({ kind, id, revision })}`;
    // One that was queued by a call that died stands where that put it.
    if (!actor || this.#creators.get(`${pk} ${sk}`) !== actor) return;
    const recent = (this.#crashes.get(`${pk} ${kind} ${id}`) ?? []).filter(
      ({ foundAtMs, endedAtMs }) =>
        foundAtMs < actor.startedAtMs && endedAtMs > actor.startedAtMs - LIMITS.retryWindowMs + 2 * plan.skewMaxMs,
    );
    if (recent.length < LIMITS.retryCrashes) return;
    const doublings = Math.min(recent.length - LIMITS.retryCrashes, LIMITS.retryExponentMax);
    const dueMs = Math.max(...recent.map(({ endedAtMs }) => endedAtMs)) + LIMITS.retryBaseMs * 2 ** doublings;
    if (dueMs <= actor.startedAtMs + plan.skewMaxMs) return;
    this.#world.count('a revision waits after broken-off passes');
    const { homeKey = '' } = (tables.peek(pk, sk) ?? {}) as Partial<EvidenceItem>;
    if (tierOf(homeKey) === WAITING_TIER && timeOfQueueKey(homeKey) >= dueMs) return;
    this.#fail(
      'a source that breaks off waits',
      `${sk} stands at ${homeKey} after ${recent.length} passes, not at ${dueMs}`,
    );
  }
}
