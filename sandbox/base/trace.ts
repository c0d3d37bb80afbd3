/** What the customer's side stored and published about one message or request. */
export interface Trace {
  readonly send?: SendView;
  readonly message?: MessageView;
  /** The event that repeats a message of the business. */
  readonly echo?: MessageView;
  readonly contact?: ContactView;
  /** The messages of the contact's open turn. */
  readonly turn?: { readonly messageIds: readonly string[] };
  /** The table's items as JSON text, to show them. */
  readonly items: Readonly<Partial<Record<TracedItem, string>>>;
  /** The keys of these items, which show whether a change concerns the trace. */
  readonly keys: readonly string[];
  /** The events on the bus, oldest first, with the times at which it received them; absent where there is no bus. */
  readonly busEvents?: readonly { readonly at: string; readonly type: string; readonly detail: unknown }[];
  /** The request that confirms the opt-out of this message, once `send` has read it from the queue. */
  readonly confirmation?: Pick<SendView, 'requestId' | 'state' | 'body'>;
  /** When the inspector put the request on the send queue; absent if another program did. */
  readonly enqueuedAt?: string;
  /** What the send was before, oldest version first, as far as it was observed. */
  readonly sendHistory?: readonly SendVersion[];
}

/** The items that a trace can have. */
export type TracedItem = 'send' | 'message' | 'echo' | 'contact' | 'consent' | 'check' | 'denial' | 'handover' | 'turn';

/** A call of the chat service's API, as Parley recorded it before the call. */
export interface RecordedCall {
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a later version of a send replaces. */
export interface SendVersion extends Pick<SendSummary, 'state' | 'code' | 'decision' | 'outcome' | 'outcomeDetails'> {
  /** When it entered its state; absent if that is the time of a status, which was recorded later. */
  readonly since?: string;
  readonly sendAt?: string;
  readonly claimId?: string;
  /** The latest call. */
  readonly call?: RecordedCall;
  readonly attempts: number;
}

/** A send with its request. */
export interface SendView extends SendSummary, SendVersion {
  /** The request as queued. */
  readonly body: string;
  readonly params: Readonly<Record<string, string>>;
  readonly queuedAt?: string;
  readonly claimedAt?: string;
  /** An earlier call whose outcome is unknown. */
  readonly unknownCall?: RecordedCall;
  readonly traceId?: string;
}

/** A message, or its echo. */
export interface MessageView {
  readonly createdAt?: string;
  /** Where `createdAt` comes from. */
  readonly timeSource?: string;
  readonly traceId?: string;
  /** All versions of an edited message, oldest first; absent if it was not edited. */
  readonly versions?: readonly { readonly modifiedAt: string; readonly body?: string }[];
  /** The known statuses, each with the time of its event. */
  readonly statuses: readonly { readonly status: string; readonly at: string }[];
  /** Why it failed: the platform's code and reason. */
  readonly failure?: string;
}

/** A contact's conversation window, consents, and handover to an operator. */
export interface ContactView {
  readonly lastInboundAt?: string;
  readonly lastInboundId?: string;
  readonly operatorWroteAt?: string;
  readonly operatorUntil?: string;
  readonly consents?: readonly {
    readonly kind: 'opt-in' | 'opt-out';
    readonly origin: string;
    readonly at: string;
    readonly source: string;
  }[];
}

/** A send request in the customer's table. */
export interface SendSummary {
  readonly requestId: string;
  /** The user's address in the request, if it can be read, or the one that was chosen for a customer. */
  readonly platformContactId?: string;
  /** The customer that the request names in place of an address. */
  readonly customerId?: string;
  readonly state: string;
  /** Once it is accepted, the furthest known status of its message. */
  readonly status?: string;
  /** Its contact was erased, and its content with it. */
  readonly isErased?: boolean;
  /** The earliest time in the item. */
  readonly firstAt?: string;
  /** The latest time in the item. */
  readonly at?: string;
  /** The code of a refusal, a rejection, or a failure. */
  readonly code?: string;
  /** Why Parley made its latest call, or why it made no call. */
  readonly decision?: string;
  /** The result. */
  readonly outcome?: string;
  /** The chat service's own words, or an operator's note. */
  readonly outcomeDetails?: string;
  readonly messageId?: string;
  /** The text of a free-form message or of the confirmation of an opt-out, at most 200 characters of it. */
  readonly text?: string;
  /** The name or ID of the rule or template. */
  readonly ruleName?: string;
}
