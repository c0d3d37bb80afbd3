import type { AuditEntry, RequestedAct } from './domain/audit.ts';
import type { AccountRef, Circuit, OpenCircuit, OpenReason } from './domain/circuit-breaker.ts';
import type { Consent } from './domain/consent.ts';
import type { ChannelCustomer, Contact, ContactRef, CustomerRef, DataSubject } from './domain/contact.ts';
import type { CheckedContact } from './domain/contact-check.ts';
import type { Customer, EarlierUsers } from './domain/customer.ts';
import type { CustomerAddresses } from './domain/customer-address.ts';
import type { DeadLetter, DeadLetterQueueName, KeptQueue } from './domain/dead-letter.ts';
import type { DeadLetterText } from './domain/dead-letter-subject.ts';
import type { ErasureRecord, QueuedErasure } from './domain/erasure.ts';
import type { ItemChange } from './domain/events/item-change.ts';
import type { SerializedEvent } from './domain/events/serialize-event.ts';
import type { Instant } from './domain/instant.ts';
import type { EchoedMessage } from './domain/likely-message.ts';
import type { DetailedMessage, MessageOrigin, MessageRecord, OutboundMessage } from './domain/message.ts';
import type { MessageVersion } from './domain/message-version.ts';
import type { MetricName } from './domain/metric-names.ts';
import type { StreamRange } from './domain/publish-failure.ts';
import type {
  AddressedSend,
  Claim,
  QueuedSend,
  Resolution,
  SendRecord,
  SendResult,
  UncalledResult,
} from './domain/send.ts';
import type { SendCall } from './domain/send-call.ts';
import type { ChatServiceAnswer } from './domain/send-outcome.ts';
import type { SendState } from './domain/send-transitions.ts';
import type { Sending, Stop } from './domain/sending-stop.ts';
import type { Traceparent } from './domain/trace-context.ts';
import type { EndedTurn, OpenTurn, TurnMessage } from './domain/turns/turn.ts';
import type { ChannelRef } from './domain/watch/channel-rhythm.ts';
import type { Gap, GapCandidate } from './domain/watch/gap.ts';
import type { Echo, InboundMessage, StatusChange, UnknownEvent, WebhookEvent } from './domain/webhook-event.ts';
import type { VerifiedRequest } from './domain/webhook-request.ts';

// Every interface to the outside, by aggregate. A use case picks the methods it needs with Pick<>. Unless documented
// otherwise, a method throws when the service behind it is unavailable.

/** Contacts, with their conversation windows, consents, and contact checks. Expired data is not returned. */
export interface ContactRepository {
  /** Returns undefined for a contact that is not stored. */
  read(contact: ContactRef, now: Instant): Promise<Contact | undefined>;
  /** Reads a contact in one call, without the opt-outs of its customer's other addresses, which `readConsents` reads. */
  readOwn(contact: ContactRef, now: Instant): Promise<Contact | undefined>;
  /** Reads many contacts in few calls. Returns them in the order of `contacts`, which may repeat. */
  readMany(contacts: readonly ContactRef[], now: Instant): Promise<readonly StoredContact[]>;
  /**
   * Reads a contact as `readOwn` does, an account's circuit breaker, and an operator's stop in one call. Returns an empty
   * contact for an unknown one.
   */
  readWithAccount(
    contact: ContactRef,
    account: AccountRef,
    now: Instant,
  ): Promise<{ readonly contact: Contact; readonly circuit: Circuit; readonly stop?: Stop }>;
  /**
   * Reads the contact's consents, and the opt-outs of its customer's other addresses, which is cheaper than reading the
   * contact.
   */
  readConsents(contact: ContactRef): Promise<readonly Consent[]>;
  /** Returns every address that events named with a customer's ID, including those that have another user now. */
  readCustomer(customer: ChannelCustomer): Promise<Customer | undefined>;
  /** Reads these addresses, without what expires independently of them: consents, contact checks, and handovers. */
  readAddresses(customer: ChannelCustomer, now: Instant): Promise<CustomerAddresses>;
  /**
   * Moves the conversation window forward, never back, and records which customer the user is. Returns the customers for
   * whom an opt-out by the message holds: none if no event has named one.
   */
  openWindow(message: InboundMessage): Promise<readonly ChannelCustomer[]>;
  /** Records that an event of a business's message named this customer as the contact's user. */
  linkCustomer(named: { readonly contact: ContactRef; readonly customerId: string }, at: Instant): Promise<void>;
  /**
   * Records that a customer is not the contact's user although the chat service names them together, or reverses that.
   * Concurrent calls all take effect. Does nothing if the contact is not stored.
   */
  recordSeparation(
    named: { readonly contact: ContactRef; readonly customerId: string },
    to: 'separated' | 'joined',
    at: Instant,
  ): Promise<void>;
  /** Records that the chat service reported the window closed. The latest report counts. */
  denyWindow(contact: ContactRef, at: Instant): Promise<void>;
  /** Records the result of a contact check. The latest check counts. */
  recordCheck(contact: ContactRef, checked: CheckedContact): Promise<void>;
  /** Records that an operator wrote to the contact, which hands it over `until` then, if at all. The latest counts. */
  recordOperatorMessage(
    contact: ContactRef,
    message: { readonly at: Instant; readonly until?: Instant },
  ): Promise<void>;
  /** Records that the contact was handed over to people, or back to automated systems. The latest of each counts. */
  recordHandover(contact: ContactRef, to: 'people' | 'automated', at: Instant): Promise<void>;
  /**
   * Records an opt-in or opt-out. Keeps the latest of each kind and origin, regardless of the order of writes. Of a
   * customer, only opt-outs are recorded: they hold for all of its addresses.
   */
  recordConsent(subject: ContactRef | ChannelCustomer, consent: Consent): Promise<void>;
}

/** A contact as read among others: undefined if it is not stored, and `damaged` if it cannot be read. */
export type StoredContact = Contact | 'damaged' | undefined;

/** Where the next page of a list starts; opaque to callers. */
export type ListPosition = Readonly<Record<string, string>>;

/** A part of what is stored about a user: that of one of the addresses, or what names only the customer. */
export interface UserPart {
  readonly subject: DataSubject;
  /** The address that each message is shown with. @default none */
  readonly address?: string | undefined;
  /** Leaves out what is theirs, because they had the address before. @default all */
  readonly earlier?: EarlierUsers | undefined;
}

/** A page of a conversation, newest message first. */
export interface ConversationPage {
  readonly messages: readonly MessageRecord[];
  /** Where the next page starts; absent on the last one. */
  readonly next?: ListPosition;
}

/** Messages and their statuses. Writes may be repeated, and may arrive late and in any order. */
export interface MessageRepository {
  /**
   * Records a message, or another version of it.
   *
   * @param turn adds a message that is new to its contact's open turn, or starts a turn at this time. @default no turn
   * @throws ItemBusyError if the turn cannot be written now
   */
  recordInbound(message: InboundMessage, turn?: { readonly startedAt: Instant }): Promise<RecordedMessage>;
  /** Returns the time of the echo's item, which is that of its earliest version. */
  recordEcho(echo: Echo): Promise<Instant>;
  /** Records an event that Parley does not know. */
  recordUnknown(event: UnknownEvent): Promise<void>;
  /** Records that events with this name exist. Returns when that was first recorded. */
  recordUnknownName(name: string, now: Instant): Promise<Instant>;
  /**
   * Records a status on its message, with its time and its body, whether or not the message is known. Returns the trace
   * of the message, or that of its first status if the message is not known, and the request that Parley sent as the
   * message, if it is known. If the message failed, also returns the earliest report of that.
   */
  recordStatus(status: StatusChange): Promise<RecordedStatus>;
  /**
   * Records an accepted send as a message of the conversation, unless the message was erased. Returns the earliest report
   * that the message failed, if there is one.
   *
   * @returns `other-user` if its ID is that of another user's message, which stays as it is
   */
  recordOutbound(message: OutboundMessage): Promise<Failed | 'other-user' | undefined>;
  /** Returns the message, its echo, and its statuses, with the body of each event. */
  read(id: string): Promise<DetailedMessage | undefined>;
  /** Returns when the message was written, and with whom. Returns undefined if only statuses of it are known. */
  readOrigin(id: string): Promise<MessageOrigin | undefined>;
  /** Returns when a contact's user first wrote after a time. Returns undefined if no such message is stored. */
  readFirstInbound(contact: ContactRef, after: Instant): Promise<Instant | undefined>;
  /** Returns a page of the messages of one or several subjects, in one order, newest first. */
  readConversation(
    parts: readonly UserPart[],
    page: { readonly limit: number; readonly after?: ListPosition },
  ): Promise<ConversationPage>;
}

/**
 * Channels, and when users wrote to them. Channels are recorded only in a stage that watches what arrives.
 */
export interface ChannelRepository {
  /** Records that the channel exists. The earliest time counts. */
  register(channel: ChannelRef, at: Instant): Promise<void>;
  /** Records that a user wrote to the channel. */
  noteMessage(channel: ChannelRef, at: Instant): Promise<void>;
  /** Records that the chat service reported an echo. The latest time counts. */
  noteEcho(channel: ChannelRef, at: Instant): Promise<void>;
  /** Returns up to 100 channels, the oldest first. */
  list(): Promise<readonly RegisteredChannel[]>;
  /** Reads the slots with messages of these days. Days without any are left out. */
  readDays(channel: ChannelRef, days: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>>;
  /**
   * Records that the channel is watched.
   *
   * @param since since when without a break, if there was one
   */
  recordWatch(channel: ChannelRef, at: Instant, since: Instant | undefined): Promise<void>;
  /** Records that the channel is silent. Returns whether that is new. */
  recordSilence(channel: ChannelRef, since: Instant): Promise<boolean>;
  /**
   * Records that a silence is over. Returns whether that is new.
   *
   * @param spokeAt when a user wrote again; undefined if the channel is no longer in use
   */
  endSilence(channel: ChannelRef, since: Instant, spokeAt: Instant | undefined): Promise<boolean>;
}

export interface RegisteredChannel extends ChannelRef {
  readonly firstSeenAt: Instant;
  /** When an echo was last recorded. */
  readonly echoedAt?: Instant | undefined;
  readonly silentSince?: Instant | undefined;
  /** When the schedule last recorded that it watches the channel. */
  readonly watchedAt?: Instant | undefined;
  /** When the stage began to watch again after a break. */
  readonly watchedSince?: Instant | undefined;
}

/** Messages of which only statuses have arrived. They are listed only in a stage that watches what arrives. */
export interface GapRepository {
  /**
   * Returns a page of those whose first status was stored before a time and that are not known to be gaps yet, the
   * oldest first. A page can have fewer than `limit`.
   */
  listCandidates(page: {
    readonly before: Instant;
    readonly limit: number;
    readonly after?: ListPosition | undefined;
  }): Promise<{ readonly candidates: readonly GapCandidate[]; readonly next?: ListPosition }>;
  /** Returns a page of the messages that are missing, the oldest first. A page can have fewer than `limit`. */
  listMissing(page: {
    readonly limit: number;
    readonly after?: ListPosition;
  }): Promise<{ readonly gaps: readonly Gap[]; readonly next?: ListPosition }>;
  /** Records that a message is missing. Returns whether that is new. */
  confirm(gap: Gap): Promise<boolean>;
  /** Takes a message from the lists for good, because it has arrived or never will. */
  close(messageId: string, at: Instant): Promise<void>;
}

/** Messages of bots and operators, which the chat service reports back, and which a send can turn out to be. */
export interface EchoReader {
  /** Returns up to 50 messages of the business to a contact in a period, without those that a send is known to be. */
  readUnclaimed(contact: ContactRef, from: Instant, until: Instant): Promise<readonly EchoedMessage[]>;
}

/**
 * What is stored of an event: nothing, the same from an earlier import, the same as the chat service delivered it, the
 * same as delivered for another contact, or under its ID a message that Parley sent.
 */
export type StoredEvent = 'missing' | 'imported' | 'delivered' | 'delivered-for-another' | 'sent';

/** Finds out which events of a history are stored. */
export interface StoredEventReader {
  /** Returns what is stored of each event, in their order. */
  read(events: readonly WebhookEvent[]): Promise<readonly StoredEvent[]>;
}

/** What is stored of a message once an event with it is recorded. */
export interface RecordedMessage {
  /** The time of the message's item, which is that of its earliest version. */
  readonly at: Instant;
  /** The version that the event brought, if several are stored. */
  readonly version?: MessageVersion;
}

/** When a message failed after it was accepted, and why, as `describeFailure` describes it. */
export interface Failed {
  readonly at: Instant;
  readonly failure: string;
}

export interface RecordedStatus {
  readonly traceparent: Traceparent;
  readonly requestId?: string;
  readonly failed?: Failed;
}

/** Turns: what a user has written since the last turn ended. Every message is in exactly one turn. */
export interface TurnRepository {
  /** Ends a turn unless a message was added since, or it is full. Returns whether it did. The call can be repeated. */
  end(turn: OpenTurn): Promise<boolean>;
  /** Reads the messages of the turn that are still stored, a few at a time: together, they can exceed 100 MB. */
  readMessages(turn: Pick<EndedTurn, 'contact' | 'messageIds'>): AsyncIterable<TurnMessage>;
}

/** Where open turns wait until the silence is over. A turn may be put on the queue, and received, more than once. */
export interface TurnQueue {
  /** @param delaySeconds at most 900, the maximum of SQS */
  put(turn: OpenTurn, delaySeconds: number): Promise<void>;
}

/** The result of a transition: applied, or not allowed from the send's current state. */
export type TransitionResult =
  | { readonly kind: 'applied' }
  | { readonly kind: 'conflict'; readonly send: SendRecord }
  /** The send does not exist, and the transition cannot create it. */
  | { readonly kind: 'missing' };

/** Sends. Every change of state is one conditional write, as `domain/send-transitions.ts` defines it. */
export interface SendRepository {
  read(requestId: string): Promise<SendRecord | undefined>;
  /** Records a request before it is queued, so that its id cannot be reused for another body. */
  register(send: Omit<QueuedSend, 'endBy'>, at: Instant): Promise<TransitionResult>;
  schedule(send: QueuedSend, times: { readonly at: Instant; readonly sendAt: Instant }): Promise<TransitionResult>;
  /**
   * Claims a send for one call; required before every call. For a request to a customer, records the address, so that
   * no other one can be claimed later. With `resend`, an uncertain send can be claimed too.
   */
  claim(
    send: AddressedSend,
    claim: Claim,
    options: { readonly resend: boolean },
  ): Promise<Claimed | Exclude<TransitionResult, { kind: 'applied' }>>;
  /** Replaces the call of a claim before the call is made. */
  replaceCall(requestId: string, claimId: string, call: Pick<Claim, 'call' | 'decision'>): Promise<TransitionResult>;
  /**
   * Records the result of a claimed call. An acceptance also replaces an `uncertain` that was recorded under the same
   * claim.
   */
  recordResult(requestId: string, claimId: string, result: SendResult): Promise<TransitionResult>;
  /** Records the result of a send that needs no call. */
  recordWithoutCall(send: QueuedSend, result: UncalledResult): Promise<TransitionResult>;
  /**
   * Records that processing a request failed. Returns since when it has failed, without a transition and without a gap
   * of an hour. Pass the body unless it is unknown: a request that reuses an id does not count for the other one.
   */
  recordFailure(request: { readonly requestId: string; readonly body?: string }, at: Instant): Promise<Instant>;
  /** Records that a status confirms a send. Returns the send's message, or undefined if no status has identified it. */
  confirm(
    requestId: string,
    confirmed: { readonly messageId: string; readonly at: Instant },
  ): Promise<OutboundMessage | undefined>;
  /** Records that a send's message failed after the chat service had accepted it. Ignores other messages' failures. */
  fail(requestId: string, failed: Failed & { readonly messageId: string }): Promise<TransitionResult>;
  /**
   * Links the chat service's id of a call to the call's request, before the answer is recorded. Returns the message that
   * an event has already linked.
   */
  linkRequest(
    transactionId: string,
    requestId: string,
    at: Instant,
  ): Promise<{ readonly messageId: string; readonly at: Instant } | undefined>;
  /** Links the chat service's id of a call to a message. Returns the call's request, if its answer has been linked. */
  linkMessage(
    transactionId: string,
    message: { readonly messageId: string; readonly at: Instant },
  ): Promise<{ readonly requestId?: string }>;
  cancel(requestId: string, at: Instant): Promise<TransitionResult>;
  resolve(send: SendRecord, resolution: Resolution): Promise<TransitionResult>;
}

/** Lists and counts sends. The lists lag slightly behind the sends, and a send that just left a list is left out. */
export interface SendLists {
  /**
   * Returns a page of the sends that a filter selects. A page can have fewer sends than `limit`, even none, although
   * others follow.
   */
  list(filter: SendFilter, page: { readonly limit: number; readonly after?: ListPosition }): Promise<SendListPage>;
  /** Counts the sends of a state or a broadcast by state and code. The rest is counted from `next` on. */
  count(filter: SendCountFilter, after?: ListPosition): Promise<SendCounts>;
}

/** Selects sends by the user, their broadcast, their state, or several of them. */
export type SendFilter = (
  | { readonly user: readonly UserPart[]; readonly broadcastId?: string; readonly state?: SendState }
  | { readonly user?: undefined; readonly broadcastId: string; readonly state?: SendState }
  | { readonly user?: undefined; readonly broadcastId?: undefined; readonly state: SendState }
) & {
  readonly code?: string;
  /** Those that entered their state since then; with `user`, those created since then. */
  readonly since?: Instant;
};

export type SendCountFilter = Exclude<SendFilter, { readonly user: readonly UserPart[] }>;

export interface SendCounts {
  readonly counts: readonly { readonly state: SendState; readonly code?: string; readonly count: number }[];
  readonly next?: ListPosition;
}

/** The right to make one call. */
export interface Claimed {
  readonly kind: 'claimed';
  /** The number of claims so far, including this one. */
  readonly attempt: number;
  /** How many earlier calls ended without a known outcome. */
  readonly unknownOutcomes: number;
  /** The trace of whoever recorded the send first. */
  readonly traceparent: Traceparent;
}

export interface SendListPage {
  readonly sends: readonly SendRecord[];
  readonly next?: ListPosition;
}

/** What opens the circuit breaker. */
export interface Trip {
  readonly reason: OpenReason;
  readonly why: string;
  /** When the call was claimed: a call claimed before the circuit breaker closed does not open it again. */
  readonly calledAt: Instant;
  readonly openedAt: Instant;
  readonly nextProbeAt: Instant;
}

/** The account's circuit breaker, shared by all functions. Each method returns the circuit's state after the call. */
export interface CircuitRepository {
  read(): Promise<Circuit>;
  /** Opens the circuit breaker unless it is already open. */
  open(trip: Trip): Promise<Circuit>;
  /** Claims the probe that is due, until its lease expires. */
  claimProbe(probe: {
    readonly probeId: string;
    readonly now: Instant;
    readonly leaseUntil: Instant;
  }): Promise<{ readonly isClaimed: boolean; readonly circuit: Circuit }>;
  /** Schedules the next probe after one that was not accepted. */
  failProbe(
    probeId: string,
    /** `sendFailedAt`: the probe sent a request and may have left its outcome unknown. */
    next: Pick<OpenCircuit, 'reason' | 'why' | 'nextProbeAt' | 'sendFailedAt'>,
  ): Promise<Circuit>;
  /** Closes the circuit breaker after an accepted probe. */
  close(probeId: string, closedAt: Instant): Promise<Circuit>;
  /** Makes the next probe due, unless one is in flight, which `isProbing` says. */
  probeNow(now: Instant): Promise<{ readonly circuit: Circuit; readonly isProbing: boolean }>;
}

/** An operator's stops. Each method returns what is in force after the call: the latest stop or resumption. */
export interface StopRepository {
  read(): Promise<Sending>;
  stop(stop: Stop): Promise<Sending>;
  resume(resumedAt: Instant): Promise<Sending>;
}

/** Dead letters that are kept in the table until they are redriven, deleted, or erased with their contact. */
export interface KeptDeadLetterRepository {
  /**
   * Stores a dead letter. Can be repeated. Erasing any of `subjects` deletes it.
   *
   * @param kept the time, and an id of this attempt, by which an erasure notices another attempt
   */
  keep(
    deadLetter: DeadLetter,
    subjects: readonly DataSubject[],
    kept: { readonly at: Instant; readonly keepId: string },
  ): Promise<void>;
  /** Returns a page of a queue's dead letters without their bodies, oldest first. */
  list(
    queue: KeptQueue,
    page: { readonly limit: number; readonly after?: ListPosition },
  ): Promise<{ readonly deadLetters: readonly KeptDeadLetter[]; readonly next?: ListPosition }>;
  /** Returns undefined if there is none, or if its deletion was interrupted. */
  read(id: string): Promise<(DeadLetter & Pick<KeptDeadLetter, 'keptAt'>) | undefined>;
  /** Returns whether there was one. The call can be repeated. */
  delete(id: string): Promise<boolean>;
}

/** A kept dead letter, without its body. */
export interface KeptDeadLetter extends Omit<DeadLetter, 'body'> {
  readonly keptAt: Instant;
}

/** The audit trail. Entries are only added; an erasure removes its contact from them. */
export interface AuditRepository {
  /** Records an action before it is performed, so that no action lacks an entry. Each call adds an entry. */
  record(act: RequestedAct): Promise<AuditEntry>;
  /** Returns a page of the entries in a period, optionally only those about a user, newest first. */
  list(
    period: { readonly since?: Instant; readonly until?: Instant; readonly user?: readonly UserPart[] },
    page: { readonly limit: number; readonly after?: ListPosition },
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly next?: ListPosition }>;
}

/** The send queue and, if the stage has one, the bulk queue. */
export interface SendBacklog {
  /** Returns the approximate number of requests in each of them. */
  read(): Promise<{ readonly queue: number; readonly bulk?: number }>;
}

/** Approximate numbers of messages in a queue. */
export interface MessageCounts {
  /** Messages that can be received now or after their delay. */
  readonly available: number;
  /** Messages that a consumer has received and not yet deleted. */
  readonly inFlight: number;
}

/** A dead-letter queue. */
export interface DeadLetterSource<Queue extends DeadLetterQueueName = KeptQueue> {
  readonly queue: Queue;
  depth(): Promise<MessageCounts>;
  /** Receives up to ten messages, or none if there are no more. */
  receive(): Promise<readonly ReceivedDeadLetter<Queue>[]>;
  remove(message: Pick<ReceivedDeadLetter, 'receiptHandle'>): Promise<void>;
  /** Makes messages available again. */
  release(messages: readonly Pick<ReceivedDeadLetter, 'receiptHandle'>[]): Promise<void>;
}

export interface ReceivedDeadLetter<Queue extends DeadLetterQueueName = KeptQueue> extends DeadLetter<Queue> {
  readonly receiptHandle: string;
  /** Whether another queue than Parley's names this one as its dead-letter queue, so that anyone may have sent it. */
  readonly isForeign?: true;
}

/** An item that is yet to be erased. A `status` is that of a message that never arrived. */
export interface ErasableItem {
  readonly kind: 'message' | 'echo' | 'version' | 'status' | 'send' | 'audit';
  readonly id: string;
  /** The digests of the earlier versions of a message and its echo, or of the version itself. */
  readonly versions?: readonly string[];
  /** Whether there may be a schedule for the send. */
  readonly isScheduled?: boolean;
  /** The IDs of all messages that were ever recorded for the send, if any. */
  readonly messageIds?: readonly string[];
  /** Whether the message with this id is marked as erased. */
  readonly isErased?: boolean;
  /** When it was recorded; absent for a status. */
  readonly createdAt?: Instant;
  /** The customers that the item names, if any. */
  readonly customerIds?: readonly string[];
}

/** The addresses that events named with a customer, at one business number. */
export interface LinkedAddresses {
  /** Those whose user the customer is now. */
  readonly own: readonly ContactRef[];
  /**
   * Those that have another user now, and until when this or another earlier customer was their user: a time before every
   * event if only statuses and echoes named the customer with the address.
   */
  readonly earlier: readonly { readonly contact: ContactRef; readonly until: Instant }[];
  /** Those that an operator separated from the customer. */
  readonly separated: readonly ContactRef[];
  /** The ID has had too many addresses, of which none is returned. */
  readonly isShared: boolean;
}

/** Erasures. Removes everything stored about a contact, and counts what it removes. */
export interface ErasureRepository {
  read(erasureId: string): Promise<ErasureRecord | undefined>;
  start(erasureId: string, requestedAt: Instant): Promise<void>;
  /** Returns the contacts of the same user: with every business number, and with none. */
  contactsOf(contact: ContactRef): Promise<readonly ContactRef[]>;
  /** Returns the channels with which a user of a platform can be stored: every business number, and none. */
  channelsOf(platform: string): Promise<readonly string[]>;
  /**
   * Returns the customers that a contact's user is, as far as the chat service has named them, and all that it named with
   * the contact.
   */
  customersOf(
    contact: ContactRef,
  ): Promise<{ readonly user: readonly ChannelCustomer[]; readonly named: readonly ChannelCustomer[] }>;
  /** Whether many users share a customer's ID, at any of these channels. */
  isShared(customer: CustomerRef, channels: readonly string[]): Promise<boolean>;
  /** Returns the addresses of a customer: none if the ID is not that of one user. */
  addressesOf(customer: ChannelCustomer): Promise<LinkedAddresses>;
  /**
   * Removes from a customer the addresses that are no longer its user's. Deletes it if nothing else is left.
   *
   * @param until also removes the opt-outs that were recorded until then, and the customer's ID from these addresses.
   *   @default neither
   * @param isNew an event named the customer after the erasure was requested, so that its other addresses are not erased
   *   with this one. While it has another address, only the address is removed. @default false
   */
  leaveCustomer(
    customer: ChannelCustomer,
    erasure: { readonly until?: Instant; readonly erasureId: string; readonly isNew?: boolean },
  ): Promise<void>;
  /**
   * Removes what was recorded about the contact until then: its window, consents, and contact check. What was recorded
   * later belongs to a new contact. Without one, also removes what functions recorded since about earlier sends.
   */
  removeContact(contact: ContactRef, until: Instant): Promise<void>;
  /**
   * Removes from a contact that has written since its erasure was requested the IDs of its earlier users, and those that
   * events named with it otherwise. A later status names its customer again.
   */
  forgetOtherCustomers(contact: ContactRef): Promise<void>;
  /** Ends the contact's open turn if it started until then. Its event has the messages that are still stored. */
  endOpenTurn(contact: ContactRef, until: Instant): Promise<void>;
  /**
   * Returns a page of what is stored under a contact or a customer, and the customers that these items name. A
   * customer's items must be erased first, because nothing else leads to them.
   */
  listItems(subject: DataSubject, until: Instant, after?: ErasablePosition): Promise<ErasablePage>;
  /**
   * Returns `busy` while a function is processing the send, because that function would write the item again. Returns
   * `lost` if the send was erased but its function had died, so the outcome of its call stays unknown.
   */
  erase(subject: DataSubject, item: ErasableItem, at: Instant): Promise<'erased' | 'lost' | 'gone' | 'busy'>;
  /**
   * Deletes kept dead letters that may be about any of the subjects. `isComplete` is true if there are none left.
   *
   * @param now the current time. Newer dead letters are not deleted
   * @param separatedKeys the keys of addresses whose dead letters stay although they name one of the customers.
   *   @default none
   */
  eraseKeptDeadLetters(
    subjects: readonly DataSubject[],
    now: Instant,
    separatedKeys?: readonly string[],
  ): Promise<{ readonly erased: number; readonly isComplete: boolean }>;
  /** Adds a pass's counts to the record. Counts each pass only once. */
  recordPass(
    before: ErasureRecord,
    pass: {
      readonly messages: number;
      readonly sends: number;
      readonly deadLetters: number;
      readonly finishedAt?: Instant;
    },
  ): Promise<void>;
}

export interface ErasablePage {
  readonly items: readonly ErasableItem[];
  readonly customers: readonly CustomerRef[];
  readonly next?: ErasablePosition;
}

/** Where the next page of a subject's items starts; opaque to callers. */
export type ErasablePosition = Readonly<Record<string, unknown>>;

/** The dead letters that are still in their queues. */
export interface QueuedDeadLetters {
  /**
   * Deletes the wanted dead letters and leaves the others. `isComplete` is false if there was no time to read all, or
   * if another consumer has received some.
   */
  remove(
    isWanted: (deadLetter: DeadLetterText) => boolean,
    hasTime: () => boolean,
  ): Promise<{ readonly removed: number; readonly isComplete: boolean }>;
}

/** The result of a write. Expected failures are values, not errors. */
export type WriteResult =
  /** The item is stored, by this write or an earlier one. */
  | { readonly kind: 'written' }
  /** No retry can succeed, for example because the item is too large. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The item may or may not have been written. Every write is safe to retry. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Accepts authentic webhook requests that could not be stored. Returns failures instead of throwing them. */
export interface InboundQueue {
  /** Puts the request on the inbound queue, to be stored later. */
  defer(request: VerifiedRequest): Promise<WriteResult>;
  /** Puts the request on the inbound queue's dead-letter queue, for an operator. */
  quarantine(request: VerifiedRequest, reason: string): Promise<WriteResult>;
}

export type Verdict =
  /**
   * `payload` is what the signature covers, if that is not the whole body, and `deliveryId` is the id that it covers.
   * Nothing else of the body may be read.
   */
  | { readonly kind: 'authentic'; readonly payload?: Buffer; readonly deliveryId?: string }
  /** A request about the delivery itself, such as a subscription confirmation. It was handled and carries no event. */
  | { readonly kind: 'handshake'; readonly reason: string }
  /**
   * The publish/subscribe system reports that it no longer delivers events here. Only an operator can restore the
   * delivery.
   */
  | { readonly kind: 'unsubscribed'; readonly reason: string }
  /**
   * `reason` names the check that failed and never includes a value. `isProvisional`: the secret or keys were read before
   * the request arrived, and could not be read again yet. Newer ones may accept it.
   */
  | { readonly kind: 'unauthenticated'; readonly reason: string; readonly isProvisional?: true }
  /** The keys, certificate, or secret needed for verification is unavailable. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** HTTP headers with lowercase names. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>;

/** A webhook request before it is verified. */
export interface UnverifiedRequest {
  readonly headers: HttpHeaders;
  readonly unverifiedBody: Buffer;
  /** When the request arrived. Its signature, token, or certificate must have been valid then. */
  readonly receivedAt: Instant;
}

/** Verifies that a webhook request comes from the chat service's publish/subscribe system. */
export interface WebhookVerifier {
  verify(request: UnverifiedRequest): Promise<Verdict>;
}

/** The secret that webhook requests are verified with. */
export interface WebhookSecret {
  /** Returns the secret's string: one secret or token per line. There are several during a rotation. */
  read(): Promise<string>;
}

/** The chat service's endpoints. A failed call is returned, not thrown. */
export interface ChatService {
  send(call: SendCall, options?: CallOptions): Promise<ChatServiceAnswer>;
  /** Checks which of the numbers are on the platform. */
  checkContacts(chatChannelNumber: string, contacts: readonly string[]): Promise<ChatServiceAnswer>;
}

export interface CallOptions {
  /** The trace that the call belongs to, with its own span. @default none */
  readonly traceparent?: Traceparent;
  /** Whether the call may be repeated if the access token was replaced. @default always */
  readonly mayRepeat?: () => boolean;
}

/** The chat service's access token. */
export interface AccessToken {
  read(): Promise<string>;
  /** Reads the token from its source again after the chat service refused the token `refused`. */
  refresh(refused: string): Promise<string>;
}

/** A message for a FIFO queue. The trace is an attribute of the message. */
export type FifoMessage = Pick<QueuedSend, 'body' | 'groupId' | 'deduplicationId'> &
  Partial<Pick<QueuedSend, 'traceparent'>>;

/** Where requests wait to be sent. */
export interface SendQueue {
  put(message: FifoMessage): Promise<void>;
}

/** Accepts requests that cannot be sent as they are. A request may be put on the queue twice. */
export interface SendDeadLetterQueue {
  put(message: FifoMessage, reason: string): Promise<void>;
}

/** Puts a request on the send queue when it becomes due. */
export interface SendScheduler {
  /** Does nothing if the request is already scheduled. */
  schedule(request: { readonly requestId: string; readonly groupId: string; readonly at: Instant }): Promise<void>;
  /** Does nothing if there is no schedule. */
  cancel(requestId: string): Promise<void>;
}

/** What a redrive keeps of a dead letter. */
export type RedrivenMessage = Pick<DeadLetter, 'id' | 'body' | 'groupId' | 'traceparent'>;

/** Puts dead letters back on the queue that they came from. */
export interface RedriveQueue {
  readonly url: string;
  /** A FIFO queue requires the message group, and drops a message that is repeated within five minutes. */
  put(message: RedrivenMessage): Promise<void>;
}

/** Where erasures wait to be processed. */
export interface ErasureQueue {
  put(erasure: QueuedErasure, delaySeconds: number): Promise<void>;
}

/** The result of publishing one event. */
export type PublishResult =
  | { readonly kind: 'published' }
  /** Not published; may be retried. `code` is the bus's error code, such as `ThrottlingException`. */
  | { readonly kind: 'failed'; readonly code: string; readonly reason: string }
  /** No retry can succeed. */
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string };

/**
 * The event bus. It may deliver an event more than once; consumers use the event's id to drop duplicates. Returns
 * failures instead of throwing them.
 */
export interface EventBus {
  /** Publishes any number of events. Returns one result for each, in the same order. */
  publish(events: readonly SerializedEvent[]): Promise<readonly PublishResult[]>;
}

/** Reads changes to the table that were not published as events. */
export interface ChangeReader {
  /** Returns undefined for a change that is not published. Throws if the record cannot be read. */
  readRecord(record: unknown): ItemChange | undefined;
  /** Returns a change from nothing to the item as it is now, or undefined if there is no such item. */
  readItem(key: { readonly pk: string; readonly sk: string }): Promise<ItemChange | undefined>;
  /** Reads changes from the table's stream. `unreadable` counts those that cannot be read. */
  readRange(range: StreamRange): Promise<
    | { readonly kind: 'read'; readonly changes: readonly ItemChange[]; readonly unreadable: number }
    /** The stream no longer has all of them. */
    | { readonly kind: 'expired' }
  >;
}

/** Accepts changes that cannot be published. */
export interface PublishDeadLetterQueue {
  put(change: { readonly sequenceNumber: string; readonly record: unknown }, reason: string): Promise<void>;
}

/** When a received message becomes visible again. */
export interface VisibilityChange {
  readonly receiptHandle: string;
  /** At most 12 hours. */
  readonly seconds: number;
}

/** The current time. Use cases have no other source of time. */
export interface Clock {
  now(): Instant;
}

/** The only source of randomness in use cases. */
export interface Randomness {
  newId(): string;
  /** Returns a uniformly distributed number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/** Waits for a number of milliseconds. */
export type Sleep = (ms: number) => Promise<void>;

/** Structured logs. Callers never pass a token, a secret, or a signature. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** Metrics. */
export interface Metrics {
  /** Counts one. The frame of each handler publishes its counters at the end of the invocation. */
  count(name: MetricName, dimensions?: Readonly<Record<string, string>>): void;
  /** Publishes a value at once, with the current time. */
  record(name: MetricName, value: number): void;
}
