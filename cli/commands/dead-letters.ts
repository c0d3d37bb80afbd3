import { Argument, Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { type CommandContext, type CreateCommand, count, examples } from '../command.ts';
import { CliError, EXIT } from '../errors.ts';
import { type DeadLetter, type DeadLetterQueue, listDeadLetters } from '../operations/dead-letter-queue.ts';
import { redrive } from '../operations/redrive.ts';
import { createRedriveScheduledSend } from '../operations/redrive-scheduled-send.ts';
import type { Target } from '../target.ts';

/** Creates `dead-letters list`, `dead-letters show`, and `dead-letters redrive`. */
export const createDeadLettersCommand: CreateCommand = (context) =>
  new Command('dead-letters')
    .description('List, show, and redrive dead letters.')
    .addCommand(createListCommand(context))
    .addCommand(createShowCommand(context))
    .addCommand(createRedriveCommand(context));

const QUEUES = ['send', 'inbound', 'schedules'] as const;

/** What has a dead-letter queue: send requests, inbound events, and the schedules of requests with a `sendAt`. */
export type QueueName = (typeof QUEUES)[number];

const QUEUE_DESCRIPTION =
  'send: requests that failed; inbound: events that could not be parsed or stored; ' +
  'schedules: scheduled sends that could not be queued';
const REASON_DESCRIPTION = 'Only dead letters whose reason contains this text';

const createListCommand = ({ target, report, stop }: CommandContext) =>
  new Command('list')
    .description(
      'List dead letters with their reasons.\n\n' +
        'While the command reads a queue, usually for a few seconds, its dead letters are hidden from other consumers.',
    )
    .addArgument(new Argument('[queue]', QUEUE_DESCRIPTION).choices(QUEUES))
    .option('--reason <text>', REASON_DESCRIPTION)
    .option('--limit <n>', 'Dead letters to show per queue', parseLimit, 100)
    .addHelpText('after', examples('parley dead-letters list send --reason MALFORMED --stage prod'))
    .action(async (queue, { reason, limit }) => {
      const found = await target();
      const text: string[] = [];
      const json: Record<string, unknown> = {};
      for (const name of queue === undefined ? QUEUES : [queue]) {
        const { deadLetters, total, isComplete } = await listDeadLetters(queueOf(found, name), { reason }, limit, stop);
        json[name] = { total, deadLetters };
        const shown = deadLetters.length === total ? '' : `, ${deadLetters.length} shown`;
        text.push(`${name}: ${count(total, 'dead letter')}${shown}`, ...deadLetters.map(describe));
        if (!isComplete && deadLetters.length < limit) {
          text.push('  The rest are behind these in their message groups. A redrive processes all of them.');
        }
      }
      report({ text: text.join('\n'), json });
    });

const createShowCommand = ({ target, report, commandFor, stop }: CommandContext) =>
  new Command('show')
    .description('Show one dead letter in full.')
    .addArgument(new Argument('<queue>', QUEUE_DESCRIPTION).choices(QUEUES))
    .argument('<message-id>', 'Message ID, as shown by dead-letters list')
    .addHelpText(
      'after',
      examples('parley dead-letters show inbound 5f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11 --stage prod'),
    )
    .action(async (name, messageId) => {
      const { deadLetters } = await listDeadLetters(queueOf(await target(), name), { messageId }, 1, stop);
      const [deadLetter] = deadLetters;
      if (!deadLetter) {
        throw new CliError(
          EXIT.notFound,
          `Dead letter ${messageId} not found. To see the available ones, run ${commandFor(`parley dead-letters list ${name}`)}.`,
        );
      }
      report({ text: `${describe(deadLetter).trim()}\n${deadLetter.body}`, json: deadLetter });
    });

const createRedriveCommand = ({ target, api, report, say, stop }: CommandContext) =>
  new Command('redrive')
    .description(
      'Move dead letters back to their queue, in order.\n\n' +
        'Fix the cause first. If a scheduled send is no longer stored, its dead letter is deleted.',
    )
    .addArgument(new Argument('<queue>', QUEUE_DESCRIPTION).choices(QUEUES))
    .option('--reason <text>', REASON_DESCRIPTION)
    .addHelpText(
      'after',
      examples(
        'parley dead-letters redrive send --reason PROCESSING_FAILED --stage prod',
        'parley dead-letters redrive inbound --local',
      ),
    )
    .action(async (name, { reason }) => {
      const queue = queueOf(await target(), name);
      const prepare = name === 'schedules' ? createRedriveScheduledSend(await api()) : undefined;
      let soFar = 0;
      const { moved, deleted, left } = await redrive(queue, {
        filter: { reason },
        prepare,
        onException: say,
        onMoved: (moved) => {
          soFar = moved;
          if (moved % 100 === 0) say(`${count(moved, 'dead letter')} redriven`);
        },
        stop,
      }).catch((error) => {
        if (!stop.aborted) throw error;
        const sentence = `Interrupted after ${count(soFar, 'dead letter')} redriven`;
        throw new CliError(EXIT.interrupted, `${sentence}. Run the same command again to continue.`);
      });
      const counts = [`${moved} redriven`, ...(deleted > 0 ? [`${deleted} deleted`] : []), `${left} left`];
      report({ text: `${counts.join(', ')}.`, json: { moved, deleted, left } });
    });

const queueOf = ({ sqs, addresses }: Target, name: QueueName): DeadLetterQueue => {
  switch (name) {
    case 'send':
      return { sqs, url: addresses.sendDeadLetterQueueUrl, destinationUrl: addresses.sendQueueUrl };
    case 'inbound':
      return { sqs, url: addresses.inboundDeadLetterQueueUrl, destinationUrl: addresses.inboundQueueUrl };
    case 'schedules':
      return { sqs, url: addresses.scheduleDeadLetterQueueUrl, destinationUrl: addresses.sendQueueUrl };
  }
};

const describe = ({ messageId, since, groupId, reason }: DeadLetter): string =>
  `  ${messageId}  ${since}${groupId === undefined ? '' : `  ${groupId}`}  ${reason}`;

const parseLimit = (value: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  return Number(value);
};
