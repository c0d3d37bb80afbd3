import { z } from 'zod';
import { parseSerializedRequest } from '../../../lambdas/domain/serialized-request.ts';
import { openEnvelope } from '../../../lambdas/domain/webhook-request.ts';
import { reportLaws } from '../../support/checked-cloud.ts';
import { ANSWER_TIMEOUT_SECONDS, type ChaosStage } from './chaos-stage.ts';
import type { DeadLetter, Ledgers } from './ledgers.ts';
import { type Recorder, requestIdOf } from './recorder.ts';
import type { Waiting } from './wait-until-quiet.ts';

const deliveries = z.object({ pending: z.int(), expired: z.array(z.unknown()) });
const erasure = z.object({ state: z.string() });
const keptPage = z.object({ deadLetters: z.array(z.object({ id: z.string() })), cursor: z.string().optional() });
const kept = z.object({ body: z.string(), reason: z.string() });

/** Collects the ledgers of a run in which no work is left. */
export const collectLedgers = async (
  stage: ChaosStage,
  recorder: Recorder,
  waiting: Waiting,
  optedIn: readonly string[],
): Promise<Ledgers> => {
  const { client, cloud, manage } = stage;
  const { events, requests, consents, cancelled, calls, published, kills } = recorder;
  const { sendWrites, tableOutages, windows, reports, failedCalls, lastWrites } = recorder;
  const { pending, expired } = deliveries.parse(await client.control('GET', '/deliveries?limit=1'));
  const erasures = [];
  for (const one of recorder.erasures) {
    const { state } = erasure.parse(await manage('GET', `/v1/erasures/${one.erasureId}`));
    erasures.push({ ...one, state });
  }
  return {
    ...{ events, requests, consents, cancelled, calls, published, kills },
    ...{ sendWrites, tableOutages, windows, reports, failedCalls, optedIn },
    lastWrites: Object.fromEntries(lastWrites),
    erasures,
    outbox: (await client.outbox()).map(({ id, endpoint, status, body }) => ({
      id,
      endpoint,
      status,
      requestId: requestIdOf(body) ?? '',
    })),
    deliveries: { pending, expired: expired.length },
    table: await client.table(),
    laws: await reportLaws(cloud),
    deadLetters: {
      inbound: [...(await takeAll(stage, cloud.inboundDeadLetterQueueUrl)), ...(await readKept(stage, 'inbound'))].map(
        openEvent,
      ),
      sends: [...(await takeAll(stage, cloud.sendDeadLetterQueueUrl)), ...(await readKept(stage, 'send'))],
      erasures: await takeAll(stage, cloud.erasureDeadLetterQueueUrl),
      schedules: await takeAll(stage, cloud.scheduleDeadLetterQueueUrl),
      publishing: await takeAll(stage, cloud.publishFailuresQueueUrl ?? ''),
    },
    waiting,
    answerTimeoutMs: ANSWER_TIMEOUT_SECONDS * 1000,
    sendTimeoutMs: stage.functionOf('Sender').declaration.timeoutMs,
  };
};

const takeAll = async ({ client }: ChaosStage, queueUrl: string): Promise<DeadLetter[]> => {
  const letters: DeadLetter[] = [];
  for (;;) {
    const taken = await client.takeMessages(queueUrl);
    if (taken.length === 0) return letters;
    letters.push(...taken.map(({ body, reason }) => ({ body, reason })));
  }
};

/** Reads the dead letters that an erasure has moved to the table. */
const readKept = async ({ manage }: ChaosStage, queue: 'inbound' | 'send'): Promise<DeadLetter[]> => {
  const letters: DeadLetter[] = [];
  let cursor: string | undefined;
  do {
    const position = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = keptPage.parse(await manage('GET', `/v1/dead-letters?queue=${queue}&limit=500${position}`));
    for (const { id } of page.deadLetters) letters.push(kept.parse(await manage('GET', `/v1/dead-letters/${id}`)));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return letters;
};

/** Returns the event inside a quarantine envelope. */
const openEvent = ({ body, reason }: DeadLetter): DeadLetter => {
  const request = parseSerializedRequest(body, 'pubsub');
  const opened = request && openEnvelope(request);
  return { body: opened?.kind === 'opened' ? opened.eventBody : body, reason };
};
