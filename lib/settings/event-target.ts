import { z } from 'zod';
import { EVENT_NAMES } from '../../lambdas/domain/events/event-details.ts';

const eventNames = z.array(z.enum(EVENT_NAMES)).min(1).optional();

/** The setting of an event target. */
export const eventTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('sqs'),
    // A standard queue in the stack's region. Its policy must allow EventBridge to send messages.
    queueArn: z.string().regex(/^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,80}$/),
    events: eventNames,
  }),
  z.strictObject({
    kind: z.literal('https'),
    url: z.string().regex(/^https:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/),
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/)
      .default('x-api-key'),
    events: eventNames,
  }),
]);

/** A queue or URL that receives events in addition to the event bus. */
export type EventTarget = z.output<typeof eventTarget>;
