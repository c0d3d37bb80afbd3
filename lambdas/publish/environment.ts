import * as z from '../domain/schema.ts';

/** The environment of the function `publish`. */
export const publishEnvironment = z.object({
  /** The event bus, and the URL of EventBridge in the stack's region. */
  EVENT_BUS_NAME: z.string(),
  AWS_ENDPOINT_URL_EVENTBRIDGE: z.url(),
  /** The queue for changes that cannot be published. */
  PUBLISH_DEAD_LETTER_QUEUE_URL: z.url(),
  /** Whether events include the content of messages: `true` or `false`. */
  EVENT_CONTENT: z.enum(['true', 'false']),
});

/** The variables as the stack sets them. */
export type PublishEnvironment = Record<keyof z.input<typeof publishEnvironment>, string>;
