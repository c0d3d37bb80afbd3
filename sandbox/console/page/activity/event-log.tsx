import { LinkList } from '../components/link-list.tsx';
import { formatDay, formatSeconds } from '../components/time.ts';
import type { FeedEntry, UserRow } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { findUser } from '../state/find-user.ts';
import type { RouteChange } from '../state/navigate.ts';
import { describeEvent } from './describe-event.ts';

/** What happened in the sandbox, for all users, latest first. */
export const EventLog = () => {
  const eventLog = useConsole((state) => state.eventLog);
  const selection = useConsole((state) => state.route.selection);
  const { byContact } = useConsole((state) => state.users);
  return (
    <LinkList
      rows={eventLog}
      keyOf={({ id }) => String(id)}
      targetOf={(entry) => targetOf(entry, byContact)}
      isCurrent={(entry) => selection?.kind === 'message' && describeEvent(entry).messageId === selection.id}
      rowClass="log-row event-row"
      label="Event log"
      empty="No events yet. They appear here when a user sends a message or the API is called."
      renderRow={(entry) => <EventRow entry={entry} users={byContact} />}
    />
  );
};

type Users = ReadonlyMap<string, UserRow>;

/** The message that an entry is about, or else the user. */
const targetOf = (entry: FeedEntry, users: Users): RouteChange | undefined => {
  const { messageId, contact } = describeEvent(entry);
  const user = contact === undefined ? undefined : findUser(users, contact)?.contact;
  if (messageId !== undefined) {
    return { selection: { kind: 'message', id: messageId }, ...(user !== undefined && { user }) };
  }
  return user === undefined ? undefined : { user, selection: undefined };
};

const EventRow = ({ entry, users }: { entry: FeedEntry; users: Users }) => {
  const { event, detail, contact, isError } = describeEvent(entry);
  return (
    <>
      <time class="time" dateTime={entry.at} title={formatDay(entry.at)}>
        {formatSeconds(entry.at)}
      </time>
      <span class={isError ? 'event error' : 'event'}>{event}</span>
      <span class="user-name">{contact !== undefined && (findUser(users, contact)?.name || contact)}</span>
      <span class="detail" title={detail}>
        {detail}
      </span>
    </>
  );
};
