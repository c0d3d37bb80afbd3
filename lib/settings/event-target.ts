import { z } from 'zod';
import { EVENT_NAMES } from '../../lambdas/domain/events/event-names.ts';

const eventNames = z
  .array(z.enum(EVENT_NAMES))
  .min(1)
  .optional()
  .meta({ description: 'a non-empty list of event names, such as ["MessageReceived"]; omit it to receive all events' });

const KIND = '"sqs" for a queue, or "https" for a URL';

/** The setting of an event target. */
export const eventTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('sqs').meta({ description: KIND }),
    // A standard queue in the stack's region. Its policy must allow EventBridge to send messages.
    queueArn: z
      .string()
      .regex(/^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,80}$/)
      .meta({
        description:
          "the ARN of a standard queue in the stack's region, which EventBridge may send to; for a queue of the same " +
          'app, add a rule to the event bus',
      }),
    events: eventNames,
  }),
  z.strictObject({
    kind: z.literal('https').meta({ description: KIND }),
    url: z
      .string()
      .max(2048)
      // What API destinations accept, without `*`, which stands for a parameter: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_CreateApiDestination.html
      .regex(/^https:\/\/[A-Za-z0-9.-]+(:\d+)?(\/([\w().!~';:@&=+$,/-]|%[0-9A-Fa-f]{2})*)?$/)
      .meta({
        description:
          'an https URL of up to 2,048 ASCII characters, without a query or a fragment; percent-encode other ' +
          'characters',
      }),
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/)
      .default('x-api-key')
      .meta({
        description: 'the name of the header that contains the key: up to 64 letters, digits, and hyphens',
      }),
    events: eventNames,
  }),
]);

/** A queue or URL that receives events in addition to the event bus. */
export type EventTarget = z.output<typeof eventTarget>;

/** Returns where a target receives events: a queue's ARN, or a URL. */
export const addressOf = (target: EventTarget): string => (target.kind === 'sqs' ? target.queueArn : target.url);
