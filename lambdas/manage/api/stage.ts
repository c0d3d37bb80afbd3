import { accessTokenExpiry } from '../../domain/access-token.ts';
import { type Circuit, OPEN_REASONS } from '../../domain/circuit-breaker.ts';
import { WINDOW_SCOPES } from '../../domain/contact.ts';
import { retentionDays } from '../../domain/retention.ts';
import * as z from '../../domain/schema.ts';
import type { AccessToken, CircuitRepository, StopRepository } from '../../ports.ts';
import { ok } from './answer.ts';
import { defineRoute, ignoredQuery, noBody } from './define-route.ts';
import { sendingView } from './sending-stops.ts';

const stageSettings = z.object({
  chatPlatform: z.string(),
  chatChannelNumber: z.string(),
  chatServiceUrl: z.string(),
  windowMarginSeconds: z.number(),
  windowPer: z.enum(WINDOW_SCOPES),
  retentionDays,
});

export interface StagePorts {
  readonly circuits: Pick<CircuitRepository, 'read'>;
  readonly stops: Pick<StopRepository, 'read'>;
  readonly accessToken: Pick<AccessToken, 'read'>;
  readonly settings: z.output<typeof stageSettings>;
}

export const circuitBreakerView = z.object({
  state: z.enum(['closed', 'open']),
  /** Why it opened: the account has no credit, the access token was refused, or the service cannot be reached. */
  reason: z.optional(z.enum(OPEN_REASONS)),
  why: z.optional(z.string()),
  openedAt: z.optional(z.string()),
  nextProbeAt: z.optional(z.string()),
});

export const stageResponse = z.object({
  ...stageSettings.shape,
  /** While open, requests wait, and Parley sends one probe at a time. */
  circuitBreaker: circuitBreakerView,
  /** While stopped by an operator, requests wait. */
  sending: sendingView,
  /** When the access token expires, if it is a JSON Web Token that says so. Only the chat service can validate it. */
  accessTokenExpiresAt: z.optional(z.string()),
});

export const viewCircuitBreaker = (circuit: Circuit): z.output<typeof circuitBreakerView> => {
  if (circuit.state === 'closed') return { state: 'closed' };
  const { state, reason, why, openedAt, nextProbeAt } = circuit;
  return { state, reason, why, openedAt, nextProbeAt };
};

/** The response contains no secrets. */
export const getStage = defineRoute({
  route: 'GET /v1/stage',
  summary: 'Get the settings of the stage, its circuit breaker, and whether it sends',
  query: ignoredQuery,
  body: noBody,
  responses: { 200: stageResponse },
  async handle({ circuits, stops, accessToken, settings }: StagePorts) {
    // Without the expiry if the token cannot be read, which a contact check reports.
    const expiry = accessToken.read().then(accessTokenExpiry, () => undefined);
    const [circuit, sending, accessTokenExpiresAt] = await Promise.all([circuits.read(), stops.read(), expiry]);
    return ok({
      ...settings,
      circuitBreaker: viewCircuitBreaker(circuit),
      sending,
      accessTokenExpiresAt,
    } satisfies z.output<typeof stageResponse>);
  },
});
