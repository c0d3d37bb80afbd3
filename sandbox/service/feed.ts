import type { StateChange } from './state.ts';
import { accountView, messageView, ruleView, templateView, userView } from './views.ts';

/** One thing that happened; `id` grows by one from entry to entry. */
export interface FeedEntry {
  readonly id: number;
  /** An object with `id`, `at` (ISO 8601, on the service's clock), `type`, and the fields of that type. */
  readonly json: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** An entry of an earlier run, derived from what is stored. */
export interface EarlierEntry {
  readonly type: string;
  readonly at: Date;
  fields(): Fields;
}

/** What happens in the service, with a bounded backlog for readers that reconnect. */
export interface Feed {
  publish(type: string, at: Date, fields?: Fields): void;
  /** Publishes an entry of type `reset`; no earlier entry is among the latest from then on. */
  reset(at: Date): void;
  /** Returns the entries after the one with this id; undefined if some are dropped or `id` is from another run. */
  after(id: number): readonly FeedEntry[] | undefined;
  /** Returns at most `limit` entries since the last reset, latest first, including those of an earlier run. */
  latest(limit: number): readonly FeedEntry[];
  /** Returns the id of the latest entry. */
  lastId(): number;
  /** Calls `listener` with each new entry until the returned function is called. */
  subscribe(listener: (entry: FeedEntry) => void): () => void;
}

/** How much of the feed is kept for readers that reconnect. */
const BACKLOG = { entries: 2_000, characters: 16 * 1024 * 1024 };

/**
 * Creates a feed.
 *
 * @param firstId the first entry's id. Use a time in milliseconds: each run then starts above the ids of earlier runs,
 *   so a reader that reconnects learns that it missed something.
 * @param earlier the entries of an earlier run, oldest first; only {@link Feed.latest} returns them
 */
export const createFeed = (
  firstId: number,
  backlog: typeof BACKLOG = BACKLOG,
  earlier: readonly EarlierEntry[] = [],
): Feed => {
  const listeners = new Set<(entry: FeedEntry) => void>();
  // A set keeps insertion order and removes its first entry in constant time.
  const entries = new Set<FeedEntry>();
  let characters = 0;
  let nextId = firstId - earlier.length;
  let resetId = nextId;

  const publish: Feed['publish'] = (type, at, fields = {}) => {
    const id = nextId++;
    const entry: FeedEntry = { id, json: JSON.stringify({ ...fields, id, at: at.toISOString(), type }) };
    entries.add(entry);
    characters += entry.json.length;
    for (const oldest of entries) {
      if (entries.size <= backlog.entries && characters <= backlog.characters) break;
      entries.delete(oldest);
      characters -= oldest.json.length;
    }
    for (const listener of listeners) listener(entry);
  };

  for (const entry of earlier) publish(entry.type, entry.at, entry.fields());
  return {
    publish,
    reset: (at) => {
      resetId = nextId;
      publish('reset', at);
    },
    after: (id) => {
      const isKnown = id >= Math.max(nextId - entries.size, firstId) - 1 && id < nextId;
      return isKnown ? [...entries].filter((entry) => entry.id > id) : undefined;
    },
    latest: (limit) =>
      [...entries]
        .slice(-limit)
        .filter(({ id }) => id >= resetId)
        .reverse(),
    lastId: () => nextId - 1,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** Publishes a state change to the feed. */
export const publishStateChange = (
  feed: Feed,
  change: StateChange,
  contactOf: (contactKey: string) => string,
  now: Date,
) => {
  switch (change.collection) {
    case 'account':
      return feed.publish('account-changed', now, { account: change.value ? accountView(change.value) : null });
    case 'users':
      return feed.publish('user-changed', now, { user: change.value && userView(change.value, now) });
    case 'rules':
      return feed.publish('rule-changed', now, {
        name: change.key,
        rule: change.value ? ruleView(change.value) : null,
      });
    case 'templates':
      return feed.publish('template-changed', now, {
        name: change.key,
        template: change.value ? templateView(change.value) : null,
      });
    case 'channels':
      return feed.publish('channel-added', now, { chatChannelNumber: change.key });
    case 'accessTokens':
      return feed.publish('access-tokens-changed', now);
    case 'messages': {
      const { value, previous } = change;
      if (value === undefined) return;
      const contact = contactOf(value.contactKey);
      const message = messageView(value);
      const [added, changed] =
        value.direction === 'in' ? ['user-wrote', 'message-edited'] : ['message-accepted', 'status-changed'];
      return feed.publish(previous === undefined ? added : changed, now, { contact, message });
    }
  }
};
