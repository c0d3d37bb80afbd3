import * as z from '../domain/schema.ts';

/** The variables of the function `publish`. */
export const publishEnvironment = z.object({
  /** The bus that events go to. */
  EVENT_BUS_NAME: z.string(),
  /** Where a change goes that cannot be told. */
  UNTOLD_CHANGES_QUEUE_URL: z.url(),
  /** Whether events carry messages' content: `true` or `false`. */
  EVENT_CONTENT: z.enum(['true', 'false']),
});

/** The variables as the stack must set them: strings all. */
export type PublishEnvironment = Record<keyof z.input<typeof publishEnvironment>, string>;
