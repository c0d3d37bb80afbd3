import type { AddressedRequest } from '../../lambdas/domain/addressed-request.ts';
import { addMs, type Instant } from '../../lambdas/domain/instant.ts';
import { sendResponse } from '../../lambdas/manage/api/sends.ts';
import { stageResponse } from '../../lambdas/manage/api/stage.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { type ManagementClient, ManagementError } from '../operations/management-client.ts';
import { resourcePath } from '../operations/resource-path.ts';
import { type CsvFile, csvRows } from './csv-rows.ts';
import { type BroadcastForecast, forecastRequests } from './forecast.ts';
import { requestIdOf } from './plan.ts';
import { createRequest, DEFAULT_TIME_TO_SEND_MS, hasDefaultNotAfter, type MessageTemplate } from './template.ts';

/** Forecasts the rows after row `done`. Returns undefined if there is nothing to send. */
export const forecastRows = (
  call: ManagementClient,
  csv: CsvFile,
  template: MessageTemplate,
  done: number,
): Promise<BroadcastForecast | undefined> => forecastRequests(call, requestsAfter(csv, template, done));

async function* requestsAfter(csv: CsvFile, template: MessageTemplate, done: number): AsyncGenerator<AddressedRequest> {
  for await (const { number, row } of csvRows(csv)) {
    if (number <= done) continue;
    const created = createRequest(template, row, 'forecast');
    if (created.kind === 'request') yield created.request;
  }
}

/** Says why nothing would be sent now, whatever the forecast. */
export const describeHolds = async (call: ManagementClient, now: Instant): Promise<readonly string[]> => {
  const { circuitBreaker, sending } = stageResponse.parse(await call('GET', '/v1/stage'));
  const { state, openedAt = '', why } = circuitBreaker;
  const { stoppedAt = '', note } = sending;
  return [
    ...(sending.state === 'stopped'
      ? [
          `Sending has been stopped since ${describeTime(stoppedAt, now)}, so requests wait: ${note ?? 'no reason given'}`,
        ]
      : []),
    ...(state === 'open'
      ? [`The circuit breaker has been open since ${describeTime(openedAt, now)}, so requests wait: ${why}`]
      : []),
  ];
};

/** The broadcast's start, as its first request shows it. */
export interface StartedBroadcast {
  readonly notAfter: Instant | undefined;
}

/**
 * Finds out whether the broadcast was started before, although there is no state file. Its rows must then be queued with
 * the same `notAfter`, because a request ID must not be reused for another request.
 *
 * @param row the first row that makes a request
 * @throws CliError if the stage no longer knows the request.
 */
export const findStartedBroadcast = async (
  call: ManagementClient,
  requestPrefix: string,
  row: number,
): Promise<StartedBroadcast | undefined> => {
  const requestId = requestIdOf(requestPrefix, row);
  try {
    const { request } = sendResponse.parse(await call('GET', resourcePath('sends', 'requestId', requestId)));
    if (typeof request === 'object' && request !== null) {
      const { notAfter } = { notAfter: undefined, ...request };
      return { notAfter: typeof notAfter === 'string' ? notAfter : undefined };
    }
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'SEND_NOT_FOUND') return undefined;
    throw error;
  }
  throw new CliError(
    EXIT.usage,
    `This broadcast was started before, its state file is missing, and the contact of ${requestId} was erased. ` +
      'Restore the state file to continue, or add --new to start another broadcast, which reaches those users again.',
  );
};

/** Returns the default `notAfter` of a broadcast that starts now, or undefined if its requests need none. */
export const defaultNotAfter = (template: MessageTemplate, now: Instant): Instant | undefined =>
  hasDefaultNotAfter(template) ? addMs(now, DEFAULT_TIME_TO_SEND_MS) : undefined;
