import type { Carrier } from '../carrier/carrier.ts';
import { type CarrierMessage, type DeliveryAttempt, shownBody } from '../carrier/carrier-message.ts';
import type { WebhookSettings } from '../carrier/webhook-settings.ts';
import { parseJson } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import { type AccessToken, isValidToken } from '../service/access-tokens.ts';
import { type Account, accountOf } from '../service/account.ts';
import type { Profile } from '../service/approval.ts';
import { chatChannelNumbers } from '../service/channels.ts';
import { type ChatMessage, isSent } from '../service/chat-message.ts';
import type { Rule } from '../service/rules.ts';
import type { Template } from '../service/templates.ts';
import type { User } from '../service/users.ts';
import { isWindowOpen, WINDOW_MS } from '../service/window.ts';

/** A user as the control API shows it. */
export const userView = (user: User, now: Date) => {
  const { conversations, ...settings } = user;
  const windows = [...conversations].map(([chatChannelNumber, conversation]) => ({
    chatChannelNumber,
    lastInboundAt: conversation.lastInboundAt.toISOString(),
    closesAt: new Date(conversation.lastInboundAt.getTime() + WINDOW_MS).toISOString(),
    open: isWindowOpen(conversation, now),
  }));
  return { ...settings, windows };
};

/** A message as the phone shows it; with media, `text` is the caption. */
export const messageView = (message: ChatMessage) => {
  const { id, direction, at, chatChannelNumber } = message;
  const common = { id, direction, at: at.toISOString(), chatChannelNumber };
  if (!isSent(message)) {
    const { text, imageUrls, audioUrls, fileUrls, receivedAt } = message;
    const media = [...ofKind('image', imageUrls), ...ofKind('audio', audioUrls), ...ofKind('file', fileUrls)];
    return { ...common, text: text ?? null, media, receivedAt: receivedAt.toISOString() };
  }
  const { content, endpoint, ruleName, clientPayload, status, deliveredAt, seenAt } = message;
  const media = [
    ...ofKind('image', [content.imageURL]),
    ...ofKind('audio', [content.audioURL]),
    ...ofKind('file', [content.fileURL]),
  ];
  return {
    ...common,
    text: content.messageText ?? null,
    media,
    endpoint,
    ruleName: ruleName ?? null,
    clientPayload: clientPayload ?? null,
    status,
    deliveredAt: deliveredAt?.toISOString() ?? null,
    seenAt: seenAt?.toISOString() ?? null,
  };
};

const ofKind = (kind: 'image' | 'audio' | 'file', urls: readonly (string | undefined)[]) =>
  urls.flatMap((url) => (url === undefined ? [] : { kind, url }));

export const ruleView = (rule: Rule) => rule;

export const templateView = ({ why, submittedAt, ...template }: Template) => ({
  ...template,
  why: why ?? null,
  submittedAt: submittedAt.toISOString(),
});

/** The account without the photo's bytes, which GET /sandbox/account/photo.svg shows. */
export const accountView = ({ credit, approved, optInRequired, application, profile }: Account) => ({
  credit,
  approved,
  mode: approved ? 'live' : 'sandbox',
  optInRequired,
  application: application
    ? {
        businessAccountId: application.businessAccountId,
        numbers: application.numbers,
        profile: withoutPhoto(application.profile),
        requestedAt: application.requestedAt.toISOString(),
      }
    : null,
  profile: profile ? withoutPhoto(profile) : null,
});

const withoutPhoto = ({ photo: _photo, ...texts }: Profile) => texts;

export const accessTokenView = (token: AccessToken, now: Date) => ({
  accessToken: token.accessToken,
  issuedAt: token.issuedAt.toISOString(),
  expiresAt: token.expiresAt?.toISOString() ?? null,
  revokedAt: token.revokedAt?.toISOString() ?? null,
  valid: isValidToken(token, now),
});

export const outboxView = (messages: Iterable<ChatMessage>) => ({
  messages: [...messages].filter(isSent).map(({ id, endpoint, at, body, content, status }) => ({
    id,
    endpoint,
    at: at.toISOString(),
    body,
    content,
    status,
  })),
});

export const deliveriesView = (carrier: Carrier, limit = Number.POSITIVE_INFINITY) => ({
  deliveries: carrier.attempts().slice(-limit).map(deliveryView),
  pending: carrier.pending(),
  expired: carrier.expired().map(expiredView),
  retained: carrier.retained(),
});

/** An event that was dropped after seven days without an acknowledgement. */
export const expiredView = (message: CarrierMessage) => ({
  messageId: message.messageId,
  event: eventView(shownBody(message)),
  publishedAt: message.publishedAt.toISOString(),
  attempts: message.attempts,
});

/** The webhook without its secrets. */
export const webhookView = ({ url, auth, wrapped = true }: WebhookSettings) => ({ url, kind: auth.kind, wrapped });

export const stateView = ({ state, clock, carrier, feed, webhook }: RunningService) => ({
  feedId: feed.lastId(),
  now: clock.now().toISOString(),
  chatPlatform: state.chatPlatform,
  chatChannelNumbers: chatChannelNumbers(state),
  credit: accountOf(state).credit,
  account: accountView(accountOf(state)),
  users: Array.from(state.users.values(), (user) => userView(user, clock.now())),
  rules: [...state.rules.values()],
  templates: Array.from(state.templates.values(), templateView),
  webhook: webhook ? webhookView(webhook) : null,
  pending: carrier.pending(),
});

export const deliveryView = ({ messageId, shownBody, attempt, at, status, error }: DeliveryAttempt) => ({
  messageId,
  event: eventView(shownBody),
  attempt,
  status,
  at: at.toISOString(),
  ...(error === undefined ? {} : { error }),
});

/** The event's JSON, or its text when the bytes are no JSON. */
export const eventView = (body: Uint8Array): unknown => {
  const text = new TextDecoder().decode(body);
  const value = parseJson(text);
  return value === undefined ? text : value;
};
