import { z } from 'zod';
import { CLIENT_PAYLOADS, NUMBER_FORMATS } from '../../lambdas/domain/send-call.ts';

/** Allows plain http only for a sandbox on this machine, because requests contain the access token. */
function isBaseUrl(value: string): boolean {
  const url = URL.parse(value);
  // `URL` drops white space and an empty query or fragment, but the path of a call is appended to the text itself.
  if (!url || /[?#\s]|\/$/.test(value) || url.username || url.password) return false;
  return isSecure(url);
}

/** Whether a URL is https, or leads to a sandbox on this machine. */
export const isSecure = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname));

/** Where the chat service is, and how it is called. */
export const chatService = z
  .strictObject({
    baseUrl: z
      .string()
      .refine(isBaseUrl)
      .meta({
        description:
          'the base URL of the chat service: https (http only on 127.0.0.1 or localhost), without a trailing slash, ' +
          'such as "https://chat-service.example"',
      }),
    numberFormat: z
      .enum(NUMBER_FORMATS)
      .default('verbatim')
      .meta({
        description:
          '"verbatim", "plus", or "digits": how phone numbers are written in calls on the platform chatPlatform: as ' +
          'received, always with a leading plus, or always without one',
      }),
    clientPayload: z
      .enum(CLIENT_PAYLOADS)
      .default('intent')
      .meta({
        description:
          '"intent", "all", or "off": whether calls to intent/v2, to both endpoints, or to neither include the ' +
          'request id as clientPayload',
      }),
    contactCheckPath: z
      .string()
      .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/)
      .default('customer/checkChatContact')
      .meta({
        description: "the contact check's path after /api/v1.0/, whose last segment contains the platform's name",
      }),
    answerTimeoutSeconds: z.int().min(1).max(60).default(10).meta({
      description:
        "an integer from 1 to 60: how many seconds to wait for the chat service's answer; then the outcome is unknown",
    }),
    maxConcurrentCalls: z.int().min(2).max(2000).default(200).meta({
      description: 'an integer from 2 to 2000: how many calls to the chat service may run at a time',
    }),
  })
  .meta({
    description:
      'an object with baseUrl and, optionally, numberFormat, clientPayload, contactCheckPath, ' +
      'answerTimeoutSeconds, and maxConcurrentCalls',
  });
