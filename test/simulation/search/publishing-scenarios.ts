import { claim, NOW, queuedSend, sendResult } from '../../support/builders.ts';
import { openWindow, repositoriesOf, request, storeEvent, wireMessage, wireStatus } from './prepared.ts';
import { type Scene, userRef } from './scene.ts';
import type { SceneScenario } from './scene-scenarios.ts';

const accept = async (scene: Scene, requestId: string): Promise<void> => {
  const { sends } = repositoriesOf(scene);
  const claimed = claim({ claimId: `claim of ${requestId}` });
  await sends.claim(queuedSend({ ...request, requestId }), claimed, { resend: false });
  await sends.recordResult(requestId, claimed.claimId, sendResult('accepted'));
};

const consent = (scene: Scene, kind: 'opt-in' | 'opt-out', at: string): Promise<void> =>
  repositoriesOf(scene).contacts.recordConsent(userRef, { kind, origin: 'user', at, source: 'call' });

const trip = {
  reason: 'no-credit',
  why: 'Error 101',
  calledAt: NOW,
  openedAt: NOW,
  nextProbeAt: '2026-11-20T12:01:00.000Z',
} as const;

export const PUBLISHING_SCENARIOS = {
  publishBatch: {
    useCase: 'publish',
    about: 'A batch with a message and its statuses, a send, consents, and the circuit breaker; and another shard.',
    slice: ['fails-before', 'fails-after', 'partial', 'dies-before', 'dies-after'],
    options: {
      publishes: true,
      async write(scene) {
        const { circuit } = repositoriesOf(scene);
        await storeEvent(scene, wireMessage());
        await storeEvent(scene, wireStatus());
        await storeEvent(scene, wireStatus({ STATUS: 'read' }));
        await accept(scene, 'request-1');
        await consent(scene, 'opt-out', '2026-11-20T11:00:00.000Z');
        await consent(scene, 'opt-in', '2026-11-20T11:30:00.000Z');
        await consent(scene, 'opt-out', '2026-11-20T11:40:00.000Z');
        await circuit.open(trip);
        await accept(scene, 'request-2');
      },
    },
  },
  publishInParts: {
    useCase: 'publish',
    about: 'Changes of one item in several invocations, and of another item in another shard.',
    slice: ['fails-after', 'dies-after'],
    options: {
      publishes: true,
      streamBatch: 2,
      async write(scene) {
        await storeEvent(scene, wireMessage());
        await storeEvent(scene, wireStatus());
        await storeEvent(scene, wireStatus({ STATUS: 'read' }));
        await storeEvent(scene, wireMessage({ _id_: 'message-2' }));
        await storeEvent(scene, wireStatus({ _id_: 'message-2' }));
      },
    },
  },
  publishUnreadable: {
    useCase: 'publish',
    about: 'A record that cannot be read, between two that can.',
    slice: ['fails-before', 'dies-before'],
    options: {
      publishes: true,
      async write(scene) {
        await storeEvent(scene, wireMessage());
        scene.stream.appendUnreadable('SEND#unreadable');
        await accept(scene, 'request-1');
      },
    },
  },
  publishRefused: {
    useCase: 'publish',
    about: 'An event that the bus refuses, between two that it accepts.',
    slice: ['fails-before', 'partial'],
    options: {
      publishes: true,
      refusedByBus: 'MessageDelivered',
      async write(scene) {
        await storeEvent(scene, wireMessage());
        await storeEvent(scene, wireStatus());
        await storeEvent(scene, wireStatus({ STATUS: 'read' }));
      },
    },
  },
  publishWhileSending: {
    useCase: 'publish',
    about: 'The changes of a request are published while it is sent.',
    maxFaults: 1,
    options: { prepare: openWindow, publishes: true, consumes: ['send'], queued: [request] },
  },
} as const satisfies Record<string, SceneScenario>;
