import * as z from 'zod';
import { type Content, isEmptyContent, isVideoOrGif, unsupportedMedia } from '../service/media.ts';
import { CATEGORIES } from '../service/rules.ts';

/*
 * The bodies of the control API. Unlike the contract's they are strict: a misspelt field in a test should be an
 * error and not a silence.
 */

const urls = z.array(z.url()).optional();
const mediaUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional();

const time = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-01-31T10:00:00.000Z' })
  .transform((at) => new Date(at));

export const userMessageRequest = z
  .strictObject({
    text: z.string().optional(),
    imageUrls: urls,
    audioUrls: urls,
    fileUrls: urls,
    at: time.optional(),
    chatChannelNumber: z.string().optional(),
  })
  .refine(
    ({ text, imageUrls = [], audioUrls = [], fileUrls = [] }) =>
      Boolean(text) || imageUrls.length + audioUrls.length + fileUrls.length > 0,
    'give text, imageUrls, audioUrls or fileUrls',
  )
  .refine(
    ({ imageUrls = [], audioUrls = [], fileUrls = [] }) =>
      !Array.of(...imageUrls, ...audioUrls, ...fileUrls).some(isVideoOrGif),
    'video and GIF are not supported',
  );

export const userSettingsRequest = z.strictObject({
  name: z.string().optional(),
  readReceipts: z.boolean().optional(),
  onPlatform: z.boolean().optional(),
  optIn: z.boolean().optional(),
  device: z.enum(['on', 'off']).optional(),
});

const text = z.string().min(1);
const webhookSecret = z
  .string()
  .regex(/^(whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/, 'must be base64, with or without the prefix whsec_');
const webhookUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

/** How a webhook is set; see `WebhookSettings`. */
export const webhookRequest = z.strictObject({
  url: webhookUrl,
  auth: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('pubsub-jwt'),
      audience: text,
      serviceAccountEmail: text,
      issuer: text.optional(),
    }),
    z.strictObject({ kind: z.literal('standard-webhooks'), secrets: z.array(webhookSecret).min(1) }),
    z.strictObject({
      kind: z.literal('shared-token'),
      header: z.string().regex(/^[a-z0-9-]+$/i, 'must be the name of a header'),
      token: z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters'),
    }),
    z.strictObject({
      kind: z.literal('sns'),
      topicArn: text,
      signatureVersion: z.enum(['1', '2']).optional(),
      confirmed: z.boolean().optional(),
    }),
    z.strictObject({ kind: z.literal('none') }),
  ]),
  wrapped: z.boolean().optional(),
  writeMetadata: z.boolean().optional(),
});

export const replayRequest = z.strictObject({ from: time.optional(), messageIds: z.array(z.string()).optional() });

export const clockRequest = z.strictObject({
  /** At most ten years, well within what a date can hold. */
  advanceSeconds: z.number().min(0).max(315_360_000),
});

export const accountRequest = z.strictObject({
  credit: z.int().min(0).optional(),
  approved: z.boolean().optional(),
  optInRequired: z.boolean().optional(),
});

export const accessTokenRequest = z.strictObject({
  /** A header's value; one is made up when absent. */
  accessToken: z
    .string()
    .regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 visible ASCII characters')
    .optional(),
  expiresInSeconds: z.number().positive().max(315_360_000).optional(),
});

const ownNumber = z.string().regex(/^\+\d{7,15}$/, 'must be in international format such as +5491100000000');

/** What approval requires. Source: contract, "Rules of use" 4 to 6, and "Limits". */
export const approvalRequest = z.strictObject({
  businessAccountId: z.string().trim().min(1),
  numbers: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('landline'), number: ownNumber }),
        z.strictObject({ kind: z.literal('mobile'), number: ownNumber, platformLastInstalledAt: time.nullable() }),
        z.strictObject({ kind: z.literal('supplied'), country: z.string() }),
      ]),
    )
    .min(1)
    .max(100),
  profile: z.strictObject({
    about: z.string().trim().min(1),
    address: z.string().trim().min(1),
    businessDescription: z.string().trim().min(1),
    category: z.string().trim().min(1),
    contactEmail: z.email(),
    website: z.url({ protocol: /^https?$/ }),
    photo: z.base64().min(1),
  }),
});

export const linkRequest = z.strictObject({
  chatChannelNumber: z.string().optional(),
  text: z.string().max(1000).optional(),
});

export const openLinkRequest = z.strictObject({ url: z.string() });

export const templateDecisionRequest = z.strictObject({ approve: z.boolean(), why: z.string().optional() });

const ruleContent = { text: z.string().optional(), audioURL: mediaUrl, imageURL: mediaUrl, fileURL: mediaUrl };

const GIVE_CONTENT = 'give text, audioURL, imageURL or fileURL';
const hasContent = ({ text, audioURL, imageURL, fileURL }: Content & { text?: string }) =>
  !isEmptyContent({ messageText: text, audioURL, imageURL, fileURL });
const UNSUPPORTED = 'video and GIF are not supported';
const isSupported = (media: Content) => unsupportedMedia(media) === undefined;

export const ruleRequest = z
  .strictObject({
    ...ruleContent,
    status: z.enum(['approved', 'pending', 'rejected']),
    category: z.enum(CATEGORIES).optional(),
  })
  .refine(hasContent, GIVE_CONTENT)
  .refine(isSupported, UNSUPPORTED);

/** Any category can be claimed; the service judges it. */
export const templateRequest = z
  .strictObject({ ...ruleContent, category: z.string() })
  .refine(hasContent, GIVE_CONTENT)
  .refine(isSupported, UNSUPPORTED);
