import type { DeliveryAttempt, PublishedMessage } from '../delivery/published-message.ts';
import type { StoredKey } from '../delivery/signing-keys.ts';
import type { Call } from '../service/call-log.ts';
import type { Collection } from '../service/collection.ts';
import type { Entities, ServiceState, StateChange } from '../service/state.ts';

/** Where a service persists its data, by collection and key, in the order in which the keys were first put. */
export interface Store {
  /** Returns the values as they were put; the store's format version guarantees their type. */
  load<Value>(collection: string): (readonly [key: string, value: Value])[];
  put(collection: string, key: string, value: unknown): void;
  delete(collection: string, key: string): void;
  clear(collection: string): void;
  /** Runs `work` and persists everything it puts, or nothing if it throws. */
  transaction<Result>(work: () => Result): Result;
  close(): void;
}

/** Persists nothing: the service's state is only in memory. */
export const NO_STORE: Store = {
  load: () => [],
  put: () => undefined,
  delete: () => undefined,
  clear: () => undefined,
  transaction: (work) => work(),
  close: () => undefined,
};

/** How many attempts a data file keeps. */
const MAX_STORED_ATTEMPTS = 5_000;

/** What the sandbox persists, and under which collections of a {@link Store}. */
export interface StoredService {
  readonly state: StoredState;
  readonly events: StoredEvents;
  readonly calls: { load(): Call[]; put(call: Call): void; delete(call: Call): void; clear(): void };
  readonly clock: { loadOffsetMs(): number; putOffsetMs(offsetMs: number): void };
  readonly keys: { load(): StoredKey | undefined; put(key: StoredKey): void };
  readonly transaction: Store['transaction'];
  readonly close: Store['close'];
}

export interface StoredState {
  /** Copies the stored values over those of a new state. */
  restore(state: ServiceState): void;
  put(change: StateChange): void;
  clear(): void;
}

/** The delivery's part. A body never changes, so it is written once and not with each attempt. */
export interface StoredEvents {
  load(): { messages: PublishedMessage[]; attempts: DeliveryAttempt[] };
  putBody(message: PublishedMessage): void;
  put(message: PublishedMessage): void;
  putAttempt(attempt: DeliveryAttempt): void;
  delete(message: PublishedMessage): void;
  clear(): void;
}

export const createStoredService = (store: Store): StoredService => ({
  state: createStoredState(store),
  events: createStoredEvents(store),
  calls: {
    load: () => store.load<Call>('calls').map(([, call]) => call),
    put: (call) => store.put('calls', call.id, call),
    delete: ({ id }) => store.delete('calls', id),
    clear: () => store.clear('calls'),
  },
  clock: {
    loadOffsetMs: () => Number(new Map(store.load<unknown>('service')).get('clockOffsetMs') ?? 0),
    putOffsetMs: (offsetMs) => store.put('service', 'clockOffsetMs', offsetMs),
  },
  keys: {
    load: () => store.load<StoredKey>('keys').at(-1)?.[1],
    put: (key) => store.put('keys', 'current', key),
  },
  transaction: (work) => store.transaction(work),
  close: () => store.close(),
});

const createStoredState = (store: Store): StoredState => {
  const restore = <Name extends keyof Entities>(name: Name, collection: Collection<Entities[Name]>) => {
    for (const [key, value] of store.load<Entities[Name]>(name)) collection.restore(key, value);
  };
  return {
    restore: (state) => {
      restore('account', state.account);
      restore('channels', state.channels);
      restore('accessTokens', state.accessTokens);
      restore('users', state.users);
      restore('rules', state.rules);
      restore('templates', state.templates);
      restore('messages', state.messages);
    },
    put: ({ collection, key, value }) =>
      value === undefined ? store.delete(collection, key) : store.put(collection, key, value),
    clear: () => {
      const names = ['account', 'channels', 'accessTokens', 'users', 'rules', 'templates', 'messages'] as const;
      for (const name of names) store.clear(name);
    },
  };
};

type StoredMessage = Omit<PublishedMessage, 'body'>;

const createStoredEvents = (store: Store): StoredEvents => {
  let nextAttempt = 0;
  return {
    load: () => {
      const bodies = new Map(store.load<Uint8Array>('eventBodies'));
      const messages = store.load<StoredMessage>('events').flatMap(([key, stored]) => {
        const body = bodies.get(key);
        // Each start creates its own confirmation request.
        return body === undefined || stored.confirmationToken !== undefined ? [] : { ...stored, body };
      });
      const attempts = store.load<DeliveryAttempt>('attempts');
      nextAttempt = Number(attempts.at(-1)?.[0] ?? -1) + 1;
      return { messages, attempts: attempts.map(([, attempt]) => attempt) };
    },
    putBody: ({ messageId, body }) => store.put('eventBodies', messageId, body),
    put: ({ body: _body, ...message }) => store.put('events', message.messageId, message),
    putAttempt: (attempt) => {
      store.put('attempts', String(nextAttempt), attempt);
      store.delete('attempts', String(nextAttempt - MAX_STORED_ATTEMPTS));
      nextAttempt += 1;
    },
    delete: ({ messageId }) => {
      store.delete('events', messageId);
      store.delete('eventBodies', messageId);
    },
    clear: () => {
      for (const collection of ['events', 'eventBodies', 'attempts']) store.clear(collection);
    },
  };
};
