import type { AccountState, HeldAccount, HoldReason } from './domain/account.ts';
import type { Contact, ContactRef } from './domain/contact.ts';
import type { CheckedContact } from './domain/contact-check.ts';
import type { Consent, ContactRecord } from './domain/contact-record.ts';
import type { ErasureRecord, QueuedErasure } from './domain/erasure.ts';
import type { Instant } from './domain/instant.ts';
import type { ConversationPage, MessageRecord, PagePosition } from './domain/message-record.ts';
import type { SendCall } from './domain/send-decision.ts';
import type { ChatServiceAnswer } from './domain/send-outcome.ts';
import type { SendRecord, Settlement } from './domain/send-record.ts';
import type { Claim, Conclusion, OutboundMessage, QueuedSend, StoredSend } from './domain/send-state.ts';
import type { WrittenEvent } from './domain/telling/written-event.ts';
import type { VerifiedPost } from './domain/verified-post.ts';
import type { Echo, InboundMessage, StatusChange } from './domain/webhook-event.ts';

/** The time of day. Every time that a use case sees comes from here. */
export interface Clock {
  now(): Instant;
}

/** All chance that a use case meets. */
export interface Randomness {
  /** A fresh id, unlike any before. */
  newId(): string;
  /** Evenly spread, from 0 to less than 1. */
  fraction(): number;
}

/** What came of a write. Expected outcomes are values: a table out of reach is one of them. */
export type WriteResult =
  /** The table holds it now, by this write or by an earlier one. */
  | { readonly kind: 'written' }
  /** The table will never take it: too large, say. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may or may not have been written; every write may be repeated. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Where webhook events are kept. Every write may come twice, late and in any order. */
export interface EventStore {
  /** Keeps a message or an echo. */
  recordMessage(message: InboundMessage | Echo): Promise<WriteResult>;
  /** Keeps a status's own time on its message, whether or not the message is known. */
  recordStatus(status: StatusChange): Promise<WriteResult>;
  /** Moves the contact's conversation window forward, never back. */
  openWindow(message: InboundMessage): Promise<WriteResult>;
  /** Settles the send that a status refers to: whoever has a status was accepted. No such send, and nothing happens. */
  settleSend(status: StatusChange & { readonly reference: string }): Promise<WriteResult>;
}

/** Where authentic posts wait that could not be stored. */
export interface InboundQueue {
  /** For later: the table is out of reach. */
  defer(post: VerifiedPost): Promise<WriteResult>;
  /** For a person: it cannot be read, or never be stored. */
  quarantine(post: VerifiedPost, reason: string): Promise<WriteResult>;
}

export type Verdict =
  | { readonly kind: 'authentic' }
  /** The carrier's, about the delivery itself, and dealt with: there is no event in it. */
  | { readonly kind: 'handshake'; readonly reason: string }
  /** `reason` is for metric and log: it names the check, never a value. */
  | { readonly kind: 'forged'; readonly reason: string }
  /** The check could not be made: what it needs cannot be fetched. */
  | { readonly kind: 'undecided'; readonly reason: string };

/** A post's headers, their names in lower case. */
export type PostHeaders = Readonly<Record<string, string | undefined>>;

/** Tells whether a post is the carrier's. */
export interface WebhookVerifier {
  verify(post: { readonly headers: PostHeaders; readonly unverifiedBody: Buffer }): Promise<Verdict>;
}

/** The secret that the webhook's posts are verified with. */
export interface WebhookSecret {
  /** Its text: one secret or token a line, several while one is replaced by another. */
  read(): Promise<string>;
}

/** Somebody has the send, or had it: how it stands. */
export interface HeldSend {
  readonly kind: 'held';
  readonly send: StoredSend;
}

/** Where contacts and sends are kept. Throws when it is out of reach: the queue brings the request again. */
export interface SendStore {
  /**
   * Everything known of a contact, empty for one never heard of; and, where asked for, how the account stands. One call
   * either way.
   */
  readSituation(
    contact: ContactRef,
    options: { readonly accountToo: boolean },
  ): Promise<{ readonly contact: Contact; readonly account?: AccountState }>;
  /** Takes a send that is new, `waiting`, or, when asked for, `uncertain`: the one write before every call. */
  claim(
    send: QueuedSend,
    claim: Claim,
    options: { readonly uncertainToo: boolean },
  ): Promise<{ readonly kind: 'claimed'; readonly attempt: number } | HeldSend>;
  /**
   * Ends a claim; an acceptance also settles what became `uncertain` under it. `settled` when a status has told before
   * that the message was accepted, which counts; `lost` when the claim is no longer ours.
   */
  conclude(requestId: string, claimId: string, conclusion: Conclusion): Promise<'concluded' | 'settled' | 'lost'>;
  /** Ends a send that needs no call: new or `waiting` becomes final. */
  settle(send: QueuedSend, conclusion: Conclusion): Promise<{ readonly kind: 'settled' } | HeldSend>;
  /** Keeps what was sent in the conversation, whichever of it and a status comes first. */
  recordOutbound(message: OutboundMessage): Promise<void>;
  /** Notes that the service called the window closed. */
  noteWindowDenied(contact: ContactRef, at: Instant): Promise<void>;
  /** Remembers what the contact check said, unless a later check is remembered. */
  noteChecked(contact: ContactRef, checked: CheckedContact): Promise<void>;
}

/** A hold, and the call that met with it. */
export interface Hold {
  readonly reason: HoldReason;
  readonly why: string;
  /** When the call was claimed: one that began before the account was resumed does not hold it again. */
  readonly calledAt: Instant;
  readonly heldAt: Instant;
  readonly nextProbeAt: Instant;
}

/** Where it is kept that an account is held, for all functions. Every transition is one conditional write. */
export interface AccountStore {
  /** Holds the account, unless it is held; returns how it stands then. */
  hold(hold: Hold): Promise<AccountState>;
  /** Takes the right to the one probe that is due, until its lease is over; else returns how the account stands. */
  takeProbe(probe: {
    readonly probeId: string;
    readonly now: Instant;
    readonly leaseUntil: Instant;
  }): Promise<{ readonly kind: 'taken'; readonly account: HeldAccount } | AccountState>;
  /** Ends a probe that was not accepted; returns how the account stands then. */
  failProbe(probeId: string, next: Pick<HeldAccount, 'reason' | 'why' | 'nextProbeAt'>): Promise<AccountState>;
  /** Ends the hold: the probe was accepted. Returns how the account stands then. */
  resume(probeId: string, resumedAt: Instant): Promise<AccountState>;
}

/** Where a send waits for its `sendAt`. Throws when it is out of reach. */
export interface ScheduledSendStore {
  /** Notes that a new send is to go out at `sendAt`; held when there is one of this id already. */
  schedule(
    send: QueuedSend,
    times: { readonly at: Instant; readonly sendAt: Instant },
  ): Promise<{ readonly kind: 'scheduled' } | HeldSend>;
  /** The send of this id, however it stands; undefined when there is none. */
  readScheduled(requestId: string): Promise<(StoredSend & { readonly sendAt?: Instant }) | undefined>;
  /** Ends a send that is `scheduled`; held, as it stands, when it is not. */
  cancel(
    requestId: string,
    at: Instant,
  ): Promise<{ readonly kind: 'cancelled' } | { readonly kind: 'unknown' } | HeldSend>;
}

/** Wakes a send at its time by a message on the send queue. Throws when it is out of reach. */
export interface SendAlarmClock {
  /** Sets the alarm of a request; nothing happens when it is set already. */
  set(alarm: { readonly requestId: string; readonly groupId: string; readonly at: Instant }): Promise<void>;
  /** Takes the alarm back; nothing happens when there is none. */
  remove(requestId: string): Promise<void>;
}

/** The chat service's endpoints. A failed call is a value, not an error. */
export interface ChatService {
  send(call: SendCall): Promise<ChatServiceAnswer>;
  /** Asks which of these numbers are on the platform. */
  checkContacts(chatChannelNumber: string, contacts: readonly string[]): Promise<ChatServiceAnswer>;
}

/** The chat service's access token. */
export interface AccessToken {
  read(): Promise<string>;
  /** The token after `refused` was refused: read from its source again. */
  readAfresh(refused: string): Promise<string>;
}

/** Where a request goes that cannot be sent as it is. At least once: a copy may come twice. */
export interface SendDeadLetters {
  put(message: Pick<QueuedSend, 'body' | 'groupId' | 'deduplicationId'>, reason: string): Promise<void>;
}

/** What became of an event that the bus was given. */
export type PutResult =
  | { readonly kind: 'taken' }
  /** Not taken this time; it may be put again. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** It will never be taken as it is. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Where other systems hear of what happened. At least once: an event may be put twice, and its id tells so. */
export interface EventBus {
  /** Puts any number of events; one result for each, in their order. */
  put(events: readonly WrittenEvent[]): Promise<readonly PutResult[]>;
}

/** Where changes go that cannot be told, for a person. */
export interface UntoldChanges {
  /** Throws when it is out of reach: the stream brings the change again. */
  put(change: { readonly sequenceNumber: string; readonly record: unknown }, reason: string): Promise<void>;
}

/** Waits. */
export type Pause = (ms: number) => Promise<void>;

/** What people ask of contacts and conversations, and what they record of them. */
export interface ConversationDesk {
  readContact(contact: ContactRef): Promise<ContactRecord | undefined>;
  /** Newest first. */
  readConversation(
    contact: ContactRef,
    page: { readonly limit: number; readonly after?: PagePosition },
  ): Promise<ConversationPage>;
  /** The message with its `body` as it came, if it came. */
  readMessage(id: string): Promise<(MessageRecord & { readonly body?: string }) | undefined>;
  /** The latest consent of a kind counts, in whatever order they are recorded. */
  recordConsent(contact: ContactRef, consent: Consent): Promise<void>;
  /** The latest check counts. */
  recordCheck(contact: ContactRef, checked: CheckedContact): Promise<void>;
}

/** What people ask of sends, and how they end what is uncertain. */
export interface SendDesk {
  readSend(requestId: string): Promise<SendRecord | undefined>;
  /** Notes a request before it is queued, so that its id cannot be used for another body. */
  register(
    send: QueuedSend,
    at: Instant,
  ): Promise<
    { readonly kind: 'registered' } | { readonly kind: 'known' | 'reused'; readonly state: SendRecord['state'] }
  >;
  /** Oldest first. */
  listUncertain(page: { readonly limit: number; readonly after?: UncertainPosition }): Promise<readonly SendRecord[]>;
  /** Ends an uncertain send, or has one wait again; `held` when its state does not allow that any more. */
  settle(send: SendRecord, settlement: Settlement): Promise<'settled' | 'held'>;
  /** Keeps what was sent in the conversation. */
  recordOutbound(message: OutboundMessage): Promise<void>;
  /** How the account stands that is sent by. */
  readAccount(): Promise<AccountState>;
}

/** The send after which a page of uncertain ones begins. */
export interface UncertainPosition {
  readonly uncertainAt: Instant;
  readonly requestId: string;
}

/** Where requests wait to be sent. Throws when it is out of reach. */
export interface SendQueue {
  put(message: Pick<QueuedSend, 'body' | 'groupId' | 'deduplicationId'>): Promise<void>;
}

/** Something of a contact's that is still to be erased: its key in the table, and a send's state. */
export interface ErasableItem {
  readonly pk: string;
  readonly sk: string;
  readonly state?: string;
}

/** Removes what is kept of a contact, and keeps what stays of that. */
export interface ErasureStore {
  readErasure(erasureId: string): Promise<ErasureRecord | undefined>;
  begin(erasureId: string, requestedAt: Instant): Promise<void>;
  /** Unless the user has written after `until`: that is a contact begun afresh. */
  removeContact(contact: ContactRef, until: Instant): Promise<void>;
  listItems(
    contact: ContactRef,
    until: Instant,
    after?: ErasablePosition,
  ): Promise<{ readonly items: readonly ErasableItem[]; readonly next?: ErasablePosition }>;
  /** `busy` while a function is sending it: it would be written again after. */
  erase(contact: ContactRef, item: ErasableItem, at: Instant): Promise<'erased' | 'gone' | 'busy'>;
  /** Adds a turn's work to what the record says; a turn that was counted is not counted again. */
  record(
    before: ErasureRecord,
    turn: { readonly messages: number; readonly sends: number; readonly finishedAt?: Instant },
  ): Promise<void>;
}

/** Where in a contact's items the next page begins; the adapter's own. */
export type ErasablePosition = Readonly<Record<string, unknown>>;

/** Where erasures wait to be done. */
export interface ErasureQueue {
  put(erasure: QueuedErasure): Promise<void>;
}

/** Structured log lines. Never given a token, a secret or a signature. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** Counters, by the names that docs and alarms use. */
export interface Metrics {
  count(name: MetricName, dimensions?: Readonly<Record<string, string>>): void;
  /** Writes out what was counted; at the end of each invocation. */
  flush(): void;
}

export type MetricName =
  | 'EventStored'
  | 'EventDeferred'
  | 'EventQuarantined'
  | 'EventTooLarge'
  | 'EventWithoutChannel'
  | 'EventUnavailable'
  | 'WebhookForged'
  | 'WebhookUndecided'
  | 'WebhookHandshake'
  | 'SendAccepted'
  | 'SendRefused'
  | 'SendRejected'
  | 'SendExpired'
  | 'SendUncertain'
  | 'SendWaiting'
  | 'SendMalformed'
  | 'AccountHeld'
  | 'AccountResumed'
  | 'ContactCheckRefused'
  | 'SendScheduled'
  | 'SendCancelled'
  | 'WindowMisjudged'
  | 'EventTold'
  | 'TellingRepeated'
  | 'TellingFailed'
  | 'ChangeUntold';
