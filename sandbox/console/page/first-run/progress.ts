import { type FeedEntry, field, type Message, type SendSummary, type UserRow } from '../state/api.ts';
import type { Selection } from '../state/route.ts';

/** The steps of the first ten minutes, in order. */
export const ITEMS = ['wrote', 'replied', 'refused', 'templated', 'read'] as const;

/** The items for bots and agents, in any order. */
export const AGENT_ITEMS = ['condition', 'turn', 'handover', 'keyword', 'lane', 'dryRun'] as const;

export type AgentItem = (typeof AGENT_ITEMS)[number];
export type Item = (typeof ITEMS)[number] | AgentItem;

export const isAgentItem = (item: Item): item is AgentItem => AGENT_ITEMS.some((one) => one === item);

/** Proof that an item happened. */
export interface Evidence {
  /** Undefined if the request does not name a user. */
  readonly contact: string | undefined;
  readonly at: string;
  /** The message or request; undefined if it is no longer among the loaded ones. */
  readonly selection: Selection | undefined;
}

export type Progress = { readonly [Each in Item]?: Evidence };

/** What the page has loaded. */
export interface Observed {
  readonly users: Iterable<UserRow>;
  /** The selected user, whose messages follow. */
  readonly contact: string | undefined;
  readonly messages: readonly Message[];
  /** Requests of any user. */
  readonly sends: readonly SendSummary[];
  /** Latest first. */
  readonly eventLog: readonly FeedEntry[];
}

/** The items that a refusal by Parley proves, by its code. */
export const REFUSAL_ITEMS: ReadonlyMap<string, Item> = new Map([
  ['WINDOW_CLOSED', 'refused'],
  ['SUPERSEDED', 'condition'],
  ['HANDED_OVER', 'handover'],
  ['OPTED_OUT', 'keyword'],
]);

/** Whether the first ten minutes are over. */
export const isComplete = (progress: Progress): boolean => ITEMS.every((item) => progress[item] !== undefined);

/** Adds what the loaded data shows. Returns the same object if that is nothing new. */
export const observe = (progress: Progress, loaded: Observed): Progress => {
  const observed = { ...loaded, eventLog: sinceReset(loaded.eventLog) };
  const found: { [Each in Item]?: Evidence } = {};
  const add = (item: Item, evidence: Evidence) => {
    if (progress[item] === undefined) found[item] ??= evidence;
  };
  for (const [contact, message] of messagesIn(observed)) {
    const evidence = { contact, at: message.at, selection: { kind: 'message', id: message.id } } as const;
    for (const item of itemsOf(message)) add(item, evidence);
  }
  for (const { contact, windows } of observed.users) {
    const [window] = windows;
    if (window !== undefined) add('wrote', { contact, at: window.lastInboundAt, selection: undefined });
  }
  const { wrote = found.wrote } = progress;
  for (const [item, evidence] of refusalsIn(observed)) {
    // Parley's table outlives a reset of the sandbox, so it can contain refusals from before the first message.
    if (wrote !== undefined && Date.parse(evidence.at) > Date.parse(wrote.at)) add(item, evidence);
  }
  return Object.keys(found).length === 0 ? progress : { ...progress, ...found };
};

const sinceReset = (eventLog: readonly FeedEntry[]): readonly FeedEntry[] => {
  const reset = eventLog.findIndex(({ type }) => type === 'reset');
  return reset < 0 ? eventLog : eventLog.slice(0, reset);
};

function* messagesIn({ users, contact, messages, eventLog }: Observed): Iterable<readonly [string, Message]> {
  if (contact !== undefined) for (const message of messages) yield [contact, message];
  for (const entry of eventLog) {
    if ('message' in entry) yield [entry.contact, entry.message];
  }
  for (const user of users) {
    if (user.lastMessage !== null) yield [user.contact, user.lastMessage];
  }
}

const itemsOf = (message: Message): readonly Item[] => {
  if (!('endpoint' in message)) return ['wrote'];
  if (message.endpoint === 'operator-console') return [];
  if (message.endpoint === 'message/v3') return ['replied'];
  return message.status === 'read' ? ['templated', 'read'] : ['templated'];
};

/** The error code of a free-form message outside the conversation window. Source: contract, "Errors". */
const WINDOW_CLOSED_CODE = 201;

/** Refusals by Parley, or by the chat service where Parley does not run. */
function* refusalsIn({ sends, eventLog }: Observed): Iterable<readonly [Item, Evidence]> {
  for (const { code, at = '', requestId, platformContactId } of sends) {
    const item = REFUSAL_ITEMS.get(code ?? '');
    if (item === undefined) continue;
    yield [item, { contact: platformContactId, at, selection: { kind: 'request', id: requestId } }];
  }
  for (const entry of eventLog) {
    if (entry.type !== 'call' || field(field(entry.call.answer, 'error'), 'code') !== WINDOW_CLOSED_CODE) continue;
    yield ['refused', { contact: entry.call.contact ?? undefined, at: entry.call.at, selection: undefined }];
  }
}
