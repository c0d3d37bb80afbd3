import { Collection, MessageCollection } from './collection.ts';
import type { ChatEvent } from './events.ts';
import type { AccessToken, Account, Channel, ChatMessage, Rule, Template, User } from './model.ts';

/**
 * Everything the chat service knows. The functions in this folder are its rules: they do no I/O, and time and new ids
 * come from the {@link Moment}, so the same state and the same changes always produce the same result.
 */
export interface ServiceState {
  /** The platform's name, as requests and events carry it. */
  readonly chatPlatform: string;
  /** The business's own numbers. The first is the default for users' messages. */
  readonly channels: Collection<Channel>;
  /** The credentials, by token. */
  readonly accessTokens: Collection<AccessToken>;
  /** The account, under the single key {@link ACCOUNT_KEY}. */
  readonly account: Collection<Account>;
  /** By the key of the user's address; see `contactKey`. */
  readonly users: Collection<User>;
  /** By name. */
  readonly rules: Collection<Rule>;
  /** Submitted templates, by name. */
  readonly templates: Collection<Template>;
  /** Every message by its id, oldest first. */
  readonly messages: MessageCollection;
}

export const ACCOUNT_KEY = 'account';

/** What each collection of the state holds. */
export interface Entities {
  readonly account: Account;
  readonly channels: Channel;
  readonly accessTokens: AccessToken;
  readonly users: User;
  readonly rules: Rule;
  readonly templates: Template;
  readonly messages: ChatMessage;
}

/** One value of the state that was set, or deleted when `value` is undefined. */
export type StateChange = {
  [Name in keyof Entities]: {
    readonly collection: Name;
    readonly key: string;
    readonly value: Entities[Name] | undefined;
    readonly previous: Entities[Name] | undefined;
  };
}[keyof Entities];

/** When a change happens, and where its new ids come from. */
export interface Moment {
  readonly now: Date;
  newId(): string;
}

/** The result of a state change, and the events to deliver because of it. */
export interface Change<Result> {
  readonly result: Result;
  readonly events: readonly ChatEvent[];
}

export type StateSettings = {
  readonly chatPlatform: string;
  readonly chatChannelNumbers: readonly string[];
  readonly accessTokens: readonly string[];
} & Pick<Account, 'credit' | 'approved' | 'optInRequired' | 'eventFormat'>;

/** Creates the state of a new service; `onChange` is called for every change after that. */
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
  state.account.restore(ACCOUNT_KEY, { ...account, answerId: 'id', echoes: false });
  for (const chatChannelNumber of chatChannelNumbers) state.channels.restore(chatChannelNumber, { chatChannelNumber });
  for (const accessToken of accessTokens) state.accessTokens.restore(accessToken, { accessToken, issuedAt: now });
  return state;
};
