import { createHash } from 'node:crypto';
import { contactKey } from '../../lambdas/domain/contact.ts';
import type { SendRequest } from '../../lambdas/domain/send-request.ts';
import type { MessageFields } from '../base/message-options.ts';

/** What a row is, whatever the file looks like: a message to a contact. */
export interface RowIdentity {
  /** Shared by all spellings of the contact. */
  readonly contact: string;
  /** Shared by requests that send the same message. */
  readonly content: string;
}

const digest = (value: unknown, length: number): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, length);

/** What a user receives. A repetition may have other times, another reason, or another spelling of the contact. */
const CONTENT_FIELDS = [
  'messageText',
  'imageURL',
  'audioURL',
  'fileURL',
  'ruleNameOrId',
  'params',
  'chatPlatform',
  'chatChannelNumber',
] as const;

/** Texts that look the same are the same: systems differ in how they write accents, and shells in spaces at the end. */
const comparable = (value: unknown): unknown => {
  if (typeof value === 'string') return value.normalize('NFC').trim();
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value)
    .map(([name, text]) => [name, comparable(text)])
    .toSorted();
};

const contentOf = (fields: Readonly<Record<string, unknown>>): unknown =>
  CONTENT_FIELDS.map((field) => comparable(fields[field]));

/** Returns the ID of the broadcast of a message, the same for every file. */
export const broadcastIdOf = (fields: MessageFields): string => `b-${digest(contentOf(fields), 20)}`;

/** @param broadcastId the ID without a repetition, so that all repetitions have the same contacts */
export const identifyRow = (
  broadcastId: string,
  { platformContactId = '', ...message }: Partial<SendRequest>,
): RowIdentity => ({
  contact: digest([broadcastId, contactKey(platformContactId)], 20),
  content: digest(contentOf(message), 12),
});

export const MAX_REPETITION = 99;

/** Returns the ID of a repetition of a broadcast: `summer-sale`, `summer-sale.2`, and so on. */
export const repetitionId = (broadcastId: string, repetition: number): string =>
  repetition === 1 ? broadcastId : `${broadcastId}.${repetition}`;

/** Whether an ID looks like that of a repetition. */
export const isRepetitionId = (id: string): boolean => /\.\d+$/.test(id);

/**
 * Returns the ID of a request to a contact. It depends neither on the message nor on an option, so that a row that is
 * queued again before the stage has processed it is the same request.
 *
 * @param broadcastId the ID of the repetition
 * @param number counts the requests to the contact, from 1
 */
export const requestIdOf = (broadcastId: string, contact: string, number: number): string =>
  `${broadcastId}-${contact}${number === 1 ? '' : `_${number}`}`;

/** Returns the contact of a request whose content was erased. */
export const contactOfRequestId = (broadcastId: string, requestId: string): string =>
  requestId.slice(broadcastId.length + 1).split('_')[0] ?? '';
