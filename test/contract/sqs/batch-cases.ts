import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
} from '@aws-sdk/client-sqs';
import { FIFO, SOURCES, type SqsCase } from './contract-case.ts';
import { outcomeOf } from './contract-queue.ts';

interface BatchResult {
  readonly Successful?: readonly { readonly Id?: string | undefined }[] | undefined;
  readonly Failed?:
    | readonly {
        readonly Id?: string | undefined;
        readonly Code?: string | undefined;
        readonly SenderFault?: boolean | undefined;
      }[]
    | undefined;
}

const summaryOf = ({ Successful = [], Failed = [] }: BatchResult) => ({
  successful: Successful.map(({ Id }) => Id),
  failed: Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]),
});

const entries = (count: number): SendMessageBatchRequestEntry[] =>
  Array.from({ length: count }, (_, index) => ({ Id: String(index), MessageBody: 'x' }));

/** Batches, and the effect of an invalid entry on the others. */
export const BATCH_CASES: readonly SqsCase[] = [
  {
    name: 'batches: a refused message does not affect the others',
    source: SOURCES.sendBatch,
    async observe({ queue, sqs }) {
      const one = await queue(FIFO);
      const message = (id: string, group: string) => ({
        Id: id,
        MessageBody: id,
        MessageGroupId: group,
        MessageDeduplicationId: id,
      });
      const Entries = [message('first', 'a'), message('refused', 'a b'), message('last', 'a')];
      const result = await sqs.send(new SendMessageBatchCommand({ QueueUrl: one.url, Entries }));
      return { ...summaryOf(result), bodies: await one.bodies() };
    },
    expected: {
      successful: ['first', 'last'],
      failed: [['refused', 'InvalidParameterValue', true]],
      bodies: ['first', 'last'],
    },
  },
  {
    name: 'batches: one to ten entries with distinct ids, at most 1 MiB in total',
    source: SOURCES.sendBatch,
    async observe({ queue, sqs }) {
      const one = await queue();
      const send = (Entries: SendMessageBatchRequestEntry[]) =>
        outcomeOf(sqs.send(new SendMessageBatchCommand({ QueueUrl: one.url, Entries })));
      return {
        none: await send([]),
        ten: await send(entries(10)),
        eleven: await send(entries(11)),
        'same id': await send([...entries(1), ...entries(1)]),
        'id with a space': await send([{ Id: 'a b', MessageBody: 'x' }]),
        'id of 81 characters': await send([{ Id: 'x'.repeat(81), MessageBody: 'x' }]),
        'over 1 MiB': await send(entries(2).map(({ Id }) => ({ Id, MessageBody: 'x'.repeat(524_289) }))),
      };
    },
    expected: {
      none: 'EmptyBatchRequest',
      ten: 'accepted',
      eleven: 'TooManyEntriesInBatchRequest',
      'same id': 'BatchEntryIdsNotDistinct',
      'id with a space': 'InvalidBatchEntryId',
      'id of 81 characters': 'InvalidBatchEntryId',
      'over 1 MiB': 'BatchRequestTooLong',
    },
  },
  {
    name: 'batches: a failed deletion does not affect the others',
    source: SOURCES.deleteBatch,
    async observe({ queue, sqs }) {
      const one = await queue();
      await one.send('a');
      const [message] = await one.receive({ visibilitySeconds: 0 });
      const Entries = [
        { Id: 'bad', ReceiptHandle: 'no handle' },
        { Id: 'good', ReceiptHandle: message?.ReceiptHandle },
      ];
      const result = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: one.url, Entries }));
      return { ...summaryOf(result), bodies: await one.bodies() };
    },
    expected: { successful: ['good'], failed: [['bad', 'ReceiptHandleIsInvalid', true]], bodies: [] },
  },
  {
    name: 'batches: a failed visibility change does not affect the others',
    source: SOURCES.changeVisibilityBatch,
    async observe({ queue, sqs }) {
      const one = await queue();
      for (const body of ['a', 'b', 'c']) await one.send(body);
      const received = await one.receive();
      const [first, second, third] = received.map(({ ReceiptHandle }) => ReceiptHandle);
      const Entries = [
        { Id: 'given-back', ReceiptHandle: first, VisibilityTimeout: 0 },
        { Id: 'too-long', ReceiptHandle: second, VisibilityTimeout: 43_201 },
        { Id: 'malformed', ReceiptHandle: 'no handle', VisibilityTimeout: 0 },
        { Id: 'extended', ReceiptHandle: third, VisibilityTimeout: 60 },
      ];
      const result = await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: one.url, Entries }));
      const givenBack = (await one.bodies()).join() === received[0]?.Body;
      return { ...summaryOf(result), givenBack };
    },
    expected: {
      successful: ['given-back', 'extended'],
      failed: [
        ['too-long', 'InvalidParameterValue', true],
        ['malformed', 'ReceiptHandleIsInvalid', true],
      ],
      givenBack: true,
    },
  },
];
