import { parseFields, readServiceEvent } from './webhook-formats/formats.ts';
import type { Content, Media, Sender } from './webhook-formats/webhook-format.ts';

/** What a user, a bot, or an operator wrote. */
export interface EventContent extends Content {
  /** The address that a user wrote from, verbatim. In what the business wrote, the sender as the chat service names it. */
  readonly from?: string | undefined;
  readonly sender?: Sender;
}

const NOTHING: EventContent = { media: { images: [], audios: [], files: [], videos: [] } };

/** Reads the sender and content of a stored event body in any format. A value of another type counts as absent. */
export const readEventContent = (body: string): EventContent => {
  const { message, user } = readServiceEvent(body) ?? {};
  if (message === undefined) return NOTHING;
  const { sender, senderName, content } = message;
  return { from: sender === 'user' ? user : senderName, sender, ...content };
};

/** Returns a field that is a string that is not empty, a number, or true, as a string. */
export const readEventField = (body: string, field: string): string | undefined => {
  const fields = parseFields(body);
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (typeof value === 'number' || value === true) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Returns the chat service's id of the user in a stored event body. */
export const readCustomerId = (body: string): string | undefined => readServiceEvent(body)?.customerId || undefined;

/** Returns the kinds of media that are present, or undefined if there are none. */
export const presentMedia = (media: Media): { [Kind in keyof Media]?: string[] } | undefined => {
  const kinds = Object.entries(media).filter(([, addresses]) => addresses.length > 0);
  return kinds.length === 0 ? undefined : Object.fromEntries(kinds.map(([kind, list]) => [kind, [...list]]));
};

/** Returns the parts of a message's content that are present, as the management API and the events show them. */
export const describeContent = ({ media, contactCards, reactions, ...content }: Content) => ({
  text: content.text,
  media: presentMedia(media),
  location: content.location,
  contactCards: contactCards?.map(({ name, phones }) => ({ name, phones: [...phones] })),
  button: content.button,
  reactions: reactions && [...reactions],
  unsupported: content.unsupported,
});
