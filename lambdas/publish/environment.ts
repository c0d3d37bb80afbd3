import * as z from '../domain/schema.ts';
import { flag, type Variables } from '../runtime/environment.ts';

/** The environment of the function `publish`. */
export const publishEnvironment = z.object({
  /** The event bus, and the URL of EventBridge in the stack's region. */
  EVENT_BUS_NAME: z.string(),
  AWS_ENDPOINT_URL_EVENTBRIDGE: z.url(),
  /** The queue for changes that cannot be published. */
  PUBLISH_DEAD_LETTER_QUEUE_URL: z.url(),
  /** Whether events include the content of messages: `true` or `false`. */
  EVENT_CONTENT: flag(),
});

export type PublishEnvironment = Variables<typeof publishEnvironment>;
