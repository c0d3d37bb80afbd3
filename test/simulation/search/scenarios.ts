import { sendRequest, templateRequest, USER } from '../../support/builders.ts';
import { credit, importsOptIn, optOut, status, userWrites } from '../world/events.ts';
import { FAULTS, type Fault } from '../world/faults.ts';
import type { WorldOptions } from '../world/world-options.ts';

/** A world to search, with the question that it asks. */
export interface Scenario {
  readonly about: string;
  readonly options: WorldOptions;
  /** The maximum number of faults in a run. Lower if two would take more than a minute. @default 2 */
  readonly maxFaults?: number;
  /** The faults, one in a run, of the part that runs in `npm test`. @default none */
  readonly slice?: readonly Fault[];
  /** Left out of `npm test`. */
  readonly isSlow?: boolean;
}

const AN_HOUR_AGO = '2026-11-20T11:00:00.000Z';
const YESTERDAY = '2026-11-19T11:00:00.000Z';
const IN_JANUARY = '2026-01-01T00:00:00.000Z';

const freeForm = sendRequest({ messageText: 'request-1: Your parcel is on its way.' });
const template = templateRequest({ params: { name: 'request-1' } });
const both = { ...template, ...freeForm };

/** The same request from two producers, in two message groups, so that two processes have it at once. */
const twice = (request: typeof freeForm) => ({
  queued: [
    { request, groupId: 'first' },
    { request, groupId: 'second', deduplicationId: 'again' },
  ],
  isSymmetric: true,
});

const openWindow = {
  contacts: { [USER]: { lastInboundAt: AN_HOUR_AGO, optInAt: IN_JANUARY } },
  lastWroteAt: { [USER]: AN_HOUR_AGO },
};
/** Nothing but the sends themselves changes. */
const constantWindow = { ...openWindow, isContactConstant: true };
/** Parley's record says that the window is open, the chat service's that it is closed. */
const contradiction = { ...openWindow, lastWroteAt: { [USER]: YESTERDAY } };
const optedIn = { contacts: { [USER]: { optInAt: IN_JANUARY } } };

export const SCENARIOS = {
  plain: {
    about: 'A free-form message in an open window, delivered twice concurrently.',
    slice: FAULTS,
    options: { ...constantWindow, ...twice(freeForm) },
  },
  resend: {
    about: 'The same, with onUncertain resend.',
    maxFaults: 1,
    slice: ['fails-after'],
    options: { ...constantWindow, ...twice({ ...freeForm, onUncertain: 'resend' }) },
  },
  windowClosed: {
    about: 'The chat service answers with error 201, and the request has a template.',
    maxFaults: 1,
    slice: ['fails-before', 'fails-after'],
    options: { ...contradiction, ...twice(both) },
  },
  windowClosedWithoutTemplate: {
    about: 'The chat service answers with error 201, and the request has no template.',
    slice: ['garbage'],
    options: { ...contradiction, ...twice(freeForm) },
  },
  rejected: {
    about: 'The chat service rejects the message.',
    slice: ['dies-after'],
    options: { ...constantWindow, ...twice(freeForm), chatService: { refusedText: 'parcel' } },
  },
  malformed: {
    about: 'A malformed request, which is recorded only as a dead letter.',
    options: {
      queued: [{ request: freeForm, body: '{"requestId":"request-1"}' }],
      isContactConstant: true,
    },
  },
  contactCheck: {
    about: 'A template opens a conversation, after a contact check.',
    maxFaults: 1,
    options: { ...optedIn, ...twice(template), rules: { contactCheck: 'beforeFirstTemplate' } },
  },
  noCredit: {
    about: 'The account has no credit, so the circuit breaker opens. Credit is added before one of the first calls.',
    maxFaults: 1,
    options: {
      ...openWindow,
      ...twice(freeForm),
      hasCredit: false,
      events: [credit],
      // The two deliveries do not wait equally long, so that they compete for the first call, but not for each probe.
      isSymmetric: false,
      random: (process) => (process.startsWith('d0') ? 0 : 0.9),
    },
  },
  probes: {
    about: 'The same, but both deliveries compete for each probe.',
    maxFaults: 0,
    options: { ...openWindow, ...twice(freeForm), hasCredit: false, events: [credit] },
    isSlow: true,
  },
  lease: {
    about: 'In addition to the faults, a process is suspended at one of its calls until its lease has expired.',
    maxFaults: 1,
    options: { ...constantWindow, ...twice(freeForm), freeLates: 1 },
  },
  optOut: {
    about: 'The user opts out at any time while a template is sent in an open window.',
    maxFaults: 1,
    options: { ...openWindow, ...twice(template), events: [optOut()] },
  },
  optOutBeforeAnswer: {
    about: 'The user opts out at any time while a free-form message is sent in an open window.',
    maxFaults: 1,
    options: { ...openWindow, ...twice(freeForm), events: [optOut()] },
  },
  importedOptIn: {
    about: 'The user opts out, and an imported list opts the user in, at any time while a template is sent once.',
    maxFaults: 1,
    options: { ...openWindow, queued: [{ request: template }], events: [optOut(), importsOptIn()] },
  },
  userWrites: {
    about:
      'The user writes in the same millisecond as the claim or earlier, while the chat service answers with error 201.',
    maxFaults: 1,
    options: { ...contradiction, ...twice(freeForm), events: [userWrites()] },
  },
  userWritesLater: {
    about: 'The user writes a second after the claim, at any time while the chat service answers with error 201.',
    maxFaults: 1,
    options: { ...contradiction, ...twice(freeForm), events: [userWrites({ afterMs: 1000 })] },
  },
  status: {
    about: 'A status confirms the message at any time after it reached the user.',
    maxFaults: 1,
    options: { ...constantWindow, ...twice(freeForm), rules: { clientPayload: 'all' }, events: [status] },
  },
  scheduled: {
    about: 'A request with a sendAt in two hours.',
    slice: ['fails-after', 'dies-before'],
    options: {
      ...constantWindow,
      ...twice({ ...freeForm, sendAt: '2026-11-20T14:00:00.000Z' }),
    },
  },
  order: {
    about: 'Two requests of one contact in the same batch.',
    slice: ['refused', 'dies-after'],
    options: {
      ...constantWindow,
      queued: [
        { request: freeForm },
        { request: { ...freeForm, requestId: 'request-2', messageText: 'request-2: It has arrived.' } },
      ],
      batchSize: 10,
    },
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
