import { USER, wireMessage, wireStatus } from '../../support/builders.ts';
import type { Fault } from '../world/faults.ts';
import { erase, recordSend, recordSendPerNumber } from './other-functions.ts';
import type { ReceivingOptions } from './receiving-world.ts';

/** A world to search, with the question that it asks. */
export interface ReceivingScenario {
  readonly about: string;
  readonly options: ReceivingOptions;
  /** The maximum number of faults in a run. Lower if two would take more than a minute. @default 2 */
  readonly maxFaults?: number;
  /** Whether the search learns which calls commute. @default false */
  readonly learns?: boolean;
  /** The faults, one in a run, of the part that runs in `npm test`. @default none */
  readonly slice?: readonly Fault[];
}

const event = wireMessage();
const delivered = wireStatus({ CREATION_TIME: '2026-11-20T11:00:05.000Z' });
const read = wireStatus({ STATUS: 'read', CREATION_TIME: '2026-11-20T11:00:09.000Z' });
const echo = wireMessage({ FROM: 'me', TO: USER, MESSAGE: 'On its way.', CREATION_TIME: '2026-11-20T11:00:02.000Z' });
const withoutTime = wireMessage({ CREATION_TIME: undefined });
const posts = (...events: readonly (Readonly<Record<string, unknown>> | string)[]) => ({
  posts: events.map((one) => ({ event: one })),
});

export const RECEIVING_SCENARIOS = {
  messageTwice: {
    about: 'A message, delivered twice concurrently.',
    slice: ['fails-after', 'overdue'],
    options: posts(event, event),
  },
  otherContent: {
    about: 'Two events with the same ID and time, but different content.',
    options: posts(event, { ...event, MESSAGE: 'Where is it?' }),
  },
  otherTime: {
    about: 'Two events with the same ID and content, but different times.',
    options: posts(event, { ...event, CREATION_TIME: '2026-11-20T11:00:30.000Z' }),
  },
  twoMessages: {
    about: 'Two messages of a user.',
    slice: ['fails-before'],
    options: posts(event, wireMessage({ _id_: 'message-2', CREATION_TIME: '2026-11-20T11:30:00.000Z' })),
  },
  messageAndEcho: {
    about: 'A message and an echo with the same ID.',
    slice: ['dies-after'],
    options: posts(event, echo),
  },
  echoOfOurs: {
    about: 'An echo of a message that Parley sent, while the function `send` records it.',
    slice: ['fails-after'],
    options: { ...posts(echo, echo), others: [recordSend] },
  },
  echoOfOursElsewhere: {
    about: "The same, but TO is the platform's own ID of the user.",
    options: { ...posts({ ...echo, TO: 'AR.1000123' }), others: [recordSend] },
  },
  echoOfOursPerNumber: {
    about: 'The same, but windows are per business number, and the echo has no number.',
    options: { ...posts(echo), others: [recordSendPerNumber], windowPer: 'channel' },
  },
  messageAndStatus: {
    about: 'A message and a status with the same ID.',
    slice: ['overdue'],
    options: posts(event, delivered),
  },
  statusesOfOurs: {
    about: 'The statuses Delivered and Read of a message that Parley sent, while the function `send` records it.',
    slice: ['dies-before'],
    options: { ...posts(delivered, read), others: [recordSend] },
  },
  statusWithReference: {
    about: 'The same, but a status has the reference of the send.',
    maxFaults: 1,
    options: { ...posts({ ...delivered, CLIENT_PAYLOAD: 'request-1' }, read), others: [recordSend] },
  },
  statusesOfUnknown: {
    about: 'Two statuses of a message that Parley does not know. One of them is reported again with a later time.',
    options: posts(delivered, read, { ...delivered, CREATION_TIME: '2026-11-20T11:00:20.000Z' }),
  },
  failures: {
    about: 'Two failure reports with different causes for a message that Parley does not know.',
    slice: ['fails-before'],
    options: posts({ ...delivered, STATUS: 'failed', ERROR: 'A' }, { ...delivered, STATUS: 'error', ERROR: 'B' }),
  },
  unknownStatuses: {
    about: 'Two statuses of kinds that Parley does not know.',
    slice: ['fails-before', 'fails-after', 'dies-before', 'dies-after', 'overdue'],
    options: posts({ ...delivered, STATUS: 'deleted' }, { ...delivered, STATUS: 'pinned' }),
  },
  statusBesideMessage: {
    about: 'An event that contains both a status and a message, and a later status.',
    slice: ['fails-before'],
    options: posts({ ...event, STATUS: 'delivered' }, read),
  },
  statusBesideMedia: {
    about: 'An event that contains both a status and an image, delivered twice concurrently.',
    options: posts(
      { ...event, MESSAGE: '', IMAGES_URLS: ['https://media.example/1.jpg'], STATUS: 'sent' },
      { ...event, MESSAGE: '', IMAGES_URLS: ['https://media.example/1.jpg'], STATUS: 'sent' },
    ),
  },
  statusBesideOurs: {
    about: 'An event that contains both a status and a message that Parley sent, while the function `send` records it.',
    slice: ['fails-after'],
    options: { ...posts({ ...delivered, MESSAGE: 'Your parcel is on its way.' }), others: [recordSend] },
  },
  messageAndStatusBesideIt: {
    about: 'A message, and the same message in an event with a status that Parley does not know.',
    slice: ['dies-before'],
    options: posts(event, { ...event, STATUS: 'pinned' }),
  },
  withoutTime: {
    about: 'A message without a time, delivered twice with different arrival times.',
    slice: ['fails-after'],
    options: { ...posts(withoutTime, withoutTime), isTimeOfArrival: true },
  },
  publishTime: {
    about: 'The same, but with a publish time.',
    options: {
      posts: [
        { event: withoutTime, publishedAt: '2026-11-20T11:00:01.000Z' },
        { event: withoutTime, publishedAt: '2026-11-20T11:00:01.000Z' },
      ],
    },
  },
  notAnEvent: {
    about: 'Two bodies that are not events.',
    slice: ['fails-before', 'dies-after'],
    options: posts('not JSON', { hello: 'world' }),
  },
  together: {
    about: 'A post with two messages of a user.',
    options: { posts: [{ event, others: [wireMessage({ _id_: 'message-2' })], format: 'v1.1' }] },
    maxFaults: 1,
    slice: ['fails-before'],
  },
  togetherWithUnreadable: {
    about: 'A post with a message, an event that is not known, and a status.',
    options: { posts: [{ event, others: [{ hello: 'world' }, delivered] }] },
    maxFaults: 1,
    slice: ['dies-after'],
  },
  erased: {
    about: 'A message, delivered while its contact is erased.',
    options: { ...posts(event), others: [erase], hasOneEnd: false },
    learns: true,
    maxFaults: 1,
  },
} as const satisfies Record<string, ReceivingScenario>;

export type ReceivingScenarioName = keyof typeof RECEIVING_SCENARIOS;
