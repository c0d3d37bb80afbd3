import type { z } from 'zod';
import { stageResponse, uncertainResponse } from '../../lambdas/manage/responses.ts';
import { explainError } from '../explain-error.ts';
import { queueDepth } from '../operations/dead-letter-queue.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import type { Surroundings } from '../surroundings.ts';

/** What was found: `ill` needs a remedy now, `look` may. */
export interface Finding {
  readonly check: 'management API' | 'settings' | 'account' | 'token' | 'webhook' | 'queues' | 'sends';
  readonly grade: 'well' | 'look' | 'ill';
  readonly what: string;
  readonly remedy?: string;
}

type Stage = z.output<typeof stageResponse>;

/** Goes through everything that a stage needs; one check's failure does not keep the others from being made. */
export const examine = async (surroundings: Surroundings, api: ManagementClient): Promise<readonly Finding[]> => {
  const guarded = async (
    check: Finding['check'],
    make: () => Promise<readonly Finding[]>,
  ): Promise<readonly Finding[]> => {
    try {
      return await make();
    } catch (error) {
      return [{ check, grade: 'ill', what: explainError(error, surroundings.place).message }];
    }
  };
  const stages: Stage[] = [];
  const first = await guarded('management API', async () => {
    const stage = stageResponse.parse(await api('GET', '/v1/stage'));
    stages.push(stage);
    return [
      { check: 'management API', grade: 'well', what: 'The management API answers, and lets these credentials in.' },
      ...settings(stage, surroundings),
      account(stage),
    ];
  });
  const [stage] = stages;
  const others = await Promise.all([
    stage ? guarded('token', () => token(stage, api)) : [],
    guarded('webhook', () => webhook(surroundings)),
    guarded('queues', () => queues(surroundings)),
    stage ? guarded('sends', () => uncertain(api)) : [],
  ]);
  return [first, ...others].flat();
};

const settings = ({ chatServiceUrl, chatPlatform, chatChannelNumber }: Stage, { isLocal }: Surroundings): Finding[] => {
  const { hostname, protocol } = new URL(chatServiceUrl);
  if (hostname.endsWith('.example')) {
    return [
      {
        check: 'settings',
        grade: 'ill',
        what: `chatService.baseUrl is ${chatServiceUrl}, which is nobody's.`,
        remedy: 'Write the chat service’s address into cdk.json and deploy again.',
      },
    ];
  }
  const isSafe = protocol === 'https:' || isLocal;
  return [
    {
      check: 'settings',
      grade: isSafe ? 'well' : 'ill',
      what: `Sends go to ${chatServiceUrl} as ${chatChannelNumber} on ${chatPlatform}.`,
      ...(!isSafe && { remedy: 'The access token travels unencrypted; give chatService.baseUrl an https address.' }),
    },
  ];
};

const account = ({ account: { state, why, heldAt } }: Stage): Finding =>
  state === 'open'
    ? { check: 'account', grade: 'well', what: 'The account is not held: requests go out.' }
    : {
        check: 'account',
        grade: 'ill',
        what: `The account is held since ${heldAt}; requests wait. ${why}`,
        remedy: 'Pay in credit, or put in a token that is taken: it goes on by itself within minutes.',
      };

/** A check of the business's own number costs nothing and shows that the token is taken. */
const token = async ({ chatChannelNumber }: Stage, api: ManagementClient): Promise<Finding[]> => {
  try {
    await api('POST', '/v1/contact-checks', { contacts: [chatChannelNumber], remember: false });
    return [{ check: 'token', grade: 'well', what: 'The chat service answers, and takes the access token.' }];
  } catch (error) {
    const { message } = explainError(error);
    const remedy = message.includes('401')
      ? 'Put the token of the chat service’s console in with parley token set.'
      : 'See the log of manage; is the chat service up, and does it take this channel’s number?';
    return [{ check: 'token', grade: 'ill', what: message, remedy }];
  }
};

/** An unsigned post must be answered 401: then the function ran and the check of signatures stands. */
const webhook = async ({ addresses: { webhookUrl } }: Surroundings): Promise<Finding[]> => {
  const response = await fetch(webhookUrl, { method: 'POST', signal: AbortSignal.timeout(10_000) }).catch(
    () => undefined,
  );
  if (response?.status === 401) {
    return [{ check: 'webhook', grade: 'well', what: `${webhookUrl} answers, and refuses what is not signed.` }];
  }
  if (response?.ok) {
    return [
      {
        check: 'webhook',
        grade: 'look',
        what: `${webhookUrl} takes posts that are not signed.`,
        remedy: 'Anybody can write as any user; set webhook.auth to what the carrier signs with.',
      },
    ];
  }
  const what = response ? `answers ${response.status} where it should answer 401` : 'does not answer';
  const remedy = 'See the access log and the log of receive; is the stack deployed whole?';
  return [{ check: 'webhook', grade: 'ill', what: `${webhookUrl} ${what}.`, remedy }];
};

const queues = async ({ sqs, addresses }: Surroundings): Promise<Finding[]> => {
  const [send, sendDead, inbound, inboundDead] = await Promise.all([
    queueDepth(sqs, addresses.sendQueueUrl),
    queueDepth(sqs, addresses.sendDeadLetterQueueUrl),
    queueDepth(sqs, addresses.inboundQueueUrl),
    queueDepth(sqs, addresses.inboundDeadLetterQueueUrl),
  ]);
  const dead = (name: string, count: number): Finding[] =>
    count === 0
      ? []
      : [
          {
            check: 'queues',
            grade: 'look',
            what: `${count} letters on the dead-letter queue of ${name}.`,
            remedy: `See why with parley dead-letters list ${name}, and bring them back with parley dead-letters redrive ${name}.`,
          },
        ];
  const isLate = inbound.waiting > 0;
  return [
    {
      check: 'queues',
      grade: 'well',
      what: `Send requests: ${send.waiting} waiting, ${send.held} at work or held back.`,
    },
    {
      check: 'queues',
      grade: isLate ? 'look' : 'well',
      what: `Events that wait for the table: ${inbound.waiting}.`,
      ...(isLate && {
        remedy: 'The table was out of reach; they are stored by themselves. See the log of receive if they stay.',
      }),
    },
    ...dead('send', sendDead.waiting + sendDead.held),
    ...dead('inbound', inboundDead.waiting + inboundDead.held),
  ];
};

const uncertain = async (api: ManagementClient): Promise<Finding[]> => {
  const { sends, cursor } = uncertainResponse.parse(await api('GET', '/v1/uncertain-sends'));
  if (sends.length === 0) return [{ check: 'sends', grade: 'well', what: 'No send is uncertain.' }];
  return [
    {
      check: 'sends',
      grade: 'look',
      what: `${sends.length}${cursor === undefined ? '' : ' or more'} sends are uncertain; the oldest since ${sends[0]?.uncertainAt}.`,
      remedy: 'See parley sends uncertain list, look into the chat service’s console, and settle them.',
    },
  ];
};
