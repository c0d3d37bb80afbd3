import { z } from 'zod';
import { NOW, RETENTION_DAYS } from './builders.ts';
import type { AnswerCall } from './local-target.ts';

const forecastCall = z.looseObject({ contacts: z.array(z.string()) });

/** The stage of a local target, as `GET /v1/stage` returns it. */
export const STAGE = {
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  chatServiceUrl: 'http://127.0.0.1:9',
  windowMarginSeconds: 60,
  windowPer: 'user',
  retentionDays: RETENTION_DAYS,
  circuitBreaker: { state: 'closed' },
  sending: { state: 'running' },
} as const;

/** What a stage would decide about a contact. */
export interface GivenForecast {
  readonly decision: string;
  readonly code?: string;
  readonly known?: boolean;
}

/** A request as a stage lists it: accepted, unless a test says otherwise. */
export const storedSend = (request: Readonly<Record<string, unknown>>, others: object = {}) => ({
  requestId: String(request.requestId),
  broadcastId: request.broadcastId,
  state: 'accepted',
  attempts: 1,
  unknownOutcomes: 0,
  request,
  claimedAt: NOW,
  ...others,
});

/**
 * Answers what a broadcast calls.
 *
 * @param stored the requests that the stage has. @default none
 */
export const answerForecasts =
  (
    decide: (contact: string) => GivenForecast = () => ({ decision: 'free-form' }),
    at = NOW,
    stored: readonly ReturnType<typeof storedSend>[] = [],
  ): AnswerCall =>
  async (method, path, sent) => {
    if (path.startsWith('/v1/sends?')) {
      const query = new URLSearchParams(path.slice(path.indexOf('?')));
      const listed = stored.filter(({ broadcastId }) => broadcastId === query.get('broadcast'));
      // Pages of two, which a stage may return too.
      const start = Number(query.get('cursor') ?? 0);
      const cursor = listed.length > start + 2 ? { cursor: String(start + 2) } : {};
      return [200, { sends: listed.slice(start, start + 2), ...cursor }];
    }
    if (path === '/v1/stage') return [200, STAGE];
    if (path === '/v1/forecasts' && method === 'POST') {
      const { contacts } = forecastCall.parse(JSON.parse(sent));
      const forecasts = contacts.map((contact) => ({ contact, why: 'Because.', known: true, ...decide(contact) }));
      return [200, { at, forecasts }];
    }
    if (path.startsWith('/v1/send-counts?')) return [200, { counts: [] }];
    return [404, { code: 'SEND_NOT_FOUND', message: 'There is no such send.' }];
  };
