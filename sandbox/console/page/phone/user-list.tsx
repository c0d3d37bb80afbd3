import type { TargetedKeyboardEvent } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Link } from '../components/link.tsx';
import { formatTime } from '../components/time.ts';
import { VirtualList } from '../components/virtual-list.tsx';
import { addUser } from '../state/add-user.ts';
import type { UserRow } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { selectUser } from '../state/navigate.ts';
import { messagePreview } from './message-bubble.tsx';
import { hasOpenWindow, useWindowTime } from './open-windows.ts';
import { searchUsers } from './user-search.ts';

const ROW_HEIGHT = 52;

/** The users, by latest message first, with a search field that also adds users. */
export const UserList = () => {
  const users = useConsole((state) => state.users);
  const selected = useConsole((state) => state.route.user);
  const [businessNumber] = useConsole((state) => state.chatChannelNumbers);
  const [search, setSearch] = useState('');
  const [refused, setRefused] = useState<{ reason: string; id?: string } | undefined>();
  const found = useMemo(() => searchUsers(users.byContact, search, businessNumber), [users, search, businessNumber]);
  const { rows, outcome, newContact } = found;
  const now = useWindowTime(users.byContact.values());
  const activeIndex = rows.findIndex(({ contact }) => contact === selected);

  const moveBetweenUsers = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = offset === undefined ? undefined : rows[activeIndex + offset];
    if (next === undefined) return;
    event.preventDefault();
    selectUser(next.contact);
    focusSelectedRow(event.currentTarget);
  };

  const changeSearch = (text: string) => {
    setSearch(text);
    setRefused(undefined);
  };
  const add = async (contact: string) => {
    if (await addUser(contact)) changeSearch('');
  };
  const submitSearch = () => {
    if (outcome.kind === 'refuse') return setRefused(outcome);
    if (outcome.kind === 'select') return selectUser(outcome.contact);
    void add(outcome.contact);
  };

  return (
    <div class="users">
      <search class="search">
        <input
          type="search"
          aria-label="Find a user or enter a new number"
          aria-describedby="search-result"
          placeholder="Find a user or enter a new number"
          value={search}
          onInput={({ currentTarget }) => changeSearch(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && submitSearch()}
        />
        {newContact !== undefined && (
          <button type="button" class="new-user" onClick={() => void add(newContact)}>
            Add user {newContact}
          </button>
        )}
        <div id="search-result" role="status">
          {refused !== undefined && <p class="field-error">{refused.reason}</p>}
        </div>
        {refused?.id !== undefined && <AddId id={refused.id} onAdd={add} />}
      </search>
      <VirtualList
        rows={rows}
        rowHeight={ROW_HEIGHT}
        keyOf={({ contact }) => contact}
        label="Users"
        emptyText={search === '' ? 'No users yet. Enter a phone number above to add one.' : 'No matching users.'}
        activeIndex={activeIndex}
        onKeyDown={moveBetweenUsers}
        renderRow={(user, index) => (
          <Row
            user={user}
            isWindowOpen={hasOpenWindow(user, now)}
            isSelected={user.contact === selected}
            isTabStop={index === Math.max(0, activeIndex)}
          />
        )}
      />
    </div>
  );
};

/** The chat platform's addresses are not always phone numbers. */
const AddId = ({ id, onAdd }: { id: string; onAdd: (contact: string) => Promise<void> }) => (
  <button type="button" class="new-user" onClick={() => void onAdd(id)}>
    Add {id} as a platform ID
  </button>
);

type RowProps = { user: UserRow; isWindowOpen: boolean; isSelected: boolean; isTabStop: boolean };

const Row = ({ user, isWindowOpen, isSelected, isTabStop }: RowProps) => {
  const { contact, name, lastMessage } = user;
  return (
    <Link class="user" to={{ user: contact, selection: undefined }} isCurrent={isSelected} isTabStop={isTabStop}>
      <Avatar name={name || contact} isWindowOpen={isWindowOpen} />
      <span class="name">{name || contact}</span>
      <span class="time">{lastMessage && formatTime(lastMessage.at)}</span>
      <span class="preview">{lastMessage ? messagePreview(lastMessage) : 'No messages yet'}</span>
    </Link>
  );
};

const COLORS = 6;

/** The user's initial, with a dot while a conversation window is open. */
const Avatar = ({ name, isWindowOpen }: { name: string; isWindowOpen: boolean }) => {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span class={`avatar color-${sum % COLORS}${isWindowOpen ? ' open' : ''}`} aria-hidden="true">
      {/^\+?\d/.test(name) ? name.slice(-2) : name.slice(0, 1).toUpperCase()}
    </span>
  );
};

/** Waits two frames, because the selected row may not be rendered yet. */
const focusSelectedRow = (list: HTMLElement): void => {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-current]')?.focus({ preventScroll: true })),
  );
};
