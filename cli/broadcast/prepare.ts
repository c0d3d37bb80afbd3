import type { Instant } from '../../lambdas/domain/instant.ts';
import { count } from '../base/command.ts';
import { describeTime } from '../base/human-time.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { describeCounts } from '../operations/send-counts.ts';
import { csvRows } from './csv-rows.ts';
import { type BroadcastForecast, describeForecast, forecastRequests, type NumberedRequest } from './forecast.ts';
import { describeHolds } from './holds.ts';
import { countStates, type Selection, type SelectOptions, selectRound } from './ledger.ts';
import type { BroadcastPlan, PlannedMessage } from './plan.ts';
import { fillRow } from './template.ts';

/** A checked file, compared with what the stage has. */
export interface PreparedBroadcast {
  readonly plan: BroadcastPlan;
  readonly selection: Selection;
  /** Undefined if there is nothing to send. */
  readonly forecast: BroadcastForecast | undefined;
  /** What an operator should read about the stage before the broadcast starts. */
  readonly lines: readonly string[];
}

export type PrepareOptions = Pick<PlannedMessage, 'id'> & Omit<SelectOptions, 'broadcastId'>;

/** Finds out which rows of a plan the stage would still send, and how. Adds rows that only the stage can judge as invalid. */
export const prepareBroadcast = async (
  call: ManagementClient,
  plan: BroadcastPlan,
  { id, ...options }: PrepareOptions,
): Promise<PreparedBroadcast> => {
  const { broadcastId } = plan.template;
  const { round, ledger, ...selection } = await selectRound(call, plan.messages, { ...options, broadcastId });
  // With an ID, the operator says that it is the same broadcast.
  const others = id === undefined ? selection.done.filter(({ differs }) => differs) : [];
  for (const { number } of others) plan.invalid.add(number, { why: OTHER_VALUES });
  const forecast = await forecastRequests(call, requestsOf(plan, selection));
  for (const { number, request } of forecast?.strangers ?? []) {
    plan.invalid.add(number, {
      why: `column ${plan.template.contactColumn} is not a phone number, and Parley does not know such a contact`,
      value: request.platformContactId,
    });
  }
  const strangers = new Set(forecast?.strangers.map(({ number }) => number));
  const requestIds = new Map([...selection.requestIds].filter(([number]) => !strangers.has(number)));
  const done = selection.done.filter((row) => !others.includes(row));
  const lines = [
    ...(round > 1 ? [`This sends the broadcast ${broadcastId} again, as ${selection.broadcastId}.`] : []),
    ...describeDone({ ...selection, done }, ledger.latestAt, forecast?.at),
    ...(selection.retried > 0
      ? [`${count(selection.retried, 'row')} whose request was not sent will be retried.`]
      : []),
    ...(requestIds.size > 0 && forecast
      ? [describeForecast(forecast), ...(await describeHolds(call, forecast.at))]
      : []),
    ...(requestIds.size > 0 && plan.template.fields.notAfter === undefined ? [EXPIRY] : []),
  ];
  return { plan, selection: { ...selection, requestIds, done }, forecast, lines };
};

const OTHER_VALUES =
  'the contact already has this broadcast, with other values; add --id <name> to start a broadcast of another name';

const EXPIRY =
  'Messages that are not sent within 24 hours of being queued, or of --send-at, expire. Use --not-after to change that.';

const describeDone = ({ broadcastId, done }: Selection, latestAt: Instant | undefined, now: Instant | undefined) => {
  if (done.length === 0) return [];
  const when = latestAt === undefined ? '' : `, last at ${describeTime(latestAt, now ?? latestAt)}`;
  const others = done.filter(({ differs }) => differs).length;
  const unsent = done.filter(({ isUnsent }) => isUnsent).length;
  return [
    `${count(done.length, 'row')} of contacts that already have the broadcast ${broadcastId} will not be sent again: ` +
      `${describeCounts(countStates(done))}${when}.${others > 0 ? ` To ${others} of them, another message was sent.` : ''}`,
    ...(unsent > 0
      ? [`To retry ${count(unsent, 'request that was', 'requests that were')} not sent, add --retry-unsent.`]
      : []),
  ];
};

/** Makes the requests of the selected rows, with only a few in memory. */
export async function* requestsOf(
  { csv, template }: BroadcastPlan,
  { broadcastId, requestIds }: Pick<Selection, 'broadcastId' | 'requestIds'>,
): AsyncGenerator<NumberedRequest> {
  for await (const numbered of csvRows(csv)) {
    const requestId = requestIds.get(numbered.number);
    const filled = requestId === undefined ? undefined : fillRow(template, numbered);
    if (requestId === undefined || filled?.kind !== 'message') continue;
    // In the order of a parsed request, because bodies are compared.
    const { requestId: _, ...fields } = filled.request;
    yield { number: numbered.number, request: { requestId, broadcastId, ...fields } };
  }
}

/** Describes a file and its rows, whatever the stage has. */
export const describeFile = ({ csv, rows, contacts }: BroadcastPlan): string =>
  `${csv.file}: ${count(rows, 'row')}, ${count(contacts, 'contact')}. Encoding: ${csv.encoding}. ` +
  `Delimiter: ${csv.delimiter === '\t' ? 'tab' : csv.delimiter}`;
