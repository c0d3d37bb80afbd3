import { accountOf, changeAccount } from './account.ts';
import { findChannel } from './channels.ts';
import type { SentMessage } from './chat-message.ts';
import { contactKey } from './contact-key.ts';
import { type Content, unsupportedMedia } from './media.ts';
import type { Refusal } from './refusal.ts';
import { fillRule, findRule, missingVariables, type Rule } from './rules.ts';
import type { Change, Moment, ServiceState } from './state.ts';
import { deliver } from './statuses.ts';
import { findUser, userOf } from './users.ts';
import { isWindowOpen } from './window.ts';

type Route = { chatPlatform: string; chatChannelNumber: string; platformContactId: string };

/** Contract, "Outbound message request". */
export type MessageRequest = Route & Content;

/** Contract, "Rule activation request"; `clientPayload` is from the field notes. */
export type IntentRequest = Route & { ruleNameOrId: string; params?: Record<string, string>; clientPayload?: string };

export type SendOutcome = { kind: 'accepted'; id: string } | { kind: 'refused'; refusal: Refusal };

/** Contract, "Send a message": free-form, so only within the user's window. */
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

/** Contract, "Activate a rule or send a template": outside the window only what is approved. */
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
    (hasOpenWindow(state, request, moment.now) ? undefined : firstWordRefusal(state, request, rule));
  if (refusal !== undefined) return refused(refusal);
  const content = fillRule(rule, params);
  return accept(state, request, { endpoint: 'intent/v2', body, content, ruleName: rule.name, clientPayload }, moment);
};

const channelRefusal = (state: ServiceState, { chatPlatform, chatChannelNumber }: Route): Refusal | undefined =>
  chatPlatform === state.chatPlatform && findChannel(state, chatChannelNumber) !== undefined
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
  accountOf(state).credit < 1 ? { reason: 'INSUFFICIENT_CREDIT' } : undefined;

/**
 * Contract, "Rules of use" 1 to 3: what the business needs to write first. A user who wrote before gave the first word;
 * the opt-in is asked for only where the account says so, since it is usually given where the service cannot see it.
 */
const firstWordRefusal = (
  state: ServiceState,
  { platformContactId: contact }: Route,
  rule: Rule,
): Refusal | undefined => {
  if (rule.status !== 'approved') return { reason: 'RULE_NOT_APPROVED', ruleName: rule.name };
  if (rule.category === undefined) return { reason: 'NO_APPROVED_REASON', ruleName: rule.name };
  const { approved, optInRequired } = accountOf(state);
  if (!approved) return { reason: 'ACCOUNT_NOT_APPROVED' };
  const user = findUser(state, contact);
  const hasWritten = (user?.conversations.size ?? 0) > 0;
  return optInRequired && !hasWritten && !user?.optIn ? { reason: 'NO_OPT_IN', contact } : undefined;
};

const hasOpenWindow = (state: ServiceState, request: Route, now: Date): boolean => {
  const channel = findChannel(state, request.chatChannelNumber);
  const user = findUser(state, request.platformContactId);
  return channel !== undefined && isWindowOpen(user?.conversations.get(channel), now);
};

const accept = (
  state: ServiceState,
  { chatChannelNumber, platformContactId }: Route,
  parts: Pick<SentMessage, 'endpoint' | 'body' | 'content' | 'ruleName' | 'clientPayload'>,
  moment: Moment,
): Change<SendOutcome> => {
  const user = userOf(state, platformContactId, moment);
  const message: SentMessage = {
    ...parts,
    direction: 'out',
    id: moment.newId(),
    at: moment.now,
    chatChannelNumber: findChannel(state, chatChannelNumber) ?? chatChannelNumber,
    contactKey: contactKey(platformContactId),
    status: 'accepted',
  };
  state.messages.set(message.id, message);
  changeAccount(state, { credit: accountOf(state).credit - 1 });
  return { result: { kind: 'accepted', id: message.id }, events: deliver(state, user, message, moment.now) };
};

const refused = (refusal: Refusal): Change<SendOutcome> => ({ result: { kind: 'refused', refusal }, events: [] });
