import type { ChatCall, Ledgers, ProducedEvent, ProducedRequest, SendWrite } from './ledgers.ts';

export const CONTACT = '+5491150000000';
/** Argentine numbers are stored without the 9. */
const KEY = '541150000000';
export const ERASED = '+5491159999999';
const AT = '2026-11-20T12:00:00.000Z';
const LATER = '2026-11-20T12:00:01.000Z';
const MUCH_LATER = '2026-11-20T12:01:00.000Z';
const VIDEO = '{"requestId":"video","messageText":"video","fileURL":"https://media.example/a.mp4"}';

export const event = (changes: Partial<ProducedEvent> = {}): ProducedEvent => ({
  id: 'in',
  contact: CONTACT,
  expected: 'message',
  mark: 'mark-in',
  at: AT,
  ...changes,
});

export const request = (changes: Partial<ProducedRequest> = {}): ProducedRequest => ({
  requestId: 'one',
  contact: CONTACT,
  expected: 'end',
  via: 'queue',
  isResent: false,
  isScheduled: false,
  body: '{"requestId":"one"}',
  order: 0,
  ...changes,
});

export const call = (changes: Partial<ChatCall> = {}): ChatCall => ({
  requestId: 'one',
  contact: CONTACT,
  endpoint: 'message/v3',
  at: LATER,
  durationMs: 5,
  fault: undefined,
  messageId: 'out-one',
  answer: undefined,
  answeredStatus: 200,
  ...changes,
});

/** A claim that the table accepted, and whose answer the function got. */
export const claimOf = (requestId: string, changes: Partial<SendWrite> = {}): SendWrite => ({
  requestId,
  claimedAt: LATER,
  at: LATER,
  isApplied: true,
  isLost: false,
  ...changes,
});

const accepted = (requestId: string) => ({
  pk: `SEND#${requestId}`,
  sk: 'SEND',
  state: 'accepted',
  messageId: `out-${requestId}`,
  claimedAt: LATER,
  call: { endpoint: 'message/v3' },
});
const sent = (requestId: string) => ({
  pk: `MESSAGE#out-${requestId}`,
  sk: 'MESSAGE',
  direction: 'outbound',
  requestId,
  deliveredAt: LATER,
});

/**
 * Ledgers of a run without faults: a message, a status, an unreadable event, two accepted requests, a cancelled one, a
 * refused one, a malformed one, an opt-in, and an erasure. Each test breaks one thing.
 */
export const validLedgers = (changes: Partial<Ledgers> = {}): Ledgers => ({
  events: [
    event(),
    event({ id: 'status', expected: 'status', mark: 'mark-status', status: 'READ' }),
    event({ id: 'echo', expected: 'echo', mark: 'mark-echo' }),
    event({ id: 'unreadable', expected: 'unreadable', mark: 'mark-unreadable' }),
  ],
  requests: [
    request(),
    request({ requestId: 'two', body: '{"requestId":"two"}', order: 1 }),
    request({ requestId: 'later', body: '{"requestId":"later"}', isScheduled: true, order: 2 }),
    request({ requestId: 'video', body: VIDEO, order: 5 }),
    request({ requestId: 'bad', body: '{}', expected: 'malformed', order: 3 }),
    request({ requestId: 'one', body: '{"requestId":"one","other":1}', expected: 'reused', order: 4 }),
  ],
  consents: [{ contact: CONTACT, consent: 'opt-in', at: AT, recordedAt: AT }],
  erasures: [{ contact: ERASED, erasureId: 'erasure', requestedAt: AT, state: 'done' }],
  cancelled: ['later'],
  outbox: [
    { id: 'out-one', requestId: 'one', endpoint: 'message/v3', status: 'delivered' },
    { id: 'out-two', requestId: 'two', endpoint: 'message/v3', status: 'delivered' },
  ],
  calls: [call(), call({ requestId: 'two', messageId: 'out-two' })],
  deliveries: { pending: 0, expired: 0 },
  table: {
    'MESSAGE#in MESSAGE': { pk: 'MESSAGE#in', sk: 'MESSAGE', direction: 'inbound', body: '{"MESSAGE":"mark-in"}' },
    'MESSAGE#status MESSAGE': { pk: 'MESSAGE#status', sk: 'MESSAGE', readAt: AT },
    'MESSAGE#echo ECHO': { pk: 'MESSAGE#echo', sk: 'ECHO', direction: 'echo', body: '{"MESSAGE":"mark-echo"}' },
    'MESSAGE#out-one MESSAGE': sent('one'),
    'MESSAGE#out-two MESSAGE': sent('two'),
    'SEND#one SEND': accepted('one'),
    'SEND#two SEND': accepted('two'),
    'SEND#later SEND': { pk: 'SEND#later', sk: 'SEND', state: 'cancelled' },
    'SEND#video SEND': {
      pk: 'SEND#video',
      sk: 'SEND',
      state: 'refused',
      refusedAt: MUCH_LATER,
      code: 'MEDIA_UNSUPPORTED',
    },
    [`CONTACT#chat#*#${KEY} CONTACT`]: { pk: `CONTACT#chat#*#${KEY}`, sk: 'CONTACT', lastInboundAt: AT },
  },
  laws: { changes: 12, items: 8, violations: [] },
  published: [
    { id: 'e1', name: 'MessageReceived', subject: 'in', at: AT },
    { id: 'e1', name: 'MessageReceived', subject: 'in', at: AT },
    { id: 'e2', name: 'MessageRead', subject: 'status', at: AT },
    { id: 'e3', name: 'MessageEchoed', subject: 'echo', at: AT },
    { id: 'e4', name: 'MessageDelivered', subject: 'out-one', at: LATER },
    { id: 'e5', name: 'MessageDelivered', subject: 'out-two', at: LATER },
    { id: 'e6', name: 'SendAccepted', subject: 'one', at: LATER },
    { id: 'e7', name: 'SendAccepted', subject: 'two', at: LATER },
    { id: 'e8', name: 'SendCancelled', subject: 'later', at: LATER },
    { id: 'e8a', name: 'SendRefused', subject: 'video', at: MUCH_LATER },
    { id: 'e9', name: 'ContactOptedIn', subject: '541150000000', at: AT },
  ],
  deadLetters: {
    inbound: [{ body: '{"MARK":"mark-unreadable"}', reason: 'Not a known event.' }],
    sends: [
      { body: '{}', reason: 'MALFORMED: requestId is missing.' },
      { body: '{"requestId":"one","other":1}', reason: 'REQUEST_ID_REUSED: another request.' },
    ],
    erasures: [],
    schedules: [],
    publishing: [],
  },
  waiting: {},
  sendWrites: [claimOf('one'), claimOf('two')],
  kills: [],
  tableOutages: [],
  windows: [{ key: KEY, lastInboundAt: AT, at: AT }],
  reports: [
    { id: 'status', status: 'read', at: AT },
    { id: 'out-one', status: 'delivered', at: LATER },
    { id: 'out-two', status: 'delivered', at: LATER },
  ],
  failedCalls: [],
  lastWrites: {},
  optedIn: [],
  answerTimeoutMs: 2_000,
  sendTimeoutMs: 80_000,
  ...changes,
});
