/** One thing that happened, as it is sent; `id` grows by one from entry to entry. */
export type FeedEntry = {
  readonly id: number;
  /** An object with `id`, `at` (ISO 8601, on the service's clock), `type`, and what the type brings. */
  readonly json: string;
};

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

/** What is remembered for those who come back. */
export const FEED_BACKLOG = { entries: 2_000, characters: 16 * 1024 * 1024 };

/**
 * @param firstId Ids start here. A time in milliseconds is good: a run that follows another starts above the other's
 *   ids, so that whoever comes back to it learns that something was missed.
 */
export const createFeed = (firstId: number, backlog: typeof FEED_BACKLOG = FEED_BACKLOG): Feed => {
  const listeners = new Set<FeedListener>();
  // A set keeps the order of its entries, and gives up its first in no time.
  const entries = new Set<FeedEntry>();
  let characters = 0;
  let nextId = firstId;
  return {
    tell: (type, at, what = {}) => {
      const id = nextId++;
      const entry: FeedEntry = { id, json: JSON.stringify({ ...what, id, at: at.toISOString(), type }) };
      entries.add(entry);
      characters += entry.json.length;
      for (const oldest of entries) {
        if (entries.size <= backlog.entries && characters <= backlog.characters) break;
        entries.delete(oldest);
        characters -= oldest.json.length;
      }
      for (const listener of listeners) listener(entry);
    },
    after: (id) => {
      const isKnown = id >= nextId - entries.size - 1 && id < nextId;
      return isKnown ? [...entries].filter((entry) => entry.id > id) : undefined;
    },
    lastId: () => nextId - 1,
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
