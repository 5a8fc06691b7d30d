/** Reads parts of texts by their keys: as many batches as they need, in the caller's bound. */
import { LIMITS } from '../../schema/limits.ts';
import type { Key } from '../../schema/request.ts';
import { batchGetText, textItemSchema } from '../../schema/text.ts';
import type { Store } from '../io/ports.ts';
import { decompressText } from '../io/text.ts';

export class TextParts {
  readonly #bodies = new Map<string, string>();

  put({ pk, sk }: Key, text: string): void {
    this.#bodies.set(`${pk} ${sk}`, text);
  }

  /** The parts joined; undefined when one of them is missing. */
  join(keys: readonly Key[]): string | undefined {
    const texts = keys.map(({ pk, sk }) => this.#bodies.get(`${pk} ${sk}`));
    return texts.includes(undefined) ? undefined : texts.join('');
  }
}

export async function readTextParts(store: Pick<Store, 'batchGet'>, keys: readonly Key[]): Promise<TextParts> {
  const parts = new TextParts();
  for (let from = 0; from < keys.length; from += LIMITS.batchGetKeysMax) {
    for (const stored of await store.batchGet(batchGetText(keys.slice(from, from + LIMITS.batchGetKeysMax)))) {
      const { pk, sk, body } = textItemSchema.parse(stored);
      parts.put({ pk, sk }, decompressText(body));
    }
  }
  return parts;
}
