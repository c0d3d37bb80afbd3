import type { AccessToken } from '../service/access-tokens.ts';
import type { Account } from '../service/account.ts';
import type { Channel } from '../service/channels.ts';
import type { ChatMessage } from '../service/chat-message.ts';
import type { Collection } from '../service/collection.ts';
import type { Rule } from '../service/rules.ts';
import type { ServiceState, StateChange } from '../service/state.ts';
import type { Template } from '../service/templates.ts';
import type { User } from '../service/users.ts';
import type { Store } from './store.ts';

/** Lays what the store keeps over a new state. */
export const restoreState = (state: ServiceState, store: Store): void => {
  restore(state.account, store.load<Account>('account'));
  restore(state.channels, store.load<Channel>('channels'));
  restore(state.accessTokens, store.load<AccessToken>('accessTokens'));
  restore(state.users, store.load<User>('users'));
  restore(state.rules, store.load<Rule>('rules'));
  restore(state.templates, store.load<Template>('templates'));
  restore(state.messages, store.load<ChatMessage>('messages'));
};

/** Keeps one change of the state. */
export const keepStateChange = (store: Store, { collection, key, value }: StateChange): void =>
  value === undefined ? store.delete(collection, key) : store.put(collection, key, value);

export const clearState = (state: ServiceState, store: Store): void => {
  for (const [collection, values] of Object.entries(state)) if (values instanceof Map) store.clear(collection);
};

const restore = <Value>(collection: Collection<Value>, kept: readonly (readonly [string, Value])[]) => {
  for (const [key, value] of kept) collection.restore(key, value);
};
