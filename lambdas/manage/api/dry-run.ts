import { parseInstant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import type { SendRequest } from '../../domain/send-request.ts';
import { tooFarAhead } from '../../domain/too-far-ahead.ts';
import type { CircuitRepository, ContactRepository, SendBacklog, StopRepository } from '../../ports.ts';
import { addressRequest } from '../../runtime/address-request.ts';
import { type Answer, invalidRequest, ok } from './answer.ts';
import { type ForecastPorts, forecastFields, forecastOf, viewDecision } from './forecasts.ts';
import { sendingView } from './sending-stops.ts';
import { circuitBreakerView, viewCircuitBreaker } from './stage.ts';

export const dryRunResponse = z.object({
  /** When the decision was made. */
  at: z.string(),
  ...forecastFields,
  /** The endpoint that Parley would call. */
  endpoint: z.optional(z.enum(['message/v3', 'intent/v2'])),
  /** While open, the request would wait. */
  circuitBreaker: circuitBreakerView,
  /** While stopped, the request would wait. */
  sending: sendingView,
  /** About how many requests are on the send queue and, in a stage that has one, on the bulk queue. */
  backlog: z.object({ queue: z.number(), bulk: z.optional(z.number()) }),
});

export interface DryRunPorts extends ForecastPorts {
  readonly contacts: Pick<ContactRepository, 'readMany' | 'readAddresses'>;
  readonly circuits: Pick<CircuitRepository, 'read'>;
  readonly stops: Pick<StopRepository, 'read'>;
  readonly backlog: SendBacklog;
}

/** Answers with the decision that the function `send` would make for a request now, and writes nothing. */
export const dryRun = async (ports: DryRunPorts, request: SendRequest): Promise<Answer> => {
  const { contacts, circuits, stops, backlog, clock, contactDefaults } = ports;
  const at = clock.now();
  const sendAt = parseInstant(request.sendAt) ?? at;
  const fault = tooFarAhead(sendAt, at);
  if (fault !== undefined) return invalidRequest([fault]);
  const addressed = await addressRequest(contacts, contactDefaults, request, at);
  const refs = addressed.kind === 'refuse' ? [] : [addressed.contact];
  const [[stored], circuit, sending, waiting] = await Promise.all([
    contacts.readMany(refs, at),
    circuits.read(),
    stops.read(),
    backlog.read(),
  ]);
  const forecast =
    addressed.kind === 'refuse'
      ? { ...viewDecision(addressed), known: false }
      : await forecastOf(ports, addressed, stored, sendAt > at ? sendAt : at);
  return ok({
    at,
    ...forecast,
    endpoint: ENDPOINTS[forecast.decision],
    circuitBreaker: viewCircuitBreaker(circuit),
    sending,
    backlog: waiting,
  } satisfies z.output<typeof dryRunResponse>);
};

const ENDPOINTS = { 'free-form': 'message/v3', template: 'intent/v2', refused: undefined, expired: undefined } as const;
