/** What must hold of passes that a person was answered were undone: nothing stands by them alone, from then on. */
import type { CitationItem } from '../../../schema/citation.ts';
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const INVARIANT = 'undone stays undone';
/** What a pass says of claims. */
const SAID = /^(?:CLAIM|HEAD)#/;

export class UndoInvariants {
  readonly #world: World;
  /** Passes whose undoing was ever asked for. */
  readonly #asked = new Set<string>();
  /** Passes of which it was answered that they are undone, and not that it has to be sent again. */
  readonly #undone = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  onAsked(passId: string): void {
    this.#asked.add(passId);
  }

  onUndone(scope: string, passId: string): void {
    this.#undone.add(passId);
    for (const row of this.#rowsOf(scope)) this.#check(row);
  }

  /** After every write. */
  onChange({ table, sk, after }: Change, actor: Actor | undefined): void {
    if (table !== 'control' || !SAID.test(sk)) return;
    if (actor?.role === 'worker' && actor.passId !== undefined && this.#undone.has(actor.passId))
      this.#world.kernel.fail(INVARIANT, `${actor.passId} is undone, and writes ${sk}`);
    if (after && sk.startsWith('CLAIM#')) this.#check(after as unknown as CitationItem);
  }

  /** Nobody's word stands by what it says: each pass that said it was undone. */
  isTakenBack(passes: Readonly<Record<string, number>>): boolean {
    const made = Object.keys(passes);
    return made.length > 0 && made.every((passId) => this.#undone.has(passId));
  }

  /** When all is over: a row marks just the passes that were undone. */
  checkEnd(): void {
    for (const scope of this.#world.plan.scopes) {
      for (const row of this.#rowsOf(scope)) {
        this.#check(row);
        const other = Object.keys(row.undone).find((passId) => !this.#undone.has(passId));
        if (other !== undefined) this.#world.kernel.fail(INVARIANT, `${row.citationId} marks ${other}, which stands`);
      }
    }
  }

  #rowsOf(scope: string): CitationItem[] {
    const { tables } = this.#world;
    return tables.list(tables.partitionOf(scope), 'CLAIM#') as unknown as CitationItem[];
  }

  #check({ citationId, passes, undone }: CitationItem): void {
    for (const passId of Object.keys(passes)) {
      if (this.#undone.has(passId) && undone[passId] === undefined)
        this.#world.kernel.fail(INVARIANT, `${citationId} stands by ${passId}, which was undone`);
    }
    for (const passId of Object.keys(undone)) {
      if (!this.#asked.has(passId)) this.#world.kernel.fail(INVARIANT, `${citationId}: nobody undid ${passId}`);
    }
  }
}
