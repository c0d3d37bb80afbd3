import type { TableItem } from '../../../local/cloud/local-client.ts';
import type { LawReport } from '../../support/checked-cloud.ts';
import type { KilledFunction } from './parts.ts';
import type { SendStep } from './plan.ts';

/** An event that the load produced. */
export interface ProducedEvent {
  /** The key of its item, or a mark in its body if the event is unreadable. */
  readonly id: string;
  readonly contact: string;
  readonly expected: 'message' | 'echo' | 'status' | 'unreadable';
  /** Its text in the stored body. */
  readonly mark: string;
  /** `CREATION_TIME`. */
  readonly at: string;
  /** `STATUS`, if it is a status. */
  readonly status?: string | undefined;
}

/** A request that the load put on the queue or sent to the management API. */
export interface ProducedRequest {
  readonly requestId: string;
  readonly contact: string;
  readonly expected: SendStep['expected'];
  readonly via: SendStep['via'];
  readonly isResent: boolean;
  readonly isScheduled: boolean;
  readonly body: string;
  /** Its position among all requests. */
  readonly order: number;
}

export interface ProducedConsent {
  readonly contact: string;
  readonly consent: 'opt-in' | 'opt-out';
  /** The time of the consent, which is the time of the first call, and the time when a call succeeded. */
  readonly at: string;
  readonly recordedAt: string;
}

export interface ProducedErasure {
  readonly contact: string;
  readonly erasureId: string;
  readonly requestedAt: string;
  /** The final state that the management API returns. */
  readonly state: string;
}

/** A message that the chat service accepted. */
export interface OutboxMessage {
  readonly id: string;
  /** The id from its text or parameter. */
  readonly requestId: string;
  readonly endpoint: string;
  readonly status: string;
}

/** A call that a function made to the chat service to send a message. */
export interface ChatCall {
  readonly requestId: string;
  readonly contact: string;
  readonly endpoint: string;
  readonly at: string;
  readonly durationMs: number;
  readonly fault: string | undefined;
  /** The id of the message that the chat service accepted in this call, if its response contains one. */
  readonly messageId: string | undefined;
  /** Whether the service processed the call, but reset the connection or returned something else. */
  readonly answer: string | undefined;
  /** The status that reached the function. Undefined if no complete response did. */
  readonly answeredStatus: number | undefined;
}

export interface PublishedEvent {
  readonly id: string;
  readonly name: string;
  /** The message, request, contact, or account that it is about. */
  readonly subject: string;
  readonly at: string;
  readonly outcome?: string | undefined;
}

export interface DeadLetter {
  readonly body: string;
  readonly reason: string | undefined;
}

/** A write of a send's item. */
export interface SendWrite {
  readonly requestId: string;
  /** The time of the claim, if the write claims the request. */
  readonly claimedAt: string | undefined;
  /** When the write ended. */
  readonly at: string;
  readonly isApplied: boolean;
  /** Whether the function did not get the table's answer. */
  readonly isLost: boolean;
}

/** The death of a function's process, or its timeout, in the middle of an invocation. */
export interface Disturbance {
  readonly at: string;
  readonly functionName: KilledFunction;
  /** The requests in the event of the invocation. */
  readonly requestIds: readonly string[];
}

/** A write that recorded when a user wrote. */
export interface OpenedWindow {
  /** The key of the contact. */
  readonly key: string;
  readonly lastInboundAt: string;
  /** When the write ended. */
  readonly at: string;
}

/** A status that the chat service delivered to the webhook. */
export interface ReportedStatus {
  readonly id: string;
  readonly status: string;
  /** `CREATION_TIME`. */
  readonly at: string;
}

/** The records of all parts after no work is left. */
export interface Ledgers {
  readonly events: readonly ProducedEvent[];
  readonly requests: readonly ProducedRequest[];
  readonly consents: readonly ProducedConsent[];
  readonly erasures: readonly ProducedErasure[];
  /** The requests whose cancellation the management API confirmed. */
  readonly cancelled: readonly string[];
  readonly outbox: readonly OutboxMessage[];
  readonly calls: readonly ChatCall[];
  readonly deliveries: { readonly pending: number; readonly expired: number };
  /** Items by `pk sk`. */
  readonly table: Readonly<Record<string, TableItem>>;
  /** The changes of the table's stream and its stored items, compared with the laws that Parley publishes. */
  readonly laws: LawReport;
  readonly published: readonly PublishedEvent[];
  readonly deadLetters: Readonly<
    Record<'inbound' | 'sends' | 'erasures' | 'schedules' | 'publishing', readonly DeadLetter[]>
  >;
  /** Messages left on each queue, and schedules that are not due yet. */
  readonly waiting: Readonly<Record<string, number>>;
  readonly sendWrites: readonly SendWrite[];
  readonly kills: readonly Disturbance[];
  /** When the table refused connections. Calls during that time are in no other ledger. */
  readonly tableOutages: readonly { readonly from: string; readonly to: string }[];
  readonly windows: readonly OpenedWindow[];
  readonly reports: readonly ReportedStatus[];
  /** When a function last wrote each item, by `pk sk`. */
  readonly lastWrites: Readonly<Record<string, string>>;
  /** The times of failed calls of any kind to the chat service, including contact checks. */
  readonly failedCalls: readonly string[];
  /** The contacts that had opted in before the run. */
  readonly optedIn: readonly string[];
  /** How long the functions wait for the chat service's response. */
  readonly answerTimeoutMs: number;
  /** The longest duration of an invocation of the function `send`. */
  readonly sendTimeoutMs: number;
}

export const erasedContacts = ({ erasures }: Ledgers): ReadonlySet<string> =>
  new Set(erasures.map(({ contact }) => contact));
