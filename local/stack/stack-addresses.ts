import { z } from 'zod';
import { LocalError } from '../base/local-error.ts';

const stackAddresses = z.object({
  webhookUrl: z.string(),
  managementUrl: z.string(),
  sendQueueUrl: z.string(),
  sendDeadLetterQueueUrl: z.string(),
  /** Undefined without turns. */
  turnQueueUrl: z.string().optional(),
  /** Undefined without a bulk queue. */
  bulkSendQueueUrl: z.string().optional(),
  bulkSendDeadLetterQueueUrl: z.string().optional(),
  scheduleDeadLetterQueueUrl: z.string(),
  inboundQueueUrl: z.string(),
  inboundDeadLetterQueueUrl: z.string(),
  erasureQueueUrl: z.string(),
  erasureDeadLetterQueueUrl: z.string(),
  publishFailuresQueueUrl: z.string(),
  /** Undefined if events have no targets. */
  undeliveredEventsQueueUrl: z.string().optional(),
  tableName: z.string(),
  eventBusName: z.string(),
  accessTokenSecretId: z.string(),
  /** Undefined if the webhook's authentication uses no secret. */
  webhookSecretId: z.string().optional(),
  webhookSecretKind: z.string().optional(),
  webhookAuthHeader: z.string().optional(),
  /** Undefined with direct ingress. */
  webhookIngress: z.string().optional(),
});

/** The URLs and names of the stack's parts. */
export type StackAddresses = Readonly<z.output<typeof stackAddresses>>;

/** Reads the addresses from a stack's outputs. @throws LocalError that names the missing outputs. */
export const readAddresses = (stackName: string, outputs: Readonly<Record<string, string>>): StackAddresses => {
  const byName = Object.entries(outputs).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]);
  const { data, error } = stackAddresses.safeParse(Object.fromEntries(byName));
  if (data) return data;
  const missing = error.issues
    .map(({ path }) => path.join('.'))
    .map((name) => name.charAt(0).toUpperCase() + name.slice(1));
  throw new LocalError(
    `The stack ${stackName} is missing these outputs: ${missing.join(', ')}. Add them in lib/parley-stack.ts.`,
  );
};
