/**
 * How many changes of the table are handled concurrently. One may read 4 MB of messages at a time, which take several
 * times as much memory.
 */
export const CHANGE_CONCURRENCY = 5;

/** Like `Promise.all`, but also waits for the others if one rejects, so that nothing runs on after the invocation. */
export const allOrFirstError = async <Result>(running: readonly Promise<Result>[]): Promise<readonly Result[]> => {
  await Promise.allSettled(running);
  return Promise.all(running);
};

/** Runs `act` on every item, at most `concurrency` at once. Rejects like {@link allOrFirstError}. */
export const forEachConcurrently = async <Item>(
  concurrency: number,
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  const [first] = items;
  // Most requests have one event, for which the rest would only cost time.
  if (first !== undefined && items.length === 1) return act(first);
  const pending = items.values();
  const work = async () => {
    for (const item of pending) await act(item);
  };
  await allOrFirstError(Array.from({ length: Math.min(concurrency, items.length) }, work));
};

/** Like {@link forEachConcurrently}. Returns the results in the order of the items. */
export const mapConcurrently = async <Item, Result>(
  concurrency: number,
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  await forEachConcurrently(concurrency, [...items.entries()], async ([index, item]) => {
    results[index] = await act(item);
  });
  return results;
};
