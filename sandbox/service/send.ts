import { changeAccount, getAccount } from './account.ts';
import { findChannel } from './channels.ts';
import type { ChatEvent } from './events.ts';
import type { Content, Refusal, Rule, SentMessage } from './model.ts';
import { fillRule, findRule, missingVariables } from './rules.ts';
import type { Change, Moment, ServiceState } from './state.ts';
import { deliver } from './statuses.ts';
import { contactKey, ensureUser, findUser } from './users.ts';
import { hasOpenWindow } from './window.ts';

interface Route {
  readonly chatPlatform: string;
  readonly chatChannelNumber: string;
  readonly platformContactId: string;
}

/** Source: contract, "Outbound message request". */
export type MessageRequest = Route & Content;

/** Source: contract, "Rule activation request"; `clientPayload` is from the field notes. */
export type IntentRequest = Route & {
  readonly ruleNameOrId: string;
  readonly params?: Record<string, string>;
  readonly clientPayload?: string;
};

/** With `jobId`, the service names only the job that sends the message. */
export type SendOutcome =
  | { readonly kind: 'accepted'; readonly id: string; readonly jobId?: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Sends a free-form message, which is allowed only within the user's window (contract, "Send a message"). */
export const sendMessage = (
  state: ServiceState,
  request: MessageRequest,
  body: unknown,
  moment: Moment,
): Change<SendOutcome> => {
  const { messageText, audioURL, imageURL, fileURL } = request;
  const content = { messageText, audioURL, imageURL, fileURL };
  const refusal =
    channelRefusal(state, request) ??
    mediaRefusal(content) ??
    contactRefusal(state, request) ??
    creditRefusal(state) ??
    (hasOpenWindow(state, request, moment.now) ? undefined : { reason: 'WINDOW_CLOSED' });
  if (refusal !== undefined) return refused(refusal);
  return accept(state, request, { endpoint: 'message/v3', body, content }, moment);
};

/** Sends a rule or template; outside the window an approved one (contract, "Activate a rule or send a template"). */
export const sendIntent = (
  state: ServiceState,
  request: IntentRequest,
  body: unknown,
  moment: Moment,
): Change<SendOutcome> => {
  const unknownChannel = channelRefusal(state, request);
  if (unknownChannel !== undefined) return refused(unknownChannel);
  const { ruleNameOrId, params = {}, clientPayload } = request;
  const rule = findRule(state, ruleNameOrId);
  if (rule === undefined) return refused({ reason: 'UNKNOWN_RULE', ruleNameOrId });
  const names = missingVariables(rule, params);
  if (names.length > 0) return refused({ reason: 'MISSING_VARIABLE', names });
  const refusal =
    contactRefusal(state, request) ??
    creditRefusal(state) ??
    (hasOpenWindow(state, request, moment.now) ? undefined : writingFirstRefusal(state, request, rule));
  if (refusal !== undefined) return refused(refusal);
  const content = fillRule(rule, params);
  return accept(state, request, { endpoint: 'intent/v2', body, content, ruleName: rule.name, clientPayload }, moment);
};

const channelRefusal = (state: ServiceState, { chatPlatform, chatChannelNumber }: Route): Refusal | undefined =>
  // Real clients write the platform's name in any case.
  chatPlatform.toLowerCase() === state.chatPlatform.toLowerCase() && findChannel(state, chatChannelNumber) !== undefined
    ? undefined
    : { reason: 'INVALID_CHANNEL', chatPlatform, chatChannelNumber };

const mediaRefusal = (content: Content): Refusal | undefined => {
  const url = unsupportedMedia(content);
  return url === undefined ? undefined : { reason: 'MEDIA_UNSUPPORTED', url };
};

const contactRefusal = (state: ServiceState, { platformContactId }: Route): Refusal | undefined =>
  findUser(state, platformContactId)?.onPlatform === false
    ? { reason: 'NOT_ON_PLATFORM', contact: platformContactId }
    : undefined;

const creditRefusal = (state: ServiceState): Refusal | undefined =>
  getAccount(state).credit < 1 ? { reason: 'INSUFFICIENT_CREDIT' } : undefined;

/**
 * Checks what the business needs to write first (contract, "Rules of use" 1 to 3). An earlier message from the user
 * counts as an opt-in. The opt-in is checked only if the account requires it, since users usually give it elsewhere.
 */
const writingFirstRefusal = (
  state: ServiceState,
  { platformContactId: contact }: Route,
  rule: Rule,
): Refusal | undefined => {
  if (rule.status !== 'approved') return { reason: 'RULE_NOT_APPROVED', ruleName: rule.name };
  if (rule.category === undefined) return { reason: 'NO_APPROVED_REASON', ruleName: rule.name };
  const { approved, optInRequired } = getAccount(state);
  if (!approved) return { reason: 'ACCOUNT_NOT_APPROVED' };
  const user = findUser(state, contact);
  const hasWritten = (user?.conversations.size ?? 0) > 0;
  return optInRequired && !hasWritten && !user?.optIn ? { reason: 'NO_OPT_IN', contact } : undefined;
};

const accept = (
  state: ServiceState,
  { chatChannelNumber, platformContactId }: Route,
  parts: Pick<SentMessage, 'endpoint' | 'body' | 'content' | 'ruleName' | 'clientPayload'>,
  moment: Moment,
): Change<SendOutcome> => {
  const user = ensureUser(state, platformContactId, moment);
  const account = getAccount(state);
  const isJob = account.answerId !== 'id';
  const txId = isJob || parts.endpoint === 'intent/v2' ? moment.newId() : undefined;
  const message: SentMessage = {
    ...parts,
    txId,
    direction: 'out',
    id: moment.newId(),
    at: moment.now,
    chatChannelNumber: findChannel(state, chatChannelNumber) ?? chatChannelNumber,
    contactKey: contactKey(platformContactId),
    status: 'accepted',
  };
  state.messages.set(message.id, message);
  changeAccount(state, { credit: account.credit - 1 });
  // In v1.1, only the message's own event connects the job with the message.
  const isEchoed = account.echoes || (isJob && account.eventFormat === 'v1.1');
  const echo: ChatEvent = { kind: 'messages', messages: [{ user, message }] };
  return {
    result: { kind: 'accepted', id: message.id, ...(isJob && { jobId: txId }) },
    events: [...(isEchoed ? [echo] : []), ...deliver(state, user, message, moment.now)],
  };
};

const refused = (refusal: Refusal): Change<SendOutcome> => ({ result: { kind: 'refused', refusal }, events: [] });

const VIDEO_OR_GIF = /\.(gif|mp4|m4v|mov|avi|mkv|webm|wmv|flv|mpe?g|3gpp?|ogv)$/i;

/** Goes by the extension of the URL's path, because the sandbox does not fetch the file. */
export const isVideoOrGif = (url: string): boolean => VIDEO_OR_GIF.test(URL.parse(url)?.pathname ?? '');

/** Returns the first video or GIF URL, which the service does not support (contract, "Rules of use" 9). */
export const unsupportedMedia = (content: Content): string | undefined =>
  [content.audioURL, content.imageURL, content.fileURL].find((url) => url !== undefined && isVideoOrGif(url));

export const isEmptyContent = (content: Content): boolean =>
  !content.messageText && !content.audioURL && !content.imageURL && !content.fileURL;
