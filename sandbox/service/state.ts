import type { Rule } from './rules.ts';
import type { SentMessage } from './sent-message.ts';
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
  /** How many messages the account can still pay for. */
  credit: number;
  /** By the key of the user's address; see `contactKey`. */
  readonly users: Map<string, User>;
  /** By name. */
  readonly rules: Map<string, Rule>;
  /** Every accepted message by its id, oldest first. */
  readonly messages: Map<string, SentMessage>;
};

/** When a change happens, and where its new ids come from. */
export type Moment = { now: Date; newId(): string };

/** An event as the customer's webhook gets it: field names in upper case, see the contract's "Events". */
export type ChatEvent = Record<string, unknown>;

/** What a change of the state came to, and the events that the carrier shall deliver because of it. */
export type Change<Result> = { result: Result; events: readonly ChatEvent[] };

export const createState = (settings: {
  chatPlatform: string;
  chatChannelNumbers: readonly string[];
  credit: number;
}): ServiceState => ({ ...settings, users: new Map(), rules: new Map(), messages: new Map() });
