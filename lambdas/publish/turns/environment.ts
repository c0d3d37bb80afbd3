import { retentionDays } from '../../domain/retention.ts';
import * as z from '../../domain/schema.ts';
import { json, parseEnvironment, type Variables, wholeSeconds } from '../../runtime/environment.ts';

/** What the function needs for turns. */
export const turnEnvironment = z.object({
  /** The queue where open turns wait for the user to be silent, and for how many seconds they wait. */
  TURN_QUEUE_URL: z.url(),
  TURN_SILENCE_SECONDS: wholeSeconds(1),
  /** The conversation table, and the URL of DynamoDB in the stack's region. */
  TABLE_NAME: z.string(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url(),
  /** How long each kind of data is kept. */
  RETENTION_DAYS: json(retentionDays),
});

export type TurnEnvironment = Variables<typeof turnEnvironment>;

/** Returns the part of the environment for turns. Returns undefined in a stage without turns. */
export const parseTurnEnvironment = (environment: Record<string, string | undefined>): TurnEnvironment | undefined =>
  environment.TURN_QUEUE_URL === undefined ? undefined : parseEnvironment(turnEnvironment, environment);
