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

/** Answers what a broadcast calls, for a stage on which no request is stored. */
export const answerForecasts =
  (decide: (contact: string) => GivenForecast = () => ({ decision: 'free-form' }), at = NOW): AnswerCall =>
  async (method, path, sent) => {
    if (path === '/v1/stage') return [200, STAGE];
    if (path === '/v1/forecasts' && method === 'POST') {
      const { contacts } = forecastCall.parse(JSON.parse(sent));
      const forecasts = contacts.map((contact) => ({ contact, why: 'Because.', known: true, ...decide(contact) }));
      return [200, { at, forecasts }];
    }
    if (path.startsWith('/v1/send-counts?')) return [200, { counts: [] }];
    return [404, { code: 'SEND_NOT_FOUND', message: 'There is no such send.' }];
  };
