import type {
  Account,
  ApiResult,
  Call,
  ContactStatus,
  Delivery,
  ExpiredEvent,
  FaultList,
  FeedEntry,
  Message,
  MinuteCounts,
  QueueDepths,
  Rule,
  SendList,
  SendStates,
  StageFeatures,
  StageStatus,
  Template,
  Trace,
  UserRow,
} from './api.ts';
import { parseRoute, type Route, type Selection } from './route.ts';
import { createStore, useStore } from './store.ts';

/** The panes, of which a narrow screen shows one at a time, and a medium one the activity and one other. */
export type Pane = 'phone' | 'activity' | 'controls';

export interface Conversation {
  readonly messages: readonly Message[];
  /** Cursor of the page of earlier messages; null if there are none. */
  readonly before: string | null;
  /** False once paging back has dropped the latest messages. */
  readonly isAtEnd: boolean;
  /** The user's address as the service writes it; null if there is no such user, undefined before it is loaded. */
  readonly contact?: string | null;
}

export interface Timeline {
  readonly selection: Selection;
  /** The user's address as the service writes it; absent if it knows no such user. */
  readonly contact?: string;
  readonly message: Message | null;
  readonly deliveries: readonly Delivery[];
  /** Events that were not acknowledged within seven days. */
  readonly expired: readonly ExpiredEvent[];
  readonly calls: readonly Call[];
  /** Absent without an inspector. */
  readonly trace?: Trace;
}

export interface ConsoleState {
  readonly connection: 'connecting' | 'live' | 'lost';
  /** Whether the local stack runs with the sandbox, so that the console can inspect Parley. */
  readonly hasInspector: boolean;
  /** What the stage's settings turn on; null without an inspector. */
  readonly features: StageFeatures | null;
  /** The service's clock minus this machine's clock, in milliseconds. */
  readonly clockOffsetMs: number;
  readonly chatChannelNumbers: readonly string[];
  readonly account: Account | undefined;
  readonly rules: readonly Rule[];
  readonly templates: readonly Template[];
  /** How many events expired unacknowledged. */
  readonly expiredCount: number;
  /** The map is mutated and only this wrapper replaced: copying a thousand users on each change would be slow. */
  readonly users: { readonly byContact: Map<string, UserRow> };
  readonly route: Route;
  /** What a narrow screen shows. */
  readonly pane: Pane;
  /** What a medium screen shows beside the activity. */
  readonly side: Exclude<Pane, 'activity'>;
  readonly conversation: Conversation;
  /** What Parley has recorded about the user that was selected when it was loaded. */
  readonly contactStatus: { readonly contact: string; readonly status: ContactStatus | undefined } | undefined;
  /** How often the selected user's items in Parley's table have changed. */
  readonly contactChanges: number;
  /** The requests that are listed, latest change first; undefined until they are loaded. */
  readonly requests: Pick<SendList, 'sends' | 'total'> | undefined;
  readonly timeline: Timeline | undefined;
  readonly queueDepths: QueueDepths | undefined;
  /** The circuit breaker, and whether sending is stopped; undefined until the inspector reports it. */
  readonly stage: StageStatus | undefined;
  /** How many requests of all users are in each state. */
  readonly sendStates: SendStates;
  /** The pending faults. */
  readonly faults: FaultList;
  /** What happened in each minute, on this machine's clock, oldest first. */
  readonly minutes: readonly MinuteCounts[];
  /** The feed's latest entries, latest first. */
  readonly eventLog: readonly FeedEntry[];
  readonly notice: { readonly text: string; readonly isError: boolean } | undefined;
}

/** Why an action on a user is not possible. */
export const NO_USER = 'Select a user first, or enter a new number above the phone.';

export const EMPTY_CONVERSATION: Conversation = { messages: [], before: null, isAtEnd: true };

export const store = createStore<ConsoleState>({
  connection: 'connecting',
  hasInspector: false,
  features: null,
  clockOffsetMs: 0,
  chatChannelNumbers: [],
  account: undefined,
  rules: [],
  templates: [],
  expiredCount: 0,
  users: { byContact: new Map() },
  route: parseRoute(''),
  pane: 'phone',
  side: 'phone',
  conversation: EMPTY_CONVERSATION,
  contactStatus: undefined,
  contactChanges: 0,
  requests: undefined,
  timeline: undefined,
  queueDepths: undefined,
  stage: undefined,
  sendStates: {},
  faults: { answers: [], deliveries: [] },
  minutes: [],
  eventLog: [],
  notice: undefined,
});

/** Shows a pane on a screen that has no room for all of them. */
export const showPane = (pane: Pane): void => store.set({ pane, ...(pane !== 'activity' && { side: pane }) });

/** Returns a part of the console's state and re-renders the component when it changes. */
export const useConsole = <Part>(select: (state: ConsoleState) => Part): Part => useStore(store, select);

export const useSelectedUser = (): UserRow | undefined =>
  useConsole(({ route: { user }, users }) => (user === undefined ? undefined : users.byContact.get(user)));

/** The service's time in milliseconds. Components use `useServiceTime`. */
export const serviceTime = (): number => Date.now() + store.get().clockOffsetMs;

export const showNotice = (text: string): void => store.set({ notice: { text, isError: false } });

export const showError = (text: string): void => store.set({ notice: { text, isError: true } });

/** Shows what a call did: the given text if it succeeded, otherwise its error. */
export const showResult = <Value>(result: ApiResult<Value>, success: (value: Value) => string): void =>
  result.ok ? showNotice(success(result.value)) : showError(result.error);
