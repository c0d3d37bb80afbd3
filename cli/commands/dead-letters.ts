import { Argument, Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { KEPT_QUEUES, type KeptQueue } from '../../lambdas/domain/dead-letter.ts';
import { type CommandContext, type CreateCommand, count, examples } from '../command.ts';
import { CliError, EXIT } from '../errors.ts';
import {
  type DeadLetter,
  type DeadLetterQueue,
  deleteDeadLetters,
  listDeadLetters,
} from '../operations/dead-letter-queue.ts';
import { deleteKept, type KeptDeadLetter, keptDeadLetters, readKept } from '../operations/kept-dead-letters.ts';
import { recordAct } from '../operations/record-act.ts';
import { redrive } from '../operations/redrive.ts';
import { redriveInbound } from '../operations/redrive-inbound.ts';
import { createRedriveScheduledSend } from '../operations/redrive-scheduled-send.ts';
import type { Target } from '../target.ts';

/** Creates `dead-letters list`, `show`, `redrive`, and `delete`. */
export const createDeadLettersCommand: CreateCommand = (context) =>
  new Command('dead-letters')
    .description('List, show, redrive, and delete dead letters.')
    .addCommand(createListCommand(context))
    .addCommand(createShowCommand(context))
    .addCommand(createRedriveCommand(context))
    .addCommand(createDeleteCommand(context));

const QUEUE_DESCRIPTION =
  'send: requests that failed; inbound: events that could not be parsed or stored; ' +
  'schedules: scheduled sends that could not be queued; erasures: erasures that failed';
const REASON_DESCRIPTION = 'Only dead letters whose reason contains this text';

const createListCommand = ({ target, api, report, stop }: CommandContext) =>
  new Command('list')
    .description(
      'List dead letters with their reasons.\n\n' +
        'Those older than a week, which Parley keeps in the table, come first. ' +
        'While the command reads a queue, usually for a few seconds, its dead letters are hidden from other consumers.',
    )
    .addArgument(new Argument('[queue]', QUEUE_DESCRIPTION).choices(KEPT_QUEUES))
    .option('--reason <text>', REASON_DESCRIPTION)
    .option('--limit <n>', 'Dead letters to show per queue', parseLimit, 100)
    .addHelpText('after', examples('parley dead-letters list send --reason MALFORMED --stage prod'))
    .action(async (queue, { reason, limit }) => {
      const found = await target();
      const lines: string[] = [];
      const json: Record<string, unknown> = {};
      for (const name of queue === undefined ? KEPT_QUEUES : [queue]) {
        const inQueue = await listDeadLetters(queueOf(found, name), { reason }, limit, stop);
        const kept: KeptDeadLetter[] = [];
        for await (const one of keptDeadLetters(await api(), name, { reason }, stop)) kept.push(one);
        const deadLetters = [...kept, ...inQueue.deadLetters].slice(0, limit);
        const total = kept.length + inQueue.total;
        json[name] = { total, kept: kept.length, deadLetters };
        const shown = deadLetters.length === total ? '' : `, ${deadLetters.length} shown`;
        lines.push(`${name}: ${count(total, 'dead letter')}${shown}`, ...deadLetters.map(describe));
        if (!inQueue.isComplete && inQueue.deadLetters.length < limit) {
          lines.push('  The rest are behind these in their message groups. A redrive processes all of them.');
        }
      }
      report({ lines, json });
    });

const createShowCommand = ({ target, api, report, commandFor, stop }: CommandContext) =>
  new Command('show')
    .description('Show one dead letter in full.')
    .addArgument(new Argument('<queue>', QUEUE_DESCRIPTION).choices(KEPT_QUEUES))
    .argument('<message-id>', 'Message ID, as shown by dead-letters list')
    .addHelpText(
      'after',
      examples('parley dead-letters show inbound 5f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11 --stage prod'),
    )
    .action(async (name, messageId) => {
      const { deadLetters } = await listDeadLetters(queueOf(await target(), name), { messageId }, 1, stop);
      const deadLetter = deadLetters[0] ?? (await readKept(await api(), name, messageId));
      if (!deadLetter) {
        throw new CliError(
          EXIT.notFound,
          `Dead letter ${messageId} not found. To see the available ones, run ${commandFor(`parley dead-letters list ${name}`)}.`,
        );
      }
      report({ lines: [describe(deadLetter).trim(), ...deadLetter.body.split('\n')], json: deadLetter });
    });

const createRedriveCommand = ({ target, api, report, say, stop }: CommandContext) =>
  new Command('redrive')
    .description(
      'Move dead letters back to their queue, in order.\n\n' +
        'Fix the cause first. If a scheduled send is no longer stored, its dead letter is deleted.',
    )
    .addArgument(new Argument('<queue>', QUEUE_DESCRIPTION).choices(KEPT_QUEUES))
    .option('--reason <text>', REASON_DESCRIPTION)
    .addHelpText(
      'after',
      examples(
        'parley dead-letters redrive send --reason PROCESSING_FAILED --stage prod',
        'parley dead-letters redrive inbound --local',
      ),
    )
    .action(async (name, { reason }) => {
      const client = await api();
      const prepare = name === 'schedules' ? createRedriveScheduledSend(client) : undefined;
      let soFar = 0;
      const options = {
        filter: { reason },
        onMoved: (moved: number) => {
          if (Math.floor(moved / 100) > Math.floor(soFar / 100)) say(`${count(moved, 'dead letter')} redriven`);
          soFar = moved;
        },
        stop,
      };
      const redriveQueue = async () => {
        if (name === 'inbound') return redriveInbound(client, options);
        const queue = queueOf(await target(), name);
        await recordAct(client, { action: 'redrive', queue: name, reason });
        return redrive(queue, { ...options, prepare, onException: say, kept: { api: client, name } });
      };
      const { moved, deleted, left } = await redriveQueue().catch((error) => {
        if (!stop.aborted) throw error;
        const sentence = `Interrupted after ${count(soFar, 'dead letter')} redriven`;
        throw new CliError(EXIT.interrupted, `${sentence}. Run the same command again to continue.`);
      });
      const counts = [`${moved} redriven`, ...(deleted > 0 ? [`${deleted} deleted`] : []), `${left} left`];
      report({ lines: [`${counts.join(', ')}.`], json: { moved, deleted, left } });
    });

const createDeleteCommand = ({ target, api, report, stop }: CommandContext) =>
  new Command('delete')
    .description(
      'Delete dead letters that you no longer need.\n\n' +
        'Parley keeps a dead letter until it is redriven, deleted, or erased with its contact.',
    )
    .addArgument(new Argument('<queue>', QUEUE_DESCRIPTION).choices(KEPT_QUEUES))
    .argument('[message-id]', 'Message ID, as shown by dead-letters list')
    .option('--reason <text>', REASON_DESCRIPTION)
    .option('--yes', 'Confirm the deletion')
    .addHelpText(
      'after',
      examples(
        'parley dead-letters delete inbound 5f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11 --yes --stage prod',
        'parley dead-letters delete send --reason MALFORMED --yes --stage prod',
      ),
    )
    .action(async (name, messageId, { reason, yes }) => {
      if (messageId === undefined && reason === undefined) {
        throw new CliError(EXIT.usage, 'Provide a message ID or --reason. See parley dead-letters delete --help.');
      }
      if (!yes) throw new CliError(EXIT.usage, 'A deleted dead letter cannot be restored. Add --yes to confirm.');
      const filter = { reason, messageId };
      const client = await api();
      const queue = queueOf(await target(), name);
      await recordAct(client, { action: 'dead-letter-deletion', queue: name, deadLetterId: messageId, reason });
      let deleted = await deleteDeadLetters(queue, filter, stop);
      for await (const kept of keptDeadLetters(client, name, filter, stop)) {
        if (await deleteKept(client, kept.messageId)) deleted += 1;
      }
      if (deleted === 0) throw new CliError(EXIT.notFound, 'No dead letter matches, so nothing was deleted.');
      report({ lines: [`${count(deleted, 'dead letter')} deleted.`], json: { deleted } });
    });

/** @throws CliError for a stack without the queue's addresses */
const queueOf = ({ sqs, addresses }: Target, name: KeptQueue): DeadLetterQueue => {
  switch (name) {
    case 'send':
      return { sqs, url: addresses.sendDeadLetterQueueUrl, destinationUrl: addresses.sendQueueUrl };
    case 'inbound':
      return { sqs, url: addresses.inboundDeadLetterQueueUrl, destinationUrl: addresses.inboundQueueUrl };
    case 'schedules':
      return { sqs, url: addresses.scheduleDeadLetterQueueUrl, destinationUrl: addresses.sendQueueUrl };
    case 'erasures': {
      const { erasureDeadLetterQueueUrl: url, erasureQueueUrl: destinationUrl } = addresses;
      if (url !== undefined && destinationUrl !== undefined) return { sqs, url, destinationUrl };
      throw new CliError(
        EXIT.noAccess,
        'The stack has no outputs for erasures. Deploy this version of Parley, then try again.',
      );
    }
  }
};

const describe = ({ messageId, since, groupId, reason }: Omit<DeadLetter, 'body'>): string =>
  `  ${messageId}  ${since}${groupId === undefined ? '' : `  ${groupId}`}  ${reason}`;

const parseLimit = (value: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  return Number(value);
};
