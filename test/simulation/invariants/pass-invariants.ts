/** What must hold of passes, the ledger and the scope row; looked at after every write. */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { passIdOf } from '../../../schema/ids.ts';
import { isDryRun } from '../../../schema/kind.ts';
import type { LedgerEntry, LedgerItem } from '../../../schema/ledger.ts';
import type { TriggerMessage } from '../../../schema/messages.ts';
import { isTerminal, type PassItem, type PassStatus } from '../../../schema/pass.ts';
import { PoolsChangedError } from '../../../schema/pool.ts';
import type { ScopeItem } from '../../../schema/scope.ts';
import { resolveSettings } from '../../../schema/settings.ts';
import type { Actor } from '../engine/actor.ts';
import type { EraseInvariants } from './erase-invariants.ts';
import type { EvidenceInvariants } from './evidence-invariants.ts';
import { StormError } from '../executors/executor.ts';
import { KeyInvariants } from './key-invariants.ts';
import { AWAY_FAILURE } from '../executors/model.ts';
import { checkBegun, checkExpired, checkInvoked, checkPaid, reservationFor } from './pass-moves.ts';
import { isListed, listedPasses } from './pools.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const MOVES: Readonly<Record<PassStatus, readonly PassStatus[]>> = {
  admitted: ['admitted', 'running', 'expired', 'cancelled'],
  running: ['running', 'completed', 'failed', 'expired', 'cancelled'],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
  expired: ['expired'],
};
/** What may still change of a terminal pass. */
const AFTER_END: ReadonlySet<string> = new Set(['finalizedAtMs', 'settled', 'released', 'ttl', 'kicks', 'op']);

/** What the clients know. */
interface Answers {
  /** Whether every ingest call that puts this evidence was answered. */
  readonly isAnswered: (scope: string, evidence: EvidenceItem) => boolean;
  /** Whether a pause of this scope was answered, and not taken back. */
  readonly isPaused: (scope: string) => boolean;
  /** When the last change of this scope's limit was answered. */
  readonly limitAnsweredAtMs: (scope: string) => number;
}

interface SettingsSince {
  readonly atMs: number;
  readonly maxPassesPerScope: number | undefined;
}
const ALWAYS: SettingsSince = { atMs: Number.NEGATIVE_INFINITY, maxPassesPerScope: undefined };

export class PassInvariants {
  readonly #world: World;
  readonly #evidence: EvidenceInvariants;
  /** Trigger id and generation → the op that admitted its passes. */
  readonly #admittedBy = new Map<string, string>();
  readonly #removed = new Set<string>();
  readonly #counted = new Set<string>();
  readonly #scopeSettings = new Map<string, SettingsSince[]>();
  readonly #answers: Answers;
  readonly #keys: KeyInvariants;
  /** Given where something is erased. */
  readonly #erased: EraseInvariants | undefined;

  constructor(world: World, evidence: EvidenceInvariants, answers: Answers, erased?: EraseInvariants) {
    this.#world = world;
    this.#keys = new KeyInvariants(world);
    this.#erased = erased;
    this.#evidence = evidence;
    this.#answers = answers;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  onPass({ sk, before, after, pk }: Change): void {
    const [old, next] = [before as PassItem | undefined, after as PassItem | undefined];
    if (!next) return;
    const passId = next.passId;
    if (!old) {
      if (next.status !== 'admitted') this.#fail('I7 one end', `${sk} begins as ${next.status}`);
      return checkBegun(this.#world, next);
    }
    if (!MOVES[old.status].includes(next.status)) this.#fail('I7 one end', `${sk}: ${old.status} → ${next.status}`);
    if (isTerminal(old.status)) {
      const changed = Object.keys({ ...old, ...next }).filter(
        (name) => old[name as keyof PassItem] !== next[name as keyof PassItem] && !AFTER_END.has(name),
      );
      if (changed.length > 0) this.#fail('I7 one end', `${sk} is ${old.status} and changed its ${changed.join(', ')}`);
    } else if (isTerminal(next.status)) {
      this.#evidence.watched(passId).endedAtMs = this.#world.kernel.nowMs;
    }
    if (next.status === 'failed' && old.status === 'running') this.#onFailed(next);
    if (next.status === 'expired' && old.status !== 'expired') checkExpired(this.#world, old, next);
    checkInvoked(this.#world, old, next);
    if (old.attempt !== undefined && old.attempt !== next.attempt) {
      this.#fail('I7 one end', `${sk} was started twice`);
    }
    if (next.finalizedAtMs === old.finalizedAtMs) return;
    this.#onFinalized(pk, old, passId);
    checkPaid(this.#world, old, this.#counted.has(passId));
  }

  /** A pass may fail by what the schedule does to it, and by nothing else. */
  #onFailed({ passId, failure }: PassItem): void {
    if (failure?.code === 'ServiceError' || failure?.code === StormError.name) return;
    if (failure?.code === AWAY_FAILURE && this.#world.plan.model) return;
    if (failure?.code === PoolsChangedError.name && this.#world.plan.deployment.mistake) return;
    this.#fail('no surprise', `${passId} failed: ${failure?.code}: ${failure?.message}`);
  }

  #onFinalized(pk: string, old: PassItem, passId: string): void {
    if (old.finalizedAtMs !== undefined) this.#fail('I7 one end', `${passId} was finalized twice`);
    // A PASS row that a scheduler which stood still puts again, after it went with its generation, is of a pass of nothing.
    if (!isListed(this.#world, old.scope, passId) && !this.#erased?.wentFinalized(pk, passId)) {
      this.#fail('the ledger outlives the pass', `${passId} left the ledger before it was marked finalized`);
    }
    const { endedAtMs = 0, lastLeaseAtMs } = this.#evidence.watched(passId);
    if (lastLeaseAtMs >= endedAtMs) return;
    // One that ran out is anybody's: TTL may have taken the LEASE row that named it.
    const { kernel, tables } = this.#world;
    const held = tables
      .list(pk, 'EVIDENCE#')
      .map((item) => item as unknown as EvidenceItem)
      .filter((item) => item.leasePass === passId && (item.leaseExpiresAtMs ?? 0) > kernel.nowMs);
    if (held.length > 0) this.#fail('a finalized pass holds nothing', `${passId} holds ${held.length} live leases`);
  }

  onLedger({ before, after }: Change, actor: Actor | undefined): void {
    const [old, next] = [before as LedgerItem | undefined, after as LedgerItem | undefined];
    if (!next) return this.#fail('the ledger stays', 'the ledger is gone');
    if (old && next.version < old.version) this.#fail('I5 monotone', `ledger version ${old.version} → ${next.version}`);
    const was = old?.passes ?? {};
    const added: [string, LedgerEntry][] = [];
    for (const [passId, entry] of Object.entries(next.passes)) {
      const known = was[passId];
      if (!known) added.push([passId, entry]);
      else if (known.op !== entry.op) this.#fail('I8 idempotent trigger', `the entry of ${passId} was written again`);
    }
    for (const passId of Object.keys(was))
      if (!next.passes[passId]) this.#onRemoved(passId, was[passId] as LedgerEntry);
    if (added.length > 0) this.#onAdmitted(next, added, actor);
  }

  #onRemoved(passId: string, { scope, generation }: LedgerEntry): void {
    this.#removed.add(passId);
    const pass = this.#world.tables.peek(`SCOPE#${scope}#${generation}`, `PASS#${passId}`) as PassItem | undefined;
    // One that the budget refused for good has no row and never will have: it owes nothing.
    if (!pass && reservationFor(this.#world, { passId, scope, generation }) === 'refused') return;
    // One whose row went with its generation after it was marked: whoever marked it had the entry left to take off.
    if (!pass && this.#erased?.wentFinalized(`SCOPE#${scope}#${generation}`, passId)) return;
    if (pass?.finalizedAtMs === undefined) {
      this.#fail('the ledger outlives the pass', `${passId} left the ledger before it was marked finalized`);
    }
  }

  #onAdmitted(ledger: LedgerItem, added: readonly (readonly [string, LedgerEntry])[], actor: Actor | undefined): void {
    const all = this.#world.plan.deployment.pools === 1 ? Object.entries(ledger.passes) : listedPasses(this.#world);
    for (const [passId, { triggerId, op, scope, generation, slotNumber, kind }] of added) {
      if (this.#removed.has(passId)) this.#fail('I8 idempotent trigger', `${passId} was admitted again after its end`);
      // Of a message that comes again after its scope was erased nothing tells that it was served: it is a look at another scope.
      const asked = `${triggerId} ${generation}`;
      const first = this.#admittedBy.get(asked);
      if (first !== undefined && first !== op) {
        this.#fail('I8 idempotent trigger', `trigger ${triggerId} admitted ${passId} besides what it admitted before`);
      }
      this.#admittedBy.set(asked, op);
      this.#keys.onAdmitted(triggerId, generation);
      // A dry run takes no place of its scope, and is alone there among its own.
      const beside = all.filter(([, it]) => it.scope === scope && isDryRun(it.kind) === isDryRun(kind));
      const twin = beside.find(([id, it]) => id !== passId && it.slotNumber === slotNumber);
      if (twin) this.#fail('I4 capacity', `${passId} and ${twin[0]} both have slot number ${slotNumber} of ${scope}`);
      if (this.#answers.isPaused(scope))
        this.#fail('paused is paused', `${passId} was admitted in ${scope}, which is paused`);
      const most = isDryRun(kind) ? 1 : this.#scopeLimit(scope, actor);
      const inScope = beside.length;
      if (inScope > most) this.#fail('I4 capacity', `${inScope} passes in scope ${scope}, which allows ${most}`);
    }
    const owners = all.filter(([, it]) => it.attention).map(([, it]) => it.scope);
    if (new Set(owners).size < owners.length) this.#fail('I10 attention', `two passes of ${owners.join(', ')} own it`);
    if (ledger.paused) this.#fail('paused is paused', 'a pass was admitted while all scopes are paused');
  }

  /** The greatest limit in force while this execution ran: it may have read the row before a change that is not answered. */
  #scopeLimit(scope: string, actor: Actor | undefined): number {
    const wide = resolveSettings(actor?.settings ?? {}, {}).maxPassesPerScope;
    const history = this.#scopeSettings.get(scope) ?? [ALWAYS];
    const sinceMs = Math.max(actor?.startedAtMs ?? 0, this.#answers.limitAnsweredAtMs(scope));
    const inForce = history.filter((_, k) => (history[k + 1]?.atMs ?? Number.POSITIVE_INFINITY) >= sinceMs);
    return Math.max(...inForce.map((it) => it.maxPassesPerScope ?? wide));
  }

  onScope({ before, after }: Change): void {
    const [old, next] = [before as ScopeItem | undefined, after as ScopeItem | undefined];
    if (!next) return this.#fail('the scope stays', 'a scope row is gone');
    const { kernel, tables } = this.#world;
    if (next.settings?.maxPassesPerScope !== old?.settings?.maxPassesPerScope) {
      const history = this.#scopeSettings.get(next.scope) ?? [ALWAYS];
      history.push({ atMs: kernel.nowMs, maxPassesPerScope: next.settings?.maxPassesPerScope });
      this.#scopeSettings.set(next.scope, history);
    }
    if (old) {
      // What the row tells of passes goes with the generation they were of.
      const told = old.generation === next.generation ? (['lastPassAtMs'] as const) : [];
      for (const name of ['backlogVersion', 'statsVersion', 'generation', ...told] as const) {
        if ((next[name] ?? 0) < (old[name] ?? 0)) this.#fail('I5 monotone', `${name} ${old[name]} → ${next[name]}`);
      }
    }
    this.#onCounted(old, next);
    if (next.workPartition.startsWith('idle') && !old?.workPartition.startsWith('idle')) {
      const waiting = tables
        .list(`SCOPE#${next.scope}#${next.generation}`, 'EVIDENCE#')
        .map((item) => item as unknown as EvidenceItem)
        .filter((item) => item.state === 'pending' && this.#answers.isAnswered(next.scope, item));
      if (waiting.length === 0) return;
      this.#fail('a scope with work is never idle', `${next.scope} went idle with ${waiting.length} pending`);
    }
  }

  #onCounted(old: ScopeItem | undefined, next: ScopeItem): void {
    if (next.counted === undefined || next.counted === old?.counted) return;
    for (const passId of Object.keys(next.counted)) {
      if (old?.counted?.[passId] !== undefined) continue;
      if (this.#counted.has(passId)) this.#fail('counted once', `the outcome of ${passId} was counted twice`);
      this.#counted.add(passId);
      const { settledSources } = this.#evidence.watched(passId);
      if (settledSources > 0 && (next.failures ?? 0) > (old?.failures ?? 0)) {
        this.#fail('progress is no failure', `${passId} settled ${settledSources} sources and counts as a failure`);
      }
    }
  }

  onTriggerSent(actor: Actor, message: TriggerMessage): void {
    const { role, passId = '', label } = actor;
    if (role === 'trigger') this.#keys.onSent(actor, message.triggerId);
    // A worker asks for what waited until its provider was proven.
    if (message.origin !== 'continuation' || role === 'worker') return;
    if (this.#evidence.watched(passId).settledSources > 0) return;
    this.#fail(
      'no trigger without progress',
      `${label} sent ${passIdOf(message.triggerId, 0)} for ${passId}, which settled nothing`,
    );
  }
}
