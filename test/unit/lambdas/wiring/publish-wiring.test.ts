import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import type { PublishEnvironment } from '../../../../lambdas/publish/environment.ts';
import type { TurnEnvironment } from '../../../../lambdas/publish/turns/environment.ts';
import { NOW, RETENTION_DAYS, wireMessage } from '../../../support/builders.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import type { Scenario } from './wired-function.ts';
import { describeWiring, startedFunctions } from './wiring.ts';

const change = (item: object, scenario: Partial<Scenario> = {}): Scenario => ({
  events: [
    {
      Records: [
        {
          eventName: 'INSERT',
          dynamodb: {
            SequenceNumber: '1',
            ApproximateCreationDateTime: Date.parse(NOW) / 1000,
            NewImage: marshall(item),
          },
        },
      ],
    },
  ],
  ...scenario,
});
const CONTACT = 'CONTACT#chat#*#541155550000';
const stored = (scenario: Partial<Scenario> = {}) =>
  change(
    {
      pk: 'MESSAGE#in-1',
      sk: 'MESSAGE',
      direction: 'inbound',
      createdAt: NOW,
      contact: CONTACT,
      body: JSON.stringify(wireMessage({ MESSAGE: 'A text' })),
    },
    scenario,
  );
const TURN = { firstMessageId: 'in-1', startedAt: NOW, messageIds: new Set(['in-1']), messageCount: 1 };
const started = change({ pk: CONTACT, sk: 'TURN', ...TURN });
const silent: Scenario = {
  events: [
    {
      Records: [
        sqsRecord(
          JSON.stringify({
            contact: { platform: 'chat', channel: '*', key: '541155550000' },
            firstMessageId: 'in-1',
            startedAt: NOW,
            messageCount: 1,
          }),
        ),
      ],
    },
  ],
};

const USUAL: Record<keyof PublishEnvironment | keyof TurnEnvironment, string> = {
  EVENT_BUS_NAME: 'bus',
  AWS_ENDPOINT_URL_EVENTBRIDGE: '{aws}',
  PUBLISH_DEAD_LETTER_QUEUE_URL: '{aws}/failures',
  EVENT_CONTENT: 'false',
  TURN_QUEUE_URL: '{aws}/turns',
  TURN_SILENCE_SECONDS: '8',
  TABLE_NAME: 'table',
  AWS_ENDPOINT_URL_DYNAMODB: '{aws}',
  // Must be there, but a turn only removes items.
  RETENTION_DAYS: JSON.stringify(RETENTION_DAYS),
};

describeWiring<Omit<PublishEnvironment & TurnEnvironment, 'RETENTION_DAYS'>>(
  'publish',
  USUAL,

  {
    EVENT_BUS_NAME: [stored(), ['one', '"EventBusName":"one"'], ['other', '"EventBusName":"other"']],
    AWS_ENDPOINT_URL_EVENTBRIDGE: [stored(), ['{aws}', 'PutEvents 127.0.0.1'], ['{alias}', 'PutEvents localhost']],
    PUBLISH_DEAD_LETTER_QUEUE_URL: [
      stored({ answers: { PutEvents: () => ({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'MalformedDetail' }] }) } }),
      ['{aws}/one', 'SendMessage one'],
      ['{aws}/other', 'SendMessage other'],
    ],
    EVENT_CONTENT: [stored(), ['false'], ['true', 'A text']],
    TURN_QUEUE_URL: [started, ['{aws}/one', 'SendMessage one'], ['{aws}/other', 'SendMessage other']],
    TURN_SILENCE_SECONDS: [started, ['8', '"DelaySeconds":8}'], ['9', '"DelaySeconds":9}']],
    TABLE_NAME: [silent, ['one', '"TableName":"one"'], ['other', '"TableName":"other"']],
    AWS_ENDPOINT_URL_DYNAMODB: [silent, ['{aws}', 'DeleteItem 127.0.0.1'], ['{alias}', 'DeleteItem localhost']],
  },
);

describe('the time of publish', () => {
  const run = startedFunctions();

  it('publishes nothing with less than 15 seconds left', async () => {
    const calls = async (remainingMs: number) =>
      (await run('publish', USUAL, stored({ remainingMs }))).filter((line) => line.startsWith('PutEvents'));
    expect(await calls(14_999)).toHaveLength(0);
    expect(await calls(15_000)).toHaveLength(1);
  });
});
