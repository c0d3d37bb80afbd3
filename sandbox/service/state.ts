import { ACCOUNT_KEY, type Account } from './account.ts';
import type { ChatMessage } from './chat-message.ts';
import { Collection } from './collection.ts';
import { MessageCollection } from './message-collection.ts';
import type { Rule } from './rules.ts';
import type { User } from './users.ts';

/**
 * All that the chat service knows. The functions of this folder are its rules: they do no I/O, and time and new ids
 * come in with the {@link Moment}, so that a state and a list of changes always give the same result.
 */
export type ServiceState = {
  /** The platform's name, as requests and events carry it. */
  readonly chatPlatform: string;
  /** The business's own numbers on the platform. */
  readonly chatChannelNumbers: readonly string[];
  /** The account, under the one key `ACCOUNT_KEY`. */
  readonly account: Collection<Account>;
  /** By the key of the user's address; see `contactKey`. */
  readonly users: Collection<User>;
  /** By name. */
  readonly rules: Collection<Rule>;
  /** Every message by its id, oldest first. */
  readonly messages: MessageCollection;
};

/** What is kept under each key of the state. */
type Kept = { account: Account; users: User; rules: Rule; messages: ChatMessage };

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

export type StateSettings = { chatPlatform: string; chatChannelNumbers: readonly string[]; credit: number };

/** A new service; `onChange` is told of every change from then on. */
export const createState = (
  { chatPlatform, chatChannelNumbers, credit }: StateSettings,
  onChange: (change: StateChange) => void,
): ServiceState => {
  const account = new Collection<Account>((key, value, previous) =>
    onChange({ collection: 'account', key, value, previous }),
  );
  account.restore(ACCOUNT_KEY, { credit });
  return {
    chatPlatform,
    chatChannelNumbers,
    account,
    users: new Collection((key, value, previous) => onChange({ collection: 'users', key, value, previous })),
    rules: new Collection((key, value, previous) => onChange({ collection: 'rules', key, value, previous })),
    messages: new MessageCollection((key, value, previous) =>
      onChange({ collection: 'messages', key, value, previous }),
    ),
  };
};
