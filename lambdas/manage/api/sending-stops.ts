import type { AuditedAct, Caller } from '../../domain/audit.ts';
import { maskNumbers } from '../../domain/mask-numbers.ts';
import * as z from '../../domain/schema.ts';
import { type Sending, timeOfAct } from '../../domain/sending-stop.ts';
import type { AuditRepository, Clock, Log, Metrics, StopRepository } from '../../ports.ts';
import { ok, problemResponse } from './answer.ts';
import { defineRoute, ignoredQuery } from './define-route.ts';

export interface SendingStopPorts {
  readonly stops: StopRepository;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export const sendingView = z.object({
  state: z.enum(['running', 'stopped']),
  /** When an operator stopped sending, and why. */
  stoppedAt: z.optional(z.string()),
  note: z.optional(z.string()),
  /** When an operator last resumed sending. */
  resumedAt: z.optional(z.string()),
});

export const sendingResponse = z.object({ sending: sendingView });

/** Why an operator acts. The audit trail keeps it. */
export const actNote = z.boundedString(1024);

/** No erasure finds the entry or the account, because neither names a contact, so the note must not contain a number. */
export const auditedNote = (note: string | undefined): AuditedAct['details'] =>
  note === undefined ? {} : { note: maskNumbers(note) };

const answer = ({ metrics, log }: SendingStopPorts, sending: Sending) => {
  const isStopped = sending.state === 'stopped';
  metrics.record('SendingStopped', isStopped ? 1 : 0);
  log.info(isStopped ? 'sending stopped' : 'sending resumed', {});
  return ok({ sending } satisfies z.output<typeof sendingResponse>);
};

const record = (
  { audit }: SendingStopPorts,
  action: AuditedAct['action'],
  { note, at, caller }: { readonly note?: string; readonly at: string; readonly caller: Caller },
) => audit.record({ action, details: auditedNote(note), at, caller });

export const stopSending = defineRoute({
  route: 'POST /v1/stops',
  summary: 'Stop sending for the stage',
  description:
    'Within 5 seconds, Parley makes no more calls to send messages. Requests wait, in order, and expire only at their ' +
    'notAfter, after ten days of retries, or after 13 days in the queue. A repeated call replaces the note.',
  query: ignoredQuery,
  body: z.strictObject({
    /** Why sending is stopped, for other operators. Numbers are masked. */
    note: actNote,
  }),
  responses: { 200: sendingResponse, 400: problemResponse },
  async handle(ports: SendingStopPorts, { body: { note }, caller }) {
    const stoppedAt = timeOfAct(ports.clock.now(), await ports.stops.read());
    await record(ports, 'sending-stop', { note, at: stoppedAt, caller });
    return answer(ports, await ports.stops.stop({ stoppedAt, note: maskNumbers(note) }));
  },
});

export const resumeSending = defineRoute({
  route: 'POST /v1/resumptions',
  summary: 'Resume sending after an operator stopped it',
  description:
    'Removes the note of the stop. A waiting request is sent when its wait ends, which takes about a quarter of the time ' +
    'for which sending was stopped, but no more than about 15 minutes. Does nothing if sending is not stopped.',
  query: ignoredQuery,
  body: z.strictObject({
    /** Why; only for the audit trail. */
    note: z.optional(actNote),
  }),
  responses: { 200: sendingResponse, 400: problemResponse },
  async handle(ports: SendingStopPorts, { body: { note }, caller }) {
    const [now, before] = [ports.clock.now(), await ports.stops.read()];
    const at = before.state === 'stopped' ? timeOfAct(now, before) : now;
    await record(ports, 'sending-resumption', { note, at, caller });
    return answer(ports, await ports.stops.resume(at));
  },
});
