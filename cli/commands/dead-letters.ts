import { CliError } from '../cli-error.ts';
import type { CommandCall, CommandDefinition } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { bringBack } from '../operations/bring-back.ts';
import type { DeadLetter, DeadLetterQueue } from '../operations/dead-letter-queue.ts';
import { listDeadLetters } from '../operations/list-dead-letters.ts';
import type { Surroundings } from '../surroundings.ts';

const QUEUE = { name: 'QUEUE', what: 'send: requests that failed; inbound: events that could not be read or stored' };
const REASON = { name: 'reason', value: 'TEXT', what: 'only those whose reason contains this, such as REJECTED' };

export const listDeadLettersCommand: CommandDefinition = {
  name: 'dead-letters list',
  what: 'List what waits for a person, with the reasons',
  note: 'While it looks, for seconds as a rule, the letters are out of sight for others.',
  positionals: [{ ...QUEUE, optional: true }],
  options: [REASON, { name: 'limit', value: 'N', what: 'letters to show of each queue (default: 100)' }],
  examples: ['parley dead-letters list send --reason REJECTED --stage prod'],
  async run(call) {
    const asked = call.positional('QUEUE');
    const limit = wholeNumber(call.option('limit') ?? '100', 'limit');
    const names = asked === '' ? QUEUES : [queueName(asked)];
    const surroundings = await call.surroundings();
    const text: string[] = [];
    const json: Record<string, unknown> = {};
    for (const name of names) {
      const { letters, total, isWhole } = await listDeadLetters(queueOf(surroundings, name), filterOf(call), limit);
      json[name] = { total, letters };
      text.push(`${name}: ${letters.length} shown of ${total}`, ...letters.map(line));
      if (!isWhole && letters.length < limit) {
        text.push('  The others stand behind these in their message groups; redrive looks at every one.');
      }
    }
    return { text: text.join('\n'), json };
  },
};

export const showDeadLetterCommand: CommandDefinition = {
  name: 'dead-letters show',
  what: 'Show one dead letter whole',
  positionals: [QUEUE, { name: 'MESSAGE', what: 'its message id, as the list has it' }],
  examples: ['parley dead-letters show inbound 5f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11 --stage prod'],
  async run(call) {
    const queue = queueOf(await call.surroundings(), queueName(call.positional('QUEUE')));
    const messageId = call.positional('MESSAGE');
    const { letters } = await listDeadLetters(queue, { messageId }, 1);
    const [letter] = letters;
    if (!letter) {
      throw new CliError(EXIT.notFound, `No letter ${messageId} is in sight there; see parley dead-letters list.`);
    }
    return { text: `${line(letter).trim()}\n${letter.body}`, json: letter };
  },
};

export const redriveDeadLettersCommand: CommandDefinition = {
  name: 'dead-letters redrive',
  what: 'Bring dead letters back to their queue, in order',
  note: 'Do it when the cause is gone. A rejected request is opened again first, so that it is tried anew.',
  positionals: [QUEUE],
  options: [REASON],
  examples: [
    'parley dead-letters redrive send --reason "code 131" --stage prod',
    'parley dead-letters redrive inbound --local',
  ],
  async run(call) {
    const name = queueName(call.positional('QUEUE'));
    const queue = queueOf(await call.surroundings(), name);
    const api = await call.api();
    const { moved, left } = await bringBack(name, queue, api, {
      filter: filterOf(call),
      onMoved: (count) => {
        if (count % 100 === 0) call.say(`${count} letters moved`);
      },
    });
    return { text: `${moved} brought back, ${left} left.`, json: { moved, left } };
  },
};

const QUEUES = ['send', 'inbound'] as const;

const queueName = (asked: string): (typeof QUEUES)[number] => {
  const found = QUEUES.find((name) => name === asked);
  if (found) return found;
  throw new CliError(EXIT.usage, `There is no dead-letter queue "${asked}"; it is send or inbound.`);
};

const queueOf = ({ sqs, addresses }: Surroundings, name: (typeof QUEUES)[number]): DeadLetterQueue =>
  name === 'send'
    ? { sqs, url: addresses.sendDeadLetterQueueUrl, destinationUrl: addresses.sendQueueUrl }
    : { sqs, url: addresses.inboundDeadLetterQueueUrl, destinationUrl: addresses.inboundQueueUrl };

const filterOf = (call: CommandCall) => {
  const reason = call.option('reason');
  return reason === undefined ? {} : { reason };
};

const line = ({ messageId, since, groupId, reason }: DeadLetter): string =>
  `  ${messageId}  ${since}${groupId === undefined ? '' : `  ${groupId}`}  ${reason}`;

const wholeNumber = (value: string, name: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(value)) {
    throw new CliError(EXIT.usage, `--${name} is "${value}" but must be a whole number from 1.`);
  }
  return Number(value);
};
