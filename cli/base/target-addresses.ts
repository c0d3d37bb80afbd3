import { z } from 'zod';

/** Fields of `local.json`. Capitalized, they are outputs of the stack. */
export const ADDRESSES = [
  'webhookUrl',
  'managementUrl',
  'sendQueueUrl',
  'sendDeadLetterQueueUrl',
  'scheduleDeadLetterQueueUrl',
  'inboundQueueUrl',
  'inboundDeadLetterQueueUrl',
  'accessTokenSecretId',
] as const;

/** Addresses that only some commands need. */
const OPTIONAL_ADDRESSES = [
  // Only with turns.
  'turnQueueUrl',
  // Only with a bulk queue.
  'bulkSendQueueUrl',
  'bulkSendDeadLetterQueueUrl',
  'erasureQueueUrl',
  'erasureDeadLetterQueueUrl',
  'publishFailuresQueueUrl',
  // Only with event targets.
  'undeliveredEventsQueueUrl',
  // Only if the stack uses resources that existed already.
  'existingTableArn',
  'existingEventBusArn',
  'existingKeyArn',
  // Only with a domain name, because the webhook's URL then has no ID.
  'webhookApiId',
  // Only with buffered ingress.
  'webhookIngress',
  // Only if the webhook is verified with a secret.
  'webhookSecretId',
  'webhookSecretKind',
  'webhookAuthHeader',
  // Only in the local run.
  'chatServiceUrl',
] as const;

export const addresses = z.record(z.enum(ADDRESSES), z.string());
const optionalAddresses = z.partialRecord(z.enum(OPTIONAL_ADDRESSES), z.string());

/** The addresses of a target, by their fields in `local.json`. */
export type TargetAddresses = Readonly<
  Record<(typeof ADDRESSES)[number], string> & Partial<Record<(typeof OPTIONAL_ADDRESSES)[number], string>>
>;

/** Returns the optional addresses that the target has. */
export const readOptional = (read: (address: string) => unknown) =>
  optionalAddresses.parse(
    Object.fromEntries(
      OPTIONAL_ADDRESSES.flatMap((name) => (read(name) === undefined ? [] : [[name, read(name)] as const])),
    ),
  );
