import type { SendSummary, Trace } from './trace.ts';

/** The dead-letter queues: requests and bulk requests that cannot be sent, and events that cannot be read. */
export type InspectedQueue = 'send' | 'bulk' | 'inbound';

/** The number of messages in each queue, including those in flight. */
export interface QueueDepths {
  readonly send: number;
  readonly sendDeadLetters: number;
  readonly inbound: number;
  readonly inboundDeadLetters: number;
  /** Absent if the stage has no queue for bulk requests. */
  readonly bulk?: number;
  readonly bulkDeadLetters?: number;
}

/** Selects requests. Those that match every given part are selected. */
export interface SendFilter {
  /** The user's address. Forms of a phone number that differ in the plus, spaces, or punctuation match each other. */
  readonly contact?: string;
  /** A state, or the furthest known status of an accepted request's message. */
  readonly state?: string;
  /** The earliest time at which a request was known, in ISO 8601. */
  readonly since?: string;
  /** Part of the request id, message id, contact, text, rule name, or reason code, ignoring case. */
  readonly text?: string;
}

/** How many requests are in each state. An accepted one counts as the furthest known status of its message. */
export type SendStates = Readonly<Record<string, number>>;

export interface SendList {
  /** Latest change first; at most 200. */
  readonly sends: readonly SendSummary[];
  /** How many match the filter. */
  readonly total: number;
  /** All requests by state, whatever the filter. */
  readonly states: SendStates;
}

/** What a user found out about a send whose outcome is unknown. */
export interface SendResolution {
  readonly outcome: 'accepted' | 'failed' | 'resend';
  readonly messageId?: string;
  readonly note?: string;
}

/** Why an action was not performed: a sentence for the user, and the HTTP status. */
export interface Refused {
  readonly kind: 'refused';
  readonly status: 400 | 404 | 409;
  readonly message: string;
}

/** The send's state after a resolution. */
export type Resolved = { readonly kind: 'resolved'; readonly state: string } | Refused;

/** What makes requests wait: an open circuit breaker, or a stop by an operator. */
export interface StageStatus {
  readonly circuitBreaker: {
    readonly state: 'closed' | 'open';
    readonly why?: string;
    readonly openedAt?: string;
    readonly nextProbeAt?: string;
  };
  readonly sending: { readonly state: 'running' | 'stopped'; readonly stoppedAt?: string; readonly note?: string };
}

/** The stage after an action. */
export type StageChanged = { readonly kind: 'changed'; readonly stage: StageStatus } | Refused;

/** The features that the console shows and the stage's settings turn on. */
export interface StageFeatures {
  /** Contacts can be handed over to people (`operators`). */
  readonly handovers: boolean;
  /** A field that marks a message as an operator's; absent if the stage recognizes none (`operators.echoField`). */
  readonly operatorField?: { readonly name: string; readonly value: string };
  /** STOP opts the user out (`keywords`). */
  readonly keywords: boolean;
  /** Parley confirms such an opt-out with one message (`keywords.confirmation`). */
  readonly confirmsOptOuts: boolean;
  /** There is a bulk queue (`sends.bulkLane`). */
  readonly bulkLane: boolean;
  /** The messages that a user sends before falling silent are published as one event, `TurnEnded` (`turns`). */
  readonly turns?: { readonly silenceSeconds: number };
  /** How much earlier than the chat service Parley closes a conversation window (`window.marginSeconds`). */
  readonly windowMarginSeconds: number;
}

/** What Parley would do with a request now. */
export type Decision = StageStatus & {
  readonly decision: 'free-form' | 'template' | 'refused' | 'expired';
  /** The reason code of a refusal. */
  readonly code?: string;
  readonly why: string;
  /** When the conversation window closes, by Parley's clock; absent if it is closed. */
  readonly windowClosesAt?: string;
  /** About how many requests are on the send queue, and on the queue for bulk requests if there is one. */
  readonly backlog: { readonly queue: number; readonly bulk?: number };
};

/** `unavailable` if the customer's side does not answer, with a sentence for the user. */
export type Decided =
  | { readonly kind: 'decided'; readonly decision: Decision }
  | { readonly kind: 'unavailable'; readonly message: string }
  | Refused;

/** A user's effective consent. */
export interface ConsentStatus {
  readonly state: 'opted-in' | 'opted-out' | 'none';
  readonly at?: string;
  readonly origin?: string;
  readonly source?: string;
  /** The address at which the user opted out, if that is another one. */
  readonly from?: string;
}

/** One of the addresses of a user. */
export interface CustomerAddress {
  readonly platformContactId: string;
  /** What named the address together with the user's ID: the latest message from it, or only statuses or echoes. */
  readonly linkedBy: 'message' | 'status';
  /** When the user last wrote from it. */
  readonly lastInboundAt?: string;
  readonly consent: ConsentStatus;
}

/** A user, by the chat service's ID, with every address that belongs to the user now. */
export interface CustomerStatus {
  readonly customerId: string;
  /** The ID has too many addresses to be that of one user. They are not listed, and nothing follows the ID. */
  readonly isShared: boolean;
  /** The one from which the user wrote last is first. */
  readonly addresses: readonly CustomerAddress[];
  /** The addresses that an operator separated from the user. */
  readonly separated: readonly string[];
}

/** A message from or to a user, at any of the user's addresses. */
export interface CustomerMessage {
  readonly id: string;
  readonly isFromUser: boolean;
  readonly at?: string;
  /** The text, or a summary of what it has instead. */
  readonly summary: string;
  readonly isEdited: boolean;
}

/** What the customer's side has recorded about a user. */
export interface ContactStatus {
  readonly consent: ConsentStatus;
  /** The conversation window: whether it was open when this was read, and until when. Without times, it never opened. */
  readonly window: { readonly open: boolean; readonly lastInboundAt?: string; readonly closesAt?: string };
  /** Absent if no event named the address together with its user's ID, and in the result of a handover. */
  readonly customer?: CustomerStatus;
  /** Who answers the user; absent if contacts cannot be handed over. */
  readonly handover?: { readonly state: 'people' | 'automated'; readonly since?: string; readonly until?: string };
}

/** A contact after an action. */
export type ContactChanged = { readonly kind: 'changed'; readonly contact: ContactStatus } | Refused;

export interface DeadLetter {
  readonly id: string;
  readonly body: string;
  readonly reason?: string;
  readonly groupId?: string;
  /** Of the request, if it can be read. */
  readonly requestId?: string;
  /** When the message arrived in the dead-letter queue, in ISO 8601. */
  readonly since?: string;
  /** How often it was received; each view counts. */
  readonly receiveCount: number;
}

export type Redriven = { readonly kind: 'redriven'; readonly moved: number } | Refused;
export type Discarded = { readonly kind: 'discarded' } | Refused;

/** Whom an item of the table is about. */
export interface ItemSubject {
  /** The key of the contact. */
  readonly contactKey?: string | undefined;
  readonly customerId?: string | undefined;
}

/** A change on the customer's side. */
export type InspectorChange =
  | { readonly kind: 'send'; readonly send: SendSummary; readonly states: SendStates }
  | { readonly kind: 'queues'; readonly depths: QueueDepths }
  /** Sent once to a new listener, and whenever the circuit breaker or an operator's stop changes. */
  | { readonly kind: 'stage'; readonly stage: StageStatus }
  /** An event was published on the bus. */
  | { readonly kind: 'bus' }
  /**
   * An item was written or removed: its key, the ID of its message or request, or the contact or customer that it is
   * about.
   */
  | ({ readonly kind: 'item'; readonly key: string; readonly id: string; readonly isRemoved: boolean } & ItemSubject);

/**
 * The console's view of the customer's side: its table, its queues, and its decisions. The sandbox knows nothing about
 * that side. The program that runs both on one machine implements this interface and passes it to the sandbox.
 */
export interface Inspector {
  /** Everything that a request can be: its states, and the statuses of its message. */
  readonly sendStates: readonly string[];
  readonly features: StageFeatures;
  sends(filter: SendFilter): Promise<SendList>;
  trace(of: { messageId: string } | { requestId: string }): Promise<Trace>;
  /**
   * Puts a request on the send queue, as an internal system does, or on the bulk queue. It is not
   * validated, so that it can be malformed.
   */
  enqueue(body: string, fifo: { groupId: string; id: string }, queue?: 'send' | 'bulk'): Promise<void>;
  /** Decides about a request without sending it. */
  dryRun(request: unknown): Promise<Decided>;
  /**
   * Returns what is recorded about a user; undefined if nothing is.
   *
   * @param customerId the service's own ID of the user, which its events name
   */
  contact(platformContactId: string, customerId?: string): Promise<ContactStatus | undefined>;
  /** Returns a customer's latest messages at all addresses in one order, newest first; at most 20. */
  customerMessages(customerId: string): Promise<readonly CustomerMessage[]>;
  /** Hands a user over to people. */
  handOver(platformContactId: string): Promise<ContactChanged>;
  /** Hands a user back to automated systems. */
  handBack(platformContactId: string): Promise<ContactChanged>;
  /** Records the outcome of an uncertain send, or sends it again. */
  resolve(requestId: string, resolution: SendResolution): Promise<Resolved>;
  depths(): Promise<QueueDepths>;
  /** Returns the messages of a dead-letter queue without removing them; at most ten. */
  deadLetters(queue: InspectedQueue): Promise<readonly DeadLetter[]>;
  /** Moves the messages of a dead-letter queue, or only the one with this ID, back to its source queue. */
  redrive(queue: InspectedQueue, id?: string): Promise<Redriven>;
  /** Deletes a message of a dead-letter queue. */
  discard(queue: InspectedQueue, id: string): Promise<Discarded>;
  stage(): Promise<StageStatus>;
  /** Makes the next probe of an open circuit breaker due now. If it succeeds, the circuit breaker closes. */
  closeCircuitBreaker(note?: string): Promise<StageChanged>;
  /** Stops sending: requests wait until it is resumed. */
  stopSending(note: string): Promise<StageChanged>;
  resumeSending(note?: string): Promise<StageChanged>;
  /** Calls `listener` with each change until the returned function is called. */
  watch(listener: (change: InspectorChange) => void): () => void;
}
