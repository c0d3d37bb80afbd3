import type { Consent } from '../consent.ts';
import { presentMedia, readEventContent } from '../event-content.ts';
import { addMs } from '../instant.ts';
import * as z from '../schema.ts';
import type { InboundMessage } from '../webhook-event.ts';

/** The keywords by which users opt out and in, as {@link normalizeKeyword} returns them. */
export const keywords = z.object({
  optOut: z.array(z.string()),
  optIn: z.array(z.string()),
  /** Whether a button that the user tapped counts as if the user had written its text. @default false */
  buttons: z.optional(z.boolean()),
});
export type Keywords = z.output<typeof keywords>;

/** Longer texts are not keywords, so they need not be normalized. */
export const MAX_KEYWORD_CHARACTERS = 64;

/** A message whose own time is further ahead does not order the user's messages: the time is wrong. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

/** Invisible characters, and the accents that letters of any script can have. Vowel signs belong to their script. */
const IGNORED = /[\p{Default_Ignorable_Code_Point}[\p{M}&&\p{Script=Inherited}]]/gv;

/**
 * Returns a text in upper case, without accents, and with one space in place of everything but letters and digits, so
 * that `¡Baja!` and `BAJA` are the same.
 */
export const normalizeKeyword = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(IGNORED, '')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/**
 * Returns the consent that a user's message expresses: an opt-out or opt-in if its whole text is a keyword and it has no
 * media. It has the time of the message. A message without a time of its own gives none: it may arrive days later, and
 * after another consent.
 */
export const consentIn = ({ id, body, time, opensWindow }: InboundMessage, words: Keywords): Consent | undefined => {
  if (!opensWindow || (time.source === 'arrival' && time.own === undefined)) return undefined;
  const { text: written = '', media, button } = readEventContent(body);
  const text = button === undefined ? written : words.buttons ? (button.text ?? '') : '';
  if (text.length > MAX_KEYWORD_CHARACTERS || presentMedia(media) !== undefined) return undefined;
  const word = normalizeKeyword(text);
  const kind = words.optOut.includes(word) ? 'opt-out' : words.optIn.includes(word) ? 'opt-in' : undefined;
  const own = time.own ?? (time.source === 'event' ? time.at : undefined);
  const ownAt = own !== undefined && own <= addMs(time.at, MAX_AHEAD_MS) ? own : undefined;
  // Recorded as of the message, so that an erasure removes both or neither, and a repetition changes nothing.
  const times = { at: time.at, recordedAt: time.at, ...(ownAt && { ownAt }) };
  return kind && { kind, origin: 'user', source: `keyword ${word}`, messageId: id, ...times };
};
