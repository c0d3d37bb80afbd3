import type { StageFeatures } from '../../../base/inspector.ts';
import type { deliveryView, expiredView } from '../../../delivery/views.ts';
import type { Activity, MinuteCounts } from '../../../service/activity-counts.ts';
import type { Call as LoggedCall } from '../../../service/call-log.ts';
import type { Faults } from '../../../service/faults.ts';
import type { accountView, messageView, ruleView, templateView, userView } from '../../../service/views.ts';

export type {
  ConsentStatus,
  ContactStatus,
  CustomerAddress,
  CustomerMessage,
  CustomerStatus,
  DeadLetter,
  Decided,
  Decision,
  InspectedQueue,
  InspectorChange,
  ItemSubject,
  QueueDepths,
  SendList,
  SendStates,
  StageFeatures,
  StageStatus,
} from '../../../base/inspector.ts';
export type { MessageView, SendSummary, SendVersion, SendView, Trace } from '../../../base/trace.ts';
export type { Activity, MinuteCounts };

// The control API's resources, typed by the functions that serialize them.
export type User = ReturnType<typeof userView>;
export type Message = ReturnType<typeof messageView>;
/** A message of a user. */
export type ReceivedMessage = Extract<Message, { edits: readonly string[] }>;
export type Rule = ReturnType<typeof ruleView>;
export type Template = ReturnType<typeof templateView>;
export type Account = ReturnType<typeof accountView>;
export type ExpiredEvent = ReturnType<typeof expiredView>;
export type Delivery = ReturnType<typeof deliveryView>;
export type Call = LoggedCall;

export type FaultList = ReturnType<Faults['list']>;

/** A row of the user list. */
export type UserRow = User & { readonly lastMessage: Message | null };

/** An entry of `/sandbox/feed`. */
export type FeedEntry = { readonly id: number; readonly at: string } & (
  | { readonly type: 'account-changed'; readonly account: Account }
  | { readonly type: 'user-changed'; readonly user: User }
  | { readonly type: 'rule-changed'; readonly name: string; readonly rule: Rule | null }
  | {
      readonly type: 'user-wrote' | 'message-edited' | 'message-accepted' | 'status-changed';
      readonly contact: string;
      readonly message: Message;
    }
  | { readonly type: 'event-published'; readonly messageId: string; readonly event: unknown }
  | { readonly type: 'webhook-attempt'; readonly delivery: Delivery }
  | { readonly type: 'call'; readonly call: Call }
  | { readonly type: 'template-changed'; readonly name: string; readonly template: Template | null }
  | ({ readonly type: 'event-expired' } & ExpiredEvent)
  | { readonly type: 'channel-added'; readonly chatChannelNumber: string }
  | { readonly type: 'webhook-changed' | 'access-tokens-changed' }
  | { readonly type: 'clock-moved'; readonly now: string }
  | { readonly type: 'reset' | 'gap' }
);

/** The whole state of the service that the page shows, as of the feed's entry `feedId`. */
export interface ConsoleStart {
  readonly feedId: number;
  readonly hasInspector: boolean;
  /** Null without an inspector. */
  readonly features: StageFeatures | null;
  readonly now: string;
  readonly chatChannelNumbers: readonly string[];
  readonly account: Account;
  readonly rules: readonly Rule[];
  readonly templates: readonly Template[];
  readonly users: readonly UserRow[];
  readonly faults: FaultList;
  readonly expiredCount: number;
  /** Latest first. */
  readonly log: readonly FeedEntry[];
  /** The last 30 minutes, oldest first. */
  readonly minutes: readonly MinuteCounts[];
}

/** The value that a call returned, or the error message to show. */
export type ApiResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string };

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * Calls the server that served this page. The response is not validated, because the page and the server always have
 * the same version.
 */
export const callApi = async <Value>(method: Method, path: string, body?: unknown): Promise<ApiResult<Value>> => {
  try {
    const response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok)
      return { ok: false, error: errorMessage(text) ?? `${method} ${path} returned ${response.status}.` };
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, error: 'The sandbox is not responding. Check that it is still running.' };
  }
};

/** Encodes text for a URL. Half of a surrogate pair, which JSON can contain, would be an error in `encodeURIComponent`. */
export const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed());

export const userPath = (contact: string): string => `/sandbox/users/${encodeText(contact)}`;

export const inspectorPath = (path: string): string => `/inspector/${path}`;

/** Returns whether the webhook acknowledged the event. */
export const isAcknowledged = ({ status }: Delivery): boolean => status !== null && status >= 200 && status < 300;

/** Whether a call of the API got an error, or no answer. */
export const hasFailed = ({ status }: Call): boolean => status === null || status >= 400;

/** Whether an operator wrote a message in the chat service's console. */
export const isByOperator = (message: Message | null): message is Message =>
  message !== null && 'endpoint' in message && message.endpoint === 'operator-console';

/** When the user edited a message, earliest first. */
export const editsOf = (message: Message | null): readonly string[] =>
  message !== null && 'edits' in message ? message.edits : [];

/** Reads a property of JSON whose shape is unknown. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Reads a string property of JSON whose shape is unknown; undefined if it is missing or not a string. */
export const stringField = (value: unknown, name: string): string | undefined => {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
};

/** Reads the message of an error body (contract, "Errors"). */
const errorMessage = (text: string): string | undefined => {
  try {
    return stringField(field(JSON.parse(text), 'error'), 'message');
  } catch {
    return undefined;
  }
};
