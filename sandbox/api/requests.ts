import * as z from 'zod';
import { isEmptyContent } from '../service/media.ts';

/*
 * The bodies of the contract's endpoints. It does not show which fields are required: here the three that say who
 * writes to whom, and something to send. Unknown fields are let through, as services of this kind do.
 */

const name = z.string().min(1).max(512);
const mediaUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(8192);

const route = {
  chatPlatform: name,
  chatChannelNumber: name,
  platformContactId: name,
};

/** Contract, "Outbound message request". */
export const messageRequest = z
  .looseObject({
    ...route,
    messageText: z.string().optional(),
    audioURL: mediaUrl.optional(),
    imageURL: mediaUrl.optional(),
    fileURL: mediaUrl.optional(),
  })
  .refine((content) => !isEmptyContent(content), 'give messageText, audioURL, imageURL or fileURL')
  // What the refinement asks for, for those who read the OpenAPI document.
  .meta({ anyOf: ['messageText', 'audioURL', 'imageURL', 'fileURL'].map((field) => ({ required: [field] })) });

/** Contract, "Rule activation request"; `clientPayload` is from the field notes. */
export const intentRequest = z.looseObject({
  ...route,
  ruleNameOrId: name,
  params: z.record(z.string(), z.string()).optional(),
  clientPayload: z.string().optional(),
});

/** Contract, "Contact check request". */
export const contactCheckRequest = z.looseObject({
  chatChannelNumber: name,
  contacts: z.array(z.string()),
});
