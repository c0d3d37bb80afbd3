import { USER } from '../../support/builders.ts';
import { AN_HOUR_AGO, openWindow, request, uncertain, wireStatus } from './prepared.ts';
import type { Scene } from './scene.ts';
import type { SceneScenario } from './scene-scenarios.ts';

const REFERENCE = { CLIENT_PAYLOAD: 'request-1' };
const delivered = wireStatus({ STATUS: 'delivered', CREATION_TIME: '2026-11-20T11:30:00.000Z' });
/** Services send a platform's code as a text that looks like a float. */
const failed = wireStatus({ STATUS: 'failed', REASON: '131049.0', CREATION_TIME: '2026-11-20T11:31:00.000Z' });
/** The same failure in the format of today's webhooks, which names the job of the send. */
const failedJob = {
  v: '1.1',
  type: 'status',
  chatPlatform: 'chat',
  contactId: USER,
  messageId: 'message-1',
  intentTxId: 'transaction-of-message-1',
  status: 'error',
  statusChangeTime: '2026-11-20T11:31:00.000Z',
  reason: '131049.0',
};

const BOTH_STATUSES = [{ event: { ...failed, ...REFERENCE } }, { event: { ...delivered, ...REFERENCE } }];

const isSent = ({ chatService }: Scene): boolean => chatService.effects.length > 0;

const ACCEPTED_WITHOUT_ID = { state: 'accepted', at: AN_HOUR_AGO, outcome: 'Accepted without an ID.' } as const;

export const FAILING_SCENARIOS = {
  failedBeforeAnswer: {
    useCase: 'fail',
    about: 'The chat service accepts a message and reports that it failed, at any time after it accepted it.',
    maxFaults: 1,
    slice: ['dies-after'],
    options: {
      prepare: openWindow,
      consumes: ['send', 'inbound'],
      queued: [request],
      posts: [{ event: { ...failed, ...REFERENCE } }],
      postsFollow: isSent,
      faultsIn: /^send/,
    },
  },
  failedWithoutReference: {
    useCase: 'fail',
    about: 'The same, but the status names only the message, so that it is known by the answer.',
    maxFaults: 1,
    slice: ['fails-before'],
    options: {
      prepare: openWindow,
      consumes: ['send', 'inbound'],
      queued: [request],
      posts: [{ event: failed }],
      postsFollow: isSent,
    },
  },
  failedJob: {
    useCase: 'fail',
    about: 'The chat service answers with the ID of a job, which the status that the message failed names.',
    maxFaults: 1,
    slice: ['dies-after'],
    options: {
      prepare: openWindow,
      consumes: ['send', 'inbound'],
      queued: [request],
      chatService: { answersWithJob: true },
      posts: [{ event: failedJob }],
      postsFollow: isSent,
    },
  },
  failedThenDelivered: {
    useCase: 'fail',
    about: 'The outcome of a send is unknown. A status says that its message failed, another that it was delivered.',
    maxFaults: 0,
    isSlow: true,
    options: {
      async prepare(scene) {
        await openWindow(scene);
        await uncertain(scene);
      },
      consumes: ['inbound'],
      posts: BOTH_STATUSES,
    },
  },
  identifiedAndFailed: {
    useCase: 'fail',
    about: 'A message was accepted without an ID. It is delivered, and fails.',
    maxFaults: 0,
    isSlow: true,
    options: {
      async prepare(scene) {
        await openWindow(scene);
        await uncertain(scene, request, ACCEPTED_WITHOUT_ID);
      },
      consumes: ['inbound'],
      posts: BOTH_STATUSES,
    },
  },
  oneOfTwoMessagesFailed: {
    useCase: 'fail',
    about: 'A rule sends two messages and is accepted without a message ID. The later one fails.',
    maxFaults: 0,
    options: {
      async prepare(scene) {
        await openWindow(scene);
        await uncertain(scene, request, ACCEPTED_WITHOUT_ID);
      },
      consumes: ['inbound'],
      posts: [{ event: { ...failed, ...REFERENCE } }, { event: { ...delivered, ...REFERENCE, _id_: 'message-00' } }],
    },
  },
} as const satisfies Record<string, SceneScenario>;
