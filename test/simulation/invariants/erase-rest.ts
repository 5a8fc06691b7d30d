/**
 * What must hold beside the rows that an erasure names: what only they made known goes with them, what others say too is
 * known all the same, nothing else is taken, and a pass that reads what goes is cancelled first.
 */
import type { CitationItem } from '../../../schema/citation.ts';
import type { ErasureItem } from '../../../schema/erasure.ts';
import { type HeadItem, REGISTERS } from '../../../schema/head.ts';
import { keyPart } from '../../../schema/ids.ts';
import type { Item } from '../../../schema/request.ts';
import type { Actor } from '../engine/actor.ts';
import { isMeant, type Meant } from './erase-rows.ts';
import { listedPasses } from './pools.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** A head or an entity goes with the last citation that made it; whether that was right is looked at in the end. */
const FOLLOWS = /^(?:HEAD|ENTITY)#/;

export class EraseRest {
  readonly #world: World;
  /** All that was ever ordered, by the key of its record and when. */
  readonly #ordered = new Map<string, Meant>();
  /** Partition and key → true time at which an entity, a head or a citation of theirs last changed. */
  readonly #touchedAtMs = new Map<string, number>();
  /** Evidence → since when it is leased by whom it is. */
  readonly #leasedAtMs = new Map<string, number>();

  /** PASS row → when it was put. One that was on its way when a run cancelled passes is met by the next. */
  readonly #putAtMs = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  onOrdered(item: ErasureItem): void {
    this.#ordered.set(`${item.pk} ${item.sk} ${item.requestedAtMs}`, item);
  }

  onChange(change: Change, actor: Actor | undefined): void {
    const { pk, sk, before, after } = change;
    const { nowMs } = this.#world.kernel;
    if (sk.startsWith('CLAIM#') && !after) {
      const { slot } = before as unknown as CitationItem;
      this.#touchedAtMs.set(`${pk} ENTITY#${keyPart(slot.entity)}`, nowMs);
      this.#touchedAtMs.set(`${pk} ${headOf(sk)}`, nowMs);
    } else if (FOLLOWS.test(sk)) this.#touchedAtMs.set(`${pk} ${sk}`, nowMs);
    else if (sk.startsWith('EVIDENCE#') && after && before?.leasePass !== after.leasePass) {
      this.#leasedAtMs.set(`${pk} ${sk}`, nowMs);
    }
    if (!before && /^PASS#[^#]+$/.test(sk)) this.#putAtMs.set(`${pk} ${sk}`, nowMs);
    if (!after && actor?.role === 'eraser') this.#onRemoved(change, before as Item, actor);
  }

  #onRemoved(change: Change, row: Item, actor: Actor): void {
    const { pk, sk } = change;
    const isEmptied = sk.startsWith('CLAIM#') && row.entityName === '';
    // A claim that was lifted gives its place to another, and a source that was lifted its tombstone.
    const isLifted = row.liftedAtMs !== undefined || row.erasedAtMs !== undefined;
    const meant = [...this.#ordered.values()].filter((item) => isMeant(item, change, row));
    if (meant.length === 0 && !isLifted && !isEmptied && !FOLLOWS.test(sk))
      this.#world.kernel.fail('no more is erased than was ordered', `${actor.label} removes ${sk} of ${pk}`);
    if (!sk.startsWith('EVIDENCE#')) return;
    if (meant.every(({ kind }) => kind === 'scope')) this.#checkGeneration(pk, actor);
    else this.#checkReader(pk, sk, row, actor);
  }

  /** Who held it when the run began, and runs, was cancelled first. */
  #checkReader(pk: string, sk: string, { leasePass }: Item, { startedAtMs, label }: Actor): void {
    if (leasePass === undefined || (this.#leasedAtMs.get(`${pk} ${sk}`) ?? 0) >= startedAtMs) return;
    const holder = leasePass as string;
    const status = this.#world.tables.peek(pk, `PASS#${holder}`)?.status;
    if (status !== 'running' && status !== 'admitted') return;
    this.#world.kernel.fail('who reads the erased is cancelled', `${label} removes ${sk}, which ${holder} reads`);
  }

  /** A look through all of a generation ended its erasure: what only the erased made known is not there any more. */
  onFinished({ kind, scope, generation }: ErasureItem, lookBeganAtMs: number): void {
    if (kind === 'scope') return;
    const { tables, kernel } = this.#world;
    const pk = `SCOPE#${scope}#${generation}`;
    const isOld = ({ sk }: Item): boolean => (this.#touchedAtMs.get(`${pk} ${String(sk)}`) ?? 0) < lookBeganAtMs;
    const isUnsaid = (of: string): boolean => tables.list(pk, `CLAIM#${of}#`).length === 0;
    for (const row of tables.list(pk, 'ENTITY#').filter(isOld)) {
      if (!isUnsaid(keyPart(String(row.slug)))) continue;
      kernel.fail('nothing of the erased is left', `${pk}: ${String(row.sk)}, of whom nobody says anything`);
    }
    for (const row of tables.list(pk, 'HEAD#').filter(isOld)) {
      if (!isStaleHead(row, tables.list(pk, `CLAIM#${String(row.sk).slice('HEAD#'.length)}#`))) continue;
      kernel.fail('nothing of the erased is left', `${pk}: ${String(row.sk)} names what is gone`);
    }
  }

  /** Of whom something is said is known. */
  lookAtTheEnd(): void {
    const { tables, kernel, plan } = this.#world;
    for (const scope of plan.scopes) {
      const pk = tables.partitionOf(scope);
      for (const row of tables.list(pk, 'CLAIM#')) {
        const { slot, entityName } = row as unknown as CitationItem;
        if (entityName === '' || tables.peek(pk, `ENTITY#${keyPart(slot.entity)}`)) continue;
        kernel.fail('who is spoken of is known', `${pk}: ${String(row.sk)} is about nobody that is known`);
      }
    }
  }

  /** A pass of a generation that goes is cancelled before anything of it does. Those listed when the run began. */
  #checkGeneration(pk: string, { startedAtMs, label }: Actor): void {
    for (const [passId, { scope, generation, admittedAtMs }] of listedPasses(this.#world)) {
      if (pk !== `SCOPE#${scope}#${generation}` || admittedAtMs >= startedAtMs - this.#world.plan.skewMaxMs) continue;
      const status = this.#world.tables.peek(pk, `PASS#${passId}`)?.status;
      const isLate = (this.#putAtMs.get(`${pk} PASS#${passId}`) ?? 0) >= startedAtMs;
      if (isLate || (status !== 'running' && status !== 'admitted')) continue;
      this.#world.kernel.fail('who reads the erased is cancelled', `${label} removes rows of ${pk} beside ${passId}`);
    }
  }
}

/** The head of the claim slot that a citation's key is of. */
const headOf = (sk: string): string => `HEAD#${sk.split('#').slice(1, -2).join('#')}`;

function isStaleHead(row: Item, citations: readonly Item[]): boolean {
  const ids = new Set(citations.map(({ citationId }) => citationId));
  const named = REGISTERS.flatMap((name) => (row as unknown as HeadItem)[name] ?? []);
  return ids.size === 0 || named.some(({ citationId }) => !ids.has(citationId));
}
