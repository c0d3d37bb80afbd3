import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { observe, SQS_CONTRACT } from '../../../contract/sqs/contract.ts';

const clock = createMovableClock();
let emulator: ListeningServer;
let sqs: SQSClient;

beforeAll(async () => {
  emulator = await startSqs({ clock });
  sqs = new SQSClient({ endpoint: emulator.url, region: REGION, credentials: CREDENTIALS });
});
afterAll(async () => {
  sqs?.destroy();
  await emulator?.close();
});

describe("the local run's queues behave like SQS", () => {
  it.each(SQS_CONTRACT)('$name', async (one) => {
    const observed = await observe(one, { sqs, pass: (seconds) => clock.advance(seconds * 1000) });

    expect(observed).toEqual(one.expected);
  });
});
