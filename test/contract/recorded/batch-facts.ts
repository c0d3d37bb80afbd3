import { failedItems } from '../../../local/event-sources/batch-response.ts';
import { type DiscardedBatch, discardedBatchMessage, processBatch } from '../../../local/event-sources/stream-batch.ts';
import type { StreamRecord } from '../../../local/event-sources/stream-records.ts';
import type { InvocationResult } from '../../../local/functions/invocation.ts';
import { type RecordedFact, recording } from './recorded-fact.ts';

const streams = (test: string): string =>
  recording('lambda_/event_source_mapping/test_lambda_integration_dynamodbstreams', test);
const queues = (test: string): string => recording('lambda_/event_source_mapping/test_lambda_integration_sqs', test);

const returns = (response: unknown): InvocationResult => ({ ok: true, payload: JSON.stringify(response) });
const FAILS: InvocationResult = { ok: false, error: { errorType: 'Error', errorMessage: 'failed' } };

const RECORD: StreamRecord = {
  eventName: 'INSERT',
  eventSourceARN: 'stream',
  dynamodb: { ApproximateCreationDateTime: 1_764_086_400, Keys: { pk: { S: 'a' } }, SequenceNumber: '1' },
};

/** What a mapping does with one record if the function always has this result and may be retried three times. */
const processOne = async (result: InvocationResult) => {
  let invocations = 0;
  const discarded: DiscardedBatch[] = [];
  await processBatch(
    [RECORD],
    {
      bisectsOnError: false,
      reportsBatchItemFailures: true,
      maximumRetryAttempts: 3,
      maximumRecordAgeMs: undefined,
    },
    {
      now: () => new Date(1_764_086_400_000),
      stopped: new AbortController().signal,
      pause: async () => undefined,
      invoke: async () => {
        invocations += 1;
        return result;
      },
      discard: async (batch) => void discarded.push(batch),
    },
  );
  const origin = { functionArn: 'function', streamArn: 'stream', shardId: 'shard' };
  const messages = discarded.map((batch) => discardedBatchMessage(batch, origin, new Date(1_764_086_400_000)));
  return {
    invocations,
    messages: messages.map(({ requestContext: { requestId: _, ...context }, ...message }) => ({
      ...message,
      requestContext: context,
    })),
  };
};

const discardedMessage = (functionError: 'Unhandled' | null) => ({
  requestContext: { functionArn: 'function', condition: 'RetryAttemptsExhausted', approximateInvokeCount: 4 },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError },
  version: '1.0',
  timestamp: '2025-11-25T16:00:00.000Z',
  DDBStreamBatchInfo: {
    shardId: 'shard',
    startSequenceNumber: '1',
    endSequenceNumber: '1',
    approximateArrivalOfFirstRecord: '2025-11-25T16:00:00Z',
    approximateArrivalOfLastRecord: '2025-11-25T16:00:00Z',
    batchSize: 1,
    streamArn: 'stream',
  },
});

/** Responses of a function, by the name of the recording. */
const SUCCESSES: Readonly<Record<string, unknown>> = {
  empty_list_success: [],
  null_success: null,
  empty_dict_success: {},
  empty_batch_item_failure_success: { batchItemFailures: [] },
  null_batch_item_failure_success: { batchItemFailures: null },
};
const FAILURES: Readonly<Record<string, unknown>> = {
  item_identifier_not_present_failure: { batchItemFailures: [{ itemIdentifier: 123 }] },
  empty_string_item_identifier_failure: { batchItemFailures: [{ itemIdentifier: '' }] },
  null_item_identifier_failure: { batchItemFailures: [{ itemIdentifier: null }] },
  invalid_key_foo_failure: { batchItemFailures: [{ foo: 123 }] },
  invalid_key_foo_null_value_failure: { batchItemFailures: [{ foo: null }] },
};

/** What event source mappings do with the results of a function. */
export const BATCH_FACTS: readonly RecordedFact[] = [
  ...Object.entries(SUCCESSES).map(([name, response]) => ({
    name: `stream mapping: the response ${JSON.stringify(response)} is a success`,
    source: streams(`test_dynamodb_report_batch_item_success_scenarios[${name}]`),
    observe: () => processOne(returns(response)),
    expected: { invocations: 1, messages: [] },
  })),
  ...Object.entries(FAILURES).map(([name, response]) => ({
    name: `stream mapping: the response ${JSON.stringify(response)} is a failure of the batch, retried three times`,
    source: streams(`test_dynamodb_report_batch_item_failure_scenarios[${name}]`),
    observe: () => processOne(returns(response)),
    expected: { invocations: 4, messages: [discardedMessage(null)] },
  })),
  {
    name: 'stream mapping: a function that fails is retried three times, and the discarded batch names the error',
    source: streams('test_dynamodb_report_batch_item_failure_scenarios[unhandled_exception_in_function]'),
    observe: () => processOne(FAILS),
    expected: { invocations: 4, messages: [discardedMessage('Unhandled')] },
  },
  {
    name: 'queue mapping: the messages that the response names fail, and the others succeed',
    source: queues('test_report_batch_item_failures'),
    observe: async () => [
      ...failedItems(
        returns({ batchItemFailures: [{ itemIdentifier: 'b' }, { itemIdentifier: 'd' }] }),
        ['a', 'b', 'c', 'd'],
        true,
      ),
    ],
    expected: ['b', 'd'],
  },
  {
    name: 'queue mapping: a failure without an id fails the batch',
    source: queues('test_report_batch_item_failures_invalid_result_json_batch_fails'),
    observe: async () => [...failedItems(returns({ batchItemFailures: [{ foo: 'notvalid' }] }), ['a', 'b'], true)],
    expected: ['a', 'b'],
  },
  {
    name: 'queue mapping: an empty object is a success',
    source: queues('test_report_batch_item_failures_empty_json_batch_succeeds'),
    observe: async () => [...failedItems(returns({}), ['a'], true)],
    expected: [],
  },
  {
    name: 'queue mapping: a function that fails fails the batch',
    source: queues('test_report_batch_item_failures_on_lambda_error'),
    observe: async () => [...failedItems(FAILS, ['a', 'b'], true)],
    expected: ['a', 'b'],
  },
];
