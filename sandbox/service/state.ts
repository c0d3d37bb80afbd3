import type { AccessToken } from './access-tokens.ts';
import { ACCOUNT_KEY, type Account } from './account.ts';
import type { Channel } from './channels.ts';
import type { ChatMessage } from './chat-message.ts';
import { Collection } from './collection.ts';
import { MessageCollection } from './message-collection.ts';
import type { Rule } from './rules.ts';
import type { Template } from './templates.ts';
import type { User } from './users.ts';

/**
 * All that the chat service knows. The functions of this folder are its rules: they do no I/O, and time and new ids
 * come in with the {@link Moment}, so that a state and a list of changes always give the same result.
 */
export type ServiceState = {
  /** The platform's name, as requests and events carry it. */
  readonly chatPlatform: string;
  /** The business's own numbers on the platform; a user who writes to none in particular writes to the first. */
  readonly channels: Collection<Channel>;
  /** The credentials, by their text. */
  readonly accessTokens: Collection<AccessToken>;
  /** The account, under the one key `ACCOUNT_KEY`. */
  readonly account: Collection<Account>;
  /** By the key of the user's address; see `contactKey`. */
  readonly users: Collection<User>;
  /** By name. */
  readonly rules: Collection<Rule>;
  /** Templates that were submitted, by name. */
  readonly templates: Collection<Template>;
  /** Every message by its id, oldest first. */
  readonly messages: MessageCollection;
};

/** What is kept under each key of the state. */
export type Kept = {
  account: Account;
  channels: Channel;
  accessTokens: AccessToken;
  users: User;
  rules: Rule;
  templates: Template;
  messages: ChatMessage;
};

/** One value of the state that was set (or deleted, when `value` is undefined). */
export type StateChange = {
  [Name in keyof Kept]: {
    collection: Name;
    key: string;
    value: Kept[Name] | undefined;
    previous: Kept[Name] | undefined;
  };
}[keyof Kept];

/** When a change happens, and where its new ids come from. */
export type Moment = { now: Date; newId(): string };

/** An event as the customer's webhook gets it: field names in upper case, see the contract's "Events". */
export type ChatEvent = Record<string, unknown>;

/** What a change of the state came to, and the events that the carrier shall deliver because of it. */
export type Change<Result> = { result: Result; events: readonly ChatEvent[] };

export type StateSettings = {
  chatPlatform: string;
  chatChannelNumbers: readonly string[];
  accessTokens: readonly string[];
  credit: number;
  approved: boolean;
  optInRequired: boolean;
};

/** A new service; `onChange` is told of every change from then on. */
export const createState = (
  { chatPlatform, chatChannelNumbers, accessTokens, ...account }: StateSettings,
  now: Date,
  onChange: (change: StateChange) => void,
): ServiceState => {
  const state: ServiceState = {
    chatPlatform,
    account: new Collection((key, value, previous) => onChange({ collection: 'account', key, value, previous })),
    channels: new Collection((key, value, previous) => onChange({ collection: 'channels', key, value, previous })),
    accessTokens: new Collection((key, value, previous) =>
      onChange({ collection: 'accessTokens', key, value, previous }),
    ),
    users: new Collection((key, value, previous) => onChange({ collection: 'users', key, value, previous })),
    rules: new Collection((key, value, previous) => onChange({ collection: 'rules', key, value, previous })),
    templates: new Collection((key, value, previous) => onChange({ collection: 'templates', key, value, previous })),
    messages: new MessageCollection((key, value, previous) =>
      onChange({ collection: 'messages', key, value, previous }),
    ),
  };
  state.account.restore(ACCOUNT_KEY, account);
  for (const chatChannelNumber of chatChannelNumbers) state.channels.restore(chatChannelNumber, { chatChannelNumber });
  for (const accessToken of accessTokens) state.accessTokens.restore(accessToken, { accessToken, issuedAt: now });
  return state;
};
