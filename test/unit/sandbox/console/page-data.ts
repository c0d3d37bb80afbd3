import type { Call, Message, ReceivedMessage, Trace, UserRow } from '../../../../sandbox/console/page/state/api.ts';

export const AT = '2026-01-31T10:00:00.000Z';
export const USER = '+5491155550001';
export const CHANNEL = '+5491100000000';

/** What both kinds of messages have. */
const ANY = { id: 'm1', at: AT, chatChannelNumber: CHANNEL, text: 'Hi', media: [] };

/** What Parley stored and published, by default nothing. */
export const traceOf = (found: Partial<Trace>): Trace => ({ items: {}, keys: [], ...found });

/** A message of the user. */
export const inbound = (changes: Partial<ReceivedMessage> = {}): Message => ({
  ...ANY,
  direction: 'in',
  receivedAt: AT,
  edits: [],
  ...changes,
});

/** A message to the user. */
export const outbound = (changes: Partial<Message> = {}): Message => ({
  ...ANY,
  direction: 'out',
  endpoint: 'message/v3',
  ruleName: null,
  clientPayload: null,
  status: 'accepted',
  deliveredAt: null,
  seenAt: null,
  ...changes,
});

/** A call of the chat service's API that it accepted. */
export const apiCall = (changes: Partial<Call> = {}): Call => ({
  id: 'call-1',
  at: AT,
  method: 'POST',
  path: '/api/v1.0/message/v3',
  request: {},
  contact: USER,
  status: 200,
  answer: {},
  traceparent: null,
  messageId: null,
  ...changes,
});

export const userRow = (changes: Partial<UserRow> = {}): UserRow => ({
  contact: USER,
  customerId: 'customer',
  customerSince: null,
  readReceipts: true,
  onPlatform: true,
  optIn: false,
  device: 'on',
  windows: [],
  lastMessage: null,
  ...changes,
});
