import type { DeadLetter, DeadLetterQueue } from './dead-letter-queue.ts';
import { type ManagementClient, ManagementProblem } from './management-client.ts';
import { type Redriven, type RedriveOptions, redriveDeadLetters } from './redrive-dead-letters.ts';

/** The two queues that have dead letters: send requests, and events. */
export type QueueName = 'send' | 'inbound';

/** Redrives a queue's dead letters; a rejected send is opened again before, or its consumer would put it aside at sight. */
export const bringBack = (
  name: QueueName,
  queue: DeadLetterQueue,
  api: ManagementClient,
  options: Omit<RedriveOptions, 'beforeMove'>,
): Promise<Redriven> =>
  redriveDeadLetters(queue, {
    ...options,
    beforeMove: async (letter) => {
      if (name === 'send' && letter.reason.startsWith('REJECTED')) await reopen(api, letter);
    },
  });

/** A request whose send has gone on by another way since is moved all the same: the consumer finds that out by itself. */
const reopen = async (api: ManagementClient, { body }: DeadLetter): Promise<void> => {
  const { requestId }: { requestId?: unknown } = JSON.parse(body);
  const note = 'Brought back from the dead-letter queue.';
  try {
    await api('POST', '/v1/settlements', { requestId, outcome: 'resend', enqueue: false, note });
  } catch (error) {
    if (!(error instanceof ManagementProblem) || ![404, 409].includes(error.status)) throw error;
  }
};
