import { addMs } from '../../../lambdas/domain/instant.ts';
import { claim, queuedSend, templateRequest, USER } from '../../support/builders.ts';
import { AFTER, BEFORE } from './erasing-invariants.ts';
import {
  AN_HOUR_AGO,
  deadRequest,
  eightDaysPass,
  keepQuarantined,
  laterEvent,
  laterRequest,
  quarantine,
  repositoriesOf,
  request,
  requestErasure,
  saying,
  scheduled,
  somebodyElse,
  storeEvent,
  toErase,
  wireStatus,
} from './prepared.ts';
import type { Scene } from './scene.ts';
import type { ApiCaller } from './scene-options.ts';
import type { SceneScenario } from './scene-scenarios.ts';

const eraseCall = (name: string): ApiCaller => ({ name, request: { route: 'eraseContact', id: USER } });
const redrive = (name: string): ApiCaller => ({
  name,
  request: { route: 'redriveDeadLetters', body: { queue: 'inbound' } },
});

const erasing = async (scene: Scene): Promise<void> => {
  await toErase(scene);
  await requestErasure(scene);
};

/** The user wrote, and nothing else is stored. */
const storeMessage = (scene: Scene): Promise<void> =>
  storeEvent(scene, saying(BEFORE, { _id_: 'message-0', CREATION_TIME: AN_HOUR_AGO }));

const quarantined = saying('dead-letter-1', { _id_: 'message-5' });
const keptQuarantined = saying('dead-letter-2', { _id_: 'message-6' });

export const ERASING_SCENARIOS = {
  erase: {
    useCase: 'erase',
    about: 'A contact with a message, a consent, a scheduled send, and dead letters is erased. Another contact is not.',
    maxFaults: 1,
    options: {
      async prepare(scene) {
        await toErase(scene);
        await scheduled(scene, { isDue: false, of: { ...laterRequest, messageText: `request-1: ${BEFORE}` } });
        deadRequest(scene, BEFORE);
        await keepQuarantined(scene, 'kept-1', saying(BEFORE, { _id_: 'message-7' }));
        await somebodyElse(scene);
      },
      consumes: ['erasures'],
      // For an API call that is interrupted and repeated, see eraseAsked.
      faultsIn: /^erase\d/,
      callers: [eraseCall('erasure')],
      erasable: { messages: 1, sends: 1, deadLetters: 2 },
    },
  },
  eraseAsked: {
    useCase: 'erase',
    about: 'An erasure is requested. If the API call fails, the caller repeats it, so there can be two erasures.',
    maxFaults: 1,
    options: {
      prepare: storeMessage,
      consumes: ['erasures'],
      callers: [eraseCall('erasure')],
      faultsIn: /^erasure/,
      erasable: { messages: 1, sends: 0, deadLetters: 0 },
    },
  },
  eraseTwice: {
    useCase: 'erase',
    about: 'A contact is erased twice concurrently.',
    maxFaults: 0,
    isSlow: true,
    options: {
      prepare: storeMessage,
      consumes: ['erasures'],
      callers: [eraseCall('erasure'), eraseCall('another')],
      erasable: { messages: 1, sends: 0, deadLetters: 0 },
    },
  },
  eraseWhileReceiving: {
    useCase: 'erase',
    about: 'The user writes after the erasure was requested, while it runs.',
    maxFaults: 1,
    options: { prepare: erasing, consumes: ['erasures', 'inbound'], posts: [{ event: laterEvent }] },
  },
  eraseWhileStatus: {
    useCase: 'erase',
    about: 'A status of an erased message arrives while the erasure runs.',
    maxFaults: 1,
    options: {
      prepare: erasing,
      consumes: ['erasures', 'inbound'],
      posts: [{ event: wireStatus({ _id_: 'message-0', CREATION_TIME: '2026-11-20T11:30:00.000Z' }) }],
    },
  },
  eraseWhileSending: {
    useCase: 'erase',
    about: 'A request of the contact is sent while the erasure runs.',
    maxFaults: 1,
    isSlow: true,
    options: {
      prepare: erasing,
      consumes: ['erasures', 'send'],
      queued: [templateRequest({ params: { name: 'request-1' } })],
    },
  },
  eraseScheduled: {
    useCase: 'erase',
    about: 'A contact with a scheduled send is erased. The user has written again, so the send would be allowed.',
    slice: ['dies-before'],
    maxFaults: 1,
    options: {
      async prepare(scene) {
        await erasing(scene);
        await scheduled(scene, { isDue: false });
        await storeEvent(scene, laterEvent);
        scene.chatService.userWrites(USER, Date.parse('2026-11-20T11:59:30.000Z'));
      },
      consumes: ['erasures', 'send'],
      callers: [{ name: 'progress', request: { route: 'getErasure', id: 'erasure-1' } }],
    },
  },
  eraseAbandonedClaim: {
    useCase: 'erase',
    about: 'A contact is erased after a function died with a claim on a send of the contact. The lease expires later.',
    slice: ['dies-after'],
    maxFaults: 1,
    options: {
      async prepare(scene) {
        await erasing(scene);
        const abandoned = claim({ claimedAt: AN_HOUR_AGO, leaseUntil: addMs(scene.clock.now(), 60_000) });
        await repositoriesOf(scene).sends.claim(queuedSend(request), abandoned, { resend: false });
      },
      consumes: ['erasures'],
    },
  },
  eraseWhileConsenting: {
    useCase: 'erase',
    about: 'The user opts in again while the erasure runs.',
    maxFaults: 1,
    options: {
      prepare: erasing,
      consumes: ['erasures'],
      callers: [
        {
          name: 'later',
          request: { route: 'optIn', body: { platformContactId: USER, source: AFTER, origin: 'user' } },
        },
      ],
    },
  },
  eraseWhileKeeping: {
    useCase: 'erase',
    about: 'Dead letters of the contact move to the table while the erasure runs.',
    maxFaults: 1,
    options: {
      async prepare(scene) {
        deadRequest(scene, BEFORE);
        eightDaysPass(scene);
        await requestErasure(scene);
      },
      consumes: ['erasures'],
      keeps: 1,
    },
  },
  keepInterrupted: {
    useCase: 'keep dead letters',
    about: 'An old dead letter moves to the table, in two runs.',
    options: {
      prepare(scene) {
        deadRequest(scene, 'dead-letter-3');
        eightDaysPass(scene);
      },
      keeps: 2,
      deadLetters: ['dead-letter-3'],
    },
  },
  keepWhileRedriving: {
    useCase: 'keep dead letters',
    about: 'A quarantined event moves to the table while an operator redrives it.',
    maxFaults: 1,
    options: {
      prepare(scene) {
        quarantine(scene, quarantined);
        eightDaysPass(scene);
      },
      consumes: ['inbound'],
      keeps: 1,
      callers: [redrive('redrive')],
      deadLetters: ['dead-letter-1'],
    },
  },
  redrive: {
    useCase: 'redrive',
    about: 'An operator redrives two quarantined events: one in its queue, one in the table.',
    slice: ['fails-before', 'dies-after'],
    options: {
      async prepare(scene) {
        quarantine(scene, quarantined);
        await keepQuarantined(scene, 'kept-2', keptQuarantined);
      },
      consumes: ['inbound'],
      callers: [redrive('redrive')],
      deadLetters: ['dead-letter-1', 'dead-letter-2'],
    },
  },
  redriveTwice: {
    useCase: 'redrive',
    about: 'Two operators redrive a stored event concurrently.',
    maxFaults: 0,
    isSlow: true,
    options: {
      prepare: (scene) => keepQuarantined(scene, 'kept-2', keptQuarantined),
      consumes: ['inbound'],
      callers: [redrive('redrive'), redrive('another')],
      deadLetters: ['dead-letter-2'],
    },
  },
  deleteWhileRedriving: {
    useCase: 'redrive',
    about: 'One operator lists and reads a stored event, a second deletes it, and a third redrives it.',
    maxFaults: 0,
    isSlow: true,
    options: {
      prepare: (scene) => keepQuarantined(scene, 'kept-2', keptQuarantined),
      consumes: ['inbound'],
      callers: [
        redrive('redrive'),
        { name: 'delete', request: { route: 'deleteDeadLetter', id: 'kept-2' } },
        { name: 'get', request: { route: 'getDeadLetter', id: 'kept-2' } },
        { name: 'list', request: { route: 'listDeadLetters', query: { queue: 'inbound' } } },
      ],
      deadLetters: ['dead-letter-2'],
    },
  },
} as const satisfies Record<string, SceneScenario>;
