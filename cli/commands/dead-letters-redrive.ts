import { Argument, Command } from '@commander-js/extra-typings';
import { DEAD_LETTER_QUEUES, type DeadLetterQueueName } from '../../lambdas/domain/dead-letter.ts';
import { REDRIVABLE_QUEUES, type RedrivableQueue } from '../../lambdas/manage/redrives.ts';
import { type CommandContext, count, examples } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { stageTime } from '../base/stage-time.ts';
import type { Target } from '../base/target.ts';
import type { RedrivenQueue } from '../operations/dead-letter-queue.ts';
import { findLeftoverQueues, prepareLeftover } from '../operations/leftover-queues.ts';
import { recordAct } from '../operations/record-act.ts';
import { type RedriveResult, redrive } from '../operations/redrive.ts';
import { redriveOne } from '../operations/redrive-one.ts';
import { createRedriveScheduledSend } from '../operations/redrive-scheduled-send.ts';
import { redriveThroughApi } from '../operations/redrive-through-api.ts';
import {
  DEAD_LETTER_QUEUES_HELP,
  deadLetterQueueOf,
  findDeadLetterQueue,
  redrivenQueueOf,
} from './dead-letter-queues.ts';

const isRedrivenByApi = (name: DeadLetterQueueName): name is RedrivableQueue =>
  REDRIVABLE_QUEUES.some((queue) => queue === name);

/** Creates `dead-letters redrive`. */
export const createRedriveCommand = ({ target, api, report, say, commandFor, stop }: CommandContext) =>
  new Command('redrive')
    .description(
      'Move dead letters back to their queue, in order.\n\n' +
        'Fix the cause first. If a scheduled send is no longer stored, its dead letter is deleted. ' +
        'For publishing and targets, the events are published on the event bus again, with the same IDs, ' +
        'so every consumer can receive them a second time. ' +
        'For bulk, the messages of bulk queues that the stage no longer has are moved too, to its current bulk queue ' +
        'or, without one, to the send queue.',
    )
    .addArgument(new Argument('<queue>', DEAD_LETTER_QUEUES_HELP).choices(DEAD_LETTER_QUEUES))
    .argument('[message-id]', 'Only this one: its message ID, as shown by dead-letters list')
    .option('--reason <text>', 'Only dead letters whose reason contains this text')
    .addHelpText(
      'after',
      examples(
        'parley dead-letters redrive send --reason PROCESSING_FAILED --stage prod',
        'parley dead-letters redrive inbound 5f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11 --local',
      ),
    )
    .action(async (name, messageId, { reason }) => {
      if (messageId !== undefined && reason !== undefined) {
        throw new CliError(EXIT.usage, 'Provide a message ID or --reason, but not both.');
      }
      const client = await api();
      let soFar = 0;
      const options = {
        onMoved: (moved: number) => {
          if (Math.floor(moved / 100) > Math.floor(soFar / 100)) say(`${count(moved, 'dead letter')} redriven`);
          soFar = moved;
        },
        stop,
      };
      const redriveQueue = async (): Promise<RedriveResult | undefined> => {
        if (isRedrivenByApi(name)) {
          // Throws an error that names the missing setting if the stage lacks the queue.
          deadLetterQueueOf(await target(), name);
          const filter = { reason, messageId };
          const result = await redriveThroughApi(client, name, { ...options, filter, onException: say });
          if (messageId === undefined) return result;
          const { moved, failed } = result;
          return moved + failed === 0 ? undefined : { moved, deleted: 0, left: failed };
        }
        const found = await target();
        const leftovers = name === 'bulk' ? await leftoversOf(found) : [];
        // If there is nothing to redrive, redrivenQueueOf throws an error that names the missing setting.
        const own = leftovers.length > 0 && findDeadLetterQueue(found, name) === undefined ? [] : [name];
        const queues = [...own.map((each) => redrivenQueueOf(found, each)), ...leftovers];
        await recordAct(client, { action: 'redrive', queue: name, deadLetterId: messageId, reason });
        const { bulkSendQueueUrl } = found.addresses;
        const nowMs = Date.parse(await stageTime({ target }));
        const results: RedriveResult[] = [];
        for (const [index, queue] of queues.entries()) {
          const isLeftover = leftovers.includes(queue);
          const prepare = isLeftover ? prepareLeftover(queue.url, nowMs) : undefined;
          const details = {
            ...options,
            prepare: name === 'schedules' ? createRedriveScheduledSend(client, bulkSendQueueUrl) : prepare,
            onException: say,
            ...(index === 0 && { kept: { api: client, name } }),
          };
          const result =
            messageId === undefined
              ? await redrive(queue, { ...details, filter: { reason } })
              : await redriveOne(queue, messageId, details);
          if (result !== undefined) results.push(result);
        }
        return results.length === 0 ? undefined : results.reduce(addResults);
      };
      const result = await redriveQueue().catch((error) => {
        if (!stop.aborted) throw error;
        const sentence = `Interrupted after ${count(soFar, 'dead letter')} redriven`;
        throw new CliError(EXIT.interrupted, `${sentence}. Run the same command again to continue.`);
      });
      if (result === undefined) {
        const list = commandFor(`parley dead-letters list ${name}`);
        throw new CliError(
          EXIT.notFound,
          `Dead letter ${messageId} not found. It may be behind others of its message group. See ${list}.`,
        );
      }
      const { moved, deleted, left } = result;
      const counts = [`${moved} redriven`, ...(deleted > 0 ? [`${deleted} deleted`] : []), `${left} left`];
      report({ lines: [`${counts.join(', ')}.`], json: { moved, deleted, left } });
    });

/** Returns the bulk queues that the stage no longer has, with the queue to move their messages to. */
const leftoversOf = async (target: Target): Promise<readonly RedrivenQueue[]> => {
  const { sqs, addresses } = target;
  const destinationUrl = addresses.bulkSendQueueUrl ?? addresses.sendQueueUrl;
  return (await findLeftoverQueues(target)).map((url) => ({ sqs, url, destinationUrl }));
};

const addResults = (one: RedriveResult, other: RedriveResult): RedriveResult => ({
  moved: one.moved + other.moved,
  deleted: one.deleted + other.deleted,
  left: one.left + other.left,
});
