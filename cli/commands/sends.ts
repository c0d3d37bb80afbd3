import { randomUUID } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { enqueueResponse, sendResponse } from '../../lambdas/manage/sends.ts';
import { type CommandResult, type CreateCommand, contactArgument, examples } from '../command.ts';
import { createMessageCommand, messageFields } from '../message-options.ts';
import { resourcePath } from '../operations/resource-path.ts';

export const createSendCommand: CreateCommand = ({ api, report, commandFor }) =>
  createMessageCommand('send')
    .description(
      'Queue a send request.\n\n' +
        "Parley sends the free-form message while the user's conversation window is open, and the template otherwise.",
    )
    .addArgument(contactArgument())
    .option('--request-id <id>', 'Idempotency key; Parley sends each request once (default: a new ID)')
    .addHelpText(
      'after',
      examples(
        'parley send +5491150000001 --text "Your parcel is on its way." --stage prod',
        'parley send +5491150000001 --template parcel_update --param name=Ana --reason shipping-status --local',
      ),
    )
    .action(async (contact, options) => {
      const request = {
        requestId: options.requestId ?? randomUUID(),
        platformContactId: contact,
        ...messageFields(options),
      };
      const call = await api();
      const { requestId, state, traceId } = enqueueResponse.parse(await call('POST', '/v1/sends', request));
      const outcome = state === 'queued' ? 'is queued' : `already exists and is ${state}`;
      report({
        lines: [
          `Request ${requestId} ${outcome}. Check its status: ${commandFor(`parley status ${requestId}`)}`,
          ...(traceId === undefined ? [] : [`Trace ${traceId}`]),
        ],
        json: { requestId, state, traceId },
      });
    });

export const createStatusCommand: CreateCommand = ({ api, report }) =>
  new Command('status')
    .description('Show the state of a send, and the reason for it.')
    .argument('<request-id>', 'ID of the send request')
    .addHelpText('after', examples('parley status order-17 --stage prod'))
    .action(async (requestId) => {
      const call = await api();
      const send = sendResponse.parse(await call('GET', resourcePath('sends', 'requestId', requestId)));
      report(sendResult(send));
    });

export const createCancelCommand: CreateCommand = ({ api, report }) =>
  new Command('cancel')
    .description(
      'Cancel a send that is queued, scheduled for later (--send-at), or waiting.\n\n' +
        'It is never sent afterward. A send that is being sent, or that has ended, cannot be cancelled.',
    )
    .argument('<request-id>', 'ID of the send request')
    .addHelpText('after', examples('parley cancel order-17 --stage prod'))
    .action(async (requestId) => {
      const call = await api();
      report(sendResult(sendResponse.parse(await call('POST', '/v1/cancellations', { requestId }))));
    });

type Send = z.output<typeof sendResponse>;

export const sendResult = (send: Send): CommandResult => ({ lines: describeSend(send), json: send });

const TIMES = [
  ['sendAt', 'due'],
  ['queuedAt', 'queued'],
  ['scheduledAt', 'scheduled'],
  ['cancelledAt', 'cancelled'],
  ['claimedAt', 'claimed'],
  ['waitingAt', 'waiting'],
  ['uncertainAt', 'uncertain'],
  ['refusedAt', 'refused'],
  ['rejectedAt', 'rejected'],
  ['expiredAt', 'expired'],
  ['acceptedAt', 'accepted'],
  ['deliveredAt', 'delivered'],
  ['readAt', 'read'],
  ['failedAt', 'failed'],
  ['erasedAt', 'erased'],
] as const;

/** Describes a send in a few lines: its state, its decision, its outcome, and its times in order. */
export const describeSend = (send: Send): readonly string[] => {
  const { requestId, state, code, decision, outcome, outcomeDetails, endpoint, messageId, traceId, attempts } = send;
  const times = TIMES.flatMap(([field, label]) => (send[field] === undefined ? [] : [`  ${send[field]}  ${label}`]));
  return [
    `${requestId}: ${state}${code === undefined ? '' : ` (${code})`}`,
    ...(decision === undefined ? [] : [`  decision: ${decision}`]),
    ...(outcome === undefined ? [] : [`  outcome: ${outcome}`]),
    ...(outcomeDetails === undefined ? [] : [`  details: ${outcomeDetails}`]),
    // The call of an erased send is not known any more.
    ...(messageId === undefined ? [] : [`  message ${messageId}${endpoint === undefined ? '' : ` (${endpoint})`}`]),
    ...(traceId === undefined ? [] : [`  trace ${traceId}`]),
    ...(attempts > 1 ? [`  ${attempts} attempts`] : []),
    ...times.toSorted(),
  ];
};
