import { LinkList } from '../components/link-list.tsx';
import { formatSeconds } from '../components/time.ts';
import { type FeedEntry, stringField } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';

/** The sandbox's feed for all users, latest entry first. */
export const EventLog = () => {
  const eventLog = useConsole((state) => state.eventLog);
  const selection = useConsole((state) => state.route.selection);
  return (
    <LinkList
      rows={eventLog}
      keyOf={({ id }) => String(id)}
      targetOf={(entry) => {
        const { messageId, contact } = describe(entry);
        if (messageId === undefined) return undefined;
        const selection = { kind: 'message' as const, id: messageId };
        return contact === undefined ? { selection } : { user: contact, selection };
      }}
      isCurrent={(entry) => selection?.kind === 'message' && describe(entry).messageId === selection.id}
      rowClass="log-row"
      label="Event log"
      empty="No events yet."
      renderRow={(entry) => <EventRow entry={entry} />}
    />
  );
};

const EventRow = ({ entry }: { entry: FeedEntry }) => {
  const { event, detail } = describe(entry);
  return (
    <>
      <time class="time">{formatSeconds(entry.at)}</time>
      <span class="id">{event}</span>
      <span class="detail">{detail}</span>
    </>
  );
};

/** An entry with a `messageId` opens that message's timeline. */
type Description = { event: string; detail: string; messageId?: string; contact?: string };

const describe = (entry: FeedEntry): Description => {
  switch (entry.type) {
    case 'user-wrote':
      return { event: 'User message', detail: entry.contact, messageId: entry.message.id, contact: entry.contact };
    case 'message-accepted':
      return { event: 'Message accepted', detail: entry.contact, messageId: entry.message.id, contact: entry.contact };
    case 'status-changed': {
      const status = 'status' in entry.message ? entry.message.status : '';
      const { contact, message } = entry;
      return { event: `Status ${status}`, detail: contact, messageId: message.id, contact };
    }
    case 'call': {
      const { path, status, contact, messageId } = entry.call;
      const detail = `${path.split('/').slice(-2).join('/')} ${contact ?? ''}`;
      return { event: `API call ${status}`, detail, messageId: messageId ?? undefined };
    }
    case 'event-published':
      return { event: 'Event published', detail: summarize(entry.event), messageId: messageIdOf(entry.event) };
    case 'webhook-attempt': {
      const { status, attempt, event, error } = entry.delivery;
      const detail = `${summarize(event)}, attempt ${attempt}${error ? `: ${error}` : ''}`;
      return { event: `Webhook ${status ?? 'no response'}`, detail, messageId: messageIdOf(event) };
    }
    case 'event-expired': {
      const detail = `${summarize(entry.event)}, after 7 days and ${attempts(entry.attempts)}`;
      return { event: 'Event expired', detail, messageId: messageIdOf(entry.event) };
    }
    case 'template-changed':
      return { event: 'Template changed', detail: `${entry.name}: ${entry.template?.status ?? 'deleted'}` };
    case 'channel-added':
      return { event: 'Number added', detail: entry.chatChannelNumber };
    case 'clock-moved':
      return { event: 'Clock advanced', detail: `to ${entry.now}` };
    case 'user-changed':
      return { event: 'User changed', detail: entry.user.contact };
    case 'rule-changed':
      return { event: 'Rule changed', detail: `${entry.name}: ${entry.rule?.status ?? 'deleted'}` };
    case 'account-changed':
      return { event: 'Account changed', detail: `${entry.account.mode} mode, credit ${entry.account.credit}` };
    case 'webhook-changed':
      return { event: 'Webhook changed', detail: '' };
    case 'access-tokens-changed':
      return { event: 'Tokens changed', detail: '' };
    case 'reset':
    case 'gap':
      return { event: entry.type, detail: '' };
  }
};

const messageIdOf = (event: unknown): string | undefined => stringField(event, '_id_');

const summarize = (event: unknown): string =>
  `${stringField(event, 'STATUS') ?? 'message'} ${stringField(event, 'FROM') ?? '(no sender)'}`;

const attempts = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);
