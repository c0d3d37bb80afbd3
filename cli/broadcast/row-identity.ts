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

const contentOf = (fields: Readonly<Record<string, unknown>>): unknown =>
  CONTENT_FIELDS.map((field) => {
    const value = fields[field] ?? null;
    return typeof value === 'object' && value !== null ? Object.entries(value).toSorted() : value;
  });

/** Returns the ID of the broadcast of a message, the same for every file. */
export const broadcastIdOf = (fields: MessageFields): string => `b-${digest(contentOf(fields), 20)}`;

/** @param broadcastId the ID without a round, so that all rounds have the same contacts */
export const identifyRow = (
  broadcastId: string,
  { platformContactId = '', ...message }: Partial<SendRequest>,
): RowIdentity => ({
  contact: digest([broadcastId, contactKey(platformContactId)], 20),
  content: digest(contentOf(message), 12),
});

/** Returns the ID of a round of a broadcast: `summer-sale`, `summer-sale.2`, and so on. */
export const roundId = (broadcastId: string, round: number): string =>
  round === 1 ? broadcastId : `${broadcastId}.${round}`;

/** Returns the ID of the only request to a contact. */
export const requestIdOf = (broadcastId: string, { contact }: Pick<RowIdentity, 'contact'>): string =>
  `${broadcastId}-${contact}`;

/**
 * Returns the ID of one of several requests to a contact.
 *
 * @param occurrence counts the rows with the same contact and message, from 1
 */
export const repeatIdOf = (broadcastId: string, identity: RowIdentity, occurrence: number): string =>
  `${requestIdOf(broadcastId, identity)}-${identity.content}${occurrence === 1 ? '' : `.${occurrence}`}`;

/** Returns the ID of an attempt to send a request whose earlier attempts were not sent. */
export const attemptIdOf = (requestId: string, attempt: number): string =>
  attempt === 1 ? requestId : `${requestId}_${attempt}`;
