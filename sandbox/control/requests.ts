import * as z from 'zod';
import { isEmptyContent, unsupportedMedia } from '../service/media.ts';
import { CATEGORIES } from '../service/rules.ts';

/*
 * The bodies of the control API. Unlike the contract's they are strict: a misspelt field in a test should be an
 * error and not a silence.
 */

const urls = z.array(z.url()).optional();
const mediaUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional();

export const userMessageRequest = z
  .strictObject({
    text: z.string().optional(),
    imageUrls: urls,
    audioUrls: urls,
    fileUrls: urls,
    at: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-01-31T10:00:00.000Z' })
      .transform((at) => new Date(at))
      .optional(),
    chatChannelNumber: z.string().optional(),
  })
  .refine(
    ({ text, imageUrls = [], audioUrls = [], fileUrls = [] }) =>
      Boolean(text) || imageUrls.length + audioUrls.length + fileUrls.length > 0,
    'give text, imageUrls, audioUrls or fileUrls',
  );

export const userSettingsRequest = z.strictObject({
  name: z.string().optional(),
  readReceipts: z.boolean().optional(),
  onPlatform: z.boolean().optional(),
  optIn: z.boolean().optional(),
  device: z.enum(['on', 'off']).optional(),
});

export const clockRequest = z.strictObject({
  /** At most ten years, well within what a date can hold. */
  advanceSeconds: z.number().min(0).max(315_360_000),
});

export const accountRequest = z.strictObject({ credit: z.int().min(0).optional() });

export const ruleRequest = z
  .strictObject({
    text: z.string().optional(),
    audioURL: mediaUrl,
    imageURL: mediaUrl,
    fileURL: mediaUrl,
    status: z.enum(['approved', 'pending', 'rejected']),
    category: z.enum(CATEGORIES).optional(),
  })
  .refine(
    ({ text, audioURL, imageURL, fileURL }) => !isEmptyContent({ messageText: text, audioURL, imageURL, fileURL }),
    'give text, audioURL, imageURL or fileURL',
  )
  .refine((media) => unsupportedMedia(media) === undefined, 'video and GIF are not supported');
