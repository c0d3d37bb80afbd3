import {
  buttonIn,
  type ContactCard,
  type Content,
  type Fields,
  fieldsIn,
  filledTextIn,
  isFields,
  type Location,
  listIn,
  textIn,
  textsIn,
  writtenTextIn,
} from './webhook-format.ts';

/** Reads the content of a message whose fields are named as the formats `camelCase` and `v1.1` name them. */
export const entryContent = (fields: Fields): Content => {
  const message = writtenTextIn(fields, 'message');
  const text = message || (textIn(fields, 'caption') ?? message);
  const payload = filledTextIn(fields, 'buttonPayload');
  const cards = listIn(fields, 'contacts').flatMap((card) => (isFields(card) ? [cardOf(card)] : []));
  const location = fieldsIn(fields, 'location');
  const reactions = textsIn(fields, 'reactions');
  const unsupported = filledTextIn(fields, 'error');
  return {
    text,
    media: {
      images: urlsIn(fields, 'image'),
      audios: urlsIn(fields, 'audio'),
      files: urlsIn(fields, 'file'),
      videos: urlsIn(fields, 'video'),
    },
    button: payload === undefined ? buttonIn(text) : { text, payload },
    ...(location && { location: locationOf(location) }),
    ...(cards.length > 0 && { contactCards: cards }),
    ...(reactions.length > 0 && { reactions }),
    ...(unsupported !== undefined && { unsupported }),
  };
};

/** One URL as a string, or several as a list. */
const urlsIn = (fields: Fields, name: string): readonly string[] => {
  const url = filledTextIn(fields, name);
  return url === undefined ? textsIn(fields, name) : [url];
};

/** Reads a location that a user shared. */
export const locationOf = (location: Fields): Location => ({
  name: filledTextIn(location, 'name'),
  address: filledTextIn(location, 'address'),
  latitude: numberIn(location, 'latitude'),
  longitude: numberIn(location, 'longitude'),
});

const numberIn = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

const cardOf = (card: Fields): ContactCard => {
  const name = fieldsIn(card, 'name') ?? {};
  const parts = [filledTextIn(name, 'first_name'), filledTextIn(name, 'last_name')].filter(
    (part) => part !== undefined,
  );
  const phones = listIn(card, 'phones').flatMap((phone) =>
    isFields(phone) ? (filledTextIn(phone, 'phone') ?? filledTextIn(phone, 'wa_id') ?? []) : [],
  );
  return { name: filledTextIn(name, 'formatted_name') ?? (parts.join(' ') || undefined), phones };
};
