import type { TargetedKeyboardEvent } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Link } from '../components/link.tsx';
import { formatTime } from '../components/time.ts';
import { VirtualList } from '../components/virtual-list.tsx';
import { callApi, type UserRow, userPath } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { selectUser } from '../state/navigate.ts';
import { messagePreview } from './message-bubble.tsx';

const ROW_HEIGHT = 52;

/** The users, by latest message first, with a search field that also adds users. */
export const UserList = () => {
  const users = useConsole((state) => state.users);
  const selected = useConsole((state) => state.route.user);
  const [search, setSearch] = useState('');
  const rows = useMemo(() => matchingUsers(users.byContact, search), [users, search]);
  const activeIndex = rows.findIndex(({ contact }) => contact === selected);
  const isNewNumber = /^\+?\d{6,15}$/.test(search.trim()) && !users.byContact.has(search.trim());

  const moveBetweenUsers = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = offset === undefined ? undefined : rows[activeIndex + offset];
    if (next === undefined) return;
    event.preventDefault();
    selectUser(next.contact);
    focusSelectedRow(event.currentTarget);
  };

  const submitSearch = () => {
    const [first] = rows;
    if (isNewNumber) void addUser(search.trim()).then(() => setSearch(''));
    else if (first !== undefined) selectUser(first.contact);
  };

  return (
    <div class="users">
      <label class="search">
        <span class="visually-hidden">Find a user or enter a new number</span>
        <input
          type="search"
          placeholder="Find a user or enter a new number"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && submitSearch()}
        />
      </label>
      {isNewNumber && (
        <button type="button" class="new-user" onClick={submitSearch}>
          Add user {search.trim()}
        </button>
      )}
      <VirtualList
        rows={rows}
        rowHeight={ROW_HEIGHT}
        keyOf={({ contact }) => contact}
        label="Users"
        emptyText={search === '' ? 'No users yet. Enter a phone number above to add one.' : 'No matching users.'}
        activeIndex={activeIndex}
        onKeyDown={moveBetweenUsers}
        renderRow={(user, index) => (
          <Row user={user} isSelected={user.contact === selected} isTabStop={index === Math.max(0, activeIndex)} />
        )}
      />
    </div>
  );
};

const Row = ({ user, isSelected, isTabStop }: { user: UserRow; isSelected: boolean; isTabStop: boolean }) => {
  const { contact, name, lastMessage, windows } = user;
  return (
    <Link class="user" to={{ user: contact, selection: undefined }} isCurrent={isSelected} isTabStop={isTabStop}>
      <Avatar name={name ?? contact} isWindowOpen={windows.some(({ open }) => open)} />
      <span class="name">{name ?? contact}</span>
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

const matchingUsers = (users: ReadonlyMap<string, UserRow>, search: string): readonly UserRow[] => {
  const term = search.trim().toLowerCase();
  const matches = [...users.values()].filter(
    ({ contact, name }) => term === '' || contact.includes(term) || name?.toLowerCase().includes(term),
  );
  return matches.toSorted((one, other) => (lastActivity(one) < lastActivity(other) ? 1 : -1));
};

const lastActivity = ({ lastMessage }: UserRow): string => lastMessage?.at ?? '';

/** Waits two frames, because the selected row may not be rendered yet. */
const focusSelectedRow = (list: HTMLElement): void => {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-current]')?.focus({ preventScroll: true })),
  );
};

const addUser = async (contact: string): Promise<void> => {
  await callApi('PATCH', userPath(contact), {});
  selectUser(contact);
};
