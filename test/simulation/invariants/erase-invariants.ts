/**
 * What must hold of what is erased, and of what is forgotten; looked at after every write while something is, and once
 * more at the end.
 *
 * A write of a process that stood still, or that was on its way, may bring back what was erased: the shipped code promises
 * that its last look comes later than that (`erasureLookLastMs`, with its relation in `limit-relations.ts`). So nothing is
 * excused here: what comes back before the erasure is finished has to be gone when it is, and nothing comes back after.
 */
import { forgottenHashOf } from '../../../functions/core/forgetting.ts';
import type { ErasureBody } from '../../../functions/io/erasure-body.ts';
import type { Citation, CitationItem } from '../../../schema/citation.ts';
import type { ErasureItem } from '../../../schema/erasure.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PassItem } from '../../../schema/pass.ts';
import type { Item } from '../../../schema/request.ts';
import type { Actor } from '../engine/actor.ts';
import { judgeMove, judgeRecord } from './erase-record.ts';
import { EraseRest } from './erase-rest.ts';
import { countOf, isMeant, type Ordered, type Place } from './erase-rows.ts';
import { listedPasses } from './pools.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const isStanding = ({ item }: Ordered): boolean => item.liftedAtMs === undefined;

export class EraseInvariants {
  readonly #world: World;
  readonly #rest: EraseRest;
  /** By key of the record. */
  readonly #ordered = new Map<string, Ordered>();
  /** Scope → true time at which it moved on to the generation it stands in. */
  readonly movedAtMs = new Map<string, number>();
  /** Partition and source id → since when, in true time, a lifted source may come in again. */
  readonly readmitted = new Map<string, { readonly fromMs: number; toMs: number }>();
  /** Key of a record → true time at which it was last lifted. */
  readonly liftedAtMs = new Map<string, number>();
  /** PASS rows that an eraser removed, and whether they were finalized by then. */
  readonly #erasedPasses = new Map<string, boolean>();

  /** Citations that workers wrote and were not answered yet. */
  readonly #said: (Place & { readonly label: string; readonly atMs: number })[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#rest = new EraseRest(world);
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  #all(): Ordered[] {
    return [...this.#ordered.values()];
  }

  onChange(change: Change, actor: Actor | undefined): void {
    const { sk, after, before } = change;
    if (sk === 'SCOPE') return this.#onScope(change);
    if (sk.startsWith('ERASURE#')) this.#onRecord(change);
    this.#rest.onChange(change, actor);
    if (after === undefined) return this.#onRemoved(change, before as Item, actor);
    if (!before && this.#erasedPasses.get(`${change.pk} ${sk}`)) {
      this.#fail('I7 one end', `${sk} was finalized, went with its generation, and begins anew`);
    }
    if (sk.startsWith('CLAIM#') && actor?.role === 'worker') {
      this.#said.push({ table: 'control', pk: change.pk, sk, label: actor.label, atMs: this.#world.kernel.nowMs });
    }
    for (const ordered of this.#ordered.values()) {
      if (ordered.item.finishedAtMs !== undefined && isStanding(ordered)) this.#mustNotBe(ordered, change, after);
    }
  }

  #mustNotBe(ordered: Ordered, place: Place, row: Item): void {
    if (!isMeant(ordered.item, place, row)) return;
    const { kind, scope, generation } = ordered.item;
    this.#fail('erased stays erased', `${scope} ${generation}: ${place.sk} of a ${kind} whose erasure is finished`);
  }

  #onScope({ before, after }: Change): void {
    const [old, next] = [before?.generation, after?.generation];
    if (!before || !after || old === undefined || old === next) return;
    const wrong = judgeMove(before, after);
    if (wrong) this.#fail('a generation begins anew', `${String(after.scope)}: ${wrong}`);
    this.movedAtMs.set(after.scope as string, this.#world.kernel.nowMs);
  }

  #onRecord({ pk, sk, before, after }: Change): void {
    const key = `${pk} ${sk}`;
    if (!after) return void this.#ordered.delete(key);
    const item = after as unknown as ErasureItem;
    const known = this.#ordered.get(key);
    const wrong = judgeRecord(before, after);
    if (wrong) this.#fail('a record tells how far it is', `${key} ${wrong}`);
    this.#rest.onOrdered(item);
    // Ordered anew after it was lifted, the record begins anew.
    if (!known || known.item.requestedAtMs !== item.requestedAtMs) {
      const removed = { citations: 0, textRows: 0, evidence: 0, others: 0 };
      const none = {
        again: { ...removed },
        took: new Set<string>(),
        lastRemovedAtMs: 0,
        lastRemovedBy: undefined,
        removedBeforeMs: 0,
        isTroubled: false,
        isShared: false,
        quietMs: Number.POSITIVE_INFINITY,
        answeredAtMs: undefined,
        lookBeganAtMs: this.#world.kernel.nowMs,
      };
      this.#ordered.set(key, { item, pk, orderedAtMs: this.#world.kernel.nowMs, removed, ...none });
      return;
    }
    if (known.item.lookBeganAtMs !== item.lookBeganAtMs) known.lookBeganAtMs = this.#world.kernel.nowMs;
    known.item = item;
    if (before?.finishedAtMs === undefined && item.finishedAtMs !== undefined) this.#onFinished(known);
    if (before?.liftedAtMs !== undefined || item.liftedAtMs === undefined) return;
    const fromMs = this.#world.kernel.nowMs;
    this.liftedAtMs.set(key, fromMs);
    if (item.source) {
      this.readmitted.set(`${pk} ${item.source.id}`, { fromMs, toMs: Number.POSITIVE_INFINITY });
    }
  }

  /** Nothing is left, and it told what it removed. */
  #onFinished(ordered: Ordered): void {
    const { item, removed, again, lastRemovedAtMs, isTroubled, isShared } = ordered;
    ordered.quietMs = item.lookBeganAtMs - lastRemovedAtMs;
    for (const name of ['citations', 'textRows', 'evidence', 'others'] as const) {
      const told = item.removed[name];
      // What others mean too may be taken by theirs; heads and entities follow from what goes.
      const isTooMuch =
        told > removed[name] + again[name] && name !== 'others' && this.#ordered.size === 1 && !isShared;
      if (isTroubled || (told >= removed[name] && !isTooMuch)) continue;
      this.#fail('an erasure ends', `it removed ${removed[name]} ${name} and tells ${told}`);
    }
    for (const table of ['control', 'text'] as const) this.#lookFor(ordered, table);
    this.#rest.onFinished(item, ordered.lookBeganAtMs);
  }

  #onRemoved(change: Change, row: Item, actor: Actor | undefined): void {
    if (actor?.role !== 'eraser') return;
    const { pk, sk } = change;
    if (/^PASS#[^#]+$/.test(sk)) this.#onPassRemoved(change, row as unknown as PassItem, actor);
    const source = row.erasedAtMs === undefined ? undefined : this.readmitted.get(`${pk} ${String(row.id)}`);
    if (source) source.toMs = this.#world.kernel.nowMs;
    const named = this.#all().filter((ordered) => isMeant(ordered.item, change, row));
    // What follows from the erased is of the only one there is. A head that goes is not known for its own where replies are lost.
    const isOne = this.#ordered.size === 1;
    const isUntold = sk.startsWith('HEAD#') ? this.#world.plan.faults.lostReply : sk.startsWith('ENTITY#') && !isOne;
    const isOnly = isOne && !isUntold;
    // A row that its writer emptied says no more what it is of.
    const isEmptied = sk.startsWith('CLAIM#') && row.entityName === '';
    const meant = isOnly && (isEmptied || /^(?:HEAD|ENTITY)#/.test(sk)) ? this.#all() : named;
    const [only] = meant;
    // Of a row that two erasures mean it is not known whose run took it.
    for (const ordered of meant.length > 1 ? meant : []) ordered.isShared = true;
    if (!only || meant.length > 1) return;
    // A head is of a claim slot, which the erasures of two values share: whoever empties it last takes it.
    if (sk.startsWith('HEAD#') && this.#all().length > 1) return;
    if (only.lastRemovedBy !== actor) only.removedBeforeMs = only.lastRemovedAtMs;
    only.lastRemovedBy = actor;
    only.lastRemovedAtMs = this.#world.kernel.nowMs;
    if (isUntold) return;
    const taken = `${actor.label} ${pk} ${sk}`;
    // One that came back meanwhile: by a look that goes on, or by the same removal sent again, which counts once.
    (only.took.has(taken) ? only.again : only.removed)[countOf(change, only.item.kind)]++;
    only.took.add(taken);
  }

  /** The sweep takes a listed pass without a row for one that never began. A run asks for the ledger when it has begun. */
  #onPassRemoved({ pk, sk }: Change, { scope, passId, finalizedAtMs }: PassItem, { startedAtMs, label }: Actor): void {
    this.#erasedPasses.set(`${pk} ${sk}`, finalizedAtMs !== undefined);
    const listed = listedPasses(this.#world).find(([id]) => id === passId)?.[1];
    if (!listed || listed.admittedAtMs >= startedAtMs - this.#world.plan.skewMaxMs) return;
    this.#fail('a listed pass keeps its row', `${label} removes ${sk} of ${scope}, which the ledger lists`);
  }

  /** A run of an eraser died, failed or lost its record to another: of this scope, or of whichever. */
  onTrouble(scope: string | undefined): void {
    for (const ordered of this.#ordered.values()) {
      if (scope === undefined || ordered.item.scope === scope) ordered.isTroubled = true;
    }
  }

  /** It stood still, and another went on with its record: what it took since no look tells of, nor waits for. */
  onLostRecord(actor: Actor): void {
    for (const ordered of this.#ordered.values())
      if (ordered.lastRemovedBy === actor) ordered.lastRemovedAtMs = ordered.removedBeforeMs;
  }

  onAnswered(scope: string, { kind, source, requestedAt }: ErasureBody): void {
    for (const ordered of this.#ordered.values()) {
      const { item } = ordered;
      const isIt = item.scope === scope && item.kind === kind && item.source?.id === source?.id;
      if (isIt && item.requestedAtMs === Date.parse(requestedAt)) ordered.answeredAtMs ??= this.#world.kernel.nowMs;
    }
  }

  /** An ingest call was answered that a source is taken: it may not be one whose erase was answered before it began. */
  onTaken(scope: string, id: string, beganAtMs: number): void {
    const pk = this.#world.tables.partitionOf(scope);
    for (const ordered of this.#ordered.values()) {
      const { item, answeredAtMs = Number.POSITIVE_INFINITY } = ordered;
      if (ordered.pk !== pk || item.source?.id !== id || !isStanding(ordered) || answeredAtMs >= beganAtMs) continue;
      this.#fail('erased is refused', `${scope}: ${id} is taken in by a call that began after its erase was answered`);
    }
  }

  /** What an eraser may remove, and a writer empty: rows of something whose erasure was ordered. */
  allows(change: Change, actor: Actor | undefined): boolean {
    const { before, after } = change;
    if (!before) return false;
    if (!after && actor?.role !== 'eraser') return false;
    if (after && after.withdrawnFor !== 'forgotten') return false;
    const isEmptied = change.sk.startsWith('CLAIM#') && before.entityName === '';
    return this.#all().some(
      (ordered) => isMeant(ordered.item, change, before) || (isEmptied && ordered.item.kind === 'claim'),
    );
  }

  /** Whether this generation of a scope is ordered to go. */
  isErased(pk: string): boolean {
    return this.#all().some(({ item }) => item.kind === 'scope' && pk === `SCOPE#${item.scope}#${item.generation}`);
  }

  /** Whether a source is erased, or was: what was read of it before may be on its way. */
  isErasedSource(pk: string, id: string): boolean {
    return this.isErased(pk) || this.#all().some((ordered) => ordered.pk === pk && ordered.item.source?.id === id);
  }

  /** A PASS row that is not there because it went with its generation, after it was finalized: nothing is owed by it. */
  wentFinalized(pk: string, passId: string): boolean {
    return this.#erasedPasses.get(`${pk} PASS#${passId}`) === true;
  }

  /** The erasure of a source that stands in the scope's generation. */
  isOut(scope: string, id: string): boolean {
    const pk = this.#world.tables.partitionOf(scope);
    return this.#all().some((it) => it.pk === pk && it.item.source?.id === id && isStanding(it));
  }

  /** Whether a claim is forgotten in the scope's generation; `lifted`: it was. */
  fateOfClaim(scope: string, { slot, value }: Pick<Citation, 'slot' | 'value'>): 'out' | 'lifted' | undefined {
    const pk = this.#world.tables.partitionOf(scope);
    const hash = forgottenHashOf({ slot, value });
    const own = this.#all().find((it) => it.pk === pk && it.item.hash === hash);
    return own && (isStanding(own) ? 'out' : 'lifted');
  }

  /** A worker was answered: of what it wrote after it was forgotten, nothing may stand as it wrote it. */
  onReviewed({ label, passId = '' }: Actor): void {
    for (const said of this.#said.splice(0)) {
      if (said.label !== label) {
        this.#said.push(said);
        continue;
      }
      const row = this.#world.tables.peek(said.pk, said.sk) as CitationItem | undefined;
      if (row?.passes[passId] === undefined) continue;
      const isLeft = this.#all().some(
        (it) => it.orderedAtMs < said.atMs && isStanding(it) && it.item.kind === 'claim' && isMeant(it.item, said, row),
      );
      if (isLeft) this.#fail('forgotten is taken out', `${passId} was answered, and left ${said.sk} standing`);
    }
  }

  unfinished(): string[] {
    return this.#all().flatMap(({ item }) =>
      item.finishedAtMs === undefined ? [`the erasure of a ${item.kind} in ${item.scope} is not finished`] : [],
    );
  }

  #lookFor(ordered: Ordered, table: 'control' | 'text'): void {
    for (const row of this.#world.tables.items(table)) {
      this.#mustNotBe(ordered, { table, pk: row.pk as string, sk: row.sk as string }, row);
    }
  }

  /**
   * Once more at the end, whatever writes were watched. Then, too, whether each waited as long as it promises, by two clocks
   * that may differ: what its haste brings back shows first.
   */
  lookAtTheEnd(): void {
    this.#rest.lookAtTheEnd();
    for (const ordered of this.#ordered.values()) {
      const { item, quietMs } = ordered;
      if (quietMs < LIMITS.erasureLookLastMs - 2 * this.#world.plan.skewMaxMs) {
        const found = `the erasure of a ${item.kind} ended ${quietMs} ms after it had removed a row`;
        this.#fail('an erasure waits for late writers', found);
      }
      if (ordered.item.finishedAtMs === undefined || !isStanding(ordered)) continue;
      for (const table of ['control', 'text'] as const) this.#lookFor(ordered, table);
    }
  }
}
