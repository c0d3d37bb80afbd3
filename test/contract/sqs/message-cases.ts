import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { type ContractTools, FIFO, SOURCES, type SqsCase } from './contract-case.ts';
import { type ContractQueue, type MessageParameters, outcomeOf } from './contract-queue.ts';

const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** Message group ids and deduplication ids that SQS accepts or refuses. */
const IDS: Readonly<Record<string, string>> = {
  letters: 'aZ09',
  punctuation: PUNCTUATION,
  'of 128 characters': 'x'.repeat(128),
  'of 129 characters': 'x'.repeat(129),
  'with a space': 'a b',
  'not ASCII': 'ñandú',
  empty: '',
};

const ID_OUTCOMES = {
  letters: 'accepted',
  punctuation: 'accepted',
  'of 128 characters': 'accepted',
  'of 129 characters': 'InvalidParameterValue',
  'with a space': 'InvalidParameterValue',
  'not ASCII': 'InvalidParameterValue',
  empty: 'InvalidParameterValue',
};

/** Sends one message per entry. Returns the outcome of each. */
const outcomes = async <Value>(
  values: Readonly<Record<string, Value>>,
  send: (value: Value) => Promise<unknown>,
): Promise<Record<string, string>> => {
  const entries = Object.entries(values);
  return Object.fromEntries(
    await Promise.all(entries.map(async ([name, value]) => [name, await outcomeOf(send(value))])),
  );
};

const text = (StringValue: string, DataType = 'String') => ({ DataType, StringValue });

const sendWith = (queue: ContractQueue, MessageAttributes: MessageParameters['MessageAttributes']) =>
  queue.send('a', { MessageAttributes });

const numbered = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, text('x')]));

const NAMES = ['a.b-c_1', 'x'.repeat(256), 'x'.repeat(257), 'AWS.x', 'aMaZon.x', '.a', 'a.', 'a..b', 'a b', 'ñ'];

const VALUES: Readonly<Record<string, ReturnType<typeof text> | { DataType: string; BinaryValue?: Uint8Array }>> = {
  'custom label': text('1', 'Number.int'),
  binary: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255]) },
  'unknown type': text('x', 'Text'),
  'type in lower case': text('x', 'string'),
  'empty text': text(''),
  'no number': text('one', 'Number'),
  'no value': { DataType: 'String' },
  'character that SQS refuses': text('\u0001'),
};

const SIZE = 1_048_576;

const batchOf = (tools: ContractTools, attributes: Record<string, string>, sizes: Readonly<Record<string, number>>) =>
  tools.queue(attributes).then((queue) => outcomes(sizes, (size) => queue.send('x'.repeat(size))));

/** What SQS accepts as a message. */
export const MESSAGE_CASES: readonly SqsCase[] = [
  {
    name: 'messages: group ids have 1 to 128 letters, digits, and punctuation characters',
    source: SOURCES.sendMessage,
    async observe({ queue }) {
      const one = await queue({ ...FIFO, ContentBasedDeduplication: 'true' });
      return outcomes(IDS, (id) => one.send('a', { MessageGroupId: id }));
    },
    expected: ID_OUTCOMES,
  },
  {
    name: 'messages: deduplication ids have 1 to 128 letters, digits, and punctuation characters',
    source: SOURCES.sendMessage,
    async observe({ queue }) {
      const one = await queue(FIFO);
      return outcomes(IDS, (id) => one.send('a', { MessageGroupId: 'a', MessageDeduplicationId: id }));
    },
    expected: ID_OUTCOMES,
  },
  {
    name: 'messages: what a FIFO queue requires and refuses',
    source: SOURCES.sendMessage,
    async observe({ queue }) {
      const one = await queue(FIFO);
      return {
        'no group': await outcomeOf(one.send('a', { MessageDeduplicationId: 'a' })),
        'no deduplication id': await outcomeOf(one.send('a', { MessageGroupId: 'a' })),
        'own delay': await outcomeOf(
          one.send('a', { MessageGroupId: 'a', MessageDeduplicationId: 'a', DelaySeconds: 1 }),
        ),
      };
    },
    expected: {
      'no group': 'MissingParameter',
      'no deduplication id': 'InvalidParameterValue',
      'own delay': 'InvalidParameterValue',
    },
  },
  {
    name: 'messages: a standard queue accepts a group id for fairness, no deduplication id, and a delay of up to 900 s',
    source: SOURCES.fairQueues,
    async observe({ queue }) {
      const one = await queue();
      const cases = {
        group: { MessageGroupId: 'a' },
        'deduplication id': { MessageDeduplicationId: 'a' },
        'delay of 900 s': { DelaySeconds: 900 },
        'delay of 901 s': { DelaySeconds: 901 },
      };
      return outcomes<MessageParameters>(cases, (parameters) => one.send('a', parameters));
    },
    expected: {
      group: 'accepted',
      'deduplication id': 'InvalidParameterValue',
      'delay of 900 s': 'accepted',
      'delay of 901 s': 'InvalidParameterValue',
    },
  },
  {
    name: 'messages: a body has at least one character, and only characters of XML 1.0',
    source: SOURCES.sendMessage,
    async observe({ queue }) {
      const one = await queue();
      const bodies = {
        text: 'Ñandú 日本語 🎉',
        spaces: '\t\n\r',
        'last of each range': '\ud7ff\ue000\ufffd\u{10000}\u{10ffff}',
        'U+0000': '\u0000',
        'U+001F': '\u001f',
        'U+FFFE': '\ufffe',
        'U+FFFF': '\uffff',
        empty: '',
      };
      return outcomes(bodies, (body) => one.send(body));
    },
    expected: {
      text: 'accepted',
      spaces: 'accepted',
      'last of each range': 'accepted',
      'U+0000': 'InvalidMessageContents',
      'U+001F': 'InvalidMessageContents',
      'U+FFFE': 'InvalidMessageContents',
      'U+FFFF': 'InvalidMessageContents',
      empty: 'MissingParameter',
    },
  },
  {
    name: 'messages: at most 1 MiB, attributes included',
    source: SOURCES.messageQuotas,
    async observe(tools) {
      const one = await tools.queue();
      return {
        ...(await batchOf(tools, {}, { '1 MiB': SIZE, 'one byte more': SIZE + 1 })),
        'with an attribute': await outcomeOf(one.send('x'.repeat(SIZE - 2), { MessageAttributes: { a: text('b') } })),
      };
    },
    expected: {
      '1 MiB': 'accepted',
      'one byte more': 'InvalidParameterValue',
      'with an attribute': 'InvalidParameterValue',
    },
  },
  {
    name: 'messages: at most MaximumMessageSize bytes',
    source: SOURCES.createQueue,
    observe: (tools) => batchOf(tools, { MaximumMessageSize: '1024' }, { 'at most': 1024, 'one byte more': 1025 }),
    expected: { 'at most': 'accepted', 'one byte more': 'InvalidParameterValue' },
  },
  {
    name: 'attributes: at most ten',
    source: SOURCES.messageQuotas,
    async observe({ queue }) {
      const one = await queue();
      return [await outcomeOf(sendWith(one, numbered(10))), await outcomeOf(sendWith(one, numbered(11)))];
    },
    expected: ['accepted', 'InvalidParameterValue'],
  },
  {
    name: 'attributes: names of letters, digits, underscores, hyphens, and periods, in the right places',
    source: SOURCES.attributes,
    async observe({ queue }) {
      const one = await queue();
      const accepted: string[] = [];
      for (const name of NAMES) {
        if ((await outcomeOf(sendWith(one, { [name]: text('x') }))) === 'accepted') accepted.push(name);
      }
      return accepted.map((name) => (name.length > 20 ? `${name.length} letters` : name));
    },
    expected: ['a.b-c_1', '256 letters'],
  },
  {
    name: 'attributes: types may have custom labels, and values must not be empty',
    source: SOURCES.attributes,
    async observe({ queue }) {
      const one = await queue();
      return outcomes(VALUES, (value) => sendWith(one, { name: value }));
    },
    expected: {
      'custom label': 'accepted',
      binary: 'accepted',
      'unknown type': 'InvalidParameterValue',
      'type in lower case': 'InvalidParameterValue',
      'empty text': 'InvalidParameterValue',
      'no number': 'InvalidParameterValue',
      'no value': 'InvalidParameterValue',
      'character that SQS refuses': 'InvalidMessageContents',
    },
  },
  {
    name: 'attributes: a receive returns those that it requests, with their digest',
    source: SOURCES.receiveMessage,
    async observe({ queue, sqs }) {
      const one = await queue();
      await sendWith(one, {
        'trace.id': text('1', 'Number'),
        'trace.bytes': { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255]) },
        other: text('x'),
      });
      const receive = async (MessageAttributeNames: string[]) => {
        const names = { MessageAttributeNames, MessageSystemAttributeNames: ['SentTimestamp' as const] };
        const request = new ReceiveMessageCommand({ QueueUrl: one.url, VisibilityTimeout: 0, ...names });
        const [message] = (await sqs.send(request)).Messages ?? [];
        return {
          names: Object.keys(message?.MessageAttributes ?? {}).toSorted(),
          system: Object.keys(message?.Attributes ?? {}),
          digest: message?.MD5OfMessageAttributes,
        };
      };
      return [await receive(['All']), await receive(['trace.*']), await receive(['other']), await receive([])];
    },
    expected: [
      {
        names: ['other', 'trace.bytes', 'trace.id'],
        system: ['SentTimestamp'],
        digest: '4d1cd200b6aaaa7b5d110866adf07783',
      },
      { names: ['trace.bytes', 'trace.id'], system: ['SentTimestamp'], digest: '0f28d7153f6b88f504d7e3af61fa8ab7' },
      { names: ['other'], system: ['SentTimestamp'], digest: '0a9fba5661968c02763ab739b38d2163' },
      { names: [], system: ['SentTimestamp'], digest: undefined },
    ],
  },
];
