import { preciseTime } from '../parts/format-time.ts';
import { WindowedList } from '../parts/windowed-list.tsx';
import { chooseUser } from '../state/choose-user.ts';
import { type Chosen, store } from '../state/console-state.ts';
import type { FeedEntry } from '../state/shapes.ts';
import { useStore } from '../state/store.ts';
import { choose } from '../state/way.ts';

/** Everything that happens in the service, of all users, latest first. */
export const LiveTape = () => {
  const tape = useStore(store, (state) => state.tape);
  return (
    <WindowedList
      rows={tape}
      rowHeight={34}
      keyOf={({ id }) => String(id)}
      label="What happens"
      empty="Nothing has happened since this page was opened."
      draw={(entry) => <Row entry={entry} />}
    />
  );
};

const Row = ({ entry }: { entry: FeedEntry }) => {
  const { what, detail, message, contact } = describe(entry);
  const open = () => {
    if (contact !== undefined) chooseUser(contact);
    choose(message);
  };
  return (
    <button type="button" class="happening" disabled={message === undefined} onClick={open}>
      <time class="at">{preciseTime(entry.at).slice(0, 8)}</time>
      <span class="id">{what}</span>
      <span class="why">{detail}</span>
    </button>
  );
};

type Described = { what: string; detail: string; message?: Chosen; contact?: string };

const describe = (entry: FeedEntry): Described => {
  switch (entry.type) {
    case 'user-wrote':
      return { what: 'User wrote', detail: entry.contact, ...ofMessage(entry.message.id), contact: entry.contact };
    case 'message-accepted':
      return { what: 'Accepted', detail: entry.contact, ...ofMessage(entry.message.id), contact: entry.contact };
    case 'status-changed': {
      const status = 'status' in entry.message ? entry.message.status : '';
      return {
        what: `Status ${status}`,
        detail: entry.contact,
        ...ofMessage(entry.message.id),
        contact: entry.contact,
      };
    }
    case 'call': {
      const { path, status, contact, messageId } = entry.call;
      const detail = `${path.split('/').slice(-2).join('/')} ${contact ?? ''}`;
      return { what: `Call ${status}`, detail, ...(messageId !== null && ofMessage(messageId)) };
    }
    case 'event-published':
      return { what: 'Event', detail: eventName(entry.event), ...ofEvent(entry.event) };
    case 'webhook-attempt': {
      const { status, attempt, event, error } = entry.delivery;
      const detail = `${eventName(event)}, attempt ${attempt}${error ? `: ${error}` : ''}`;
      return { what: `Webhook ${status ?? 'silent'}`, detail, ...ofEvent(event) };
    }
    case 'event-expired': {
      const detail = `${eventName(entry.event)}: dropped after seven days and ${entry.attempts} attempts`;
      return { what: 'Expired', detail, ...ofEvent(entry.event) };
    }
    case 'template-changed':
      return { what: 'Template', detail: `${entry.name}: ${entry.template?.status ?? 'removed'}` };
    case 'channel-added':
      return { what: 'Number', detail: `${entry.chatChannelNumber} is the business’s` };
    case 'clock-moved':
      return { what: 'Clock', detail: `moved to ${entry.now}` };
    case 'user-changed':
      return { what: 'User', detail: `${entry.user.contact} changed` };
    case 'rule-changed':
      return { what: 'Rule', detail: `${entry.name}: ${entry.rule?.status ?? 'removed'}` };
    case 'account-changed':
      return { what: 'Account', detail: `${entry.account.mode}, credit ${entry.account.credit}` };
    default:
      return { what: entry.type, detail: '' };
  }
};

const ofMessage = (id: string) => ({ message: { kind: 'message', id } as const });

const field = (event: unknown, name: string): string | undefined => {
  const value = typeof event === 'object' && event !== null ? Reflect.get(event, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};
const ofEvent = (event: unknown) => {
  const id = field(event, '_id_');
  return id === undefined ? {} : ofMessage(id);
};
const eventName = (event: unknown): string =>
  `${field(event, 'STATUS') ?? 'message'} ${field(event, 'FROM') ?? 'of nobody'}`;
