import { Argument, Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { DEAD_LETTER_QUEUES } from '../../lambdas/domain/dead-letter.ts';
import { type CommandContext, type CreateCommand, count, examples } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { stageTime } from '../base/stage-time.ts';
import { type DeadLetter, deleteDeadLetters, listDeadLetters } from '../operations/dead-letter-queue.ts';
import { deleteKept, keptDeadLetters, readKept } from '../operations/kept-dead-letters.ts';
import { listEverywhere } from '../operations/list-everywhere.ts';
import { recordAct } from '../operations/record-act.ts';
import { DEAD_LETTER_QUEUES_HELP, deadLetterQueueOf, findDeadLetterQueue } from './dead-letter-queues.ts';
import { createRedriveCommand } from './dead-letters-redrive.ts';

/** Creates `dead-letters list`, `show`, `redrive`, and `delete`. */
export const createDeadLettersCommand: CreateCommand = (context) =>
  new Command('dead-letters')
    .description('List, show, redrive, and delete dead letters.')
    .addCommand(createListCommand(context))
    .addCommand(createShowCommand(context))
    .addCommand(createRedriveCommand(context))
    .addCommand(createDeleteCommand(context));

const SOURCES = { deadLetterId: '<message-id>', reason: 'reason', limit: 'limit' } as const;

const queueArgument = () => new Argument('<queue>', DEAD_LETTER_QUEUES_HELP).choices(DEAD_LETTER_QUEUES);
const REASON_DESCRIPTION = 'Only dead letters whose reason contains this text';

const createListCommand = ({ target, api, report, stop }: CommandContext) =>
  new Command('list')
    .description(
      'List dead letters with their reasons.\n\n' +
        'Those older than a week, which Parley keeps in the table, come first. ' +
        'While the command reads a queue, usually for a few seconds, its dead letters are hidden from other consumers.',
    )
    .addArgument(new Argument('[queue]', DEAD_LETTER_QUEUES_HELP).choices(DEAD_LETTER_QUEUES))
    .option('--reason <text>', REASON_DESCRIPTION)
    .option('--limit <n>', 'Dead letters to show per queue', parseLimit, 100)
    .addHelpText('after', examples('parley dead-letters list send --reason MALFORMED --stage prod'))
    .action(async (name, { reason, limit }) => {
      const found = await target();
      const queues =
        name === undefined
          ? DEAD_LETTER_QUEUES.map((each) => [each, findDeadLetterQueue(found, each)] as const)
          : [[name, deadLetterQueueOf(found, name)] as const];
      const now = await stageTime({ target });
      const lines: string[] = [];
      const json: Record<string, unknown> = {};
      for (const [each, queue] of queues) {
        // A stage may have no event targets, for example.
        if (queue === undefined) continue;
        const list = await listEverywhere(await api(SOURCES), each, queue, { reason }, limit, stop);
        json[each] = list;
        const { deadLetters, total, hasMore, areSomeBehind } = list;
        const number = hasMore ? `at least ${count(total, 'dead letter')}` : count(total, 'dead letter');
        const shown = deadLetters.length === total ? '' : `, ${deadLetters.length} shown`;
        lines.push(`${each}: ${number}${shown}`, ...deadLetters.map((deadLetter) => describe(deadLetter, now)));
        if (areSomeBehind) {
          lines.push('  The rest are behind these in their message groups. A redrive processes all of them.');
        }
      }
      report({ lines, json });
    });

const createShowCommand = ({ target, api, report, commandFor, stop }: CommandContext) =>
  new Command('show')
    .description('Show one dead letter in full.')
    .addArgument(queueArgument())
    .argument('<message-id>', 'Message ID, as shown by dead-letters list')
    .addHelpText(
      'after',
      examples('parley dead-letters show inbound 5f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11 --stage prod'),
    )
    .action(async (name, messageId) => {
      const queue = deadLetterQueueOf(await target(), name);
      const deadLetter =
        (await readKept(await api(SOURCES), name, messageId)) ??
        (await listDeadLetters(queue, { messageId }, 1, stop)).deadLetters[0];
      if (!deadLetter) {
        throw new CliError(
          EXIT.notFound,
          `Dead letter ${messageId} not found. To see the available ones, run ${commandFor(`parley dead-letters list ${name}`)}.`,
        );
      }
      const described = describe(deadLetter, await stageTime({ target })).trim();
      report({ lines: [described, ...deadLetter.body.split('\n')], json: deadLetter });
    });

const createDeleteCommand = ({ target, api, report, stop }: CommandContext) =>
  new Command('delete')
    .description(
      'Delete dead letters that you no longer need.\n\n' +
        'Without a message ID or --reason, nothing is deleted; --all deletes all dead letters of the queue.',
    )
    .addArgument(queueArgument())
    .argument('[message-id]', 'Message ID, as shown by dead-letters list')
    .option('--reason <text>', REASON_DESCRIPTION)
    .option('--all', 'All dead letters of the queue')
    .option('--yes', 'Confirm the deletion')
    .addHelpText(
      'after',
      examples(
        'parley dead-letters delete inbound 5f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11 --yes --stage prod',
        'parley dead-letters delete send --reason MALFORMED --yes --stage prod',
        'parley dead-letters delete targets --all --yes --stage prod',
      ),
    )
    .action(async (name, messageId, { reason, all, yes }) => {
      if ([messageId, reason, all].filter((choice) => choice !== undefined).length !== 1) {
        throw new CliError(
          EXIT.usage,
          'Provide a message ID, --reason, or --all, and only one of them. See parley dead-letters delete --help.',
        );
      }
      if (!yes) throw new CliError(EXIT.usage, 'A deleted dead letter cannot be restored. Add --yes to confirm.');
      const filter = { reason, messageId };
      const client = await api(SOURCES);
      const queue = deadLetterQueueOf(await target(), name);
      await recordAct(client, { action: 'dead-letter-deletion', queue: name, deadLetterId: messageId, reason });
      if (messageId !== undefined) {
        const isKept = (await readKept(client, name, messageId)) && (await deleteKept(client, messageId));
        report(deletion(isKept ? 1 : await deleteDeadLetters(queue, filter, stop)));
        return;
      }
      let deleted = await deleteDeadLetters(queue, filter, stop);
      for await (const kept of keptDeadLetters(client, name, filter, { stop })) {
        if (await deleteKept(client, kept.messageId)) deleted += 1;
      }
      report(deletion(deleted));
    });

/** @throws CliError if nothing was deleted */
const deletion = (deleted: number) => {
  if (deleted === 0)
    throw new CliError(
      EXIT.notFound,
      'No dead letter matches, so nothing was deleted. Check the message ID or --reason.',
    );
  return { lines: [`${count(deleted, 'dead letter')} deleted.`], json: { deleted } };
};

const describe = ({ messageId, since, groupId, reason }: Omit<DeadLetter, 'body'>, now: string): string => {
  const time = since === undefined ? undefined : describeTime(since, now);
  return `  ${[messageId, time, groupId, reason].filter((part) => part !== undefined).join('  ')}`;
};

const parseLimit = (value: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  return Number(value);
};
