/**
 * What people were answered is erased, and did not lift since: it is gone when every erasure is finished. This begins with
 * the answer, whatever the record of the erasure says of itself.
 */
import type { ErasureBody } from '../../../functions/io/erasure-body.ts';
import { claimErasureKey, sourceErasureKey } from '../../../schema/erasure.ts';
import type { EraseInvariants } from './erase-invariants.ts';
import { countOf, isMeant, type Meant, type Place } from './erase-rows.ts';
import type { World } from '../engine/world.ts';

interface Began {
  readonly atMs: number;
  /** A scope that moves on before the call reads it loses this generation as a whole. */
  readonly generation: number;
}

interface Answered extends Began {
  readonly meant: Meant;
}

/** Key of its record; of a scope there is nothing to lift. */
function recordOf({ source, hash, ...at }: Meant): string {
  const key = source ? sourceErasureKey(at, source) : claimErasureKey(at, hash ?? '');
  return `${key.pk} ${key.sk}`;
}

export class EraseAnswers {
  readonly #world: World;
  readonly #erased: EraseInvariants;
  /** The last answer to each order. */
  readonly #answered = new Map<string, Answered>();

  constructor(world: World, erased: EraseInvariants) {
    this.#world = world;
    this.#erased = erased;
  }

  /** When an execution of a call begins. */
  begin(scope: string): Began {
    const { kernel, tables } = this.#world;
    const generation = (tables.peek(`SCOPE#${scope}`, 'SCOPE')?.generation as number | undefined) ?? 1;
    return { atMs: kernel.nowMs, generation };
  }

  onAnswered(scope: string, { atMs, generation }: Began, erasures: readonly ErasureBody[]): void {
    for (const body of erasures) {
      const { kind, source, hash } = body;
      const meant: Meant = {
        kind,
        scope,
        generation: body.generation ?? generation,
        source: source as Meant['source'],
        hash,
      };
      this.#answered.set(recordOf(meant), { atMs, generation, meant });
    }
  }

  #standing(): Meant[] {
    return [...this.#answered].flatMap(([record, { meant, atMs }]) => {
      const liftedAtMs = this.#erased.liftedAtMs.get(record) ?? Number.NEGATIVE_INFINITY;
      return liftedAtMs >= atMs ? [] : [meant];
    });
  }

  /** When every erasure is finished: no text, evidence or citation of a source or scope, no citation of a claim. */
  check(): void {
    const standing = this.#standing();
    for (const table of standing.length > 0 ? (['control', 'text'] as const) : []) {
      for (const row of this.#world.tables.items(table)) {
        const place: Place = { table, pk: row.pk as string, sk: row.sk as string };
        if (countOf(place, 'source') === 'others') continue;
        const meant = standing.find((it) => isMeant(it, place, row));
        if (!meant) continue;
        const found = `${meant.scope} ${meant.generation}: ${place.sk} of a ${meant.kind}`;
        return this.#world.kernel.fail('answered as erased is gone', found);
      }
    }
  }
}
