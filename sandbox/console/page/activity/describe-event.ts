import { counted } from '../components/counted.ts';
import { formatDateTime } from '../components/time.ts';
import { otherContent } from '../phone/other-content.ts';
import { type FeedEntry, hasFailed, isAcknowledged, isByOperator, type Message } from '../state/api.ts';
import { readEvent } from '../state/event-fields.ts';

/** An entry of the event log in words, and what it is about. */
export interface EventDescription {
  readonly event: string;
  readonly detail: string;
  readonly messageId?: string | undefined;
  /** The user's address. */
  readonly contact?: string | undefined;
  readonly isError?: boolean;
}

export const describeEvent = (entry: FeedEntry): EventDescription => {
  switch (entry.type) {
    case 'user-wrote':
      return { event: 'User message', detail: textOf(entry.message), ...aboutMessage(entry) };
    case 'message-edited':
      return { event: 'Message edited', detail: textOf(entry.message), ...aboutMessage(entry) };
    case 'message-accepted': {
      const event = isByOperator(entry.message) ? 'Operator message' : 'Message accepted';
      return { event, detail: textOf(entry.message), ...aboutMessage(entry) };
    }
    case 'status-changed': {
      const status = 'status' in entry.message ? entry.message.status : '';
      return { event: `Message ${status}`, detail: textOf(entry.message), ...aboutMessage(entry) };
    }
    case 'call': {
      const { method, path, status, contact, messageId } = entry.call;
      const detail = `${method} ${path.split('/').slice(-2).join('/')}`;
      const about = { messageId: messageId ?? undefined, contact: contact ?? undefined };
      return { event: `API call: ${status ?? 'no answer'}`, detail, ...about, isError: hasFailed(entry.call) };
    }
    case 'event-published':
      return { event: 'Event published', detail: kindOf(entry.event), ...aboutEvent(entry.event) };
    case 'webhook-attempt': {
      const { status, attempt, event, error } = entry.delivery;
      const detail = `${kindOf(event)}, attempt ${attempt}${error ? `: ${error}` : ''}`;
      const isError = !isAcknowledged(entry.delivery);
      return { event: `Webhook: ${status ?? 'no response'}`, detail, ...aboutEvent(event), isError };
    }
    case 'event-expired': {
      const detail = `${kindOf(entry.event)}, after ${counted(entry.attempts, 'attempt')}`;
      return { event: 'Event dropped', detail, ...aboutEvent(entry.event), isError: true };
    }
    case 'user-changed':
      return { event: 'User changed', detail: '', contact: entry.user.contact };
    case 'template-changed':
      return { event: 'Template changed', detail: `${entry.name}: ${entry.template?.status ?? 'deleted'}` };
    case 'rule-changed':
      return { event: 'Rule changed', detail: `${entry.name}: ${entry.rule?.status ?? 'deleted'}` };
    case 'channel-added':
      return { event: 'Number added', detail: entry.chatChannelNumber };
    case 'clock-moved':
      return { event: 'Clock advanced', detail: `to ${formatDateTime(Date.parse(entry.now))}` };
    case 'account-changed':
      return { event: 'Account changed', detail: `${entry.account.mode} mode, credit ${entry.account.credit}` };
    case 'webhook-changed':
      return { event: 'Webhook changed', detail: '' };
    case 'access-tokens-changed':
      return { event: 'Access tokens changed', detail: '' };
    case 'reset':
      return { event: 'Sandbox reset', detail: '' };
    case 'gap':
      return { event: 'Events missing', detail: '' };
  }
};

/** Returns what an event is: a message, or a status such as `delivered`. */
export const kindOf = (event: unknown): string => {
  const { status, messageIds } = readEvent(event);
  return status ?? (messageIds.length > 1 ? counted(messageIds.length, 'message') : 'message');
};

const aboutMessage = ({ message, contact }: { message: Message; contact: string }) => ({
  messageId: message.id,
  contact,
});

const aboutEvent = (event: unknown) => {
  const { messageIds, contact } = readEvent(event);
  return { messageId: messageIds[0], contact };
};

const textOf = (message: Message): string =>
  message.text || otherContent(message) || message.media.map(({ kind }) => kind).join(', ');
