import { type AddressedRequest, addresseeOf, resolveAddressee } from '../../lambdas/domain/addressed-request.ts';
import type { Consent } from '../../lambdas/domain/consent.ts';
import type { Contact } from '../../lambdas/domain/contact.ts';
import type { SendRules } from '../../lambdas/domain/decision.ts';
import { ms } from '../../lambdas/domain/duration.ts';
import type { RetentionDays } from '../../lambdas/domain/retention.ts';
import type { AddressedSend, Claim, QueuedSend, SendResult } from '../../lambdas/domain/send.ts';
import type { SendRequest } from '../../lambdas/domain/send-request.ts';
import { startTrace } from '../../lambdas/domain/trace-context.ts';

/** Builders return valid values by default; each test breaks one thing. */
export const NOW = '2026-11-20T12:00:00.000Z';
export const USER = '+5491155550000';
/** A trace that a caller has started. */
export const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
export const ACCOUNT = { platform: 'chat', channel: '+5491100000000' };

export const wireMessage = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  CHAT_PLATFORM_ID: 'chat',
  MESSAGE: 'Where is my parcel?',
  CREATION_TIME: '2026-11-20T11:00:00.000Z',
  FROM_NAME: 'Ana',
  CUSTOMER_ID: 'customer-1',
  _id_: 'message-1',
  FROM: '5491155550000',
  SESSION_CREATION_TIME: '2026-11-20T10:59:00.000Z',
  IMAGES_URLS: [],
  ...changes,
});

export const wireStatus = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  CHAT_PLATFORM_ID: 'chat',
  CREATION_TIME: '2026-11-20T11:00:05.000Z',
  CUSTOMER_ID: 'customer-1',
  _id_: 'message-1',
  FROM: '5491155550000',
  STATUS: 'delivered',
  ...changes,
});

const ENVELOPE = { v: '1.1', chatPlatform: 'chat', contactId: '5491155550000' };

/** A message in the format `v1.1` whose event does not say who wrote it. */
export const messageOfNobody = ({ id, date }: { readonly id: string; readonly date: string }) => ({
  ...ENVELOPE,
  type: 'message',
  messages: [{ _id: id, date, message: 'Where is my parcel?' }],
});

/** An event of a kind that Parley does not know. */
export const EVENT_OF_NEW_KIND = { ...ENVELOPE, type: 'event', event: 'typing' };

export const sendRequest = (changes: Partial<AddressedRequest> = {}): AddressedRequest => ({
  requestId: 'request-1',
  platformContactId: USER,
  messageText: 'Your parcel is on its way.',
  ...changes,
});

export const templateRequest = (changes: Partial<AddressedRequest> = {}): AddressedRequest => ({
  requestId: 'request-1',
  reason: 'shipping-status',
  platformContactId: USER,
  ruleNameOrId: 'parcel_update',
  params: { name: 'Ana' },
  ...changes,
});

/** A contact whose last message is an hour old. */
export const contact = (changes: Partial<Contact> = {}): Contact => ({
  address: '5491155550000',
  lastInboundAt: '2026-11-20T11:00:00.000Z',
  ...changes,
});

/** The user's own opt-in. */
export const optIn = (at: string, changes: Partial<Consent> = {}): Consent => ({
  kind: 'opt-in',
  origin: 'user',
  at,
  source: 'form',
  ...changes,
});

/** The user's own opt-out. */
export const optOut = (at: string, changes: Partial<Consent> = {}): Consent => ({
  ...optIn(at),
  kind: 'opt-out',
  ...changes,
});

/** A stage that adds nothing to what events mean, and does not watch what arrives. */
export const PLAIN_RECEIVER = {
  keywords: undefined,
  operatorEchoes: undefined,
  turns: false,
  followUpOf: undefined,
  watch: undefined,
} as const;

export const sendRules = (changes: Partial<SendRules> = {}): SendRules => ({
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  windowMarginMs: ms(60_000),
  defaultTemplate: undefined,
  numberFormat: 'verbatim',
  clientPayload: 'intent',
  contactCheck: 'off',
  templates: undefined,
  operators: undefined,
  optOutExemptReasons: [],
  optOutConfirmation: undefined,
  ...changes,
});

/** A request as the send queue delivers it. */
export function queuedSend(request?: AddressedRequest): AddressedSend;
export function queuedSend(request: SendRequest): QueuedSend;
export function queuedSend(request: SendRequest = sendRequest()): QueuedSend {
  const defaults = { chatPlatform: ACCOUNT.platform, chatChannelNumber: ACCOUNT.channel, windowPer: 'user' } as const;
  return {
    request,
    body: JSON.stringify(request),
    contact: resolveAddressee(defaults, request),
    groupId: addresseeOf(request),
    deduplicationId: request.requestId,
    traceparent: startTrace('send', request.requestId),
    endBy: '2026-11-20T12:02:00.000Z',
  };
}

/** A claim that lasts three minutes from {@link NOW}. */
export const claim = (changes: Partial<Claim> = {}): Claim => ({
  claimId: 'claim-1',
  claimedAt: NOW,
  leaseUntil: '2026-11-20T12:03:00.000Z',
  call: { endpoint: 'message/v3', body: { messageText: 'Your parcel is on its way.' } },
  decision: 'The window is open.',
  ...changes,
});

/** The result that moves a claimed send to a state. */
export const sendResult = (state: SendResult['state'], at = NOW): SendResult => {
  switch (state) {
    case 'accepted':
      return { state, at, messageId: 'message-1', outcome: 'The chat service accepted it.' };
    case 'refused':
      return { state, at, code: 'OPTED_OUT', decision: 'The user opted out.' };
    case 'expired':
      return { state, at, decision: 'notAfter has passed.' };
    case 'uncertain':
      return { state, at, outcome: 'HTTP 502', isAnswered: false };
    case 'rejected':
      return { state, at, code: '104', outcome: 'HTTP 400, code 104' };
    case 'waiting':
      return { state, at, outcome: 'HTTP 502' };
  }
};

/** How long each kind of data is kept, as by default. */
export const RETENTION_DAYS: RetentionDays = {
  messages: 400,
  sends: 400,
  contacts: 400,
  audit: 400,
};

/** A JSON Web Token with these claims, whose signature nobody verifies. */
export const jwt = (claims: unknown): string =>
  [{ alg: 'HS256' }, claims, 'signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
