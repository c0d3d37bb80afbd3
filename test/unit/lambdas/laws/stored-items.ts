import { versionDigest } from '../../../../lambdas/domain/message-version.ts';
import type { StoredItem } from '../../../../lambdas/laws/stored-item.ts';
import { NOW } from '../../../support/builders.ts';

// One item of each kind as Parley stores it, valid by default; a test breaks one thing.

const DAY_SECONDS = 24 * 60 * 60;

export const expiryOf = (at: string, days = 400): number => Math.floor(Date.parse(at) / 1000) + days * DAY_SECONDS;

export const CONTACT = 'CONTACT#chat#*#541155550000';
export const LATER = '2026-11-20T12:00:05.000Z';
const CALL = { endpoint: 'message/v3', body: { messageText: 'Hi' } };

export type Make = (changes?: Record<string, unknown>) => StoredItem;
const make =
  (item: StoredItem): Make =>
  (changes = {}) =>
    Object.fromEntries(Object.entries({ ...item, ...changes }).filter(([, value]) => value !== undefined));

const REQUEST = {
  pk: 'SEND#order-17',
  sk: 'SEND',
  body: '{"requestId":"order-17"}',
  contact: CONTACT,
  contactSort: `SEND#${NOW}`,
  createdAt: NOW,
  expiresAt: expiryOf(NOW),
};
const CLAIM = {
  attempts: 1,
  claimId: 'claim-1',
  claimedAt: NOW,
  call: CALL,
  decision: 'The window is open.',
};

export const queued = make({ ...REQUEST, state: 'queued', queuedAt: NOW, broadcastState: `queued##${NOW}` });
export const claimed = make({ ...REQUEST, ...CLAIM, state: 'claimed', leaseUntil: '2026-11-20T12:03:00.000Z' });
export const accepted = make({
  ...REQUEST,
  ...CLAIM,
  state: 'accepted',
  acceptedAt: LATER,
  broadcastState: `accepted##${LATER}`,
  messageId: 'sent-1',
  outcome: 'The chat service accepted it.',
});
export const refused = make({
  ...REQUEST,
  state: 'refused',
  code: 'OPTED_OUT',
  decision: 'The user opted out.',
  refusedAt: LATER,
  stateShard: 'refused#7',
  stateAt: `${LATER}#OPTED_OUT`,
  broadcastState: `refused#OPTED_OUT#${LATER}`,
});
export const uncertain = make({
  ...REQUEST,
  ...CLAIM,
  state: 'uncertain',
  uncertainAt: LATER,
  outcome: 'HTTP 502',
  stateShard: 'uncertain#7',
  stateAt: LATER,
  broadcastState: `uncertain##${LATER}`,
});
export const erasedSend = make({
  pk: 'SEND#order-17',
  sk: 'SEND',
  body: '',
  expiresAt: expiryOf(NOW),
  attempts: 1,
  claimId: 'claim-1',
  claimedAt: NOW,
  state: 'accepted',
  acceptedAt: LATER,
  broadcastState: `accepted##${LATER}`,
  messageId: 'sent-1',
  erasedAt: LATER,
});
export const inbound = make({
  pk: 'MESSAGE#in-1',
  sk: 'MESSAGE',
  direction: 'inbound',
  contact: CONTACT,
  contactSort: `MESSAGE#${NOW}`,
  createdAt: NOW,
  createdAtSource: 'event',
  body: '{"_id_":"in-1"}',
  expiresAt: expiryOf(NOW),
});
/** The same message, and the version that an edit replaced. */
export const edited = make({
  ...inbound(),
  body: '{"_id_":"in-1","MESSAGE":"edited"}',
  modifiedAt: LATER,
  versions: new Set([versionDigest('{"_id_":"in-1"}')]),
});
export const version = make({
  pk: 'MESSAGE#in-1',
  sk: `VERSION#${versionDigest('{"_id_":"in-1"}')}`,
  direction: 'inbound',
  contact: CONTACT,
  contactSort: `VERSION#${NOW}`,
  createdAt: NOW,
  modifiedAt: NOW,
  body: '{"_id_":"in-1"}',
  expiresAt: expiryOf(NOW),
});
export const outbound = make({
  pk: 'MESSAGE#sent-1',
  sk: 'MESSAGE',
  direction: 'outbound',
  contact: CONTACT,
  contactSort: `MESSAGE#${NOW}`,
  createdAt: NOW,
  requestId: 'order-17',
  call: CALL,
  deliveredAt: LATER,
  statusBodies: new Set(['{"STATUS":"delivered"}']),
  expiresAt: expiryOf(NOW),
});
export const erasedMessage = make({
  pk: 'MESSAGE#sent-1',
  sk: 'MESSAGE',
  erasedAt: LATER,
  expiresAt: expiryOf(NOW),
});
export const contact = make({
  pk: CONTACT,
  sk: 'CONTACT',
  lastInboundAt: NOW,
  lastInboundDigest: 'digest',
  expiresAt: expiryOf(NOW),
});
export const denial = make({
  pk: CONTACT,
  sk: 'DENIAL',
  windowDeniedAt: NOW,
  expiresAt: Date.parse(NOW) / 1000 + DAY_SECONDS,
});
export const handover = make({
  pk: CONTACT,
  sk: 'HANDOVER',
  handoverAt: NOW,
  expiresAt: expiryOf(NOW),
});
export const turn = make({
  pk: CONTACT,
  sk: 'TURN',
  firstMessageId: 'in-1',
  startedAt: NOW,
  messageIds: new Set(['in-1', 'in-2']),
  messageCount: 2,
  expiresAt: expiryOf(NOW),
});
export const consent = make({
  pk: CONTACT,
  sk: 'CONSENT',
  userOptInAt: NOW,
  userOptInSource: 'form',
  userOptInRecordedAt: NOW,
});
export const closedCircuit = make({ pk: 'ACCOUNT#chat#+54911', sk: 'ACCOUNT', circuit: 'closed', closedAt: NOW });
export const stopped = make({ pk: 'ACCOUNT#chat#+54911', sk: 'ACCOUNT', stoppedAt: NOW, stopNote: 'Wrong template' });
export const resumed = make({ pk: 'ACCOUNT#chat#+54911', sk: 'ACCOUNT', resumedAt: LATER });
export const openCircuit = make({
  pk: 'ACCOUNT#chat#+54911',
  sk: 'ACCOUNT',
  circuit: 'open',
  reason: 'no-credit',
  why: 'code 101',
  openedAt: LATER,
  nextProbeAt: '2026-11-20T12:00:10.000Z',
  probes: 0,
  failedSends: 0,
});
export const erasure = make({
  pk: 'ERASURE#erasure-1',
  sk: 'ERASURE',
  state: 'running',
  requestedAt: NOW,
  messages: 2,
  sends: 1,
  deadLetters: 0,
  turns: 1,
});
export const auditEntry = make({
  pk: 'AUDIT#audit-1',
  sk: 'AUDIT',
  at: NOW,
  action: 'opt-in',
  caller: 'arn:aws:iam::111122223333:user/ana',
  contact: CONTACT,
  contactSort: `AUDIT#${NOW}`,
  source: 'form',
  stateShard: 'audit#3',
  stateAt: NOW,
  expiresAt: expiryOf(NOW),
});
export const deadLetter = make({
  pk: 'DEADLETTER#letter-1',
  sk: 'DEADLETTER',
  queue: 'send',
  reason: 'MALFORMED',
  since: NOW,
  keptAt: LATER,
  parts: 1,
  contacts: 1,
  stateShard: 'dead-letter#send',
  stateAt: NOW,
});
export const deadLetterPart = make({ pk: 'DEADLETTER#letter-1', sk: 'PART#0', data: 'body' });
export const deadLetterContact = make({
  pk: 'DEADLETTER#letter-1',
  sk: 'CONTACT#0',
  contact: CONTACT,
  contactSort: `DEADLETTER#${NOW}`,
  parts: 1,
  contacts: 1,
});
/** Only statuses of it have arrived. */
export const statusOnly = make({
  pk: 'MESSAGE#missing-1',
  sk: 'MESSAGE',
  deliveredAt: NOW,
  statusBodies: new Set(['{"STATUS":"delivered"}']),
  stateShard: 'gap#7',
  stateAt: NOW,
  expiresAt: expiryOf(NOW),
});
export const channel = make({
  pk: 'CHANNEL#chat#5491100000000',
  sk: 'CHANNEL',
  platform: 'chat',
  line: '5491100000000',
  firstSeenAt: NOW,
  stateShard: 'channel',
  stateAt: NOW,
});
export const channelDay = make({
  pk: 'CHANNEL#chat#5491100000000',
  sk: 'DAY#2026-11-20',
  slots: new Set(['1', '40']),
  expiresAt: Date.parse('2027-01-01T00:00:00.000Z') / 1000,
});
export const channels = make({
  pk: 'CHANNELS',
  sk: 'CHANNELS',
  channels: new Set(['CONTACT#chat#541100000000#']),
});
