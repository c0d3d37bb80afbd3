import { ACCOUNT } from '../../../support/builders.ts';
import {
  actStep,
  at,
  CONTACT,
  DELIVERED_BODY,
  ended,
  expiryOf,
  invoked,
  KEY,
  MESSAGE_BODY,
  REQUEST_BODY,
  type Step,
  step,
  USER,
  writeStep,
} from './tiny-story.ts';

const SEND = 'SEND#request-1 SEND';
const CALL = {
  endpoint: 'message/v3',
  body: {
    chatPlatform: ACCOUNT.platform,
    platformContactId: USER,
    messageText: 'request-1: It is on its way.',
    clientPayload: 'request-1',
  },
};
export const CLAIMED = {
  state: 'claimed',
  body: REQUEST_BODY,
  contact: CONTACT,
  contactSort: `SEND#${at(11)}`,
  createdAt: at(11),
  attempts: 1,
  claimId: 'claim-1',
  claimedAt: at(11),
  leaseUntil: at(160),
  call: CALL,
  expiresAt: expiryOf('sends', 11),
};
const { leaseUntil: _, ...ANSWERED } = CLAIMED;
const ACCEPTED = {
  ...ANSWERED,
  state: 'accepted',
  acceptedAt: at(13),
  broadcastState: `accepted##${at(13)}`,
  messageId: 'out-1',
  outcome: 'The chat service accepted it.',
};
const MESSAGE_IN = {
  direction: 'inbound',
  body: MESSAGE_BODY,
  createdAt: at(0),
  createdAtSource: 'event',
  contact: CONTACT,
  contactSort: `MESSAGE#${at(0)}`,
  expiresAt: expiryOf('messages', 0),
};
const MESSAGE_OUT = {
  direction: 'outbound',
  contact: CONTACT,
  requestId: 'request-1',
  call: CALL,
  createdAt: at(11),
  contactSort: `MESSAGE#${at(11)}`,
  expiresAt: expiryOf('messages', 11),
};
const WINDOW = { lastInboundAt: at(0), lastInboundId: 'in-1', expiresAt: expiryOf('contacts', 0) };
const contact = { platform: ACCOUNT.platform, channel: '*', key: KEY };

const stored: readonly Step[] = [
  actStep('writes', 0, { kind: 'user-writes', contact: USER, text: 'Where is it?' }),
  step('event', 0, { kind: 'event', eventId: 'written', body: MESSAGE_BODY, isUnauthenticated: false }),
  step('delivery', 1, { kind: 'delivery', eventId: 'written', attempt: 1 }),
  invoked('receive-1', 'receive', 1),
  writeStep('message', 1, {
    process: 'receive-1',
    key: 'MESSAGE#in-1 MESSAGE',
    after: MESSAGE_IN,
  }),
  writeStep('window', 1, { process: 'receive-1', key: `${CONTACT} CONTACT`, after: WINDOW }),
  ended('receive-1', 'receive', 1),
  step('answer', 1, { kind: 'delivery-answer', eventId: 'written', status: 200, isHeard: true }),
  step('received', 2, {
    kind: 'published',
    id: 'id-1',
    detailType: 'MessageReceived',
    detail: {
      id: 'id-1',
      messageId: 'in-1',
      contact,
      at: at(0),
      platformContactId: USER.slice(1),
      content: { text: 'Where is it?' },
    },
  }),
];

const requested: readonly Step[] = [
  actStep('request', 10, {
    kind: 'request',
    via: 'queue',
    body: REQUEST_BODY,
    groupId: USER,
    deduplicationId: 'request-1',
  }),
  step('queued', 10, { kind: 'queued', queue: 'send', body: REQUEST_BODY }),
  invoked('send-1', 'send', 11),
  step('read', 11, { kind: 'read-contact', process: 'send-1', name: CONTACT, contact: WINDOW }),
  writeStep('claim', 11, { process: 'send-1', key: SEND, after: CLAIMED }),
  step('read again', 11, { kind: 'read-contact', process: 'send-1', name: CONTACT, contact: WINDOW }),
  step('call', 12, {
    kind: 'call',
    process: 'send-1',
    requestId: 'request-1',
    claimId: 'claim-1',
    ...CALL,
    effect: { id: 'out-1', at: 0, contact: KEY, ...CALL },
    end: 'accepted',
    isAnswered: true,
  }),
  writeStep('accept', 13, {
    process: 'send-1',
    key: SEND,
    before: CLAIMED,
    after: ACCEPTED,
  }),
  writeStep('sent message', 13, { process: 'send-1', key: 'MESSAGE#out-1 MESSAGE', after: MESSAGE_OUT }),
  step('deleted', 13, { kind: 'deleted', queue: 'send', body: REQUEST_BODY }),
  ended('send-1', 'send', 13),
  step('accepted', 14, {
    kind: 'published',
    id: 'id-2',
    detailType: 'SendAccepted',
    detail: { id: 'id-2', requestId: 'request-1', contact, at: at(13), messageId: 'out-1', endpoint: 'message/v3' },
  }),
];

const confirmed: readonly Step[] = [
  step('status', 40, { kind: 'event', eventId: 'delivered', body: DELIVERED_BODY, isUnauthenticated: false }),
  step('status delivery', 41, { kind: 'delivery', eventId: 'delivered', attempt: 1 }),
  invoked('receive-2', 'receive', 41),
  writeStep('delivered', 41, {
    process: 'receive-2',
    key: 'MESSAGE#out-1 MESSAGE',
    before: MESSAGE_OUT,
    after: { ...MESSAGE_OUT, deliveredAt: at(40), statusBodies: new Set([DELIVERED_BODY]) },
  }),
  ended('receive-2', 'receive', 41),
  step('status answer', 41, { kind: 'delivery-answer', eventId: 'delivered', status: 200, isHeard: true }),
  step('published status', 42, {
    kind: 'published',
    id: 'id-3',
    detailType: 'MessageDelivered',
    detail: { id: 'id-3', messageId: 'out-1', requestId: 'request-1', contact, at: at(40) },
  }),
  step('calm', 100, { kind: 'calm' }),
];

/** A user writes, is answered, and gets the answer. */
export const MAIN: readonly Step[] = [...stored, ...requested, ...confirmed];

const ERASURE = 'ERASURE#erasure-1 ERASURE';
const RUNNING = { state: 'running', requestedAt: at(200), turns: 0 };
const ERASED_SEND = {
  ...{ state: 'accepted', acceptedAt: at(13), attempts: 1, claimId: 'claim-1', claimedAt: at(11) },
  ...{ messageId: 'out-1', body: '', erasedAt: at(201), expiresAt: CLAIMED.expiresAt },
  broadcastState: `accepted##${at(13)}`,
};
const QUEUED_ERASURE = JSON.stringify({ erasureId: 'erasure-1', requestedAt: at(200), contact });

/** A user is erased, after the main story. */
export const ERASED: readonly Step[] = [
  ...MAIN,
  actStep('erase', 200, { kind: 'erase', contact: USER }),
  invoked('manage-1', 'manage', 200),
  writeStep('audit', 200, {
    process: 'manage-1',
    key: 'AUDIT#audit-1 AUDIT',
    after: {
      ...{ action: 'erasure', erasureId: 'erasure-1', at: at(200) },
      ...{ stateShard: 'audit#0', stateAt: at(200), expiresAt: expiryOf('audit', 200) },
    },
  }),
  writeStep('erasure', 200, {
    process: 'manage-1',
    key: ERASURE,
    after: RUNNING,
  }),
  step('erasure queued', 200, { kind: 'queued', queue: 'erasures', body: QUEUED_ERASURE }),
  ended('manage-1', 'manage', 200),
  invoked('manage-2', 'erase', 201),
  writeStep('window erased', 201, { process: 'manage-2', key: `${CONTACT} CONTACT`, before: WINDOW }),
  writeStep('message erased', 201, {
    process: 'manage-2',
    key: 'MESSAGE#in-1 MESSAGE',
    before: MESSAGE_IN,
  }),
  writeStep('sent message erased', 201, {
    process: 'manage-2',
    key: 'MESSAGE#out-1 MESSAGE',
    before: { ...MESSAGE_OUT, statusBodies: new Set([DELIVERED_BODY]) },
  }),
  writeStep('send erased', 201, {
    process: 'manage-2',
    key: SEND,
    before: ACCEPTED,
    after: ERASED_SEND,
  }),
  ended('manage-2', 'erase', 202),
  invoked('manage-3', 'erase', 210),
  writeStep('erasure done', 211, {
    process: 'manage-3',
    key: ERASURE,
    before: RUNNING,
    after: { ...RUNNING, state: 'done', turns: 1, finishedAt: at(211) },
  }),
  step('erasure deleted', 211, { kind: 'deleted', queue: 'erasures', body: QUEUED_ERASURE }),
  ended('manage-3', 'erase', 211),
];
