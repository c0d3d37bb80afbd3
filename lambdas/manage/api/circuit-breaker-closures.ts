import * as z from '../../domain/schema.ts';
import type { AuditRepository, CircuitRepository, Clock, Log } from '../../ports.ts';
import { ok, problem, problemResponse } from './answer.ts';
import { defineRoute, ignoredQuery } from './define-route.ts';
import { actNote, auditedNote } from './sending-stops.ts';
import { circuitBreakerView, viewCircuitBreaker } from './stage.ts';

export interface CircuitBreakerClosurePorts {
  readonly circuits: Pick<CircuitRepository, 'probeNow'>;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
}

export const closureResponse = z.object({ circuitBreaker: circuitBreakerView });

/** Leaves the closing to the probe; otherwise, every waiting request would be sent to a service that may still fail. */
export const closeCircuitBreaker = defineRoute({
  route: 'POST /v1/circuit-breaker-closures',
  summary: 'Make the next probe of an open circuit breaker due now',
  description:
    'The next request that Parley receives from the queue is the probe. If it succeeds, the circuit breaker closes. ' +
    'Does nothing if the circuit breaker is closed. 409 means that a probe is in flight.',
  query: ignoredQuery,
  body: z.strictObject({
    /** Why; only for the audit trail. */
    note: z.optional(actNote),
  }),
  responses: { 200: closureResponse, 400: problemResponse, 409: problemResponse },
  async handle({ circuits, audit, clock, log }: CircuitBreakerClosurePorts, { body: { note }, caller }) {
    const now = clock.now();
    await audit.record({ action: 'circuit-breaker-closure', details: auditedNote(note), at: now, caller });
    const { circuit, isProbing } = await circuits.probeNow(now);
    if (circuit.state === 'open' && isProbing) {
      const sentence = `A probe is in flight; it ends by ${circuit.nextProbeAt}, and another one follows if it fails.`;
      return problem(409, 'PROBE_IN_FLIGHT', sentence);
    }
    log.info('next probe is due', { circuit: circuit.state });
    return ok({ circuitBreaker: viewCircuitBreaker(circuit) } satisfies z.output<typeof closureResponse>);
  },
});
