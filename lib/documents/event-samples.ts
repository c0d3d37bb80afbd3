import { contactRef } from '../../lambdas/domain/contact.ts';
import type { BusEvent } from '../../lambdas/domain/events/event-details.ts';
import { EVENT_NAMES, type EventName } from '../../lambdas/domain/events/event-names.ts';
import type { ItemChange } from '../../lambdas/domain/events/item-change.ts';
import { itemEvents } from '../../lambdas/domain/events/item-events.ts';
import { serializeEvent } from '../../lambdas/domain/events/serialize-event.ts';
import { endedTurnIn, turnEvents } from '../../lambdas/domain/turns/turn-events.ts';
import { EMPTY_SUMMARY, summarizeMessage } from '../../lambdas/domain/turns/turn-summary.ts';
import { changeOf } from '../../lambdas/table/item-changes.ts';
import {
  accountKey,
  channelKey,
  consentKeyOf,
  contactName,
  echoKey,
  handoverKeyOf,
  type ItemKey,
  messageKey,
  sendKey,
  turnKeyOf,
} from '../../lambdas/table/keys.ts';

// The samples are what Parley publishes for these changes of the table, so a change of an event changes its sample.

const USER = '+5491155550001';
const BUSINESS = '+5491100000000';
const REQUEST = 'order-4711-shipped';
const CONTACT = contactRef('chat', USER);
const SENT_ID = '6746f2c1a7d5';
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

type Item = Readonly<Record<string, unknown>>;

const change = (key: ItemKey, after: Item | undefined, before?: Item): ItemChange => {
  const contact = { contact: contactName(CONTACT) };
  const sample = changeOf({
    key,
    before: before && { ...contact, ...before },
    after: after && { ...contact, ...after },
    writtenAt: '2026-11-20T11:00:05.000Z',
  });
  if (sample === undefined) throw new Error(`Changes of ${key.pk} ${key.sk} are not published.`);
  return sample;
};

const message = (messageId: string, text: string, createdAt: string, author: Record<string, string>): Item => ({
  direction: 'inbound',
  createdAt,
  traceparent,
  body: JSON.stringify({
    CHAT_PLATFORM_ID: 'chat',
    _id_: messageId,
    ...author,
    CREATION_TIME: createdAt,
    MESSAGE: text,
  }),
});

const status = (attributes: Item): ItemChange => {
  const before = { direction: 'outbound', requestId: REQUEST, traceparent };
  return change(messageKey(SENT_ID), { ...before, ...attributes }, before);
};

const CHANNEL = { platform: 'chat', line: BUSINESS.slice(1), firstSeenAt: '2026-10-01T08:00:00.000Z' };

const OPEN_WINDOW = 'The user wrote at 2026-11-20T11:00:00.000Z, so the window is open.';
const CLOSED_WINDOW = 'The user last wrote at 2026-11-19T10:00:00.000Z, so the window is closed.';

const REQUEST_BODY = JSON.stringify({
  requestId: REQUEST,
  platformContactId: USER,
  messageText: 'Your parcel is on its way.',
});

const send = (state: string, attributes: Item): ItemChange =>
  change(sendKey(REQUEST), {
    state,
    [`${state}At`]: '2026-11-20T11:00:05.000Z',
    body: REQUEST_BODY,
    traceparent,
    ...attributes,
  });

const account = (after: Item, before: Item = {}): ItemChange => {
  const names = { platform: 'chat', channel: BUSINESS };
  return change(accountKey(names), { ...names, ...after }, { ...names, ...before });
};

const handover = (after: Item, before: Item = {}): ItemChange => change(handoverKeyOf(CONTACT), after, before);

const TURN_MESSAGES = [
  message('6746f2b0c3e1', 'Hi!', '2026-11-20T11:00:00.000Z', { FROM: USER, FROM_NAME: 'Ana' }),
  message('6746f2b1d4f2', 'Where is my parcel?', '2026-11-20T11:00:02.000Z', { FROM: USER, FROM_NAME: 'Ana' }),
].map((image, index) => ({
  id: ['6746f2b0c3e1', '6746f2b1d4f2'][index] ?? '',
  createdAt: String(image.createdAt),
  body: String(image.body),
  traceparent,
}));

const TURN: Item = {
  firstMessageId: TURN_MESSAGES[0]?.id,
  startedAt: '2026-11-20T11:00:00.412Z',
  messageIds: new Set(TURN_MESSAGES.map(({ id }) => id)),
  messageCount: TURN_MESSAGES.length,
};

const CHANGES: Readonly<Record<EventName, ItemChange>> = {
  MessageReceived: change(
    messageKey('6746f2b0c3e1'),
    message('6746f2b0c3e1', 'Where is my parcel?', '2026-11-20T11:00:00.000Z', { FROM: USER, FROM_NAME: 'Ana' }),
  ),
  MessageUpdated: change(
    messageKey('6746f2b0c3e1'),
    {
      ...message('6746f2b0c3e1', 'Where are my parcels?', '2026-11-20T11:00:00.000Z', {
        FROM: USER,
        FROM_NAME: 'Ana',
        LAST_MODIFICATION: '2026-11-20T11:01:00.000Z',
      }),
      modifiedAt: '2026-11-20T11:01:00.000Z',
      versions: new Set(['47DEQpj8HBSa-_TImW-5JCeuQeRkm5NM']),
    },
    message('6746f2b0c3e1', 'Where is my parcel?', '2026-11-20T11:00:00.000Z', { FROM: USER, FROM_NAME: 'Ana' }),
  ),
  TurnEnded: change(turnKeyOf(CONTACT), undefined, TURN),
  MessageEchoed: change(
    echoKey('6746f2d9b8f4'),
    message('6746f2d9b8f4', 'It arrives today.', '2026-11-20T11:02:00.000Z', { FROM: 'me', TO: USER }),
  ),
  MessageDelivered: status({ deliveredAt: '2026-11-20T11:00:07.000Z' }),
  MessageRead: status({ readAt: '2026-11-20T11:03:00.000Z' }),
  MessageFailed: status({
    failedAt: '2026-11-20T11:00:09.000Z',
    failure: '131026 The user cannot receive the message.',
    failedBody: JSON.stringify({
      v: '1.1',
      type: 'status',
      chatPlatform: 'chat',
      contactId: USER,
      messageId: SENT_ID,
      status: 'error',
      reason: '131026.0',
      error: 'The user cannot receive the message.',
    }),
  }),
  MessageStatusChanged: status({ sentAt: '2026-11-20T11:00:06.000Z' }),
  WebhookEventUnknown: change(messageKey('event-Zk1yZ0o3b2pXc2FhQ2hKcVF5'), {
    direction: 'unknown',
    createdAt: '2026-11-20T11:00:05.000Z',
    traceparent,
    body: JSON.stringify({ v: '1.1', type: 'conversation-close', chatPlatform: 'chat', contactId: USER }),
  }),
  SendAccepted: send('accepted', {
    messageId: SENT_ID,
    decision: OPEN_WINDOW,
    outcome: `The chat service accepted it with the id ${SENT_ID}.`,
    call: {
      endpoint: 'message/v3',
      body: {
        chatPlatform: 'chat',
        chatChannelNumber: BUSINESS,
        platformContactId: USER,
        messageText: 'Your parcel is on its way.',
      },
    },
  }),
  SendRefused: send('refused', {
    code: 'WINDOW_CLOSED',
    decision: `${CLOSED_WINDOW} The request has no template, and the stage has no default template.`,
  }),
  SendRejected: send('rejected', {
    decision: OPEN_WINDOW,
    outcome: 'HTTP 400, code 400',
    outcomeDetails: 'chatPlatform is unknown',
  }),
  SendFailed: send('failed', {
    messageId: SENT_ID,
    decision: OPEN_WINDOW,
    code: '131026',
    failure: '131026 The user cannot receive the message.',
  }),
  SendExpired: send('expired', {
    decision: 'The request had to be sent by 2026-11-20T11:00:00.000Z (notAfter); it is now 2026-11-20T11:00:05.000Z.',
  }),
  SendUncertain: send('uncertain', { decision: OPEN_WINDOW, outcome: 'HTTP 502' }),
  SendCancelled: send('cancelled', { outcome: 'An operator cancelled it.' }),
  ContactHandedOver: handover({
    operatorWroteAt: '2026-11-20T11:00:05.000Z',
    operatorUntil: '2026-11-20T12:00:05.000Z',
  }),
  ContactHandedBack: handover(
    { handoverAt: '2026-11-20T11:00:05.000Z', handbackAt: '2026-11-20T11:30:00.000Z' },
    { handoverAt: '2026-11-20T11:00:05.000Z' },
  ),
  AccountHeld: account({
    circuit: 'open',
    openedAt: '2026-11-20T11:00:05.000Z',
    reason: 'no-credit',
    why: 'HTTP 500, code 503',
  }),
  AccountResumed: account({ circuit: 'closed', closedAt: '2026-11-20T11:30:00.000Z' }, { circuit: 'open' }),
  SendingStopped: account({ stoppedAt: '2026-11-20T11:00:05.000Z', stopNote: 'Wrong amounts in the reminders' }),
  SendingResumed: account(
    { resumedAt: '2026-11-20T11:30:00.000Z' },
    { stoppedAt: '2026-11-20T11:00:05.000Z', stopNote: 'Wrong amounts in the reminders' },
  ),
  ContactOptedIn: change(consentKeyOf(CONTACT), {
    userOptInAt: '2026-11-20T11:00:05.000Z',
    userOptInSource: 'registration form',
    userOptInRecordedAt: '2026-11-20T11:00:05.000Z',
  }),
  MessageMissing: change(
    messageKey(SENT_ID),
    { deliveredAt: '2026-11-20T10:45:00.000Z', missingSince: '2026-11-20T10:45:00.000Z', traceparent },
    { deliveredAt: '2026-11-20T10:45:00.000Z', traceparent },
  ),
  ChannelSilent: change(channelKey(CHANNEL), { ...CHANNEL, silentSince: '2026-11-20T10:05:00.000Z' }, CHANNEL),
  ChannelResumed: change(
    channelKey(CHANNEL),
    { ...CHANNEL, spokeAt: '2026-11-20T11:00:00.000Z' },
    { ...CHANNEL, silentSince: '2026-11-20T10:05:00.000Z' },
  ),
  ContactOptedOut: change(consentKeyOf(CONTACT), {
    userOptOutAt: '2026-11-20T11:00:05.000Z',
    userOptOutSource: 'call center',
    userOptOutRecordedAt: '2026-11-20T11:00:05.000Z',
  }),
};

/**
 * Returns a sample of each event as EventBridge delivers it.
 *
 * @throws Error if Parley publishes another event for the sample's change
 */
export const eventSamples = () => EVENT_NAMES.map((name) => envelope(onlyEvent(name, eventsOf(CHANGES[name]))));

const eventsOf = (sample: ItemChange): readonly BusEvent[] => {
  const turn = sample.kind === 'turn' ? endedTurnIn(sample) : undefined;
  return turn === undefined
    ? itemEvents(sample)
    : turnEvents(sample, turn, TURN_MESSAGES.reduce(summarizeMessage, EMPTY_SUMMARY));
};

const onlyEvent = (name: EventName, events: readonly BusEvent[]): BusEvent => {
  const [event] = events;
  if (events.length !== 1 || event?.name !== name) {
    throw new Error(`The change of lib/documents/event-samples.ts for ${name} must publish ${name} alone.`);
  }
  return event;
};

const envelope = (event: BusEvent) => {
  const { at, detail } = serializeEvent(event, { content: true });
  const fields: Readonly<Record<string, unknown>> = JSON.parse(detail);
  return {
    version: '0',
    id: '12345678-1234-1234-1234-123456789012',
    'detail-type': event.name,
    source: 'parley',
    account: '111122223333',
    time: at.replace(/\.\d+Z$/, 'Z'),
    region: 'eu-west-1',
    resources: [],
    detail: fields,
  };
};
