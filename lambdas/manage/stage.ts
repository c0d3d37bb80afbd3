import { WINDOW_SCOPES } from '../domain/contact.ts';
import { retentionDays } from '../domain/retention.ts';
import * as z from '../domain/schema.ts';
import type { CircuitRepository } from '../ports.ts';
import { defineRoute, ignoredQuery, noBody, ok } from './api.ts';

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
  readonly settings: z.output<typeof stageSettings>;
}

export const stageResponse = z.object({
  ...stageSettings.shape,
  /** While open, requests wait, and Parley sends one probe at a time. */
  circuitBreaker: z.object({
    state: z.enum(['closed', 'open']),
    why: z.optional(z.string()),
    openedAt: z.optional(z.string()),
    nextProbeAt: z.optional(z.string()),
  }),
});

/** The response contains no secrets. */
export const getStage = defineRoute({
  route: 'GET /v1/stage',
  summary: 'Get the settings of the stage and its circuit breaker',
  query: ignoredQuery,
  body: noBody,
  responses: { 200: stageResponse },
  async handle({ circuits, settings }: StagePorts) {
    const circuit = await circuits.read();
    const { state, why, openedAt, nextProbeAt } = {
      why: undefined,
      openedAt: undefined,
      nextProbeAt: undefined,
      ...circuit,
    };
    return ok({ ...settings, circuitBreaker: { state, why, openedAt, nextProbeAt } } satisfies z.output<
      typeof stageResponse
    >);
  },
});
