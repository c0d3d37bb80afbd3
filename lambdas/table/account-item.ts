import { type Circuit, OPEN_REASONS } from '../domain/circuit-breaker.ts';
import * as z from '../domain/schema.ts';
import type { Sending, Stop } from '../domain/sending-stop.ts';
import { type Item, optionalString, parseItem } from './item.ts';

const circuitItem = z.discriminatedUnion('circuit', [
  z.object({ circuit: z.literal('closed') }),
  z.object({
    circuit: z.literal('open'),
    reason: z.enum(OPEN_REASONS),
    why: z.string(),
    openedAt: z.string(),
    nextProbeAt: z.string(),
    probes: z._default(z.number(), 0),
    failedSends: z._default(z.number(), 0),
    sendFailedAt: optionalString,
    probeId: optionalString,
  }),
]);

/** Parses an account's item. It has a circuit only after the circuit breaker has opened for the first time. */
export const parseCircuit = (item: Item | undefined): Circuit & { readonly probeId?: string } => {
  if (item?.circuit === undefined) return { state: 'closed' };
  const { circuit, ...rest } = parseItem(circuitItem, item);
  return 'reason' in rest ? { state: 'open', ...rest } : { state: 'closed' };
};

const stopItem = z.object({
  stoppedAt: optionalString,
  stopNote: z._default(z.string(), ''),
  resumedAt: optionalString,
});

/** Parses whether the account's item, which may not exist, says that sending is stopped. */
export const parseSending = (item: unknown): Sending => {
  if (item === undefined) return { state: 'running' };
  const { stoppedAt, stopNote: note, resumedAt } = parseItem(stopItem, item);
  return stoppedAt === undefined ? { state: 'running', resumedAt } : { state: 'stopped', stoppedAt, note };
};

/** Returns the stop that an account's item, which may not exist, contains. */
export const parseStop = (item: unknown): Stop | undefined => {
  const sending = parseSending(item);
  return sending.state === 'stopped' ? { stoppedAt: sending.stoppedAt, note: sending.note } : undefined;
};
