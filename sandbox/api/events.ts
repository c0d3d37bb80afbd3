import * as z from 'zod';

/*
 * What the webhook gets. Fields beyond the contract's are those that the field notes name; others may come.
 */

const time = z.iso.datetime({ precision: 3 });
const urls = z.array(z.url());

const common = {
  _id_: z.string(),
  CHAT_PLATFORM_ID: z.string(),
  CHAT_CHANNEL_ID: z.string(),
  BUSINESS_ID: z.string(),
  CUSTOMER_ID: z.string(),
  FROM: z.string(),
  CREATION_TIME: time,
};

/** Contract, "Inbound user message". */
export const messageEvent = z.looseObject({
  ...common,
  OBJECT_TYPE: z.literal('message'),
  TO: z.string(),
  FROM_NAME: z.string().optional(),
  MESSAGE: z.string(),
  SESSION_CREATION_TIME: time,
  IMAGES_URLS: urls,
  AUDIOS_URLS: urls,
  FILES_URLS: urls,
  VIDEOS_URLS: urls,
});

/** Contract, "Message status notification". */
export const statusEvent = z.looseObject({
  ...common,
  OBJECT_TYPE: z.literal('status'),
  STATUS: z.enum(['delivered', 'read']),
  CLIENT_PAYLOAD: z.string().optional(),
});
