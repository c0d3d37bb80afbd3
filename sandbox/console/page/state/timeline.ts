import { withSortedKeys } from '../components/json-text.ts';
import {
  type Call,
  callApi,
  type Delivery,
  type ExpiredEvent,
  field,
  inspectorPath,
  type Message,
  stringField,
  type Trace,
} from './api.ts';
import { store, type Timeline } from './console-state.ts';
import type { Selection } from './route.ts';

const REFRESH_DELAY_MS = 80;

let isRefreshScheduled = false;

/** Reloads the timeline after a short delay, once for any number of calls. */
export const refreshTimeline = (): void => {
  if (isRefreshScheduled) return;
  isRefreshScheduled = true;
  setTimeout(() => {
    isRefreshScheduled = false;
    void loadTimeline();
  }, REFRESH_DELAY_MS);
};

/** Loads the timeline of the selected message or request. */
export const loadTimeline = async (): Promise<void> => {
  const { selection } = store.get().route;
  if (selection === undefined) return store.set({ timeline: undefined });
  const timeline = await fetchTimeline(selection);
  if (store.get().route.selection === selection) store.set({ timeline });
};

/** What the sandbox knows about a message. */
type MessageHistory = {
  message: Message | null;
  deliveries: readonly Delivery[];
  expired: readonly ExpiredEvent[];
  calls: readonly Call[];
};

const NO_HISTORY: MessageHistory = { message: null, deliveries: [], expired: [], calls: [] };

const fetchTimeline = async (selection: Selection): Promise<Timeline> => {
  const trace = store.get().hasInspector ? await fetchTrace(selection) : undefined;
  const send = trace?.items.find(({ sk }) => sk === 'SEND');
  const messageId = selection.kind === 'message' ? selection.id : stringField(send, 'messageId');
  const history = messageId ? await fetchHistory(messageId) : NO_HISTORY;
  const calls = [...(await fetchUnacceptedCalls(send)), ...history.calls];
  return { selection, ...history, calls, trace };
};

const fetchTrace = async ({ kind, id }: Selection): Promise<Trace | undefined> => {
  const result = await callApi<Trace>('GET', inspectorPath(`${kind}s/${encodeURIComponent(id)}`));
  return result.ok ? result.value : undefined;
};

const fetchHistory = async (messageId: string): Promise<MessageHistory> => {
  const result = await callApi<MessageHistory>('GET', `/console/messages/${encodeURIComponent(messageId)}`);
  return result.ok ? result.value : NO_HISTORY;
};

/** Fetches a send's calls that were not accepted. They carry no message id, so they are matched by their body. */
const fetchUnacceptedCalls = async (send: unknown): Promise<readonly Call[]> => {
  const body = field(field(send, 'call'), 'body');
  const contact = stringField(body, 'platformContactId');
  if (contact === undefined) return [];
  const result = await callApi<{ calls: readonly Call[] }>('GET', `/console/calls/${encodeURIComponent(contact)}`);
  if (!result.ok) return [];
  const expected = canonicalJson(body);
  return result.value.calls.filter(
    ({ messageId, request }) => messageId === null && canonicalJson(request) === expected,
  );
};

/**
 * Serializes with sorted keys, because DynamoDB does not preserve the order of an object's keys. Returns undefined for
 * what is nested too deeply; a request of Parley's never is.
 */
const canonicalJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(withSortedKeys(value));
  } catch {
    return undefined;
  }
};
