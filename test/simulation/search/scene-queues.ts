import { addresseeOf } from '../../../lambdas/domain/addressed-request.ts';
import { USER } from '../../support/builders.ts';
import { ERASURE_VISIBILITY_SECONDS } from '../world/manage-process.ts';
import { createSimulatedQueue, type SimulatedQueue, VISIBILITY_TIMEOUT_SECONDS } from '../world/queues.ts';
import type { VirtualClock } from '../world/virtual-clock.ts';
import type { SceneOptions } from './scene-options.ts';

const INBOUND_VISIBILITY_SECONDS = 60;

/** Creates the queues of a scene, and their dead-letter queues. */
export const createSceneQueues = (clock: VirtualClock) => {
  const send = createSimulatedQueue(clock, {
    name: 'send-',
    isFifo: true,
    visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
  });
  const standard = (name: string, visibilityTimeoutSeconds: number) =>
    createSimulatedQueue(clock, { name: `${name}-`, isFifo: false, visibilityTimeoutSeconds });
  const inbound = standard('inbound', INBOUND_VISIBILITY_SECONDS);
  const erasures = standard('erasure', ERASURE_VISIBILITY_SECONDS);
  return {
    send,
    sendDeadLetters: send.deadLetterQueue,
    inbound,
    inboundDeadLetters: inbound.deadLetterQueue,
    erasures,
    erasureDeadLetters: erasures.deadLetterQueue,
    scheduleDeadLetters: standard('schedule', 30),
    publishFailures: standard('publish', 30),
  };
};

/** Puts the requests of a scene on the send queue. */
export const queueRequests = (
  queue: Pick<SimulatedQueue, 'put'>,
  { queued = [], malformed = [], isQueuedTwice }: SceneOptions,
): void => {
  for (const request of queued) {
    const { requestId: deduplicationId } = request;
    const groupId = addresseeOf(request);
    const body = JSON.stringify(request);
    queue.put({ body, groupId, deduplicationId });
    if (isQueuedTwice) queue.put({ body, groupId: 'second', deduplicationId: `${deduplicationId} again` });
  }
  for (const requestId of malformed) {
    queue.put({ body: JSON.stringify({ requestId }), groupId: USER, deduplicationId: requestId });
  }
};
