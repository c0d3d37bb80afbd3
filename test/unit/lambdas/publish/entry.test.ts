import type { Context, SQSEvent } from 'aws-lambda';
import { expect, it, onTestFinished, vi } from 'vitest';
import { sqsRecord } from '../../../support/sqs-record.ts';

const URL = 'http://127.0.0.1:1';
const WITHOUT_TURNS = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'local',
  POWERTOOLS_SERVICE_NAME: 'publish',
  EVENT_BUS_NAME: 'bus',
  AWS_ENDPOINT_URL_EVENTBRIDGE: URL,
  PUBLISH_DEAD_LETTER_QUEUE_URL: `${URL}/queue`,
  EVENT_CONTENT: 'false',
};

it('leaves messages of the turn queue there while a rollout turns turns off, which no error may stop', async () => {
  for (const [name, value] of Object.entries(WITHOUT_TURNS)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { handler } = await import('../../../../lambdas/publish/entry.ts');
  const turn = { contact: { platform: 'chat', channel: '*', key: '541155550000' }, firstMessageId: 'a' };
  const record = sqsRecord(JSON.stringify({ ...turn, startedAt: '2026-11-20T11:59:50.000Z', messageCount: 1 }));
  const event: SQSEvent = { Records: [record] };
  // The handler and its middlewares read nothing that is missing here.
  const result = await handler(event, { getRemainingTimeInMillis: () => 60_000 } as Context);
  expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: record.messageId }] });
});
