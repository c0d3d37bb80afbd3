import { CONSENT_ORIGINS } from '../consent.ts';
import * as z from '../schema.ts';
import type { EventName } from './event-names.ts';

/** The schema of each event's `detail` on the bus, by the event's name, which is EventBridge's `detail-type`. */

const describe = <Schema extends z.ZodMiniType>(schema: Schema, text: string): Schema => schema.check(z.describe(text));

const string = (description: string) => describe(z.string(), description);
const instant = (description: string) =>
  describe(z.iso.datetime({ precision: 3 }), `${description} ISO 8601, UTC, milliseconds.`);

/** Describes a schema of several events, which the JSON Schemas and the types of consumers define once, by this name. */
const define = <Schema extends z.ZodMiniType>(id: string, schema: Schema, description: string): Schema =>
  schema.check(z.meta({ id, description }));

const contact = define(
  'EventContact',
  z.strictObject({
    platform: string('The chat platform, in lower case.'),
    channel: string('The business number that the conversation window belongs to, or `*` if windows are per user.'),
    key: string('Shared by all spellings of an address. Use it to compare contacts, never to send to.'),
  }),
  'The user.',
);

const origin = describe(
  z.enum(CONSENT_ORIGINS),
  "Who gave the consent: the user, or an imported list. An import never overrides the user's own opt-out.",
);

const account = define(
  'EventAccount',
  z.strictObject({ platform: string('The chat platform.'), channel: string("The business's own number.") }),
  'The chat service account that the stage sends from.',
);

const channel = define(
  'EventChannel',
  z.strictObject({
    platform: string('The chat platform, in lower case.'),
    number: z.optional(string('The business number. Absent for messages that name none.')),
  }),
  'What users write to.',
);

const media = define(
  'EventMedia',
  z.record(z.string(), z.array(z.string())),
  'URLs by kind: `images`, `audios`, `files`, `videos`.',
);

const common = {
  id: define(
    'EventId',
    z.string(),
    'Stays the same if the event is published again, so that consumers can drop duplicates.',
  ),
  truncated: z.optional(
    define(
      'Truncated',
      z.literal(true),
      'The content was too large for an event and was truncated. The table has all of it.',
    ),
  ),
};

/** `content` is present only if the stage's setting `events.content` is true. */
const withContent = <Shape extends z.core.$ZodLooseShape>(shape: Shape, id?: string) =>
  z.optional(
    z
      .strictObject(z.partial(z.object(shape)).shape)
      .check(z.meta({ id, description: 'Present only if `events.content` is true.' })),
  );

/** In every event about a message or a send, unless an erasure emptied it. */
const traceparent = z.optional(
  define(
    'Traceparent',
    z.string(),
    'The W3C trace context of the message or send. To join its trace, use it as the parent of your span.',
  ),
);

const messageFields = {
  ...common,
  traceparent,
  messageId: define('MessageId', z.string(), "The chat service's ID of the message."),
  contact: z.optional(contact),
};

/** Present in the event of an imported message. */
const imported = z.optional(
  describe(
    z.literal(true),
    "The message is from the chat service's history and can be old: `parley import` stored it. Do not answer it as new.",
  ),
);

const statusFields = {
  ...messageFields,
  requestId: z.optional(
    string('The request that Parley sent as this message; absent if the status arrived before the send was recorded.'),
  ),
};

const messageContent = {
  text: string('The text of the message, or the caption of its media.'),
  media,
  location: define(
    'EventLocation',
    z.strictObject({
      name: z.optional(string('The name of the place.')),
      address: z.optional(string('Its address.')),
      latitude: z.optional(describe(z.number(), 'Degrees.')),
      longitude: z.optional(describe(z.number(), 'Degrees.')),
    }),
    'A location that the user shared.',
  ),
  contactCards: define(
    'EventContactCards',
    z.array(
      z.strictObject({
        name: z.optional(string('The name on the card.')),
        phones: describe(z.array(z.string()), 'The phone numbers on the card.'),
      }),
    ),
    'Contact cards that the user shared.',
  ),
  button: define(
    'EventButton',
    z.strictObject({
      text: z.optional(string('The text of the button or row.')),
      payload: z.optional(string('What the business attached to it, such as the ID of a list row.')),
    }),
    'The button or the list row that the user tapped.',
  ),
  reactions: describe(z.array(z.string()), 'Reactions to the message.'),
  unsupported: string("The chat service's explanation for a kind of message that it does not pass on."),
};

const eventContent = withContent(
  { ...messageContent, event: string('The event exactly as received.') },
  'EventContent',
);

const sendFields = {
  ...common,
  traceparent,
  requestId: define('RequestId', z.string(), "The request's idempotency key."),
  contact: z.optional(contact),
  customerId: z.optional(
    string(
      'The customer ID in the request, if any. `contact` is absent until Parley claims the request for an address.',
    ),
  ),
  at: instant('When the send reached this state.'),
  decision: z.optional(
    define('Decision', z.string(), 'Why Parley made its latest call, or why it made no call, as a sentence.'),
  ),
  outcome: z.optional(
    define(
      'Outcome',
      z.string(),
      "The result, as a sentence: the status and the code of the chat service's answer, a status, or an operator's " +
        'resolution.',
    ),
  ),
};

const outcomeDetails = string(
  "The chat service's error message or the operator's note, which can quote the request. Numbers are masked.",
);
const requestContent = withContent({ request: string('The request as queued.'), outcomeDetails }, 'RequestContent');

export const eventDetails = {
  MessageReceived: describe(
    z.strictObject({
      ...messageFields,
      at: instant('When the user wrote.'),
      imported,
      platformContactId: z.optional(string("The user's address, verbatim: the one to reply to.")),
      content: eventContent,
    }),
    'A user wrote. If the webhook delivers a message after its import, this is published again with another `id` and ' +
      'without `imported`.',
  ),
  MessageUpdated: describe(
    z.strictObject({
      ...messageFields,
      at: instant('When the message was modified, as the chat service says, or else when this version was delivered.'),
      sender: describe(
        z.enum(['user', 'bot', 'operator', 'business', 'unknown']),
        'Who wrote the message; `business`: a bot or an operator; `unknown`: Parley cannot tell.',
      ),
      content: eventContent,
    }),
    'A message changed after it was delivered: it was edited, or got a reaction or its media. This version is now the ' +
      'latest. A version that arrives after a later one is stored but not published.',
  ),
  TurnEnded: describe(
    z.strictObject({
      ...common,
      traceparent,
      contact,
      at: instant('When the turn ended.'),
      platformContactId: z.optional(string("The user's address in the latest message, verbatim: the one to reply to.")),
      messages: describe(
        z.array(
          z.strictObject({
            messageId: string("The chat service's ID of the message."),
            at: instant('When the user wrote.'),
          }),
        ),
        'The messages of the turn, in the order in which the user wrote. Erased and expired messages are left out.',
      ),
      content: withContent({
        messages: describe(
          z.array(
            z.strictObject({
              messageId: string("The chat service's ID of the message."),
              ...z.partial(z.object(messageContent)).shape,
            }),
          ),
          'What the user wrote, in the same order.',
        ),
      }),
    }),
    'A user wrote, and has been silent for `turns.silenceSeconds`. Parley publishes the messages together.',
  ),
  MessageEchoed: describe(
    z.strictObject({
      ...messageFields,
      at: instant('When it was written.'),
      imported,
      sender: z.optional(
        describe(
          z.enum(['bot', 'operator', 'business', 'unknown']),
          'Who wrote it; `business`: a bot or an operator; `unknown`: Parley cannot tell.',
        ),
      ),
      content: eventContent,
    }),
    'The chat service reported a message from a bot, an operator, or an unknown sender.',
  ),
  MessageDelivered: describe(
    z.strictObject({ ...statusFields, at: instant("When it reached the user's device.") }),
    "A sent message reached the user's device.",
  ),
  MessageRead: describe(
    z.strictObject({ ...statusFields, at: instant('When the user read it.') }),
    'The user read a message.',
  ),
  MessageFailed: describe(
    z.strictObject({
      ...statusFields,
      at: instant('When it failed.'),
      code: z.optional(string("The platform's code of the failure, such as `131026`.")),
      reason: z.optional(string("The chat service's reason, at most 200 characters. Numbers are masked.")),
      content: withContent({ event: string('The status notification exactly as received, which may say why.') }),
    }),
    'A message failed after the chat service had accepted it.',
  ),
  MessageStatusChanged: describe(
    z.strictObject({
      ...statusFields,
      at: instant('The time of the status.'),
      status: string('`STATUS`, in lower case; `other` if it has several words, because these may be content.'),
      content: withContent({ status: string('`STATUS`, in lower case, if `status` is `other`.') }),
    }),
    'A message has a status other than delivered, read, or failed.',
  ),
  MessageMissing: describe(
    z.strictObject({ ...messageFields, at: instant('The time of the first status that was stored.') }),
    'A message has not arrived 15 minutes after its first status. Published only if the stage sets `webhook.watch`.',
  ),
  WebhookEventUnknown: describe(
    z.strictObject({
      ...common,
      traceparent,
      eventId: string("Parley's ID of the event. The management API accepts it as a message ID."),
      contact: z.optional(contact),
      at: instant('When it happened or, if the event does not say, when it arrived.'),
      imported,
      name: string("The chat service's name for it; `other` if that is not a single short word."),
      content: withContent({ event: string('The event exactly as received.') }),
    }),
    'The chat service sent an event in a known format, but of a kind that Parley does not know.',
  ),
  SendAccepted: describe(
    z.strictObject({
      ...sendFields,
      messageId: z.optional(
        string("The chat service's id of the message; its statuses carry it. Absent if `intent/v2` returned no id."),
      ),
      endpoint: z.optional(describe(z.enum(['message/v3', 'intent/v2']), 'The endpoint that accepted it.')),
      content: withContent({
        body: describe(z.record(z.string(), z.unknown()), 'The body of the call.'),
        outcomeDetails,
      }),
    }),
    'The chat service accepted a send.',
  ),
  SendRefused: describe(
    z.strictObject({
      ...sendFields,
      code: z.optional(string('The rule that forbids it, such as `WINDOW_CLOSED`.')),
      content: requestContent,
    }),
    'Parley did not send a request because a rule forbids it.',
  ),
  SendRejected: describe(
    z.strictObject({ ...sendFields, content: requestContent }),
    'The chat service rejected a request.',
  ),
  SendFailed: describe(
    z.strictObject({
      ...sendFields,
      messageId: z.optional(string("The chat service's ID of the message.")),
      code: z.optional(string("The platform's code of the failure, such as `131026`.")),
      content: requestContent,
    }),
    'The message of an accepted send failed: the user did not get it. See also `MessageFailed`.',
  ),
  SendExpired: describe(
    z.strictObject({ ...sendFields, content: requestContent }),
    'A request expired at its `notAfter`, after ten days of retries, or after 13 days in the queue.',
  ),
  SendUncertain: describe(
    z.strictObject({ ...sendFields, content: requestContent }),
    'It is unknown whether a request was sent. Parley does not retry it automatically.',
  ),
  SendCancelled: describe(
    z.strictObject({ ...sendFields, content: requestContent }),
    'A request was cancelled before it was sent.',
  ),
  ContactHandedOver: describe(
    z.strictObject({
      ...common,
      contact,
      at: instant('When the contact was handed over, or when the operator wrote the message that handed it over.'),
      until: z.optional(
        instant('When the handover ends by itself. Absent if it lasts until the contact is handed back.'),
      ),
    }),
    'A contact was handed over to people, or an operator wrote, which extends `until`. Parley refuses automated sends.',
  ),
  ContactHandedBack: describe(
    z.strictObject({ ...common, contact, at: instant('When the contact was handed back.') }),
    'A contact was handed back to automated systems.',
  ),
  AccountHeld: describe(
    z.strictObject({
      ...common,
      account,
      at: instant('When the circuit breaker opened.'),
      reason: z.optional(string('`no-credit`, `token` for a refused access token, or `unreachable`.')),
      why: z.optional(string('The reason, as a sentence.')),
    }),
    'The account is on hold: requests wait until the chat service accepts one again.',
  ),
  AccountResumed: describe(
    z.strictObject({ ...common, account, at: instant('When the circuit breaker closed.') }),
    'The account is no longer on hold.',
  ),
  SendingStopped: describe(
    z.strictObject({
      ...common,
      account,
      at: instant('When an operator stopped sending.'),
      content: withContent({ note: string("Why, in the operator's words. Numbers are masked.") }),
    }),
    'An operator stopped sending. Requests wait until an operator resumes it.',
  ),
  SendingResumed: describe(
    z.strictObject({ ...common, account, at: instant('When an operator resumed sending.') }),
    'An operator resumed sending.',
  ),
  ChannelSilent: describe(
    z.strictObject({ ...common, channel, at: instant('The end of the five minutes in which a user last wrote.') }),
    'No user has written to a channel for unusually long, compared with the same hours of the past four weeks. ' +
      'Published only if the stage sets `webhook.watch`.',
  ),
  ChannelResumed: describe(
    z.strictObject({ ...common, channel, at: instant('The start of the five minutes in which a user wrote again.') }),
    'A user wrote to a channel that was silent.',
  ),
  ContactOptedIn: describe(
    z.strictObject({
      ...common,
      contact,
      at: instant('When the user opted in.'),
      origin,
      source: string('Where the user opted in.'),
    }),
    'An opt-in became effective: the business may write to the user first.',
  ),
  ContactOptedOut: describe(
    z.strictObject({
      ...common,
      contact,
      at: instant('When the user opted out.'),
      origin,
      source: string('Where the user opted out.'),
    }),
    'An opt-out became effective: the user gets no more templates.',
  ),
} as const satisfies Record<EventName, z.ZodMiniType>;

/** An event for the bus: its name, and the detail that its schema describes. */
export type BusEvent = {
  readonly [Name in EventName]: { readonly name: Name; readonly detail: z.output<(typeof eventDetails)[Name]> };
}[EventName];
