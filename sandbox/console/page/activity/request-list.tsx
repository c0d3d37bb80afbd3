import type { ComponentChildren } from 'preact';
import { Badge } from '../components/badge.tsx';
import { Link } from '../components/link.tsx';
import { LinkList } from '../components/link-list.tsx';
import { formatDay, formatSeconds } from '../components/time.ts';
import { toneOf } from '../components/tone.ts';
import type { SendSummary } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { findUser } from '../state/find-user.ts';
import { NO_FILTER } from '../state/route.ts';
import { isFiltered, reasonOf } from './request-counts.ts';
import { RequestFilterBar } from './request-filter.tsx';

/** The selected user's requests. */
export const UserRequests = () => {
  const user = useConsole((state) => state.route.user);
  if (user === undefined) return <p class="virtual-list-empty">Select a user to see their requests.</p>;
  return (
    <RequestList label="Requests for this user">
      No requests for this user yet. To create one, send a request from the controls.
    </RequestList>
  );
};

/** The requests for all users that match the filter. */
export const AllRequests = () => {
  const filter = useConsole((state) => state.route.filter);
  return (
    <>
      <RequestFilterBar />
      <RequestList label="All requests" hasUsers>
        {isFiltered(filter) ? (
          <>
            No requests match the filter. <Link to={{ filter: NO_FILTER }}>Clear filter</Link>
          </>
        ) : (
          'No requests yet. To create one, send a request from the controls.'
        )}
      </RequestList>
    </>
  );
};

/** The listed requests, latest change first. The children are shown if there are none. */
const RequestList = (props: { label: string; hasUsers?: boolean; children: ComponentChildren }) => {
  const requests = useConsole((state) => state.requests);
  const selection = useConsole((state) => state.route.selection);
  const { byContact } = useConsole((state) => state.users);
  return (
    <div class="requests">
      <LinkList
        rows={requests?.sends ?? []}
        keyOf={({ requestId }) => requestId}
        targetOf={({ requestId, platformContactId = '' }) => {
          const user = findUser(byContact, platformContactId)?.contact;
          return { selection: { kind: 'request', id: requestId }, ...(user !== undefined && { user }) };
        }}
        isCurrent={({ requestId }) => selection?.kind === 'request' && selection.id === requestId}
        rowClass={`log-row request-row${props.hasUsers ? ' has-user' : ''}`}
        label={props.label}
        empty={requests && props.children}
        renderRow={(send) => <RequestRow send={send} userName={props.hasUsers ? nameOf(send, byContact) : undefined} />}
      />
    </div>
  );
};

const RequestRow = ({ send, userName }: { send: SendSummary; userName: string | undefined }) => (
  <>
    <time class="time" dateTime={send.at} title={send.at && formatDay(send.at)}>
      {send.at && formatSeconds(send.at)}
    </time>
    <ListedId id={send.requestId} />
    <span class="details">
      {userName !== undefined && <span class="user-name">{userName}</span>}
      <span class="detail">{contentOf(send)}</span>
      <span class="reason">{reasonOf(send)}</span>
    </span>
    <Badge tone={toneOf(send.status ?? send.state)}>{send.status ?? send.state}</Badge>
  </>
);

const contentOf = ({ text, ruleName, isErased }: SendSummary): string => {
  if (isErased) return 'Content erased';
  return text ?? (ruleName === undefined ? 'No text' : `Template ${ruleName}`);
};

/** How many characters of an ID are never cut. */
const TAIL = 8;

/** An ID in a list. Without room, its start is cut: the IDs of one sender differ at the end. */
const ListedId = ({ id }: { id: string }) => (
  <span class="id" title={id}>
    <span class="id-start">{id.slice(0, -TAIL)}</span>
    {id.slice(-TAIL)}
  </span>
);

const nameOf = ({ platformContactId, customerId }: SendSummary, users: Parameters<typeof findUser>[0]): string => {
  if (platformContactId !== undefined) return findUser(users, platformContactId)?.name ?? platformContactId;
  return customerId === undefined ? '' : `Customer ${customerId}`;
};
