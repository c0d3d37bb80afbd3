import { parseObject } from './parse-object.ts';

/** An event as JSON fields. */
export type WireEvent = Readonly<Record<string, unknown>>;

/** The formats of webhook events, the contract's own first. */
export const WIRE_FORMATS = ['uppercase', 'camelCase', 'v1.1', 'code-action'] as const;

export type WireFormat = (typeof WIRE_FORMATS)[number];

/** Draws the format of a scenario's events, always the same for the same name. */
export const formatOfScenario = (name: string): WireFormat =>
  WIRE_FORMATS[[...name].reduce((sum, character) => sum + character.charCodeAt(0), 0) % WIRE_FORMATS.length] ??
  'uppercase';

/** Returns an event's body in a format, or in the contract's own if that format cannot express the event. */
export const bodyIn = (event: WireEvent, format: WireFormat = 'uppercase'): string =>
  JSON.stringify(translateEvent(event, format) ?? event);

/** What an event in the contract's own format does not say. */
export interface Unsaid {
  /** Who wrote an echo; `nobody`: the event does not say who. @default `agent` if it names an operator, else `bot` */
  readonly sender?: 'bot' | 'agent' | 'nobody' | undefined;
  /** The chat service's id of the job that sent the message. */
  readonly transactionId?: string | undefined;
}

/**
 * Translates an event from the contract's own format into another, or returns undefined if that format cannot express
 * it. `camelCase` has no statuses, `code-action` no statuses and no operators, and in `v1.1`, a status carries no message.
 */
export const translateEvent = (event: WireEvent, format: WireFormat, unsaid: Unsaid = {}): WireEvent | undefined => {
  if (event._id_ === undefined) return undefined;
  switch (format) {
    case 'uppercase':
      return event;
    case 'camelCase':
      return event.STATUS === undefined ? toCamelCase(event, unsaid) : undefined;
    case 'v1.1':
      return event.STATUS === undefined ? toMessageNotification(event, unsaid) : toStatusNotification(event, unsaid);
    case 'code-action':
      return event.STATUS === undefined && event.OPERATOR_ID === undefined
        ? { context: { userData: {}, message: event, params: {} } }
        : undefined;
  }
};

const isEcho = ({ FROM }: WireEvent): boolean => FROM === 'me';

const toCamelCase = (event: WireEvent, { sender }: Unsaid): WireEvent | undefined => {
  const content = contentOf(event);
  if (content === undefined) return undefined;
  const author = isEcho(event) ? { fromCustomer: sender === 'nobody' ? undefined : false } : { fromCustomer: true };
  return {
    date: event.CREATION_TIME,
    chatPlatform: event.CHAT_PLATFORM_ID,
    contactId: isEcho(event) ? event.TO : event.FROM,
    customerId: event.CUSTOMER_ID,
    fromName: event.FROM_NAME,
    _id_: event._id_,
    ...content,
    ...author,
    OPERATOR_ID: event.OPERATOR_ID,
  };
};

const envelopeOf = (event: WireEvent, type: 'message' | 'status') => ({
  v: '1.1',
  type,
  chatPlatform: event.CHAT_PLATFORM_ID,
  contactId: withPlus(isEcho(event) ? event.TO : event.FROM),
  customerId: event.CUSTOMER_ID,
  firstName: isEcho(event) ? undefined : event.FROM_NAME,
});

/** This format writes phone numbers with a plus. */
const withPlus = (address: unknown): unknown =>
  typeof address === 'string' && /^\d+$/.test(address) ? `+${address}` : address;

const toMessageNotification = (event: WireEvent, { sender, transactionId }: Unsaid): WireEvent | undefined => {
  const content = contentOf(event);
  if (content === undefined) return undefined;
  const ofBusiness = sender ?? (event.OPERATOR_ID === undefined ? 'bot' : 'agent');
  const from = isEcho(event) ? ofBusiness : 'user';
  return {
    ...envelopeOf(event, 'message'),
    txId: transactionId,
    messages: [
      {
        _id: event._id_,
        date: event.CREATION_TIME,
        ...content,
        fromName: event.FROM_NAME,
        from: from === 'nobody' ? undefined : from,
      },
    ],
  };
};

const toStatusNotification = (event: WireEvent, { transactionId }: Unsaid): WireEvent | undefined => {
  const hasMessage = Object.keys(contentOf(event) ?? { media: true }).length > 0;
  if (hasMessage) return undefined;
  return {
    ...envelopeOf(event, 'status'),
    messageId: event._id_,
    intentTxId: transactionId,
    status: event.STATUS,
    statusChangeTime: event.CREATION_TIME,
    clientPayload: event.CLIENT_PAYLOAD,
    reason: event.REASON,
    error: event.ERROR,
  };
};

const MEDIA = { image: 'IMAGES_URLS', audio: 'AUDIOS_URLS', file: 'FILES_URLS', video: 'VIDEOS_URLS' } as const;

/** These formats have one medium per message, with a caption, and no JSON for a button. */
const contentOf = ({ MESSAGE: text, ...event }: WireEvent): WireEvent | undefined => {
  const media = Object.entries(MEDIA).flatMap(([name, field]) => {
    const urls = event[field];
    return Array.isArray(urls) ? urls.map((url: unknown) => ({ [name]: url })) : [];
  });
  const [medium] = media;
  if (media.length > 1) return undefined;
  if (medium !== undefined) return { ...medium, ...(text !== undefined && text !== '' && { caption: text }) };
  if (typeof text !== 'string') return {};
  const button = buttonIn(text);
  return button === undefined ? { message: text } : { message: button, buttonPayload: `row-${button}` };
};

/** The button that a text stands for, such as `{"button":"yes"}`. */
export const buttonIn = (text: string): string | undefined => {
  const { button } = text.startsWith('{') ? (parseObject(text) ?? {}) : {};
  return typeof button === 'string' ? button : undefined;
};

/** Returns the body of a post with several events: one list of messages if they share their envelope, else an array. */
export const postOf = (bodies: readonly string[]): string => {
  const [first = '', ...others] = bodies;
  if (others.length === 0) return first;
  const events = bodies.map((body) => parseObject(body) ?? {});
  const envelopes = new Set(events.map(({ messages, ...envelope }) => JSON.stringify([envelope, typeof messages])));
  const lists = events.flatMap(({ messages }) => (Array.isArray(messages) ? messages : []));
  return envelopes.size === 1 && lists.length === events.length
    ? JSON.stringify({ ...events[0], messages: lists })
    : `[${bodies.join(',')}]`;
};

/** Returns the bodies of the events in a post that {@link postOf} wrote. */
export const bodiesInPost = (post: string): readonly string[] => {
  if (post.startsWith('[')) {
    const events: unknown = JSON.parse(post);
    return Array.isArray(events) && events.length > 0 ? events.map((event) => JSON.stringify(event)) : [post];
  }
  const { messages, ...envelope } = post.includes('"messages":[') ? (parseObject(post) ?? {}) : {};
  return Array.isArray(messages) && messages.length > 1
    ? messages.map((message) => JSON.stringify({ ...envelope, messages: [message] }))
    : [post];
};
