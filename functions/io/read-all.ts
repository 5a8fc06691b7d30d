/** Bounded reads that span several pages of one Query. */
import type { Item, Query } from '../../schema/request.ts';
import type { Store } from './ports.ts';

/** All rows of a paged query, at most `pagesMax` pages; more is an error that says so, never a silent cut. */
export async function readAll(
  store: Pick<Store, 'query'>,
  pageOf: (startKey: Item | undefined) => Query,
  pagesMax: number,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let startKey: Item | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const answer = await store.query(pageOf(startKey));
    items.push(...answer.items);
    if (answer.lastKey === undefined) return items;
    startKey = answer.lastKey;
  }
  throw new Error(
    `a read went on after ${pagesMax} pages: ${JSON.stringify(pageOf(undefined).input.ExpressionAttributeValues)}`,
  );
}
