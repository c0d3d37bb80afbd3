import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { ManagementError } from '../../../cli/operations/management-client.ts';
import type { ChaosStage } from './chaos-stage.ts';
import type { LoadStep, OperatorStep, SendStep } from './plan.ts';
import type { Recorder } from './recorder.ts';

/** The result of the load. */
export interface LoadResult {
  readonly seconds: number;
  readonly events: number;
  readonly sends: number;
}

const MAX_RUNNING = 1_000;
const RETRY_MS = 250;

/**
 * Performs the steps of the plan at their times. If the machine is slow, steps are late but not skipped. The steps of a
 * contact run one after another, so that their order is known.
 *
 * @throws Error if a step without faults fails, such as a call of the sandbox's control API.
 */
export const runLoad = async (
  steps: readonly LoadStep[],
  stage: ChaosStage,
  recorder: Recorder,
): Promise<LoadResult> => {
  const startedMs = performance.now();
  const lastOfContact = new Map<string, Promise<void>>();
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for (const step of steps) {
    const waitMs = startedMs + step.atMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
    while (running.size >= MAX_RUNNING) await Promise.race(running);
    if (failures.length > 0) throw failures[0];
    const previous = lastOfContact.get(step.contact) ?? Promise.resolve();
    const done: Promise<void> = previous
      .then(() => doStep(step, stage, recorder))
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => running.delete(done));
    running.add(done);
    // The operator's calls are retried until they succeed, which must not delay the contact's messages.
    if (step.kind !== 'cancel') lastOfContact.set(step.contact, done);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return {
    seconds,
    events: steps.filter(({ kind }) => kind === 'write' || kind === 'read' || kind === 'event').length,
    sends: steps.filter(({ kind }) => kind === 'send').length,
  };
};

const doStep = async (step: LoadStep, stage: ChaosStage, recorder: Recorder): Promise<void> => {
  const { client, cloud } = stage;
  const { contact } = step;
  switch (step.kind) {
    case 'write': {
      const at = before(cloud.clock.now(), step.ageMs);
      const id = await client.userWrites(contact, { text: step.text, at });
      recorder.events.push({ id, contact, expected: 'message', mark: step.text, at });
      return;
    }
    case 'read':
      return client.userReads(contact);
    case 'event': {
      const { id, expected, fields, times } = step;
      const at = before(cloud.clock.now(), step.ageMs);
      const status = typeof fields.STATUS === 'string' ? fields.STATUS : undefined;
      const event = { CHAT_PLATFORM_ID: 'chat', CREATION_TIME: at, ...fields };
      for (let time = 0; time < times; time += 1) await client.deliverEvent(event);
      recorder.events.push({ id, contact, expected, mark: id, at, status });
      return;
    }
    case 'send':
      return enqueue(step, stage, recorder);
    default:
      return operate(step, stage, recorder);
  }
};

const before = (now: Date, ageMs: number): string => new Date(now.getTime() - ageMs).toISOString();

export const enqueue = async (
  step: SendStep,
  { client, cloud, manage }: ChaosStage,
  recorder: Recorder,
): Promise<void> => {
  const { requestId, contact, fields, sendInMs, notAfterInMs, expected, via, times } = step;
  const inFuture = (ms: number | undefined) => ms && new Date(cloud.clock.now().getTime() + ms).toISOString();
  const body = JSON.stringify({
    ...(expected !== 'malformed' && { requestId, platformContactId: contact }),
    ...fields,
    sendAt: inFuture(sendInMs),
    notAfter: inFuture(notAfterInMs),
  });
  recorder.requests.push({
    requestId,
    contact,
    expected,
    via,
    isResent: fields.onUncertain === 'resend',
    isScheduled: sendInMs !== undefined,
    body,
    order: recorder.requests.length,
  });
  if (via === 'api') {
    await untilAnswered(() => manage('POST', '/v1/sends', JSON.parse(body)));
    return;
  }
  for (let time = 0; time < times; time += 1) {
    // Uses a different deduplication id, so that SQS delivers the duplicate.
    await client.putMessage(cloud.sendQueueUrl, body, { groupId: contact, id: `${requestId}-${expected}-${time}` });
  }
};

const erasure = z.object({ erasureId: z.string(), requestedAt: z.string(), state: z.string() });
const cancellation = z.object({ state: z.string() });

const operate = async (step: OperatorStep, { cloud, manage }: ChaosStage, recorder: Recorder): Promise<void> => {
  const { contact } = step;
  switch (step.kind) {
    case 'consent': {
      const at = cloud.clock.now().toISOString();
      const body = { platformContactId: contact, origin: 'user', source: 'chaos', at };
      await untilAnswered(() => manage('POST', `/v1/${step.consent}s`, body));
      recorder.consents.push({ contact, consent: step.consent, at, recordedAt: cloud.clock.now().toISOString() });
      return;
    }
    case 'erase': {
      const path = `/v1/contacts/${encodeURIComponent(contact)}`;
      const erased = erasure.parse(await untilAnswered(() => manage('DELETE', path)));
      recorder.erasures.push({ contact, ...erased });
      return;
    }
    case 'cancel': {
      const cancelled = await untilAnswered(() => manage('POST', '/v1/cancellations', { requestId: step.requestId }));
      if (cancellation.safeParse(cancelled).data?.state === 'cancelled') recorder.cancelled.push(step.requestId);
    }
  }
};

/** Retries a failed call of the management API. Returns undefined if the API refuses it. */
const untilAnswered = async (call: () => Promise<unknown>): Promise<unknown> => {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      // A send that is not stored yet, or is being sent, or has ended, cannot be cancelled.
      if (error.status === 404 || error.status === 409) return undefined;
      if (error.status >= 400 && error.status < 429) throw error;
      await pause(RETRY_MS);
    }
  }
};
