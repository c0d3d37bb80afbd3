import type { z } from 'zod';
import { uncertainSendsResponse } from '../../lambdas/manage/sends.ts';
import { stageResponse } from '../../lambdas/manage/stage.ts';
import { type CommandFor, count } from '../command.ts';
import { explainError } from '../errors.ts';
import { type QueueDepth, queueDepth } from '../operations/dead-letter-queue.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import type { Target } from '../target.ts';
import type { QueueName } from './dead-letters.ts';

/** One result of the doctor's checks. */
export interface Finding {
  readonly check: 'management API' | 'settings' | 'circuit breaker' | 'token' | 'webhook' | 'queues' | 'sends';
  /** `failing` needs a fix now; `warning` may need one. */
  readonly grade: 'ok' | 'warning' | 'failing';
  readonly message: string;
  /** What to do. */
  readonly remedy?: string;
}

type Stage = z.output<typeof stageResponse>;

/** Runs every check. An error in one check becomes a finding and does not stop the others. */
export const runChecks = async (
  target: Target,
  api: ManagementClient,
  commandFor: CommandFor,
): Promise<readonly Finding[]> => {
  const guarded = async (
    check: Finding['check'],
    run: () => Promise<readonly Finding[]>,
  ): Promise<readonly Finding[]> => {
    try {
      return await run();
    } catch (error) {
      return [{ check, grade: 'failing', message: explainError(error, target).message }];
    }
  };
  const responses: Stage[] = [];
  const first = await guarded('management API', async () => {
    const stage = stageResponse.parse(await api('GET', '/v1/stage'));
    responses.push(stage);
    return [
      { check: 'management API', grade: 'ok', message: 'The management API responds and accepts your credentials.' },
      checkSettings(stage, target),
      checkCircuitBreaker(stage, commandFor),
    ];
  });
  const [stage] = responses;
  const others = await Promise.all([
    stage ? guarded('token', () => checkToken(stage, api, commandFor)) : [],
    guarded('webhook', () => checkWebhook(target)),
    guarded('queues', () => checkQueues(target, commandFor)),
    stage ? guarded('sends', () => checkUncertainSends(api, commandFor)) : [],
  ]);
  return [first, ...others].flat();
};

const checkSettings = ({ chatServiceUrl, chatPlatform, chatChannelNumber }: Stage, { isLocal }: Target): Finding => {
  const check = 'settings';
  const { hostname, protocol } = new URL(chatServiceUrl);
  if (hostname.endsWith('.example')) {
    return {
      check,
      grade: 'failing',
      message: `chatService.baseUrl is the placeholder ${chatServiceUrl}.`,
      remedy: "Set the chat service's URL in cdk.json and deploy again.",
    };
  }
  const message = `Messages go to ${chatServiceUrl} as ${chatChannelNumber} on ${chatPlatform}.`;
  if (protocol === 'https:' || isLocal) return { check, grade: 'ok', message };
  const remedy = 'The access token is sent unencrypted. Set chatService.baseUrl to an https URL.';
  return { check, grade: 'failing', message, remedy };
};

const checkCircuitBreaker = ({ circuitBreaker: { state, why, openedAt } }: Stage, commandFor: CommandFor): Finding =>
  state === 'closed'
    ? { check: 'circuit breaker', grade: 'ok', message: 'The circuit breaker is closed: sends are not blocked.' }
    : {
        check: 'circuit breaker',
        grade: 'failing',
        message: `The circuit breaker has been open since ${openedAt}, and sends are waiting. ${why}`,
        remedy:
          `Add credit, set a valid token with ${commandFor('parley token set')}, or find out why the chat service is ` +
          'unreachable. Sending resumes automatically within an hour.',
      };

/** Checks the business's own number: this costs nothing and needs a valid token. */
const checkToken = async (
  { chatChannelNumber }: Stage,
  api: ManagementClient,
  commandFor: CommandFor,
): Promise<Finding[]> => {
  try {
    await api('POST', '/v1/contact-checks', { contacts: [chatChannelNumber], remember: false });
    return [{ check: 'token', grade: 'ok', message: 'The chat service responds and accepts the access token.' }];
  } catch (error) {
    const { message } = explainError(error);
    const remedy = message.includes('401')
      ? `Copy the token from the chat service's console and set it with ${commandFor('parley token set')}.`
      : 'Is the chat service up, and does it know this channel number? See the log of the manage function.';
    return [{ check: 'token', grade: 'failing', message, remedy }];
  }
};

/** Sends an unsigned request. The response 401 shows that the function runs and verifies signatures. */
const checkWebhook = async ({ addresses: { webhookUrl } }: Target): Promise<Finding[]> => {
  const response = await fetch(webhookUrl, { method: 'POST', signal: AbortSignal.timeout(10_000) }).catch(
    () => undefined,
  );
  if (response?.status === 401) {
    return [{ check: 'webhook', grade: 'ok', message: `${webhookUrl} responds and rejects unsigned requests.` }];
  }
  if (response?.ok) {
    return [
      {
        check: 'webhook',
        grade: 'warning',
        message: `${webhookUrl} accepts unsigned requests.`,
        remedy: 'Anyone can send events as any user. Set webhook.auth to match how your events are signed.',
      },
    ];
  }
  const outcome = response ? `returns ${response.status} instead of 401` : 'does not respond';
  const remedy = 'Is the stack fully deployed? See the access log and the log of the receive function.';
  return [{ check: 'webhook', grade: 'failing', message: `${webhookUrl} ${outcome}.`, remedy }];
};

const checkQueues = async ({ sqs, addresses }: Target, commandFor: CommandFor): Promise<Finding[]> => {
  const [send, sendDead, scheduleDead, inbound, inboundDead] = await Promise.all([
    queueDepth(sqs, addresses.sendQueueUrl),
    queueDepth(sqs, addresses.sendDeadLetterQueueUrl),
    queueDepth(sqs, addresses.scheduleDeadLetterQueueUrl),
    queueDepth(sqs, addresses.inboundQueueUrl),
    queueDepth(sqs, addresses.inboundDeadLetterQueueUrl),
  ]);
  const areEventsWaiting = inbound.available > 0;
  return [
    {
      check: 'queues',
      grade: 'ok',
      message: `Send queue: ${send.available} waiting, ${send.inFlight} in flight.`,
    },
    {
      check: 'queues',
      grade: areEventsWaiting ? 'warning' : 'ok',
      message: `Inbound queue: ${inbound.available} waiting to be stored.`,
      ...(areEventsWaiting && {
        remedy:
          'The table was unavailable. Parley stores these events automatically. ' +
          'If the number does not go down, see the log of the receive function.',
      }),
    },
    ...deadLetterFindings('send', 'from the send queue', sendDead, commandFor),
    ...deadLetterFindings('schedules', 'of schedules', scheduleDead, commandFor),
    ...deadLetterFindings('inbound', 'from the inbound queue', inboundDead, commandFor),
  ];
};

const deadLetterFindings = (
  name: QueueName,
  source: string,
  { available, inFlight }: QueueDepth,
  commandFor: CommandFor,
): Finding[] => {
  const number = available + inFlight;
  if (number === 0) return [];
  const remedy =
    `See ${commandFor(`parley dead-letters list ${name}`)}. ` +
    `Fix the cause, then run ${commandFor(`parley dead-letters redrive ${name}`)}.`;
  return [{ check: 'queues', grade: 'warning', message: `${count(number, 'dead letter')} ${source}.`, remedy }];
};

const checkUncertainSends = async (api: ManagementClient, commandFor: CommandFor): Promise<Finding[]> => {
  const { sends, cursor } = uncertainSendsResponse.parse(await api('GET', '/v1/uncertain-sends'));
  if (sends.length === 0) return [{ check: 'sends', grade: 'ok', message: 'No sends are uncertain.' }];
  const number = cursor === undefined ? String(sends.length) : `${sends.length} or more`;
  return [
    {
      check: 'sends',
      grade: 'warning',
      message: `Uncertain sends: ${number}, the oldest since ${sends[0]?.uncertainAt}.`,
      remedy:
        `See ${commandFor('parley sends uncertain list')}. ` +
        "Look for the messages in the chat service's console, then resolve them.",
    },
  ];
};
