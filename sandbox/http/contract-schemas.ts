import * as z from 'zod';
import { STATUSES } from '../service/model.ts';
import { isEmptyContent } from '../service/send.ts';
import { httpUrl, isoTime } from './read-request.ts';

/*
 * The bodies of the contract's endpoints, answers and events, from which the OpenAPI document is generated.
 *
 * The contract does not show which request fields are required. The sandbox requires the three that say who writes to
 * whom, and something to send. Unknown fields are allowed, as in services of this kind.
 */

const name = z.string().min(1).max(512);
const mediaUrl = httpUrl.max(8192);

const route = {
  chatPlatform: name,
  chatChannelNumber: name,
  platformContactId: name,
};

/** Source: contract, "Outbound message request". */
export const messageRequest = z
  .looseObject({
    ...route,
    messageText: z.string().optional(),
    audioURL: mediaUrl.optional(),
    imageURL: mediaUrl.optional(),
    fileURL: mediaUrl.optional(),
  })
  .refine((content) => !isEmptyContent(content), 'provide messageText, audioURL, imageURL, or fileURL')
  // Describes the refinement in the OpenAPI document.
  .meta({ anyOf: ['messageText', 'audioURL', 'imageURL', 'fileURL'].map((field) => ({ required: [field] })) });

/** Source: contract, "Rule activation request"; `clientPayload` is from the field notes. */
export const intentRequest = z.looseObject({
  ...route,
  ruleNameOrId: name,
  params: z.record(z.string(), z.string()).optional(),
  clientPayload: z.string().optional(),
});

/** Source: contract, "Contact check request". */
export const contactCheckRequest = z.looseObject({
  chatChannelNumber: name,
  contacts: z.array(z.string()),
});

/** What real services accept for the history. Its name is documented; that it is a time is the sandbox's choice. */
export const historyRequest = z.looseObject({ fromDate: isoTime });

/** Source: contract, "Outbound message response"; `problems` is from the field notes, "The API's answers". */
export const sendAnswer = z.object({ id: z.string(), problems: z.null() });

/** Each requested number with its proper digits, or a problem. Source: field notes, "The API's answers". */
export const contactCheckAnswer = z.object({
  problems: z.object({ code: z.int(), message: z.string() }).nullable(),
  result: z.record(z.string(), z.string().regex(/^\d+$/)),
});

/** What real services return for the account that a token belongs to. */
export const credentialsAnswer = z.object({
  accessToken: z.string(),
  clientId: z.string(),
  secretId: z.string(),
  refreshToken: z.string(),
});

/** Source: contract, "Errors". */
export const errorAnswer = z.object({ error: z.object({ code: z.int(), message: z.string() }) });

const eventTime = z.iso.datetime({ precision: 3 });
const urls = z.array(z.url());

// Fields that the contract does not list are from the field notes; events may have more.
const eventFields = {
  _id_: z.string(),
  CHAT_PLATFORM_ID: z.string(),
  CHAT_CHANNEL_ID: z.string(),
  BUSINESS_ID: z.string(),
  CUSTOMER_ID: z.string(),
  FROM: z.string(),
  CREATION_TIME: eventTime,
};

/** Source: contract, "Inbound user message". */
export const messageEvent = z.looseObject({
  ...eventFields,
  OBJECT_TYPE: z.literal('message'),
  TO: z.string(),
  FROM_NAME: z.string().optional(),
  MESSAGE: z.string(),
  SESSION_CREATION_TIME: eventTime,
  IMAGES_URLS: urls,
  AUDIOS_URLS: urls,
  FILES_URLS: urls,
  VIDEOS_URLS: urls,
});

const flatContent = {
  message: z.string().optional(),
  image: z.url().optional(),
  audio: z.url().optional(),
  video: z.url().optional(),
  file: z.url().optional(),
  caption: z.string().optional(),
  location: z.looseObject({ latitude: z.number(), longitude: z.number() }).optional(),
  contacts: z.array(z.looseObject({})).optional(),
  error: z.string().optional(),
};

/** A message in the format camelCase. */
export const camelCaseMessageEvent = z.looseObject({
  _id_: z.string(),
  date: eventTime,
  chatPlatform: z.string(),
  contactId: z.string(),
  customerId: z.string(),
  fromName: z.string().optional(),
  fromCustomer: z.boolean(),
  WHATSAPP_NUMBER: z.string(),
  ...flatContent,
});

const v11Fields = {
  v: z.literal('1.1'),
  chatPlatform: z.string(),
  contactId: z.string(),
  whatsappNumber: z.string(),
};

/** Messages in the format v1.1. */
export const v11MessageEvent = z.looseObject({
  ...v11Fields,
  type: z.literal('message'),
  chatChannelId: z.string(),
  customerId: z.string(),
  txId: z.string().optional(),
  messages: z
    .array(
      z.looseObject({
        _id: z.string(),
        date: eventTime,
        from: z.enum(['user', 'bot', 'agent']),
        fromName: z.string().optional(),
        buttonPayload: z.string().optional(),
        ...flatContent,
      }),
    )
    .min(1),
});

/** A status in the format v1.1. */
export const v11StatusEvent = z.looseObject({
  ...v11Fields,
  type: z.literal('status'),
  messageId: z.string(),
  intentTxId: z.string().optional(),
  status: z.enum(STATUSES),
  reason: z.string().optional(),
});

/** Source: contract, "Message status notification". */
export const statusEvent = z.looseObject({
  ...eventFields,
  OBJECT_TYPE: z.literal('status'),
  STATUS: z.enum(STATUSES),
  REASON: z.string().optional(),
  CLIENT_PAYLOAD: z.string().optional(),
});
