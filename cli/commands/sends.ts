import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { createSqsSendBacklog } from '../../lambdas/adapters/sqs-backlog.ts';
import type { SendState } from '../../lambdas/domain/send-transitions.ts';
import { forecastResponse } from '../../lambdas/manage/api/forecasts.ts';
import { enqueueResponse, sendResponse } from '../../lambdas/manage/api/sends.ts';
import { stageResponse } from '../../lambdas/manage/api/stage.ts';
import {
  type CommandContext,
  type CommandResult,
  type CreateCommand,
  contactArgument,
  count,
  examples,
  quote,
} from '../base/command.ts';
import { CliError, EXIT, type ExitCode } from '../base/errors.ts';
import { describeWindowEnd } from '../base/human-time.ts';
import { fieldsFrom } from '../base/request-fields.ts';
import { stageTime } from '../base/stage-time.ts';
import type { Target } from '../base/target.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { resourcePath } from '../operations/resource-path.ts';
import { progressOf } from '../operations/send-progress.ts';
import { describeSend } from './describe-send.ts';
import { checkConditions, createOneMessageCommand, ONE_MESSAGE_SOURCES } from './one-message.ts';

export const createSendCommand: CreateCommand = (context) => {
  const { api, report, commandFor } = context;
  return createOneMessageCommand('send')
    .description(
      'Queue a send request.\n\n' +
        "Parley sends the free-form message while the user's conversation window is open, and the template otherwise.",
    )
    .addArgument(contactArgument().argOptional())
    .option('--customer <id>', "The chat service's ID of the user, instead of a contact. Parley chooses the address")
    .option('--wait', 'Wait until the message is sent, refused, or scheduled, and show the outcome')
    .option('--request-id <id>', 'Idempotency key; Parley sends each request once (default: a new ID)')
    .addHelpText(
      'after',
      examples(
        'parley send +5491150000001 --text "Your parcel is on its way." --wait --stage prod',
        'parley send +5491150000001 --template parcel_update --param name=Ana --reason shipping-status --local',
        'parley send --customer 5f0c9a52 --text "Your parcel is on its way." --stage prod',
        'parley send +5491150000001 --text Yes. --automated --unless userWroteSince --since 6746f2b0c3e1 --stage prod',
      ),
    )
    .action(async (contact, options) => {
      if ((contact === undefined) === (options.customer === undefined)) {
        throw new CliError(EXIT.usage, 'Name the user: either a contact, or a customer with --customer.');
      }
      checkConditions(options);
      const given = { ...options, '[contact]': contact, requestId: options.requestId ?? randomUUID() };
      const request = fieldsFrom(given, SEND_SOURCES);
      const call = await api(SEND_SOURCES);
      const { requestId, state, traceId } = enqueueResponse.parse(await call('POST', '/v1/sends', request));
      if (options.wait) {
        const send = await waitForSend(call, requestId, context);
        report({ ...(await sendResult(context, send)), exitCode: EXIT_CODES[send.state] });
        return;
      }
      const outcome = state === 'queued' ? 'is queued' : `already exists and is ${state}`;
      report({
        lines: [
          `Request ${requestId} ${outcome}. Check its status: ${commandFor(`parley status ${quote(requestId)}`)}`,
          ...(traceId === undefined ? [] : [`Trace ${traceId}`]),
        ],
        json: { requestId, state, traceId },
      });
    });
};

const SEND_SOURCES = {
  requestId: 'requestId',
  platformContactId: '[contact]',
  customerId: 'customer',
  ...ONE_MESSAGE_SOURCES,
} as const;

const FORECAST_SOURCES = { contacts: '<contact>', ...ONE_MESSAGE_SOURCES } as const;

export const createCanSendCommand: CreateCommand = (context) => {
  const { api, report } = context;
  return createOneMessageCommand('can-send')
    .description(
      'Show how a message would be sent now, or why not, without sending it.\n\n' +
        'Parley decides with the same rules as when it sends. Exits with 0 if it would send the message, and with 4 if ' +
        'it would not.',
    )
    .addArgument(contactArgument())
    .addHelpText('after', examples('parley can-send +5491150000001 --text "Your parcel is on its way." --stage prod'))
    .action(async (contact, options) => {
      checkConditions(options);
      const body = fieldsFrom({ ...options, '<contact>': [contact] }, FORECAST_SOURCES);
      const call = await api(FORECAST_SOURCES);
      // A stack that is too old for a dry run of POST /v1/sends would send.
      const { at, forecasts } = forecastResponse.parse(await call('POST', '/v1/forecasts', body));
      const [forecast] = forecasts;
      if (forecast === undefined)
        throw new CliError(EXIT.failed, 'The management API returned no forecast. Run the command again.');
      const stage = stageResponse.parse(await call('GET', '/v1/stage'));
      const backlog = await readBacklog(await context.target());
      const isSent = forecast.decision === 'free-form' || forecast.decision === 'template';
      report({
        lines: [...describeForecast(forecast, stage, at), ...describeBacklog(backlog)],
        json: { ...forecast, circuitBreaker: stage.circuitBreaker, sending: stage.sending, backlog },
        exitCode: isSent ? EXIT.done : EXIT.refused,
      });
    });
};

type Forecast = z.output<typeof forecastResponse>['forecasts'][number];

/** Describes how a message would be sent in a few lines: the decision, the window, and what it would wait for. */
export const describeForecast = (
  { contact, decision, code, why, windowClosesAt }: Forecast,
  {
    circuitBreaker,
    sending,
    windowMarginSeconds,
  }: Pick<z.output<typeof stageResponse>, 'circuitBreaker' | 'sending' | 'windowMarginSeconds'>,
  now: string,
): readonly string[] => [
  `${contact}: ${RESULTS[decision]}${code === undefined ? '' : ` (${code})`}`,
  `  decision: ${why}`,
  ...(windowClosesAt === undefined ? [] : [`  window: ${describeWindowEnd(windowClosesAt, now, windowMarginSeconds)}`]),
  ...(sending.state === 'stopped' ? [`  waits: sending has been stopped since ${sending.stoppedAt}`] : []),
  ...(circuitBreaker.state === 'open' ? [`  waits: the circuit breaker is open: ${circuitBreaker.why}`] : []),
];

/** How many requests are on each send queue, or why they cannot be counted. */
type Backlog = { readonly queue: number; readonly bulk?: number } | { readonly unknown: string };

/** Counts the messages itself, because a forecast of the management API does not. */
const readBacklog = async ({ sqs, addresses }: Target): Promise<Backlog> => {
  const { sendQueueUrl: queue, bulkSendQueueUrl: bulk } = addresses;
  try {
    return await createSqsSendBacklog(sqs, { queue, bulk }).read();
  } catch (error) {
    // Permission to forecast sends does not include permission to read the queues.
    return { unknown: error instanceof Error ? error.message : String(error) };
  }
};

/** Describes how many requests may be sent before a new one. */
export const describeBacklog = (backlog: Backlog): readonly string[] => {
  if ('unknown' in backlog) return [`  backlog: unknown: ${backlog.unknown}`];
  const { queue, bulk } = backlog;
  const bulkRequests = bulk === undefined ? '' : `, and ${bulk} on the bulk queue`;
  return [`  backlog: about ${count(queue, 'request')} on the send queue${bulkRequests}`];
};

const RESULTS: Readonly<Record<Forecast['decision'], string>> = {
  'free-form': 'would be sent as a free-form message',
  template: 'would be sent as a template',
  refused: 'would be refused',
  expired: 'would expire',
};

const POLL_MS = 500;

const EXIT_CODES: Readonly<Record<SendState, ExitCode>> = {
  queued: EXIT.done,
  scheduled: EXIT.done,
  claimed: EXIT.done,
  waiting: EXIT.done,
  accepted: EXIT.done,
  refused: EXIT.refused,
  rejected: EXIT.refused,
  expired: EXIT.refused,
  uncertain: EXIT.partial,
  cancelled: EXIT.refused,
  failed: EXIT.refused,
};

/** Waits until a send has an outcome, and says why it waits. */
const waitForSend = async (call: ManagementClient, requestId: string, { say, stop, commandFor }: CommandContext) => {
  let said: string | undefined;
  for (;;) {
    const send = sendResponse.parse(await call('GET', resourcePath('sends', 'requestId', requestId)));
    if (progressOf(send.state) !== 'pending') return send;
    const why = send.state === 'waiting' ? (send.outcome ?? send.decision) : undefined;
    if (why !== undefined && why !== said) say(`${requestId} is waiting: ${why}`);
    said = why ?? said;
    await pause(POLL_MS, undefined, { signal: stop }).catch(() => {
      const status = commandFor(`parley status ${quote(requestId)}`);
      throw new CliError(EXIT.interrupted, `Interrupted. Request ${requestId} is ${send.state}. See ${status}.`);
    });
  }
};

/** What names the request of a command about one send. */
export const REQUEST_ID = { requestId: '<request-id>' } as const;

export const createStatusCommand: CreateCommand = (context) =>
  new Command('status')
    .description('Show the state of a send, and the reason for it.')
    .argument('<request-id>', 'ID of the send request')
    .addHelpText('after', examples('parley status order-17 --stage prod'))
    .action(async (requestId) => {
      const call = await context.api(REQUEST_ID);
      const send = sendResponse.parse(await call('GET', resourcePath('sends', 'requestId', requestId)));
      context.report(await sendResult(context, send));
    });

export const createCancelCommand: CreateCommand = (context) =>
  new Command('cancel')
    .description(
      'Cancel a send that is queued, scheduled for later (--send-at), or waiting.\n\n' +
        'It is never sent afterward. A send that is being sent, or that has ended, cannot be cancelled.',
    )
    .argument('<request-id>', 'ID of the send request')
    .addHelpText('after', examples('parley cancel order-17 --stage prod'))
    .action(async (requestId) => {
      const call = await context.api(REQUEST_ID);
      const send = sendResponse.parse(await call('POST', '/v1/cancellations', { requestId }));
      context.report(await sendResult(context, send));
    });

type Send = z.output<typeof sendResponse>;

export const sendResult = async (context: CommandContext, send: Send): Promise<CommandResult> => ({
  lines: [...describeSend(send, await stageTime(context)), ...describeResolution(context, send)],
  json: send,
});

/** Says how to resolve a send whose message was probably found. */
const describeResolution = ({ commandFor }: CommandContext, { requestId, likelyMessage }: Send): readonly string[] => {
  if (likelyMessage === undefined) return [];
  const { id } = likelyMessage;
  const resolve = commandFor(`parley sends resolve ${quote(requestId)} --outcome accepted --message-id ${quote(id)}`);
  return [`If this is the message: ${resolve}`];
};
