/**
 * What ingest answers of each source, held against what stood while its execution ran: what it says is new it has put, what
 * it says stands stood, as complete as it was sent, and what is older was. Then nothing of what was replaced waits any more.
 */
import { isInQueue } from '../../../functions/core/standing.ts';
import type { IngestResult } from '../../../functions/ingest/answer.ts';
import { type EvidenceItem, parseEvidence } from '../../../schema/evidence.ts';
import { sourceKeyOf, type SourceRef } from '../../../schema/ids.ts';
import { tierOf, timeOfQueueKey } from '../../../schema/queue.ts';
import type { SourceItem } from '../../../schema/source.ts';
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const UNTRUE = 'an answer tells what stands';

/** Of what is not finished. */
const WAITING_TIER = 3;

/** By the clock of who was told that it is finished: what has waited to its end needs nobody. */
function stillWaits({ homeKey }: EvidenceItem, { clock }: Actor): boolean {
  return tierOf(homeKey) === WAITING_TIER && timeOfQueueKey(homeKey) > clock.nowMs();
}

/** What stood as the newest of a source, from some time on. */
interface Stood {
  readonly pk: string;
  readonly row: SourceItem;
  readonly fromMs: number;
  /** Whether there was another before it, in its generation. */
  readonly isFirst: boolean;
  /** Who put it; undefined where it was completed only. */
  readonly by: Actor | undefined;
}

export class IntakeAnswers {
  readonly #world: World;
  /** Scope, kind and id → all that ever stood, in time. */
  readonly #stood = new Map<string, Stood[]>();

  constructor(world: World) {
    this.#world = world;
  }

  onChange({ pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (!sk.startsWith('SOURCE#') || !after || after.erasedAtMs !== undefined) return;
    const row = after as unknown as SourceItem;
    const key = `${pk.split('#')[1]} ${row.kind} ${row.id}`;
    const by = before?.revision === row.revision ? undefined : actor;
    const stood: Stood = { pk, row, fromMs: this.#world.kernel.nowMs, isFirst: before === undefined, by };
    const known = this.#stood.get(key);
    if (known) known.push(stood);
    else this.#stood.set(key, [stood]);
  }

  /** A call was answered; `isCompleted` tells how each of its sources was sent. */
  onAnswered(actor: Actor, scope: string, results: readonly IngestResult[], isCompleted: readonly boolean[]): void {
    for (const [k, result] of results.entries()) {
      if (result.outcome === 'refused') continue;
      const all = this.#stood.get(`${scope} ${result.kind} ${result.id}`) ?? [];
      const current = this.#world.tables.partitionOf(scope);
      const wrong = this.#judge(actor, result, { all, isCompleted: isCompleted[k] === true });
      if (wrong) this.#world.kernel.fail(UNTRUE, `${actor.label} ${result.id} ${result.outcome}: ${wrong}`);
      this.#checkQueue(actor, result, {
        last: all.findLast(({ pk }) => pk === current),
        isCompleted: isCompleted[k] === true,
      });
    }
    this.#checkGeneration(actor, scope, results);
  }

  /** Where a scope was erased while a call ran: all that it tells was so before that, or all after. */
  #checkGeneration(actor: Actor, scope: string, results: readonly IngestResult[]): void {
    const told = results
      .filter(({ outcome }) => outcome !== 'refused')
      .map((result) => ({ result, all: this.#stood.get(`${scope} ${result.kind} ${result.id}`) ?? [] }));
    const generations = new Set(told.flatMap(({ all }) => all.map(({ pk }) => pk)));
    if (generations.size < 2) return;
    const isTrueIn = (generation: string): boolean =>
      told.every(({ result, all }) => {
        const own = all.filter(({ pk }) => pk === generation);
        return this.#judge(actor, result, { all: own, isCompleted: false }) === undefined;
      });
    if ([...generations].some(isTrueIn)) return;
    const found = told.map(({ result: { id, outcome } }) => `${id} ${outcome}`).join(', ');
    this.#world.kernel.fail('an answer is of one generation', `${actor.label} was answered ${found}`);
  }

  #judge(
    actor: Actor,
    { outcome, revision, capturedAt }: IngestResult,
    { all, isCompleted }: { readonly all: readonly Stood[]; readonly isCompleted: boolean },
  ): string | undefined {
    // What stood when it began, and all that came to stand since; in each generation by itself.
    const within = all.filter(({ pk }, k) => {
      const next = all.slice(k + 1).find((later) => later.pk === pk);
      return next === undefined || next.fromMs >= actor.startedAtMs;
    });
    if (outcome === 'older') {
      const atMs = Date.parse(capturedAt ?? '');
      const isOlder = within.some(
        ({ row }) => row.revision !== revision && (row.statedAtMs ?? row.capturedAtMs) >= atMs,
      );
      return isOlder ? undefined : 'nothing newer stood';
    }
    const own = within.filter(({ row }) => row.revision === revision);
    if (own.length === 0) return 'it never stood';
    if (!own.some(({ row }) => new Date(row.capturedAtMs).toISOString() === capturedAt))
      return `captured ${capturedAt}, and stands otherwise`;
    if (outcome === 'unchanged') {
      const isWhole = !isCompleted || own.some(({ row }) => row.completed);
      return isWhole ? undefined : 'it was completed, and stands unfinished';
    }
    // Twice where what it put was erased, and no reply had told it: of the second time it tells then.
    const puts = own.filter(({ by }) => by === actor);
    const [put] = puts;
    if (!put) return 'it put nothing';
    const isTrue = puts.some(({ isFirst }) => isFirst === (outcome === 'created'));
    return isTrue ? undefined : `it was put ${put.isFirst ? 'first' : 'over another'}`;
  }

  #evidenceOf(pk: string, ref: SourceRef): EvidenceItem | undefined {
    return parseEvidence(this.#world.tables.peek(pk, `EVIDENCE#incremental#${sourceKeyOf(ref)}`));
  }

  /**
   * What is older, or was replaced, waits no more, and what was completed waits for nothing. Of the last two unless others
   * send just then: they may have put it, and be about to take it out.
   */
  #checkQueue(
    actor: Actor,
    { outcome, revision = '' }: IngestResult,
    { last, isCompleted }: { readonly last: Stood | undefined; readonly isCompleted: boolean },
  ): void {
    if (!last) return;
    const { kind, id, replaces, retryAtMs, crashes } = last.row;
    const waits = (of: string | undefined): EvidenceItem | undefined => {
      const evidence = of === undefined ? undefined : this.#evidenceOf(last.pk, { kind, id, revision: of });
      return isInQueue(evidence) && evidence.leasePass === undefined ? evidence : undefined;
    };
    const isAlone = ![...this.#world.running].some((other) => other !== actor && other.role === 'ingest');
    const fail = (found: string) =>
      this.#world.kernel.fail('what was replaced leaves the queue', `${actor.label}: ${found}`);
    if (outcome === 'older') {
      const older = waits(revision);
      // A call that failed since may have put it back, and is sent again.
      const isBack = older?.putBackAtMs !== undefined;
      if (isAlone && older && !isBack && last.row.revision !== revision) fail(`${id} ${revision} is older, and waits`);
      return;
    }
    if (last.row.revision !== revision) return;
    const isOwn = last.by === actor || last.fromMs < actor.startedAtMs;
    const replaced = waits(replaces);
    // Another call may be putting it back just then, as what its source says from now on.
    const mayComeBack = !isAlone && replaced?.putBackAtMs !== undefined;
    if (isOwn && replaced && !mayComeBack) fail(`${id} ${replaces} was replaced, and waits`);
    const own = waits(revision);
    const hasWaited = retryAtMs !== undefined || Object.keys(crashes ?? {}).length > 0;
    // What went back while it was held waits for the end of that lease, and what passes got nowhere with for its turn.
    const waitsRightly = own && (own.putBackAtMs !== undefined || own.stalls + own.attempts + own.crashesAlone > 0);
    if (!own || waitsRightly || !isCompleted || !isAlone || hasWaited || !stillWaits(own, actor)) return;
    this.#world.kernel.fail(UNTRUE, `${actor.label} ${id}: it is completed, and waits for its end`);
  }
}
