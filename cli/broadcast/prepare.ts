import type { Instant } from '../../lambdas/domain/instant.ts';
import { count } from '../base/command.ts';
import { describeTime } from '../base/human-time.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { describeCounts } from '../operations/send-counts.ts';
import { csvRows } from './csv-rows.ts';
import { type BroadcastForecast, describeForecast, forecastRequests, type NumberedRequest } from './forecast.ts';
import { describeHolds } from './holds.ts';
import { DEAD_LETTER, type Ledger, type LedgerEntry, readLedger, variablesOf } from './ledger.ts';
import type { BroadcastPlan, PlannedMessage } from './plan.ts';
import { countStates, type Selection, type SelectOptions, selectRows } from './selection.ts';
import { fillRow } from './template.ts';

/** A checked file, compared with what the stage has. */
export interface PreparedBroadcast {
  readonly plan: BroadcastPlan;
  readonly ledger: Ledger;
  readonly selection: Selection;
  /** Undefined if there is nothing to send. */
  readonly forecast: BroadcastForecast | undefined;
  /** What an operator should read about the stage before the broadcast starts. */
  readonly lines: readonly string[];
}

export interface PrepareOptions extends Pick<PlannedMessage, 'id'>, SelectOptions {
  /** Which repetition of the broadcast to send, from 1. */
  readonly repetition: number;
}

/** Finds out which rows of a plan the stage would still send, and how. Adds rows that only the stage can judge as invalid. */
export const prepareBroadcast = async (
  call: ManagementClient,
  plan: BroadcastPlan,
  { id, repetition, ...options }: PrepareOptions,
): Promise<PreparedBroadcast> => {
  const ledger = await readLedger(call, plan.template.broadcastId, repetition);
  const selection = selectRows(plan.contacts, ledger, options);
  // With an ID, the operator says that it is the same broadcast.
  const others = id === undefined ? selection.done.filter(({ differs }) => differs) : [];
  const variables = variablesOf(plan.template.fields.params);
  for (const { number, entry } of others) plan.invalid.add(number, { why: otherValues(entry, variables) });
  const forecast = await forecastRequests(call, requestsOf(plan, selection));
  for (const { number, request } of forecast?.unknownContacts ?? []) {
    plan.invalid.add(number, {
      why: `column ${plan.template.contactColumn} is not a phone number, and Parley knows no contact with this ID`,
      value: request.platformContactId,
    });
  }
  const unknown = new Set(forecast?.unknownContacts.map(({ number }) => number));
  const requestIds = new Map([...selection.requestIds].filter(([number]) => !unknown.has(number)));
  const done = selection.done.filter((row) => !others.includes(row));
  const lines = [
    ...describeDone({ ...selection, done }, ledger.latestAt, forecast?.at),
    ...(selection.retried > 0
      ? [`${count(selection.retried, 'request that was', 'requests that were')} not sent will be retried.`]
      : []),
    ...(requestIds.size > 0 && forecast
      ? [describeForecast(forecast), ...(await describeHolds(call, forecast.at))]
      : []),
    ...(requestIds.size > 0 && plan.template.fields.notAfter === undefined ? [EXPIRY] : []),
  ];
  return { plan, ledger, selection: { ...selection, requestIds, done }, forecast, lines };
};

const otherValues = ({ variables }: LedgerEntry, now: string): string =>
  variables === undefined || variables === now
    ? 'the contact already has this broadcast, with other values; to send it too, start another broadcast with --id <id>'
    : `the contact already has this broadcast, with the variables ${variables || '(none)'}, not ${now || '(none)'}; ` +
      'state the same ones with --param';

const EXPIRY = 'Messages expire 24 hours after they are queued, or after --send-at. To change that, use --not-after.';

/** Says which broadcast it is, and which of its contacts will get nothing. */
const describeDone = ({ broadcastId, done }: Selection, latestAt: Instant | undefined, now: Instant | undefined) => {
  if (done.length === 0) return [`Broadcast ${broadcastId}: no contact in the file has a request in it yet.`];
  const when = latestAt === undefined ? '' : `, last at ${describeTime(latestAt, now ?? latestAt)}`;
  const others = done.filter(({ differs }) => differs).length;
  return [
    `Broadcast ${broadcastId}: ${count(done.length, 'row is', 'rows are')} for contacts that already have a request ` +
      `in it, and will not be queued again: ${describeCounts(countStates(done))}${when}.` +
      `${others > 0 ? ` To ${others} of them, another message was sent.` : ''}`,
    ...describeUnsent(done),
  ];
};

/** Says what to do about contacts that have a request, but not the message. */
export const describeUnsent = (done: Selection['done']): readonly string[] => {
  const unsent = done.filter(({ entry }) => entry.isUnsent).length;
  const deadLetters = done.filter(({ entry }) => entry.code === DEAD_LETTER).length;
  return [
    ...(unsent > 0
      ? [`To retry ${count(unsent, 'request that was', 'requests that were')} not sent, add --retry-unsent.`]
      : []),
    ...(deadLetters > 0
      ? [`To send ${count(deadLetters, 'dead letter')}, fix the cause. Then see parley dead-letters redrive --help.`]
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
  `${csv.file}: ${count(rows, 'row')}, ${count(contacts.size, 'contact')}. Encoding: ${csv.encoding}. ` +
  `Delimiter: ${csv.delimiter === '\t' ? 'tab' : csv.delimiter}`;
