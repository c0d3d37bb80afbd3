import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import { type ContactRef, contactRef } from '../../../lambdas/domain/contact.ts';
import { ACCOUNT, claim, NOW, queuedSend, sendResult, USER } from '../../support/builders.ts';
import { FAULTS } from '../world/faults.ts';
import { repositoriesOf, requestErasure, wireMessage, wireStatus } from './prepared.ts';
import { TOKEN, userRef } from './scene.ts';
import type { SceneOptions } from './scene-options.ts';
import type { SceneScenario } from './scene-scenarios.ts';

const event = wireMessage();
const delivered = wireStatus({ CREATION_TIME: '2026-11-20T11:00:05.000Z' });
const read = wireStatus({ STATUS: 'read', CREATION_TIME: '2026-11-20T11:00:09.000Z' });
const echo = wireMessage({ FROM: 'me', TO: USER, MESSAGE: 'On its way.', CREATION_TIME: '2026-11-20T11:00:02.000Z' });
const withoutTime = wireMessage({ CREATION_TIME: undefined });
const RECEIVING = {
  consumes: ['inbound'],
  faults: FAULTS.filter((fault) => fault !== 'late'),
  hasOneEnd: true,
} as const satisfies SceneOptions;

const posts = (...events: readonly (Readonly<Record<string, unknown>> | string)[]) => ({
  ...RECEIVING,
  posts: events.map((one) => ({ event: one })),
});

/** When the send was claimed, before any of its statuses. */
const SENT_AT = '2026-11-20T10:58:00.000Z';

/** The function `send` has called the chat service for a message with the id `message-1` and records its answer. */
const recordSendTo = (contact: ContactRef): Pick<SceneOptions, 'prepare' | 'others'> => ({
  async prepare(scene) {
    const send = { ...queuedSend(), contact };
    const claimed = claim({ claimedAt: SENT_AT });
    scene.chatService.userWrites(USER, Date.parse(SENT_AT));
    scene.chatService.post('message/v3', TOKEN, { ...claimed.call.body, platformContactId: USER });
    await repositoriesOf(scene).sends.claim(send, claimed, { resend: false });
  },
  others: [
    {
      name: 'send0.1',
      async run(table) {
        const { request, traceparent } = queuedSend();
        const { requestId } = request;
        const { claimId, call } = claim();
        await createDynamodbSends(table).recordResult(requestId, claimId, sendResult('accepted', NOW));
        const sent = { id: 'message-1', requestId, contact, call, claimedAt: SENT_AT, attempt: 1, traceparent };
        await createDynamodbMessages(table, { gapClock: undefined }).recordOutbound(sent);
      },
    },
  ],
});
const recordSend = recordSendTo(userRef);

export const RECEIVING_SCENARIOS = {
  messageTwice: {
    useCase: 'receive',
    about: 'A message, delivered twice concurrently.',
    slice: ['fails-after', 'overdue'],
    options: posts(event, event),
  },
  edited: {
    useCase: 'receive',
    about: 'A message and its edit, which has the same ID and time, but different content.',
    maxFaults: 1,
    options: posts(event, { ...event, MESSAGE: 'Where is it?', LAST_MODIFICATION: '2026-11-20T11:00:30.000Z' }),
  },
  otherTime: {
    useCase: 'receive',
    about: 'Two events with the same ID and content, but different times.',
    maxFaults: 1,
    options: posts(event, { ...event, CREATION_TIME: '2026-11-20T11:00:30.000Z' }),
  },
  twoMessages: {
    useCase: 'receive',
    about: 'Two messages of a user.',
    slice: ['fails-before'],
    options: posts(event, wireMessage({ _id_: 'message-2', CREATION_TIME: '2026-11-20T11:30:00.000Z' })),
  },
  messageAndEcho: {
    useCase: 'receive',
    about: 'A message and an echo with the same ID.',
    slice: ['dies-after'],
    options: posts(event, echo),
  },
  echoOfOurs: {
    useCase: 'receive',
    about: 'An echo of a message that Parley sent, while the function `send` records it.',
    slice: ['fails-after'],
    options: { ...posts(echo, echo), ...recordSend },
  },
  echoOfOursElsewhere: {
    useCase: 'receive',
    about: "The same, but TO is the platform's own ID of the user.",
    options: { ...posts({ ...echo, TO: 'AR.1000123' }), ...recordSend },
  },
  echoOfOursPerNumber: {
    useCase: 'receive',
    about: 'The same, but windows are per business number, and the echo has no number.',
    options: {
      ...posts(echo),
      ...recordSendTo(contactRef(ACCOUNT.platform, USER, ACCOUNT.channel)),
      windowPer: 'channel',
    },
  },
  messageAndStatus: {
    useCase: 'receive',
    about: 'A message and a status with the same ID.',
    slice: ['overdue'],
    options: posts(event, delivered),
  },
  statusesOfOurs: {
    useCase: 'receive',
    about: 'The statuses Delivered and Read of a message that Parley sent, while the function `send` records it.',
    slice: ['dies-before'],
    options: { ...posts(delivered, read), ...recordSend },
  },
  statusWithReference: {
    useCase: 'receive',
    about: 'The same, but a status has the reference of the send.',
    maxFaults: 1,
    options: { ...posts({ ...delivered, CLIENT_PAYLOAD: 'request-1' }, read), ...recordSend },
  },
  statusesOfUnknown: {
    useCase: 'receive',
    about: 'Two statuses of a message that Parley does not know. One of them is reported again with a later time.',
    options: posts(delivered, read, { ...delivered, CREATION_TIME: '2026-11-20T11:00:20.000Z' }),
  },
  failures: {
    useCase: 'receive',
    about: 'Two failure reports with different causes for a message that Parley does not know.',
    slice: ['fails-before'],
    options: posts({ ...delivered, STATUS: 'failed', ERROR: 'A' }, { ...delivered, STATUS: 'error', ERROR: 'B' }),
  },
  unknownStatuses: {
    useCase: 'receive',
    about: 'Two statuses of kinds that Parley does not know.',
    slice: ['fails-before', 'fails-after', 'dies-before', 'dies-after', 'overdue'],
    options: posts({ ...delivered, STATUS: 'deleted' }, { ...delivered, STATUS: 'pinned' }),
  },
  statusBesideMessage: {
    useCase: 'receive',
    about: 'An event that contains both a status and a message, and a later status.',
    slice: ['fails-before'],
    options: posts({ ...event, STATUS: 'delivered' }, read),
  },
  statusBesideMedia: {
    useCase: 'receive',
    about: 'An event that contains both a status and an image, delivered twice concurrently.',
    options: posts(
      { ...event, MESSAGE: '', IMAGES_URLS: ['https://media.example/1.jpg'], STATUS: 'sent' },
      { ...event, MESSAGE: '', IMAGES_URLS: ['https://media.example/1.jpg'], STATUS: 'sent' },
    ),
  },
  statusBesideOurs: {
    useCase: 'receive',
    about: 'An event that contains both a status and a message that Parley sent, while the function `send` records it.',
    slice: ['fails-after'],
    options: { ...posts({ ...delivered, MESSAGE: 'Your parcel is on its way.' }), ...recordSend },
  },
  messageAndStatusBesideIt: {
    useCase: 'receive',
    about: 'A message, and the same message in an event with a status that Parley does not know.',
    slice: ['dies-before'],
    options: posts(event, { ...event, STATUS: 'pinned' }),
  },
  withoutTime: {
    useCase: 'receive',
    about: 'A message without a time, delivered twice with different arrival times.',
    slice: ['fails-after'],
    options: { ...posts(withoutTime, withoutTime), isTimeOfArrival: true },
  },
  publishTime: {
    useCase: 'receive',
    about: 'The same, but with a publish time.',
    options: {
      ...RECEIVING,
      posts: [
        { event: withoutTime, publishedAt: '2026-11-20T11:00:01.000Z' },
        { event: withoutTime, publishedAt: '2026-11-20T11:00:01.000Z' },
      ],
    },
  },
  notAnEvent: {
    useCase: 'receive',
    about: 'Two bodies that are not events.',
    slice: ['fails-before', 'dies-after'],
    options: posts('not JSON', { hello: 'world' }),
  },
  together: {
    useCase: 'receive',
    about: 'A post with two messages of a user.',
    options: { ...RECEIVING, posts: [{ event, others: [wireMessage({ _id_: 'message-2' })], format: 'v1.1' }] },
    maxFaults: 1,
    slice: ['fails-before'],
  },
  togetherWithUnreadable: {
    useCase: 'receive',
    about: 'A post with a message, an event that is not known, and a status.',
    options: { ...RECEIVING, posts: [{ event, others: [{ hello: 'world' }, delivered] }] },
    maxFaults: 1,
    slice: ['dies-after'],
  },
  erased: {
    useCase: 'receive',
    about: 'A message, delivered while its contact is erased.',
    options: {
      ...posts(event),
      prepare: requestErasure,
      consumes: ['erasures', 'inbound'],
      hasOneEnd: false,
      faultsIn: /^(post|drain)/,
    },
    maxFaults: 1,
  },
} as const satisfies Record<string, SceneScenario>;
