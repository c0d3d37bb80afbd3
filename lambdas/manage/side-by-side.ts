/** Does something with every item, at most `width` at once; rejects with the first failure once all that began has ended. */
export const sideBySide = async <Item>(
  width: number,
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) await act(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, work));
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
};
