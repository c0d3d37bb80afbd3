import { Argument, Command } from '@commander-js/extra-typings';
import { DEAD_LETTER_QUEUES } from '../../lambdas/domain/dead-letter.ts';
import { type CommandContext, count, examples } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { stageTime } from '../base/stage-time.ts';
import { findLeftoverQueues, moveLeftovers } from '../operations/leftover-queues.ts';
import { recordAct } from '../operations/record-act.ts';
import { type RedriveResult, redrive } from '../operations/redrive.ts';
import { DEAD_LETTER_QUEUES_HELP, deadLetterQueueOf, findDeadLetterQueue } from './dead-letter-queues.ts';

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
      const client = await api({ deadLetterId: '[message-id]', reason: 'reason' });
      let soFar = 0;
      const onMoved = (moved: number): void => {
        if (Math.floor(moved / 100) > Math.floor(soFar / 100)) say(`${count(moved, 'dead letter')} redriven`);
        soFar = moved;
      };
      const redriveQueue = async (): Promise<RedriveResult | undefined> => {
        const found = await target();
        // A message ID is that of a dead letter in the stage's own queue.
        const leftovers = name === 'bulk' && messageId === undefined ? await findLeftoverQueues(found) : [];
        const results: RedriveResult[] = [];
        if (leftovers.length > 0) {
          const { sqs, addresses } = found;
          const destinationUrl = addresses.bulkSendQueueUrl ?? addresses.sendQueueUrl;
          await recordAct(client, { action: 'redrive', queue: name, reason });
          const nowMs = Date.parse(await stageTime({ target }));
          const move = { destinationUrl, nowMs, filter: { reason }, onException: say, stop };
          for (const url of leftovers) results.push(await moveLeftovers({ sqs, url }, move));
          if (findDeadLetterQueue(found, name) === undefined) return results.reduce(addResults);
        }
        // Throws an error that names the missing setting if the stage lacks the queue.
        deadLetterQueueOf(found, name);
        const own = await redrive(client, name, { filter: { reason, messageId }, onMoved, onException: say, stop });
        return own && [...results, own].reduce(addResults);
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

const addResults = (one: RedriveResult, other: RedriveResult): RedriveResult => ({
  moved: one.moved + other.moved,
  deleted: one.deleted + other.deleted,
  left: one.left + other.left,
});
