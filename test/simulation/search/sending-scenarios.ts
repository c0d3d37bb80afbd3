import { USER } from '../../support/builders.ts';
import { FAULTS } from '../world/faults.ts';
import { credit, importsOptIn, optOut, status, userWrites } from './events.ts';
import { openWindow, optedIn, request, template } from './prepared.ts';
import type { Scene } from './scene.ts';
import type { SceneOptions } from './scene-options.ts';
import type { SceneScenario } from './scene-scenarios.ts';

const YESTERDAY = '2026-11-19T11:00:00.000Z';

const both = { ...template, ...request };

const SENDING = { prepare: openWindow, consumes: ['send'], faults: FAULTS } as const satisfies SceneOptions;

/** The same request from two producers, in two message groups, so that two processes have it at once. */
const twice = (one: typeof request) => ({ ...SENDING, queued: [one], isQueuedTwice: true });

/** Parley's record says that the window is open, the chat service's that it is closed. */
const contradiction = async (scene: Scene): Promise<void> => {
  await openWindow(scene);
  scene.chatService.userWrites(USER, Date.parse(YESTERDAY));
};

export const SENDING_SCENARIOS = {
  plain: {
    useCase: 'send',
    about: 'A free-form message in an open window, delivered twice concurrently.',
    slice: FAULTS,
    options: { ...twice(request) },
  },
  resend: {
    useCase: 'send',
    about: 'The same, with onUncertain resend.',
    maxFaults: 1,
    slice: ['fails-after'],
    options: { ...twice({ ...request, onUncertain: 'resend' }) },
  },
  windowClosed: {
    useCase: 'send',
    about: 'The chat service answers with error 201, and the request has a template.',
    maxFaults: 1,
    slice: ['fails-before', 'fails-after'],
    options: { ...twice(both), prepare: contradiction },
  },
  windowClosedWithoutTemplate: {
    useCase: 'send',
    about: 'The chat service answers with error 201, and the request has no template.',
    slice: ['garbage'],
    options: { ...twice(request), prepare: contradiction },
  },
  rejected: {
    useCase: 'send',
    about: 'The chat service rejects the message.',
    slice: ['dies-after'],
    options: { ...twice(request), chatService: { refusedText: 'parcel' } },
  },
  malformed: {
    useCase: 'send',
    about: 'A malformed request, which is recorded only as a dead letter.',
    options: {
      ...SENDING,
      malformed: ['request-1'],
    },
  },
  contactCheck: {
    useCase: 'send',
    about: 'A template opens a conversation, after a contact check.',
    maxFaults: 1,
    options: { ...twice(template), prepare: optedIn, rules: { contactCheck: 'beforeFirstTemplate' } },
  },
  noCredit: {
    useCase: 'send',
    about: 'The account has no credit, so the circuit breaker opens. Credit is added before one of the first calls.',
    maxFaults: 1,
    options: {
      ...twice(request),
      hasCredit: false,
      events: [credit],
      // The two deliveries do not wait equally long, so that they compete for the first call, but not for each probe.
      random: (process) => (process.startsWith('send0') ? 0 : 0.9),
    },
  },
  probes: {
    useCase: 'send',
    about: 'The same, but both deliveries compete for each probe.',
    maxFaults: 0,
    options: { ...twice(request), hasCredit: false, events: [credit] },
    isSlow: true,
  },
  lease: {
    useCase: 'send',
    about: 'In addition to the faults, a process is suspended at one of its calls until its lease has expired.',
    maxFaults: 1,
    options: { ...twice(request), freeLates: 1 },
  },
  optOut: {
    useCase: 'send',
    about: 'The user opts out at any time while a template is sent in an open window.',
    maxFaults: 1,
    options: { ...twice(template), events: [optOut] },
  },
  optOutBeforeAnswer: {
    useCase: 'send',
    about: 'The user opts out at any time while a free-form message is sent in an open window.',
    maxFaults: 1,
    options: { ...twice(request), events: [optOut] },
  },
  importedOptIn: {
    useCase: 'send',
    about: 'The user opts out, and an imported list opts the user in, at any time while a template is sent once.',
    maxFaults: 1,
    options: { ...SENDING, queued: [template], events: [optOut, importsOptIn] },
  },
  userWrites: {
    useCase: 'send',
    about:
      'The user writes in the same millisecond as the claim or earlier, while the chat service answers with error 201.',
    maxFaults: 1,
    options: { ...twice(request), prepare: contradiction, events: [userWrites()] },
  },
  userWritesLater: {
    useCase: 'send',
    about: 'The user writes a second after the claim, at any time while the chat service answers with error 201.',
    maxFaults: 1,
    options: { ...twice(request), prepare: contradiction, events: [userWrites({ afterMs: 1000 })] },
  },
  status: {
    useCase: 'send',
    about: 'A status confirms the message at any time after it reached the user.',
    maxFaults: 1,
    options: { ...twice(request), rules: { clientPayload: 'all' }, events: [status] },
  },
  scheduled: {
    useCase: 'send',
    about: 'A request with a sendAt in two hours.',
    slice: ['fails-after', 'dies-before'],
    options: {
      ...twice({ ...request, sendAt: '2026-11-20T14:00:00.000Z' }),
    },
  },
  order: {
    useCase: 'send',
    about: 'Two requests of one contact in the same batch.',
    slice: ['refused', 'dies-after'],
    options: {
      ...SENDING,
      queued: [request, { ...request, requestId: 'request-2', messageText: 'request-2: It has arrived.' }],
      batchSize: 10,
    },
  },
} as const satisfies Record<string, SceneScenario>;
