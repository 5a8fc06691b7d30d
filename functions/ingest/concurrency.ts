/** Many awaited at once, but not too many. */

/**
 * The results of `task` for each item, in the order of the items, with at most `most` tasks at once. After a failure no
 * further task begins; those begun are awaited, so that nothing goes on behind an answer; then the first error is thrown.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  most: number,
  task: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await task(items[index] as Item, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, run));
  if (failures.length > 0) throw failures[0];
  return results;
}
