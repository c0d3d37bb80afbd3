/**
 * Runs `act` on every item, at most `concurrency` at once. Rejects with the first failure after all calls have ended.
 */
export const forEachConcurrently = async <Item>(
  concurrency: number,
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  const pending = items.values();
  const work = async () => {
    for (const item of pending) await act(item);
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, work));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
};
