import { z } from 'zod';
import { sendRequest } from '../../lambdas/domain/send-request.ts';

/**
 * The JSON Schema of a send request, for those who put requests on the queue in another language.
 *
 * JSON Schema cannot say what the function checks beyond it: well-formed Unicode, an offset in `notAfter` and `sendAt`, and that
 * there is something to send; the descriptions do.
 */
export const sendRequestSchema = () => ({
  $id: 'urn:parley:send-request',
  title: 'Send request',
  description:
    'A message on the send queue: the body of message/v3, the body of intent/v2, or both in one, and what Parley needs ' +
    'beside them. At least one of messageText, audioURL, imageURL, fileURL and ruleNameOrId must be there.',
  ...described(z.toJSONSchema(sendRequest, { io: 'input' })),
  anyOf: ['messageText', 'audioURL', 'imageURL', 'fileURL', 'ruleNameOrId'].map((field) => ({ required: [field] })),
  dependentRequired: { params: ['ruleNameOrId'] },
});

const MEANING: Readonly<Record<string, Record<string, string>>> = {
  requestId: { description: 'Idempotency key: a request is sent once, however often it is queued.' },
  reason: { description: 'Why the business writes first; required when a template opens the conversation.' },
  notAfter: { format: 'date-time', description: 'Not sent later than this. ISO 8601 with Z or an offset.' },
  sendAt: {
    format: 'date-time',
    description: 'Not sent before this, up to a year ahead, and not after notAfter. ISO 8601 with Z or an offset.',
  },
  onUncertain: {
    description: 'What to do when nobody can know whether the message went out.',
    default: 'hold',
  },
  chatPlatform: { description: "The stage's, unless given." },
  chatChannelNumber: { description: "The business's own number: the stage's, unless given." },
  platformContactId: { description: 'The user.' },
  messageText: { description: 'The free-form text; the caption where media is attached.' },
  audioURL: { description: 'https; no video.' },
  imageURL: { description: 'https; no GIF.' },
  fileURL: { description: 'https; no video and no GIF.' },
  ruleNameOrId: { description: 'A rule, or an approved template, to send while the window is closed.' },
  params: { description: "The values of the template's variables." },
};

const described = ({ properties, ...schema }: z.core.JSONSchema.BaseSchema) => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, property]) => [
      name,
      typeof property === 'object' ? { ...property, ...MEANING[name] } : property,
    ]),
  ),
});

/** The file's text. */
export const sendRequestSchemaText = (): string => `${JSON.stringify(sendRequestSchema(), undefined, 2)}\n`;
