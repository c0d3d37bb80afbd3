import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { closureResponse } from '../../lambdas/manage/api/circuit-breaker-closures.ts';
import { sendingResponse } from '../../lambdas/manage/api/sending-stops.ts';
import { stageResponse } from '../../lambdas/manage/api/stage.ts';
import { type CommandContext, type CreateCommand, examples } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { stageTime } from '../base/stage-time.ts';

type Stage = z.output<typeof stageResponse>;

export const createSendingCommand: CreateCommand = (context) =>
  new Command('sending')
    .description('Stop and resume sending, and show whether requests are waiting for it.')
    .addCommand(createStopCommand(context))
    .addCommand(createResumeCommand(context))
    .addCommand(createSendingStatusCommand(context))
    .addCommand(createRetryNowCommand(context));

const createStopCommand = (context: CommandContext) =>
  new Command('stop')
    .description(
      'Stop sending for the stage.\n\n' +
        'Within 5 seconds, Parley makes no more calls to send messages. Requests wait, in order, until you resume ' +
        'sending. They expire only at their notAfter, after ten days of retries, or after 13 days in the queue. You ' +
        'can cancel them.',
    )
    .requiredOption('--note <text>', 'Why, for other operators')
    .addHelpText('after', examples('parley sending stop --note "Wrong price in the template" --stage prod'))
    .action(async ({ note }) => {
      const call = await context.api(NOTE);
      const { sending } = sendingResponse.parse(await call('POST', '/v1/stops', { note }));
      if (sending.state === 'running') {
        throw new CliError(EXIT.refused, 'Sending is not stopped: it was resumed at the same time. Stop it again.');
      }
      const [stopped = '', ...rest] = await describeSending(sending, context);
      const lines = [stopped, 'Calls to the chat service end within 5 seconds.', ...rest];
      context.report({ lines, json: { sending } });
    });

/** What fills the field of these requests. */
const NOTE = { note: 'note' } as const;

const noteOption = ['--note <text>', 'Why, for the audit trail'] as const;

const createResumeCommand = (context: CommandContext) =>
  new Command('resume')
    .description('Resume sending after it was stopped.')
    .option(...noteOption)
    .addHelpText('after', examples('parley sending resume --stage prod'))
    .action(async ({ note }) => {
      const call = await context.api(NOTE);
      const { sending } = sendingResponse.parse(await call('POST', '/v1/resumptions', { note }));
      const lines = await describeSending(sending, context);
      // Another operator stopped sending at the same time.
      if (sending.state === 'stopped') {
        context.report({ lines, json: { sending }, exitCode: EXIT.refused });
        return;
      }
      const when =
        'Waiting requests are sent within about a quarter of the time that sending was stopped, at most about 15 minutes.';
      context.report({ lines: [...lines, when], json: { sending } });
    });

const createSendingStatusCommand = (context: CommandContext) =>
  new Command('status')
    .description('Show whether an operator has stopped sending, and whether the circuit breaker is open.')
    .addHelpText('after', examples('parley sending status --stage prod'))
    .action(async () => {
      const call = await context.api();
      const { sending, circuitBreaker } = stageResponse.parse(await call('GET', '/v1/stage'));
      const lines = [
        ...(await describeSending(sending, context)),
        ...(await describeCircuitBreaker(circuitBreaker, context)),
      ];
      context.report({ lines, json: { sending, circuitBreaker } });
    });

const createRetryNowCommand = (context: CommandContext) =>
  new Command('retry-now')
    .description(
      'Make the next probe of an open circuit breaker due now, after you have fixed the cause.\n\n' +
        'The next request that Parley receives is the probe. If it succeeds, the circuit breaker closes.',
    )
    .option(...noteOption)
    .addHelpText('after', examples('parley sending retry-now --note "New token" --stage prod'))
    .action(async ({ note }) => {
      const call = await context.api(NOTE);
      const { circuitBreaker } = closureResponse.parse(await call('POST', '/v1/circuit-breaker-closures', { note }));
      const isClosed = circuitBreaker.state === 'closed';
      const lines = isClosed
        ? await describeCircuitBreaker(circuitBreaker, context)
        : [
            'The next request that Parley receives is the probe. If it succeeds, the circuit breaker closes.',
            `Check the result: ${context.commandFor('parley sending status')}`,
          ];
      context.report({ lines, json: { circuitBreaker } });
    });

const describeSending = async (
  { state, stoppedAt = '', note }: Stage['sending'],
  context: CommandContext,
): Promise<readonly string[]> =>
  state === 'running'
    ? ['Sending is not stopped.']
    : [
        `Sending has been stopped since ${describeTime(stoppedAt, await stageTime(context))}: ${note}`,
        `Requests wait. To resume sending: ${context.commandFor('parley sending resume')}`,
      ];

const describeCircuitBreaker = async (
  { state, why, openedAt = '', nextProbeAt = '' }: Stage['circuitBreaker'],
  context: CommandContext,
): Promise<readonly string[]> => {
  if (state === 'closed') return ['The circuit breaker is closed.'];
  const now = await stageTime(context);
  return [
    `The circuit breaker has been open since ${describeTime(openedAt, now)}: ${why}`,
    `The next probe is due at ${describeTime(nextProbeAt, now)}. ` +
      `To make it due now: ${context.commandFor('parley sending retry-now')}`,
  ];
};
