import { isKeyPart } from '../key-part.ts';
import { parseJson } from '../parse-json.ts';

/** The fields of a JSON object. Their types have not been checked. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Who wrote a message. `business`: a bot or an operator, and the format does not say which. `unknown`: the event does
 * not say that the user wrote it, so Parley never treats it as the user's.
 */
export type Sender = 'user' | 'bot' | 'operator' | 'business' | 'unknown';

/** Returns the sender that today's services call by this name, in lower case. */
export const senderNamed = (name: string | undefined): Sender => {
  switch (name) {
    case 'user':
    case 'bot':
      return name;
    case 'agent':
      return 'operator';
    default:
      return 'unknown';
  }
};

/** URLs of hosted media, by kind. */
export interface Media {
  readonly images: readonly string[];
  readonly audios: readonly string[];
  readonly files: readonly string[];
  readonly videos: readonly string[];
}

/** What a message contains, under names that do not depend on the format. */
export interface Content {
  /** The text, or the caption of media. */
  readonly text?: string | undefined;
  readonly media: Media;
  readonly location?: Location | undefined;
  /** Contact cards that the user shared. */
  readonly contactCards?: readonly ContactCard[] | undefined;
  /** The button or the list row that the user tapped. */
  readonly button?: Button | undefined;
  readonly reactions?: readonly string[] | undefined;
  /** The service's explanation for a kind of message that it does not pass on. */
  readonly unsupported?: string | undefined;
  /** The template that the business sent. */
  readonly templateName?: string | undefined;
}

export interface Location {
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}

export interface ContactCard {
  readonly name?: string | undefined;
  readonly phones: readonly string[];
}

export interface Button {
  readonly text?: string | undefined;
  /** What the business attached to the button, such as the id of a list row or of an intent. */
  readonly payload?: string | undefined;
}

/** Why a message failed: the platform's code, and a text. */
export interface Failure {
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
}

/** What one event says, in terms that do not depend on its format. Strings are verbatim, and ids are not checked. */
export interface ServiceEvent {
  /** The chat service's id of the event's message, or of the message that it is about, and the field that holds it. */
  readonly id?: string | undefined;
  readonly idField: string;
  readonly chatPlatform?: string | undefined;
  /** The user's address. */
  readonly user?: string | undefined;
  /** Whom a message was sent to, if the format names both sides. */
  readonly recipient?: string | undefined;
  /** Names of the business's own number, the most reliable first. */
  readonly lines: readonly (string | undefined)[];
  readonly customerId?: string | undefined;
  readonly name?: string | undefined;
  /** When the event happened, as the service writes it. */
  readonly time: unknown;
  /** When the message was last modified, as the service writes it. @default the format does not say */
  readonly modificationTime?: unknown;
  /** The request id that the send carried, if the service returns it. */
  readonly requestId?: string | undefined;
  /** The service's id of the transaction that the message belongs to. */
  readonly transactionId?: string | undefined;
  /** The message, if the event carries one. */
  readonly message?: ServiceMessage | undefined;
  /** What a status notification says about the message. */
  readonly status?: { readonly literal: string; readonly failure?: Failure | undefined } | undefined;
  /** What the service calls an event of this format that Parley does not know. */
  readonly unknown?: string | undefined;
  /** What is wrong with a field that the event cannot be read without. */
  readonly fault?: string | undefined;
}

export interface ServiceMessage {
  readonly sender: Sender;
  /** The sender as the service names it. */
  readonly senderName?: string | undefined;
  readonly content: Content;
}

/** One format of the chat service's webhook events. */
export interface WebhookFormat {
  readonly name: string;
  /** Returns the field whose entries are messages of their own. @default none; a body is one event */
  list?(fields: Fields): string | undefined;
  /** The fields that name the user of an event, so that an erasure finds events that cannot be read. */
  readonly userFields: readonly string[];
  /** What these fields call the business, in lower case. @default nothing */
  readonly businessNames?: readonly string[];
  /** Whether an object is an event in this format. If several formats match, the first one that is tried counts. */
  matches(fields: Fields): boolean;
  /**
   * Reads an event.
   *
   * @param entry which entry of the format's list is the event. @default 0
   */
  read(fields: Fields, entry?: number): ServiceEvent;
  /** Returns the fields of an event without what wraps them. @default the object's own */
  unwrap?(fields: Fields): Fields;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an object has a field of its own that is neither null nor undefined. */
export const has = (fields: Fields, name: string): boolean =>
  Object.hasOwn(fields, name) && fields[name] !== null && fields[name] !== undefined;

/** Returns a field that is a string. A value of another type counts as absent, and stays in the stored body. */
export const textIn = (fields: Fields, name: string): string | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' ? value.toWellFormed() : undefined;
};

/** Returns what a user wrote. Some senders pass on a text of digits as a number. */
export const writtenTextIn = (fields: Fields, name: string): string | undefined =>
  Object.hasOwn(fields, name) && typeof fields[name] === 'number' ? String(fields[name]) : textIn(fields, name);

/** Returns a field that is a string that is not empty. */
export const filledTextIn = (fields: Fields, name: string): string | undefined => textIn(fields, name) || undefined;

/** Returns an id, which some senders write as a number, exactly as received. */
export const idIn = (fields: Fields, name: string): string | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
};

/** Returns an id that can be part of a key. Any other value counts as absent. */
export const nameIn = (fields: Fields, name: string): string | undefined => {
  const id = idIn(fields, name);
  return id !== undefined && isKeyPart(id) ? id : undefined;
};

/** Returns the strings of a field that is a list. Empty strings are left out. */
export const textsIn = (fields: Fields, name: string): readonly string[] =>
  listIn(fields, name).flatMap((entry) => (typeof entry === 'string' && entry !== '' ? [entry.toWellFormed()] : []));

export const listIn = (fields: Fields, name: string): readonly unknown[] => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return Array.isArray(value) ? value : [];
};

export const fieldsIn = (fields: Fields, name: string): Fields | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return isFields(value) ? value : undefined;
};

/**
 * Reads why a message failed from the fields that can say so: a code of the platform, which can look like a float
 * (`131049.0`), a text, or an object with both.
 */
export const failureIn = (fields: Fields, ...names: readonly string[]): Failure | undefined => {
  const parts = names.flatMap((name) => (has(fields, name) ? [partOfFailure(fields[name])] : []));
  const code = parts.map((part) => part.code).find((each) => each !== undefined);
  const reason = parts.map((part) => part.reason).find((each) => each !== undefined);
  return code === undefined && reason === undefined ? undefined : { code, reason };
};

const partOfFailure = (value: unknown): Failure => {
  if (isFields(value)) {
    const reason = filledTextIn(value, 'message') ?? filledTextIn(value, 'title') ?? filledTextIn(value, 'reason');
    return { code: codeOf(value.code), reason };
  }
  const code = codeOf(value);
  if (code !== undefined) return { code };
  if (typeof value !== 'string' || value.trim() === '') return {};
  const [, quoted, text = value] = CODE_BEFORE_TEXT.exec(value) ?? [];
  return { ...(quoted !== undefined && { code: quoted }), reason: text.toWellFormed() };
};

/** The platform's codes have up to seven digits. A longer number can be a phone number. */
const CODE = /^\s*(\d{1,7})(?:\.0*)?\s*$/;
const CODE_BEFORE_TEXT = /^\s*\(#(\d{1,7})\)\s*(.*)$/s;

const codeOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? CODE.exec(String(value))?.[1] : undefined;

/** A text that is the JSON of a pressed button, such as `{"button":"Yes","intent":"I1"}`. */
export const buttonIn = (text: string | undefined): Button | undefined => {
  if (text === undefined || !/^\s*\{\s*"button"/.test(text)) return undefined;
  const pressed = parseJson(text);
  if (!isFields(pressed)) return undefined;
  return {
    text: filledTextIn(pressed, 'button'),
    payload: filledTextIn(pressed, 'payload') ?? filledTextIn(pressed, 'intent'),
  };
};
