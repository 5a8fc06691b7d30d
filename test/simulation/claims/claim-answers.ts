/**
 * What callers are told of what they changed, held against what their executions changed in the tables. Told at the end: a
 * schedule that breaks anything else is about that.
 */
import { holdsRegisters } from '../../../functions/core/registers.ts';
import { slugOf } from '../../../schema/entity.ts';
import type { HeadItem } from '../../../schema/head.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Item } from '../../../schema/request.ts';
import type { Actor } from '../engine/actor.ts';
import type { Deed } from './claim-deeds.ts';
import type { Change, Tables } from '../engine/tables.ts';

/** What one execution changed. */
interface Changed {
  put: number;
  withdrawn: number;
  undone: number;
  lifted: number;
  named: number;
  typed: number;
  merged: number;
  readonly heads: Set<string>;
  /** Claim slots when it began. */
  readonly slots: ReadonlySet<string>;
  /** … and those that came since, whatever was erased of them. */
  readonly everSlots: Set<string>;
  /** Entities that were known when it began. */
  readonly known: ReadonlySet<string>;
}

/** The counts of an answer; each kind of call has some of them. */
interface Answer {
  readonly changed?: boolean;
  readonly citation?: string;
  readonly lifted?: number;
  readonly withdrawn?: number;
  readonly kept?: number;
  readonly headsChanged?: number;
  readonly slots?: number;
  /** So many calls it took. */
  readonly calls?: number;
  readonly written?: number;
  readonly erased?: number;
  readonly unknown?: readonly string[];
}

const IMPORTED_LINES = 2;
const sizeOf = (map: unknown): number => Object.keys((map ?? {}) as Item).length;

export class ClaimAnswers {
  readonly #tables: Tables;
  readonly #partition: string;
  readonly #changed = new Map<Actor, Changed>();
  readonly #hasLostReplies: boolean;
  #wrong: string | undefined;

  /** Where replies are lost, who sends again may find that another changed the row since, and not know it for its own. */
  constructor(tables: Tables, partition: string, { hasLostReplies }: { readonly hasLostReplies: boolean }) {
    this.#tables = tables;
    this.#partition = partition;
    this.#hasLostReplies = hasLostReplies;
  }

  #slots(): Set<string> {
    return new Set(this.#tables.list(this.#partition, 'CLAIM#').map(({ slot }) => JSON.stringify(slot)));
  }

  #known(): Set<string> {
    return new Set(this.#tables.list(this.#partition, 'ENTITY#').map(({ slug }) => String(slug)));
  }

  begin(actor: Actor): void {
    const none = { put: 0, withdrawn: 0, undone: 0, lifted: 0, named: 0, typed: 0, merged: 0 };
    const slots = this.#slots();
    const everSlots = new Set(slots);
    this.#changed.set(actor, { ...none, heads: new Set(), slots, everSlots, known: this.#known() });
  }

  onChange({ sk, before, after }: Change, actor: Actor | undefined): void {
    if (after && !before && sk.startsWith('CLAIM#'))
      for (const { everSlots } of this.#changed.values()) everSlots.add(JSON.stringify(after.slot));
    const own = actor && this.#changed.get(actor);
    if (!own || !after) return;
    if (sk.startsWith('CLAIM#')) {
      if (!before) own.put++;
      else if (before.withdrawnAtMs === undefined && after.withdrawnAtMs !== undefined) own.withdrawn++;
      if (before && sizeOf(after.undone) > sizeOf(before.undone)) own.undone++;
      if (before && before.protectionLiftedAtMs === undefined && after.protectionLiftedAtMs !== undefined) own.lifted++;
    } else if (sk.startsWith('ENTITY#')) {
      if (before?.nameKey !== after.nameKey) own.named++;
      if (before?.typeKey !== after.typeKey) own.typed++;
    } else if (sk.startsWith('ALIAS#')) own.merged++;
    else if (sk.startsWith('HEAD#') && !holdsRegisters(before as HeadItem | undefined, after)) own.heads.add(sk);
  }

  /** An execution was answered. */
  end(actor: Actor, deed: Deed, answer: object | undefined): void {
    const own = this.#changed.get(actor);
    this.#changed.delete(actor);
    if (!own || !answer || this.#hasLostReplies) return;
    const found = this.#judge(deed, answer as Answer, own);
    if (found) this.#wrong ??= `${deed.kind}: ${found}: ${JSON.stringify(answer).slice(0, 300)}`;
  }

  #judge(deed: Deed, answer: Answer, own: Changed): string | undefined {
    const { withdrawn = 0, kept = 0, headsChanged = 0 } = answer;
    switch (deed.kind) {
      case 'undo':
        if (withdrawn > own.undone || withdrawn + kept < own.undone) return `it took ${own.undone} back`;
        break;
      case 'withdraw':
        if (withdrawn !== own.withdrawn) return `it took ${own.withdrawn} back`;
        break;
      case 'repair':
        if (!this.#isWhole(answer.slots ?? 0, own)) return 'not all slots';
        if ((answer.slots ?? 0) > (answer.calls ?? 0) * LIMITS.curatedSlotsPerCallMax)
          return 'too many slots in one call';
        break;
      case 'correct':
      case 'retract':
      case 'protect':
        if (answer.citation !== deed.citation.citationId) return `it said ${deed.citation.citationId}`;
        return answer.changed === own.put > 0 ? undefined : `it put ${own.put} rows`;
      case 'unprotect':
        return answer.lifted === own.lifted ? undefined : `it lifted ${own.lifted}`;
      case 'type':
        return answer.changed === own.typed > 0 ? undefined : `it changed ${own.typed} types`;
      case 'merge':
      case 'unmerge':
        if (answer.changed !== own.merged > 0) return `it changed ${own.merged} merges`;
        return deed.kind === 'merge' ? this.#judgeUnknown([deed.from, deed.into].map(slugOf), answer, own) : undefined;
      case 'import':
        if (answer.written !== own.put + own.named) return `it wrote ${own.put + own.named}`;
        return (answer.written ?? 0) + kept + (answer.erased ?? 0) === IMPORTED_LINES ? undefined : 'a line is lost';
    }
    return headsChanged >= own.heads.size ? undefined : `it changed ${own.heads.size} heads`;
  }

  /** Who was known when it began is known, who is not known now is not; of others either is true. */
  #judgeUnknown(slugs: readonly string[], { unknown = [] }: Answer, { known }: Changed): string | undefined {
    const now = this.#known();
    const isTrue = slugs.every((slug) => (unknown.includes(slug) ? !known.has(slug) : now.has(slug)));
    return isTrue ? undefined : `of ${slugs.join()} are known ${[...now].join()}`;
  }

  /** At least those that stood from its beginning to its end, and no more than ever stood meanwhile. */
  #isWhole(slots: number, { slots: first, everSlots }: Changed): boolean {
    return slots >= first.intersection(this.#slots()).size && slots <= everSlots.size;
  }

  check(fail: (invariant: string, found: string) => void): void {
    if (this.#wrong) fail('an answer counts what it changed', this.#wrong);
  }
}
