import { createHash } from 'node:crypto';
import type { Consent } from './consent.ts';
import { messageGroup } from './contact.ts';
import { presentMedia, readEventContent } from './event-content.ts';
import * as z from './schema.ts';
import type { QueuedSend } from './send.ts';
import type { SendRequest } from './send-request.ts';
import type { InboundMessage } from './webhook-event.ts';

/** The keywords by which users opt out and in, as {@link normalizeKeyword} returns them. */
export const keywords = z.object({ optOut: z.array(z.string()), optIn: z.array(z.string()) });
export type Keywords = z.output<typeof keywords>;

/** Longer texts are not keywords, so they need not be normalized. */
export const MAX_KEYWORD_CHARACTERS = 64;

/**
 * Returns a text in upper case, without accents, and with one space in place of everything but letters and digits, so
 * that `¡Baja!` and `BAJA` are the same.
 */
export const normalizeKeyword = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * Returns the consent that a user's message expresses: an opt-out or opt-in if its whole text is a keyword and it has no
 * media. It has the time of the message. A message without a time of its own gives none: it may arrive days later, and
 * after another consent.
 */
export const consentIn = ({ body, time, opensWindow }: InboundMessage, words: Keywords): Consent | undefined => {
  if (!opensWindow || (time.source === 'arrival' && time.isBeforeOwn === undefined)) return undefined;
  const { text = '', media } = readEventContent(body);
  if (text.length > MAX_KEYWORD_CHARACTERS || presentMedia(media) !== undefined) return undefined;
  const word = normalizeKeyword(text);
  const kind = words.optOut.includes(word) ? 'opt-out' : words.optIn.includes(word) ? 'opt-in' : undefined;
  // Recorded as of the message, so that an erasure removes both or neither, and a repetition changes nothing.
  return kind && { kind, origin: 'user', at: time.at, source: `keyword ${word}`, recordedAt: time.at };
};

/** Returns the ID of the request that confirms the opt-out of a message. */
export const optOutConfirmationId = (messageId: string): string =>
  `opt-out-${createHash('sha256').update(messageId).digest('hex')}`;

/**
 * Returns the queue message of the request that confirms the opt-out of a message. Every delivery of the message gives
 * the same one, so the request has no text: the stage may change it in between. Returns undefined for an address or a
 * platform that is too long for a request.
 */
export const optOutConfirmation = ({
  id,
  contact,
  address,
  chatChannelNumber,
  traceparent,
}: InboundMessage): Pick<QueuedSend, 'body' | 'groupId' | 'deduplicationId' | 'traceparent'> | undefined => {
  if ([address, contact.platform].some(({ length }) => length > z.MAX_NAME_LENGTH)) return undefined;
  const requestId = optOutConfirmationId(id);
  const body = JSON.stringify({
    requestId,
    platformContactId: address,
    chatPlatform: contact.platform,
    chatChannelNumber,
    confirmsOptOut: true,
  } satisfies SendRequest);
  return { body, groupId: messageGroup(address), deduplicationId: requestId, traceparent };
};
