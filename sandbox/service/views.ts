import { isValidToken } from './account.ts';
import {
  type AccessToken,
  type Account,
  type ChatMessage,
  isSent,
  type Profile,
  type Rule,
  type SentMessage,
  type Template,
  type User,
  type UserContent,
} from './model.ts';
import { isWindowOpen, WINDOW_MS } from './window.ts';

/*
 * The service's data as the control API and the feed show it. docs/sandbox-api.md documents these fields.
 */

export const userView = (user: User, now: Date) => {
  const { conversations, createdAt: _createdAt, earlierUser, ...settings } = user;
  const windows = [...conversations].map(([chatChannelNumber, conversation]) => ({
    chatChannelNumber,
    lastInboundAt: conversation.lastInboundAt.toISOString(),
    closesAt: new Date(conversation.lastInboundAt.getTime() + WINDOW_MS).toISOString(),
    open: isWindowOpen(conversation, now),
  }));
  return { ...settings, customerSince: earlierUser?.until.toISOString() ?? null, windows };
};

/** A message as the phone shows it; with media, `text` is the caption. */
export const messageView = (message: ChatMessage) => {
  const { id, direction, at, chatChannelNumber } = message;
  const common = { id, direction, at: at.toISOString(), chatChannelNumber };
  if (!isSent(message)) {
    const { text, imageUrls, audioUrls, fileUrls, videoUrls = [], receivedAt, edits = [] } = message;
    const { location, contacts, buttonPayload, error } = message;
    const media = [
      ...mediaViews('image', imageUrls),
      ...mediaViews('audio', audioUrls),
      ...mediaViews('file', fileUrls),
      ...mediaViews('video', videoUrls),
    ];
    const other: Pick<UserContent, 'location' | 'contacts' | 'buttonPayload' | 'error'> = {
      location,
      contacts,
      buttonPayload,
      error,
    };
    return {
      ...common,
      text: text ?? null,
      media,
      ...other,
      receivedAt: receivedAt.toISOString(),
      edits: edits.map((at) => at.toISOString()),
    };
  }
  const { content, endpoint, ruleName, clientPayload, txId, status, code, deliveredAt, seenAt } = message;
  const reported: Pick<SentMessage, 'txId' | 'status' | 'code'> = { txId, status, code };
  const media = [
    ...mediaViews('image', [content.imageURL]),
    ...mediaViews('audio', [content.audioURL]),
    ...mediaViews('file', [content.fileURL]),
  ];
  return {
    ...common,
    text: content.messageText ?? null,
    media,
    endpoint,
    ruleName: ruleName ?? null,
    clientPayload: clientPayload ?? null,
    ...reported,
    deliveredAt: deliveredAt?.toISOString() ?? null,
    seenAt: seenAt?.toISOString() ?? null,
  };
};

const mediaViews = (kind: 'image' | 'audio' | 'file' | 'video', urls: readonly (string | undefined)[]) =>
  urls.flatMap((url) => (url === undefined ? [] : { kind, url }));

export const ruleView = (rule: Rule) => rule;

export const templateView = ({ why, submittedAt, ...template }: Template) => ({
  ...template,
  why: why ?? null,
  submittedAt: submittedAt.toISOString(),
});

/** The account without the photo's bytes, which GET /sandbox/account/photo.svg returns. */
export const accountView = ({ application, profile, ...settings }: Account) => ({
  ...settings,
  mode: settings.approved ? 'live' : 'sandbox',
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
