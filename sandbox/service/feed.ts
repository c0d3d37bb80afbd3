import type { StateChange } from './state.ts';
import { accountView, messageView, ruleView, templateView, userView } from './views.ts';

/** One thing that happened; `id` grows by one from entry to entry. */
export type FeedEntry = {
  readonly id: number;
  /** An object with `id`, `at` (ISO 8601, on the service's clock), `type`, and the fields of that type. */
  readonly json: string;
};

/** What happens in the service, with a bounded backlog for readers that reconnect. */
export type Feed = {
  publish(type: string, at: Date, fields?: Readonly<Record<string, unknown>>): void;
  /** Returns the entries after the one with this id; undefined if some are dropped or `id` is from another run. */
  after(id: number): readonly FeedEntry[] | undefined;
  /** Returns the id of the latest entry. */
  lastId(): number;
  /** Calls `listener` with each new entry until the returned function is called. */
  subscribe(listener: (entry: FeedEntry) => void): () => void;
};

/** How much of the feed is kept for readers that reconnect. */
const BACKLOG = { entries: 2_000, characters: 16 * 1024 * 1024 };

/**
 * Creates a feed.
 *
 * @param firstId the first entry's id. Use a time in milliseconds: each run then starts above the ids of earlier runs,
 *   so a reader that reconnects learns that it missed something.
 */
export const createFeed = (firstId: number, backlog: typeof BACKLOG = BACKLOG): Feed => {
  const listeners = new Set<(entry: FeedEntry) => void>();
  // A set keeps insertion order and removes its first entry in constant time.
  const entries = new Set<FeedEntry>();
  let characters = 0;
  let nextId = firstId;
  return {
    publish: (type, at, fields = {}) => {
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
    },
    after: (id) => {
      const isKnown = id >= nextId - entries.size - 1 && id < nextId;
      return isKnown ? [...entries].filter((entry) => entry.id > id) : undefined;
    },
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
      if (value.direction === 'in') return feed.publish('user-wrote', now, { contact, message });
      return feed.publish(previous === undefined ? 'message-accepted' : 'status-changed', now, { contact, message });
    }
  }
};
