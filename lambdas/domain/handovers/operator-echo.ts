import { readEventField } from '../event-content.ts';
import { addMs, type Instant } from '../instant.ts';
import * as z from '../schema.ts';
import type { Echo } from '../webhook-event.ts';

/** How a stage recognizes the messages of operators, which come back as echoes. */
export const operatorEchoes = z.object({
  /** The field of the event that only operators' messages have. @default none */
  field: z.optional(z.string()),
  /** The values of the field that only operators' messages have. @default all */
  values: z.optional(z.array(z.string())),
  /** The senders that stand for operators, as the chat service names them. @default none */
  senders: z.optional(z.array(z.string())),
  /** For how many minutes an operator's message hands the contact over to people. @default none */
  handoverMinutes: z.optional(z.number()),
});
export type OperatorEchoes = z.output<typeof operatorEchoes>;

/**
 * Whether an operator wrote the message of an echo. Echoes of bots and of Parley's own messages lack the field. An echo
 * from a status does not count, because its time is that of the status.
 */
export const isFromOperator = (
  { body, isFromStatus, senderName }: Echo,
  { field, values, senders = [] }: OperatorEchoes,
): boolean => {
  if (isFromStatus) return false;
  if (senders.some((sender) => sender.toLowerCase() === senderName?.toLowerCase())) return true;
  const value = field === undefined ? undefined : readEventField(body, field);
  // Services also write 0 for no operator.
  return value !== undefined && (values?.includes(value) ?? value !== '0');
};

/** Whether an echo says nothing about who wrote its message. */
export const isOfNobody = (echo: Echo, operatorEchoes: OperatorEchoes | undefined): boolean =>
  echo.sender === 'unknown' && !(operatorEchoes && isFromOperator(echo, operatorEchoes));

/** Returns when an operator wrote, and until when that hands the contact over to people, if it does. */
export const operatorMessageAt = (at: Instant, { handoverMinutes }: OperatorEchoes) => ({
  at,
  ...(handoverMinutes !== undefined && { until: addMs(at, handoverMinutes * 60_000) }),
});
