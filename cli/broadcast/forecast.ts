import { z } from 'zod';
import { isPhone } from '../../lambdas/domain/address.ts';
import type { AddressedRequest } from '../../lambdas/domain/addressed-request.ts';
import { type Instant, parseInstant } from '../../lambdas/domain/instant.ts';
import { hasFreeForm, MEDIA_FIELDS, type SendRequest } from '../../lambdas/domain/send-request.ts';
import { forecastResponse, MAX_FORECAST_CONTACTS } from '../../lambdas/manage/api/forecasts.ts';
import { count } from '../base/command.ts';
import type { ManagementClient } from '../operations/management-client.ts';

/** How many requests of a broadcast would be sent how, if they were sent now. */
export interface BroadcastForecast {
  readonly freeForm: number;
  readonly template: number;
  /** Requests whose `notAfter` has passed. */
  readonly expired: number;
  /** Requests that may not be sent, by the rule's code; `unknown` of them are to contacts about whom nothing is stored. */
  readonly refused: Readonly<Record<string, { readonly count: number; readonly unknown: number }>>;
  /** The requests to contacts that are not phone numbers and are unknown to the stage. They are not counted above. */
  readonly unknownContacts: readonly NumberedRequest[];
  /** The time on the stage's clock. */
  readonly at: Instant;
}

/** A request with the number of its row. */
export interface NumberedRequest {
  readonly number: number;
  readonly request: AddressedRequest;
}

const CONCURRENT_CALLS = 4;

/**
 * Forecasts requests, with only a few in memory. Forecasts depend on what a message consists of, but not on its texts,
 * so the requests are grouped, and their texts are not transferred.
 */
export const forecastRequests = async (
  call: ManagementClient,
  requests: AsyncIterable<NumberedRequest>,
): Promise<BroadcastForecast | undefined> => {
  const total = { freeForm: 0, template: 0, expired: 0, at: '' };
  const refused: Record<string, { count: number; unknown: number }> = {};
  const unknownContacts: NumberedRequest[] = [];
  const groups = new Map<string, NumberedRequest[]>();
  const pending = new Set<Promise<void>>();

  const forecast = async (message: string, group: readonly NumberedRequest[]): Promise<void> => {
    const contacts = group.map(({ request }) => request.platformContactId);
    const answer = z.parse(forecastResponse, await call('POST', '/v1/forecasts', { ...JSON.parse(message), contacts }));
    total.at = answer.at;
    for (const [index, { decision, code = '', known }] of answer.forecasts.entries()) {
      const numbered = group[index];
      if (numbered !== undefined && !known && !isPhone(numbered.request.platformContactId))
        unknownContacts.push(numbered);
      else if (decision === 'free-form') total.freeForm += 1;
      else if (decision === 'refused') {
        refused[code] ??= { count: 0, unknown: 0 };
        refused[code].count += 1;
        if (!known) refused[code].unknown += 1;
      } else total[decision] += 1;
    }
  };
  const start = async (message: string, group: readonly NumberedRequest[]): Promise<void> => {
    while (pending.size >= CONCURRENT_CALLS) await Promise.race(pending);
    const forecasting = forecast(message, group);
    pending.add(forecasting);
    // Also rethrown by the race, or by the last wait.
    forecasting.then(
      () => pending.delete(forecasting),
      () => {},
    );
  };

  for await (const numbered of requests) {
    const message = JSON.stringify(decisiveFields(numbered.request));
    const group = groups.get(message) ?? [];
    groups.set(message, group);
    group.push(numbered);
    if (group.length < MAX_FORECAST_CONTACTS) continue;
    groups.delete(message);
    await start(message, group);
  }
  for (const [message, group] of groups) await start(message, group);
  await Promise.all(pending);
  return total.at === '' ? undefined : { ...total, refused, unknownContacts };
};

/** The fields that a decision depends on, with placeholders for texts and with times to the hour. */
const decisiveFields = (request: SendRequest): Partial<SendRequest> => {
  const { broadcastId, reason, chatPlatform, chatChannelNumber, ruleNameOrId, confirmsOptOut } = request;
  const media = MEDIA_FIELDS.flatMap((field) => {
    const address = request[field];
    return address === undefined ? [] : [[field, mediaOfTheSameKind(address)] as const];
  });
  return {
    broadcastId,
    reason,
    chatPlatform,
    chatChannelNumber,
    confirmsOptOut,
    ...(hasFreeForm(request) && media.length === 0 && { messageText: '-' }),
    ...Object.fromEntries(media),
    ...(ruleNameOrId !== undefined && { ruleNameOrId: '-' }),
    ...timesToTheHour(request),
  };
};

const mediaOfTheSameKind = (address: string): string => {
  const { protocol, pathname } = new URL(address);
  return `${protocol}//media.example/file${/\.\w{1,5}$/.exec(pathname)?.[0] ?? ''}`;
};

const HOUR_MS = 60 * 60 * 1000;

/** Each row can have its own times, and one call for each row would take long. */
const timesToTheHour = ({ sendAt, notAfter }: SendRequest): Pick<SendRequest, 'sendAt' | 'notAfter'> => ({
  ...(sendAt !== undefined && { sendAt: toHour(sendAt, Math.floor) }),
  // A duration counts from later on.
  ...(parseInstant(notAfter) !== undefined && notAfter !== undefined && { notAfter: toHour(notAfter, Math.ceil) }),
});

const toHour = (time: string, round: (hours: number) => number): Instant =>
  new Date(round(Date.parse(parseInstant(time) ?? time) / HOUR_MS) * HOUR_MS).toISOString();

/** Describes a forecast in one sentence, and how many of the requests it covers. */
export const describeForecast = (forecast: BroadcastForecast): string => {
  const { freeForm, template, expired, refused } = forecast;
  const refusals = Object.entries(refused).toSorted(([, one], [, other]) => other.count - one.count);
  const forbidden = refusals.reduce((sum, [, { count: number }]) => sum + number, 0);
  const parts = [
    ...(freeForm > 0 ? [`${freeForm} free-form`] : []),
    ...(template > 0 ? [`${template} as template`] : []),
    ...(expired > 0 ? [`${expired} too late for notAfter`] : []),
    ...(forbidden > 0 ? [`${forbidden} may not be sent: ${refusals.map(describeRefusal).join(', ')}`] : []),
  ];
  return `Forecast: ${parts.join(', ') || 'nothing to send'}.`;
};

const describeRefusal = ([code, { count: number, unknown }]: readonly [
  string,
  { readonly count: number; readonly unknown: number },
]): string => {
  if (code !== 'NO_OPT_IN') return `${number} ${code}`;
  const known = number - unknown;
  const groups = [
    ...(known > 0 ? [`${known} never opted in`] : []),
    ...(unknown > 0 ? [count(unknown, 'unknown number')] : []),
  ];
  return `${number} ${code} (${groups.join(', ')})`;
};
