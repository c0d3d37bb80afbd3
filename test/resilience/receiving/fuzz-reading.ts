import { MAX_POST_EVENTS } from '../../../lambdas/domain/webhook-formats/split-post.ts';

/** What a post says, read independently of Parley, as strictly as the formats allow. */
export interface PostReading {
  /** How many events it has, each of which is stored or quarantined. */
  readonly events: number;
  /** The ids that the events name. */
  readonly named: readonly string[];
  /** The ids of messages that, as the post says, a user wrote. */
  readonly written: readonly string[];
  /** Those that may open a window or change a consent, and of which user. */
  readonly opening: readonly { readonly id: string; readonly user: string }[];
}

const UNREADABLE: PostReading = { events: 1, named: [], written: [], opening: [] };

/** @param isText whether the body is delivered as text, in which bytes that are not UTF-8 are replaced */
export const readPost = (bytes: Uint8Array, isText = false): PostReading => {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: !isText }).decode(bytes));
  } catch {
    return UNREADABLE;
  }
  const readings = (Array.isArray(json) ? json : [json]).map(readEvent);
  const events = readings.reduce((sum, reading) => sum + reading.events, 0);
  if (events === 0 || events > MAX_POST_EVENTS) return UNREADABLE;
  return {
    events,
    named: readings.flatMap(({ named }) => named),
    written: readings.flatMap(({ written }) => written),
    opening: readings.flatMap(({ opening }) => opening),
  };
};

type Json = Readonly<Record<string, unknown>>;

const asObject = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.assign(Object.create(null), value)
    : undefined;
const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
/** Compares regardless of case. */
const isOneOf = (value: unknown, ...words: readonly string[]): boolean =>
  typeof value === 'string' && words.includes(value.toLowerCase());
/** Some senders write ids as numbers. */
const idsIn = (...values: readonly unknown[]): readonly string[] =>
  values.flatMap((value) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []));

const readEvent = (value: unknown): PostReading => {
  const event = asObject(value);
  if (event === undefined) return UNREADABLE;
  const { _id_, FROM, STATUS, contactId, fromCustomer } = event;
  if (isPresent(_id_) && (isPresent(FROM) || isPresent(STATUS))) return readUppercase(event);
  if (isPresent(_id_) && (isPresent(contactId) || isPresent(fromCustomer))) {
    const ids = idsIn(_id_);
    return { ...UNREADABLE, named: ids, ...said(fromCustomer === true ? ids : [], contactId) };
  }
  const isTyped = isOneOf(event.type, 'message', 'status', 'event') && isPresent(contactId);
  if (Array.isArray(event.messages) || isPresent(event.v) || isTyped) return readV11(event);
  const wrapped = asObject(asObject(event.context)?.message);
  return wrapped === undefined ? UNREADABLE : readUppercase(wrapped);
};

const readUppercase = ({ _id_, FROM, STATUS }: Json): PostReading => {
  const ids = idsIn(_id_);
  const isOfBusiness =
    isOneOf(FROM, 'me', 'bot') || isOneOf(STATUS, 'sent', 'delivered', 'read', 'answered', 'failed', 'error');
  const { written, opening } = said(isPresent(FROM) && !isOfBusiness ? ids : [], FROM);
  // Any other status may be that of a message from the business.
  return { events: 1, named: ids, written, opening: isPresent(STATUS) && STATUS !== '' ? [] : opening };
};

const readV11 = ({ type, messages, messageId, contactId }: Json): PostReading => {
  const isMessage = typeof type !== 'string' || type === 'message';
  const list = isMessage && Array.isArray(messages) ? messages.map(asObject) : [];
  if (list.length > MAX_POST_EVENTS) return UNREADABLE;
  return {
    events: Math.max(1, list.length),
    named: [...list.flatMap(idsOfEntry), ...idsIn(messageId)],
    ...said(list.flatMap(idsOfUser), contactId),
  };
};

const idsOfEntry = (entry: Json | undefined): readonly string[] => idsIn(entry?._id, entry?._id_, entry?.id);

/** Returns the ids of an entry of `messages` that says that the user wrote it. */
const idsOfUser = (entry: Json | undefined): readonly string[] => {
  if (entry === undefined) return [];
  const { from, fromCustomer } = entry;
  const isUser = isPresent(from) ? isOneOf(from, 'user') && fromCustomer !== false : fromCustomer === true;
  return isUser ? idsOfEntry(entry) : [];
};

const said = (written: readonly string[], user: unknown): Pick<PostReading, 'written' | 'opening'> => ({
  written,
  opening: idsIn(user).flatMap((address) => written.map((id) => ({ id, user: address }))),
});
