import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { isParleyEvent } from '../lib/events.ts';
import { expect, partsOf, textOf } from './smoke-checks.ts';
import { SmokeError } from './smoke-options.ts';
import type { SmokeStage, SmokeStep } from './smoke-stage.ts';
import { callSandbox, postEvent } from './webhook-signer.ts';

const POLL_MS = 20;

const outbox = z.object({ messages: z.array(z.object({ body: z.unknown() })) });

/** One after another, so that no sample waits for another one. */
const measure = async (samples: number, take: (index: number) => Promise<void>): Promise<string> => {
  const times: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const startedAt = performance.now();
    await take(index);
    times.push(performance.now() - startedAt);
  }
  return describeTimes(times);
};

/** Returns the median and the 95th percentile, by the nearest rank. */
export const describeTimes = (times: readonly number[]): string => {
  const sorted = times.toSorted((a, b) => a - b);
  const rank = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return `median ${rank(0.5)} ms, p95 ${rank(0.95)} ms, n ${sorted.length}`;
};

const waitUntil = async (what: string, patienceMs: number, isDone: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + patienceMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new SmokeError(`${what} within ${Math.round(patienceMs / 1000)} seconds.`);
  }
};

/** Waits for the event even if the webhook's answer arrives later. */
const postAndAwaitEvent = async (stage: SmokeStage, user: string, messageId: string, text: string): Promise<void> => {
  const event = { ...partsOf(stage, user), _id_: messageId, MESSAGE: text };
  const posted = postEvent(stage, event);
  const arrived = waitUntil(`Expected: the event of ${messageId} on the queue`, stage.patienceMs, async () =>
    (await stage.events.receiveNext()).some(
      (one) => isParleyEvent(one, 'MessageReceived') && one.detail.messageId === messageId,
    ),
  );
  const [{ status }] = await Promise.all([posted, arrived]);
  expect(status === 200, 'the webhook answers 200', status);
};

/** How long a stage takes, as its users see it. */
export const MEASURE_STEPS: readonly SmokeStep[] = [
  {
    title: 'From the webhook to a queue of the event bus',
    run: (stage, { id, user }) =>
      measure(stage.samples, (index) => postAndAwaitEvent(stage, user, `smoke-bus-${index}-${id}`, textOf(id))),
  },
  {
    title: 'From the send queue to the chat service',
    run: (stage, { id, user }) =>
      measure(stage.samples, async (index) => {
        const { target, chatServiceUrl, patienceMs } = stage;
        const text = `${textOf(id)}, call ${index}.`;
        const requestId = `smoke-call-${index}-${id}`;
        await target.sqs.send(
          new SendMessageCommand({
            QueueUrl: target.addresses.sendQueueUrl,
            MessageBody: JSON.stringify({ requestId, platformContactId: user, messageText: text }),
            // Otherwise, SQS would hold it back until the previous one is deleted.
            MessageGroupId: `${user}-${index}`,
            MessageDeduplicationId: requestId,
          }),
        );
        await waitUntil(`Expected: the call for ${requestId} at the sandbox`, patienceMs, async () => {
          const { messages } = outbox.parse(await callSandbox(chatServiceUrl, 'GET', '/outbox'));
          if (messages.some(({ body }) => JSON.stringify(body).includes(text))) return true;
          await pause(POLL_MS);
          return false;
        });
      }),
  },
];
