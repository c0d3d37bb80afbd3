import * as z from '../schema.ts';
import type { ToldEventName } from './told-event-names.ts';

/** What an event on the bus says, by its name: the `detail-type` of EventBridge, and the schema of its `detail`. */

const about = <Schema extends z.ZodMiniType>(schema: Schema, text: string): Schema => schema.check(z.describe(text));

const text = (description: string) => about(z.string(), description);
const instant = (description: string) =>
  about(z.iso.datetime({ precision: 3 }), `${description} ISO 8601, UTC, milliseconds.`);

const contact = about(
  z.strictObject({
    platform: text('The chat platform, in lower case.'),
    channel: text("The business number that the window belongs to, or `*` where it is the user's for the platform."),
    key: text('On which two spellings of one address meet; for comparing, never for sending.'),
  }),
  'The user.',
);

const account = about(
  z.strictObject({ platform: text('The chat platform.'), channel: text("The business's own number.") }),
  'The account at the chat service that the stage sends by.',
);

const media = about(
  z.record(z.string(), z.array(z.string())),
  'Addresses by kind: `images`, `audios`, `files`, `videos`.',
);

const common = {
  id: text('The same whenever this event is told again: a consumer drops repeats by it.'),
  cut: z.optional(
    about(z.literal(true), 'The content was too large for an event and was cut; the table has the whole of it.'),
  ),
};

/** `content` is there only where the stage's setting `events.content` is true. */
const withContent = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.optional(about(z.strictObject(z.partial(z.object(shape)).shape), 'Only where the stage tells content.'));

const ofMessage = {
  ...common,
  messageId: text("The chat service's `_id_` of the message."),
  contact: z.optional(contact),
};

const ofStatus = {
  ...ofMessage,
  requestId: z.optional(
    text('The request that was sent as this message; missing where the status came before the send was recorded.'),
  ),
};

const eventContent = withContent({ text: text('The text as written.'), media, event: text('The event as it came.') });

const ofSend = {
  ...common,
  requestId: text('The request’s idempotency key.'),
  contact: z.optional(contact),
  at: instant('When the send came to this state.'),
  why: z.optional(text('Why, in a sentence.')),
};

const requestContent = withContent({ request: text('The request as it was queued.') });

export const toldDetails = {
  MessageReceived: about(
    z.strictObject({
      ...ofMessage,
      at: instant('When the user wrote.'),
      platformContactId: z.optional(text('`FROM`, verbatim: what is answered to.')),
      content: eventContent,
    }),
    'A user wrote.',
  ),
  MessageEchoed: about(
    z.strictObject({ ...ofMessage, at: instant('When it was written.'), content: eventContent }),
    "The bot's or an operator's own message came back.",
  ),
  MessageDelivered: about(
    z.strictObject({ ...ofStatus, at: instant("When it reached the user's device.") }),
    "A sent message reached the user's device.",
  ),
  MessageRead: about(
    z.strictObject({ ...ofStatus, at: instant('When the user read it.') }),
    'The user read a message.',
  ),
  MessageFailed: about(
    z.strictObject({
      ...ofStatus,
      at: instant('When it failed.'),
      content: withContent({ event: text('The status notification as it came, which may say why.') }),
    }),
    'A sent message failed after the chat service had accepted it.',
  ),
  MessageStatusChanged: about(
    z.strictObject({ ...ofStatus, at: instant('The time of the status.'), status: text('`STATUS`, in lower case.') }),
    'A message has a status other than delivered, read or failed.',
  ),
  SendAccepted: about(
    z.strictObject({
      ...ofSend,
      messageId: text("The chat service's id of the message; its statuses carry it."),
      endpoint: z.optional(about(z.enum(['message/v3', 'intent/v2']), 'By which endpoint it went out.')),
      content: withContent({ body: about(z.record(z.string(), z.unknown()), 'The body of the call.') }),
    }),
    'The chat service accepted a send.',
  ),
  SendRefused: about(
    z.strictObject({
      ...ofSend,
      code: z.optional(text('Which rule forbids it, such as `WINDOW_CLOSED`.')),
      content: requestContent,
    }),
    'A request was not sent, by our own judgement of the rules.',
  ),
  SendRejected: about(
    z.strictObject({ ...ofSend, content: requestContent }),
    "A request was not sent, by the chat service's judgement.",
  ),
  SendExpired: about(
    z.strictObject({ ...ofSend, content: requestContent }),
    'A request was not sent before its `notAfter`.',
  ),
  SendUncertain: about(
    z.strictObject({ ...ofSend, content: requestContent }),
    'Nobody can know whether a request went out; it is not tried again by itself.',
  ),
  SendCancelled: about(
    z.strictObject({ ...ofSend, content: requestContent }),
    'A scheduled request was cancelled before its time.',
  ),
  AccountHeld: about(
    z.strictObject({
      ...common,
      account,
      at: instant('When sending was held.'),
      reason: z.optional(text('`no-credit`, or `token` for a token that is refused.')),
      why: z.optional(text('Why, in a sentence.')),
    }),
    'Nothing is sent until the chat service takes a message again.',
  ),
  AccountResumed: about(
    z.strictObject({ ...common, account, at: instant('When sending went on.') }),
    'Sending goes on.',
  ),
  ContactOptedIn: about(
    z.strictObject({ ...common, contact, at: instant('When.'), source: z.optional(text('Where the user did so.')) }),
    'A user agreed to be written to first.',
  ),
  ContactOptedOut: about(
    z.strictObject({ ...common, contact, at: instant('When.'), source: z.optional(text('Where the user did so.')) }),
    'A user took that back.',
  ),
} as const satisfies Record<ToldEventName, z.ZodMiniType>;

/** An event as it goes on the bus: its name, and the detail that its schema describes. */
export type ToldEvent = {
  readonly [Name in ToldEventName]: { readonly name: Name; readonly detail: z.output<(typeof toldDetails)[Name]> };
}[ToldEventName];
