import type { QueueDepths, SendSummary, Trace } from '../../../machine-room/machine-room.ts';
import type { Account, Call, Delivery, ExpiredEvent, FeedEntry, Message, Rule, Template, UserRow } from './shapes.ts';
import { createStore } from './store.ts';

/** What the flow in the middle is about. */
export type Chosen = { readonly kind: 'message' | 'request'; readonly id: string };

export type Conversation = {
  readonly messages: readonly Message[];
  /** What to ask for to see what came before; null when there is nothing. */
  readonly before: string | null;
  /** False after paging back so far that the latest messages were let go. */
  readonly isAtEnd: boolean;
};

/** What is known of the chosen message or request. */
export type Way = {
  readonly of: Chosen;
  readonly message: Message | null;
  readonly deliveries: readonly Delivery[];
  /** Events of it that were not taken within seven days. */
  readonly expired: readonly ExpiredEvent[];
  readonly calls: readonly Call[];
  /** Absent where there is no machine room. */
  readonly trace?: Trace;
};

export type ConsoleState = {
  readonly connection: 'connecting' | 'live' | 'lost';
  readonly hasMachineRoom: boolean;
  /** What the service's clock is ahead of this machine's. */
  readonly clockOffsetMs: number;
  readonly chatChannelNumbers: readonly string[];
  readonly account: Account | undefined;
  readonly rules: readonly Rule[];
  readonly templates: readonly Template[];
  /** How many events were dropped after seven days. */
  readonly expired: number;
  /** The map itself is altered and this object renewed, since a thousand users change often. */
  readonly users: { readonly byContact: Map<string, UserRow> };
  readonly user: string | undefined;
  readonly conversation: Conversation;
  readonly chosen: Chosen | undefined;
  readonly way: Way | undefined;
  /** The chosen user's requests, latest first. */
  readonly sends: readonly SendSummary[];
  readonly depths: QueueDepths | undefined;
  /** The latest entries of the feed, latest first. */
  readonly tape: readonly FeedEntry[];
  /** What went wrong or well last, for the line at the bottom. */
  readonly notice: { readonly text: string; readonly isBad: boolean } | undefined;
};

export const EMPTY_CONVERSATION: Conversation = { messages: [], before: null, isAtEnd: true };

export const store = createStore<ConsoleState>({
  connection: 'connecting',
  hasMachineRoom: false,
  clockOffsetMs: 0,
  chatChannelNumbers: [],
  account: undefined,
  rules: [],
  templates: [],
  expired: 0,
  users: { byContact: new Map() },
  user: undefined,
  conversation: EMPTY_CONVERSATION,
  chosen: undefined,
  way: undefined,
  sends: [],
  depths: undefined,
  tape: [],
  notice: undefined,
});

/** The time on the service's clock. */
export const serviceNow = (): number => Date.now() + store.get().clockOffsetMs;

export const notice = (text: string, isBad = false): void => store.set({ notice: { text, isBad } });
