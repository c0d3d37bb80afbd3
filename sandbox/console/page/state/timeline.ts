import { sortKeys } from '../components/json-text.ts';
import {
  type ApiResult,
  type Call,
  callApi,
  type Delivery,
  type ExpiredEvent,
  encodeText,
  inspectorPath,
  type Message,
  type Trace,
} from './api.ts';
import { coalesce } from './coalesce.ts';
import { showError, store, type Timeline } from './console-state.ts';
import { erasedContacts } from './erased-contacts.ts';
import { findUser } from './find-user.ts';
import type { Selection } from './route.ts';

const REFRESH_DELAY_MS = 80;
const MAX_REMEMBERED = 20;

let startedLoads = 0;
let shownLoad = 0;

const remembered = new Map<string, Timeline>();
const keyOf = ({ kind, id }: Selection): string => `${kind}/${id}`;

/** Returns the timeline as it was last loaded, to show while it is loaded again. */
export const rememberedTimeline = (selection: Selection | undefined): Timeline | undefined =>
  selection && remembered.get(keyOf(selection));

/** Keeps the latest timelines; a map's first key is the one that was put there the longest ago. */
const remember = (timeline: Timeline): void => {
  const key = keyOf(timeline.selection);
  remembered.delete(key);
  remembered.set(key, timeline);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
};

export const forgetTimelines = (): void => remembered.clear();

/** Loads the timeline of the selected message or request. */
export const loadTimeline = async (): Promise<void> => {
  const { selection } = store.get().route;
  if (selection === undefined) return store.set({ timeline: undefined });
  const load = ++startedLoads;
  const timeline = await fetchTimeline(selection);
  // An earlier load may take longer than a later one.
  if (store.get().route.selection !== selection || load < shownLoad) return;
  shownLoad = load;
  if (!timeline.ok) return showError(timeline.error);
  remember(timeline.value);
  store.set({ timeline: timeline.value });
};

/** Reloads the timeline after something about it has changed. */
export const refreshTimeline = coalesce(loadTimeline, REFRESH_DELAY_MS);

/** Returns the user of the message or request in the URL, if the URL names no user. */
export const linkedUser = async (): Promise<string | undefined> => {
  const { user, selection } = store.get().route;
  if (user !== undefined || selection === undefined) return undefined;
  const timeline = await fetchTimeline(selection);
  return timeline.ok ? timeline.value.contact : undefined;
};

/** What the sandbox knows about a message. */
interface MessageHistory {
  readonly message: Message | null;
  /** The user's address. */
  readonly contact: string | null;
  readonly deliveries: readonly Delivery[];
  readonly expired: readonly ExpiredEvent[];
  readonly calls: readonly Call[];
}

const NO_HISTORY: MessageHistory = { message: null, contact: null, deliveries: [], expired: [], calls: [] };

const fetchTimeline = async (selection: Selection): Promise<ApiResult<Timeline>> => {
  // What does not depend on each other is fetched at the same time.
  const known = selection.kind === 'message' ? fetchHistory(selection.id) : undefined;
  const traced = store.get().hasInspector ? await fetchTrace(selection) : NO_TRACE;
  if (!traced.ok) return traced;
  const trace = traced.value;
  // The chat service's copy is not shown under a request that Parley has erased.
  const { messageId, platformContactId } = trace?.send?.isErased ? {} : (trace?.send ?? {});
  const [{ contact, ...history }, others] = await Promise.all([
    known ?? (messageId === undefined ? NO_HISTORY : fetchHistory(messageId)),
    fetchOtherCalls(trace),
  ]);
  const calls = [...others.filter(({ id }) => history.calls.every((call) => call.id !== id)), ...history.calls];
  return { ok: true, value: { selection, ...history, calls, trace, contact: contact ?? knownUser(platformContactId) } };
};

const NO_TRACE: ApiResult<undefined> = { ok: true, value: undefined };

const fetchTrace = ({ kind, id }: Selection) => callApi<Trace>('GET', inspectorPath(`${kind}s/${encodeText(id)}`));

const fetchHistory = async (messageId: string): Promise<MessageHistory> => {
  const result = await callApi<MessageHistory>('GET', `/console/messages/${encodeText(messageId)}`);
  return result.ok && !erasedContacts.has(result.value.contact) ? result.value : NO_HISTORY;
};

const knownUser = (address = ''): string | undefined => findUser(store.get().users.byContact, address)?.contact;

/**
 * Fetches a send's other calls: those that were not accepted, and those whose answer was lost. They are matched by
 * their body and their trace.
 */
const fetchOtherCalls = async ({ send, sendHistory = [] }: Partial<Trace> = {}): Promise<readonly Call[]> => {
  const recorded = [send?.call, send?.unknownCall, ...sendHistory.map(({ call }) => call)];
  const bodies = recorded.map((call) => call?.body).filter((body) => body !== undefined);
  const contact = bodies.map(({ platformContactId }) => platformContactId).find((one) => typeof one === 'string');
  if (contact === undefined) return [];
  const result = await callApi<{ calls: readonly Call[] }>('GET', `/console/calls/${encodeText(contact)}`);
  if (!result.ok) return [];
  const expected = new Set(bodies.map(canonicalJson));
  return result.value.calls.filter((call) => {
    const ownTrace = call.traceparent?.split('-')[1];
    const isTraced = send?.traceId !== undefined && ownTrace !== undefined;
    return (
      (isTraced ? ownTrace === send.traceId : call.messageId === null) && expected.has(canonicalJson(call.request))
    );
  });
};

/**
 * Serializes with sorted keys, because DynamoDB does not preserve the order of an object's keys. Returns undefined for
 * what is nested too deeply; a request of Parley's never is.
 */
const canonicalJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value, sortKeys);
  } catch {
    return undefined;
  }
};
