/** One thing that happened; `id` grows by one from entry to entry. */
export type FeedEntry = { readonly id: number; readonly at: string; readonly type: string } & Readonly<
  Record<string, unknown>
>;

export type FeedListener = (entry: FeedEntry) => void;

/** What happened in the service, told to whoever listens, with a bounded memory for those who come back. */
export type Feed = {
  tell(type: string, at: Date, what?: Readonly<Record<string, unknown>>): void;
  /** What came after the entry `id`; undefined when some of it is forgotten or `id` is of another run. */
  after(id: number): readonly FeedEntry[] | undefined;
  /** The id of the latest entry. */
  lastId(): number;
  /** Calls `listener` with each entry from now on, until the returned function is called. */
  listen(listener: FeedListener): () => void;
};

/** How many entries are remembered for those who come back. */
export const FEED_BACKLOG = 2_000;

/**
 * @param firstId Ids start here. A time in milliseconds is good: a run that follows another starts above the other's
 *   ids, so that whoever comes back to it learns that something was missed.
 */
export const createFeed = (firstId: number, backlog: number = FEED_BACKLOG): Feed => {
  const listeners = new Set<FeedListener>();
  let entries: FeedEntry[] = [];
  let nextId = firstId;
  return {
    tell: (type, at, what = {}) => {
      const entry: FeedEntry = { ...what, id: nextId++, at: at.toISOString(), type };
      entries.push(entry);
      // Twice the backlog at most, so that shortening costs next to nothing per entry.
      if (entries.length > 2 * backlog) entries = entries.slice(-backlog);
      for (const listener of listeners) listener(entry);
    },
    after: (id) => {
      const oldest = nextId - Math.min(entries.length, backlog);
      if (!(id >= oldest - 1 && id < nextId)) return undefined;
      return id === nextId - 1 ? [] : entries.slice(id + 1 - nextId);
    },
    lastId: () => nextId - 1,
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
