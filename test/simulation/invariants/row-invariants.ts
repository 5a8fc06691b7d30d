/** A row moves only as `schema/` says: looked at after every write of an EVIDENCE or PASS row, and of what is known of the provider. */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { sourceKeyOf } from '../../../schema/ids.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import { type PassItem, PROVIDER_AWAY } from '../../../schema/pass.ts';
import { tierOf, timeOfQueueKey } from '../../../schema/queue.ts';
import type { Actor } from '../engine/actor.ts';
import { poolNumberOf } from './pools.ts';
import { sourceRowOf, strangeMove, strangeOfEvidence, strangeOfPass } from './row-forms.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const WAITING_TIER = 3;

export class RowInvariants {
  readonly #world: World;
  /** The passes that told of their provider that it is away. */
  readonly #toldAway = new Set<string>();
  /** Pass → whether what it holds are suspects. */
  readonly #holds = new Map<string, boolean>();
  #awayAtMs = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  onChange(change: Change, actor: Actor | undefined): void {
    const { sk, table } = change;
    if (table !== 'control') return;
    if (sk.startsWith('EVIDENCE#')) this.#onEvidence(change, actor);
    else if (sk.startsWith('PASS#') && sk.lastIndexOf('#') === 'PASS'.length) this.#onPass(change, actor);
    else if (sk === 'LEDGER') this.#onLedger(change, actor);
  }

  #onEvidence({ pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (!after) return;
    const [old, next] = [before as EvidenceItem | undefined, after as unknown as EvidenceItem];
    const strange = strangeOfEvidence(next) ?? (old && strangeMove(old, next, actor?.role));
    if (strange) this.#fail('a row moves as its schema says', `${sk} ${strange}`);
    if (!old) return;
    if (next.state === 'obsolete' && old.state !== 'obsolete') this.#onTakenOut(pk, sk, old);
    // Given back for a worker that stands still: it holds nothing any more beside what it takes when it goes on.
    if (old.leasePass !== undefined && next.leasePass !== old.leasePass && actor?.role !== 'worker')
      this.#holds.delete(old.leasePass);
    if (next.leasePass === undefined || next.leasePass === old.leasePass) return;
    this.#onLease(sk, old, actor);
    this.#onTaken(pk, old, next.leasePass);
  }

  /** What a pass broke off at is read beside nothing that no pass broke off at. */
  #onTaken(pk: string, { sk, attempts }: EvidenceItem, passId: string): void {
    const isSuspect = attempts > 0;
    const known = this.#holds.get(passId);
    if (known === undefined || (known !== isSuspect && !this.#holdsText(pk, sk, passId)))
      this.#holds.set(passId, isSuspect);
    else if (known !== isSuspect)
      this.#fail('suspects are read apart', `${passId} holds ${known ? 'suspects' : 'others'}, and took ${sk}`);
  }

  /** Whether a pass holds anything besides that can be read: what was erased breaks nobody. */
  #holdsText(pk: string, sk: string, passId: string): boolean {
    const { tables } = this.#world;
    const held = tables.list(pk, 'EVIDENCE#').filter((row) => row.leasePass === passId && row.sk !== sk);
    const [, scope, generation] = pk.split('#');
    return (held as unknown as EvidenceItem[]).some(
      (row) => tables.peek(`${scope}#${generation}#${sourceKeyOf(row)}`, '00000', 'text') !== undefined,
    );
  }

  #onTakenOut(pk: string, sk: string, old: EvidenceItem): void {
    if (this.#world.tables.peek(pk, sourceRowOf(old))?.revision === old.revision)
      this.#fail('what stands is not taken out', `${sk} was taken out of the queue, and is what its source says`);
    const { kind, state, cursor, beganAt = 0, leasePass } = old;
    // A session goes on in its next revision from where it was read to.
    if (kind === 'note' && state === 'pending' && leasePass === undefined && cursor > beganAt)
      this.#fail('what was begun is read on', `${sk} was taken out of the queue, and is read to ${cursor}`);
  }

  /** Who comes is ahead of true time by what its clock is. */
  #onLease(sk: string, { homeKey, leasePass }: EvidenceItem, actor: Actor | undefined): void {
    if (leasePass !== undefined || tierOf(homeKey) !== WAITING_TIER) return;
    const earlyMs = timeOfQueueKey(homeKey) - this.#world.kernel.nowMs - (actor?.skewMs ?? 0);
    if (earlyMs > 0) this.#fail('who waits is not read before its time', `${sk} is leased ${earlyMs} ms too early`);
  }

  #onPass({ sk, before, after }: Change, actor: Actor | undefined): void {
    if (!after) return;
    const [old, next] = [before as PassItem | undefined, after as unknown as PassItem];
    const strange = old?.finalizedAtMs === undefined ? strangeOfPass(next) : 'is finalized, and moved';
    if (strange) this.#fail('a row moves as its schema says', `${sk} ${strange}`);
    if (next.failure?.code === PROVIDER_AWAY && old?.status === 'running') this.#onFoundAway(next, actor);
  }

  /** Who found its provider away said so before it ended, unless it was known. */
  #onFoundAway({ passId, scope, startedAtMs = 0 }: PassItem, actor: Actor | undefined): void {
    const { plan, tables } = this.#world;
    const pool = `POOL#${poolNumberOf(scope, actor?.pools ?? plan.deployment.pools)}`;
    const { provider } = (tables.peek(pool, 'LEDGER') ?? {}) as Partial<LedgerItem>;
    const isKnown = provider?.state === 'away' || this.#awayAtMs + (actor?.skewMs ?? 0) >= startedAtMs;
    if (isKnown || this.#toldAway.has(passId)) return;
    this.#fail('the provider is known', `${passId} found it away, and nobody is told`);
  }

  #onLedger({ before, after }: Change, actor: Actor | undefined): void {
    if (!this.#world.plan.model) return;
    const [old, next] = [(before as LedgerItem | undefined)?.provider, (after as LedgerItem | undefined)?.provider];
    const { nowMs } = this.#world.kernel;
    const isAway = next?.state === 'away';
    if (isAway) this.#awayAtMs = nowMs;
    if (next === old || !next) return;
    if (actor?.passId && isAway) this.#toldAway.add(actor.passId);
    if (!old || old.executor !== next.executor || (old.atMs === next.atMs && old.state === next.state)) return;
    const leftMs = (old.untilMs ?? 0) - nowMs - (actor?.skewMs ?? 0);
    if (next.state === 'proven' && leftMs > 0)
      this.#fail('who is away is away', `the provider is proven ${leftMs} ms before it is back`);
    if (next.state === 'proven' && old.state === 'proven')
      this.#fail('who is away is away', 'the provider was proven, and is proven once more');
    if (isAway && (next.untilMs ?? 0) < (old.untilMs ?? 0))
      this.#fail('who is away is away', `the provider is back at ${next.untilMs}, and was until ${old.untilMs}`);
  }
}
