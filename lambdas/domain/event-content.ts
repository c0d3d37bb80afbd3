/** URLs of hosted media, by kind. */
export interface Media {
  readonly images: readonly string[];
  readonly audios: readonly string[];
  readonly files: readonly string[];
  readonly videos: readonly string[];
}

/** What a user or an operator wrote. */
export interface EventContent {
  /** `FROM`, verbatim. */
  readonly from?: string;
  readonly text?: string;
  readonly media: Media;
}

/**
 * Reads sender, text, and media from a stored event body: the contract's table "Inbound user message", and the media
 * fields of the field notes. A value of another type counts as absent.
 *
 * Does not use zod, which would add more to the bundle of `publish` than all its other code that reads events.
 */
export const readEventContent = (body: string): EventContent => {
  const { FROM: from, MESSAGE: text, IMAGES_URLS, AUDIOS_URLS, FILES_URLS, VIDEOS_URLS } = parseObject(body);
  return {
    from: typeof from === 'string' || typeof from === 'number' ? String(from) : undefined,
    text: typeof text === 'string' ? text.toWellFormed() : undefined,
    media: {
      images: stringsOf(IMAGES_URLS),
      audios: stringsOf(AUDIOS_URLS),
      files: stringsOf(FILES_URLS),
      videos: stringsOf(VIDEOS_URLS),
    },
  };
};

/**
 * Whether an event carries a message: a MESSAGE that is not empty, or a URL of media. The contract does not list the
 * fields of all media, so any field counts whose name ends in `_URL` or `_URLS`.
 */
export const hasContent = (body: string): boolean =>
  Object.entries(parseObject(body)).some(
    ([name, value]) => (name === 'MESSAGE' || /_URLS?$/.test(name)) && !isEmpty(value),
  );

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
/** Returns a field that is a string that is not empty, a number, or true, as a string. */
export const readEventField = (body: string, field: string): string | undefined => {
  const fields = parseObject(body);
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (typeof value === 'number' || value === true) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Returns the chat service's id of the user in a stored event body. */
export const readCustomerId = (body: string): string | undefined => {
  const { CUSTOMER_ID: customerId } = parseObject(body);
  return typeof customerId === 'string' && customerId !== '' ? customerId : undefined;
};

/** Returns the kinds of media that are present, or undefined if there are none. */
export const presentMedia = (media: Media): { [Kind in keyof Media]?: string[] } | undefined => {
  const kinds = Object.entries(media).filter(([, addresses]) => addresses.length > 0);
  return kinds.length === 0 ? undefined : Object.fromEntries(kinds.map(([kind, list]) => [kind, [...list]]));
};

const parseObject = (body: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
};

const stringsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((entry) => typeof entry === 'string').map((entry) => entry.toWellFormed()) : [];
