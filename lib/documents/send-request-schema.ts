import { z } from 'zod';
import { sendRequest } from '../../lambdas/domain/send-request.ts';

/** A request needs exactly one of these fields. */
const USER_FIELDS = ['platformContactId', 'customerId'];

/** A request needs at least one of these fields. */
const CONTENT_FIELDS = ['messageText', 'audioURL', 'imageURL', 'fileURL', 'ruleNameOrId'];

const ANNOTATIONS: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  requestId: { description: 'The idempotency key. A request is sent once, no matter how often it is queued.' },
  broadcastId: { description: 'The broadcast that the request is part of. Its sends can be listed and counted.' },
  reason: { description: 'Why the business writes first. Required if a template opens the conversation.' },
  notAfter: {
    description:
      'Send no later than this: a time, ISO 8601 with Z or an offset, or a duration such as PT10M after the sendAt, or ' +
      'after the request was first queued.',
  },
  sendAt: {
    format: 'date-time',
    description:
      'Send no earlier than this: up to a year ahead and earlier than notAfter. ISO 8601 with Z or an offset.',
  },
  unless: {
    description: 'What must not have happened after `since`; otherwise the request is refused. See docs/sending.md.',
  },
  automated: {
    description: 'Whether an automated system sends it: it is then refused while the contact is handed over to people.',
    default: false,
  },
  confirmsOptOut: {
    description:
      "Whether it confirms the user's opt-out, with the text in the stage's settings and nothing else. Parley " +
      'queues it after an opt-out by keyword.',
    default: false,
  },
  since: {
    description:
      'A time, ISO 8601 with Z or an offset, or the ID of a message with this user, which stands for its time.',
  },
  onUncertain: {
    description:
      'What to do if Parley cannot tell whether the message was sent: hold the send for an operator, or resend it.',
    default: 'hold',
  },
  chatPlatform: { description: "Defaults to the stage's chat platform." },
  chatChannelNumber: { description: "The business number. Defaults to the stage's business number." },
  platformContactId: { description: "The user's ID on the platform, such as a phone number; or else use customerId." },
  customerId: {
    description:
      "The chat service's ID of the user, instead of platformContactId. Parley chooses the address. See " +
      'docs/sending.md.',
  },
  messageText: { description: 'The free-form text, or the caption of attached media.' },
  audioURL: { description: 'An https URL. Video is not supported.' },
  imageURL: { description: 'An https URL. GIF is not supported.' },
  fileURL: { description: 'An https URL. Video and GIF are not supported.' },
  ruleNameOrId: {
    description:
      'A rule or approved template. With a free-form message, it is sent only if the conversation window is closed.',
  },
  params: { description: "The values of the template's variables." },
};

/**
 * Returns the JSON Schema of a send request, for systems written in other languages.
 *
 * The function checks more than JSON Schema can express, such as the offset in `sendAt`. The descriptions cover the
 * rest.
 */
export function sendRequestSchema() {
  const { properties, ...schema } = z.toJSONSchema(sendRequest, { io: 'input' });
  return {
    $id: 'urn:parley:send-request',
    title: 'Send request',
    description:
      'A message on the send queue: the body of message/v3, the body of intent/v2, or both combined, plus the fields ' +
      `that Parley adds. Exactly one of ${USER_FIELDS.join(' and ')} is required, and at least one of ${CONTENT_FIELDS.slice(0, -1).join(', ')}, and ${CONTENT_FIELDS.at(-1)}. ` +
      'Optional fields that are null or empty count as missing.',
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties ?? {}).map(([name, property]) => [
        name,
        typeof property === 'object' ? { ...property, ...ANNOTATIONS[name] } : property,
      ]),
    ),
    oneOf: USER_FIELDS.map((field) => ({ required: [field] })),
    anyOf: CONTENT_FIELDS.map((field) => ({ required: [field] })),
    dependentRequired: { params: ['ruleNameOrId'], unless: ['since'], since: ['unless'] },
  };
}

/** Returns the content of docs/send-request.schema.json. */
export function sendRequestSchemaText(): string {
  return `${JSON.stringify(sendRequestSchema(), undefined, 2)}\n`;
}
