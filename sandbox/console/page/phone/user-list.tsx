import type { TargetedKeyboardEvent } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { timeOfDay } from '../parts/format-time.ts';
import { WindowedList } from '../parts/windowed-list.tsx';
import { chooseUser } from '../state/choose-user.ts';
import { store } from '../state/console-state.ts';
import { ask, userPath } from '../state/service.ts';
import type { UserRow } from '../state/shapes.ts';
import { useStore } from '../state/store.ts';
import { Avatar } from './avatar.tsx';
import { snippet } from './snippet.ts';

const ROW_HEIGHT = 52;

/** The users, the one who was heard of last first; and a way to be a new one. */
export const UserList = () => {
  const users = useStore(store, (state) => state.users);
  const chosen = useStore(store, (state) => state.user);
  const [search, setSearch] = useState('');
  const rows = useMemo(() => found(users.byContact, search), [users, search]);
  const activeIndex = rows.findIndex(({ contact }) => contact === chosen);
  const isNew = /^\+?\d{6,15}$/.test(search.trim()) && !users.byContact.has(search.trim());

  const step = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = by === undefined ? undefined : rows[activeIndex + by];
    if (next === undefined) return;
    event.preventDefault();
    chooseUser(next.contact);
    focusSoon(event.currentTarget);
  };

  const enter = () => {
    const [first] = rows;
    if (isNew) void addUser(search.trim()).then(() => setSearch(''));
    else if (first !== undefined) chooseUser(first.contact);
  };

  return (
    <div class="users">
      <label class="search">
        <span class="visually-hidden">Find a user, or type a new number</span>
        <input
          type="search"
          placeholder="Find a user, or type a new number"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && enter()}
        />
      </label>
      {isNew && (
        <button type="button" class="new-user" onClick={enter}>
          Be {search.trim()}, a new user
        </button>
      )}
      <WindowedList
        rows={rows}
        rowHeight={ROW_HEIGHT}
        keyOf={({ contact }) => contact}
        label="Users"
        empty={search === '' ? 'No users yet. Type a number above to be the first.' : 'Nobody is called that.'}
        activeIndex={activeIndex}
        onKeyDown={step}
        draw={(user, index) => (
          <Row user={user} isChosen={user.contact === chosen} isTabStop={index === Math.max(0, activeIndex)} />
        )}
      />
    </div>
  );
};

const Row = ({ user, isChosen, isTabStop }: { user: UserRow; isChosen: boolean; isTabStop: boolean }) => {
  const { contact, name, lastMessage, windows } = user;
  return (
    <button
      type="button"
      class="user"
      aria-current={isChosen ? 'true' : undefined}
      tabIndex={isTabStop ? 0 : -1}
      onClick={() => chooseUser(contact)}
    >
      <Avatar name={name ?? contact} isOpen={windows.some(({ open }) => open)} />
      <span class="who">{name ?? contact}</span>
      <span class="when">{lastMessage && timeOfDay(lastMessage.at)}</span>
      <span class="what">{lastMessage ? snippet(lastMessage) : 'No messages yet'}</span>
    </button>
  );
};

const found = (users: ReadonlyMap<string, UserRow>, search: string): readonly UserRow[] => {
  const words = search.trim().toLowerCase();
  const all = [...users.values()].filter(
    ({ contact, name }) => words === '' || contact.includes(words) || name?.toLowerCase().includes(words),
  );
  return all.toSorted((one, other) => (heard(one) < heard(other) ? 1 : -1));
};

const heard = ({ lastMessage }: UserRow): string => lastMessage?.at ?? '';

/** The row that is chosen next may not be in the page yet. */
const focusSoon = (list: HTMLElement): void => {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-current]')?.focus({ preventScroll: true })),
  );
};

const addUser = async (contact: string): Promise<void> => {
  await ask('PATCH', userPath(contact), {});
  chooseUser(contact);
};
