import { field, type Message, stringField } from '../state/api.ts';

/** Summarizes what a user's message has instead of text and media: a location, contacts, or an error. */
export const otherContent = (message: Message): string | undefined => {
  if (!('receivedAt' in message)) return undefined;
  const { location, contacts, error } = message;
  if (location !== undefined) {
    const { name, address, latitude, longitude } = location;
    return [name, address, `${latitude}, ${longitude}`].filter(Boolean).join('\n');
  }
  if (contacts !== undefined) return contacts.map(describeCard).join('\n');
  return error;
};

/** Returns the name and the numbers of a contact card; a card without both as JSON. */
const describeCard = (card: unknown): string => {
  const name = field(card, 'name');
  const parts = [stringField(name, 'first_name'), stringField(name, 'last_name')].filter(Boolean).join(' ');
  const phones = field(card, 'phones');
  const numbers = (Array.isArray(phones) ? phones : []).map(
    (phone) => stringField(phone, 'phone') ?? stringField(phone, 'wa_id'),
  );
  return [stringField(name, 'formatted_name') ?? parts, ...numbers].filter(Boolean).join('\n') || JSON.stringify(card);
};
