import { useMemo, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { LinkList } from '../components/link-list.tsx';
import { formatTime } from '../components/time.ts';
import { addUser } from '../state/add-user.ts';
import type { UserRow } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { selectUser } from '../state/navigate.ts';
import { messagePreview } from './message-bubble.tsx';
import { hasOpenWindow, useWindowTime } from './open-windows.ts';
import { searchUsers } from './user-search.ts';

/** The users, by latest message first, with a search field that also adds users. */
export const UserList = () => {
  const users = useConsole((state) => state.users);
  const selected = useConsole((state) => state.route.user);
  const [search, setSearch] = useState('');
  const [refused, setRefused] = useState<{ reason: string; id?: string } | undefined>();
  const found = useMemo(() => searchUsers(users.byContact, search), [users, search]);
  const { rows, outcome, newContact } = found;
  const now = useWindowTime(users.byContact.values());

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
          placeholder="Find a user or add a number"
          value={search}
          onInput={({ currentTarget }) => changeSearch(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && submitSearch()}
        />
        {newContact !== undefined && (
          <Button class="new-user" onClick={() => add(newContact)}>
            Add user {newContact}
          </Button>
        )}
        <div id="search-result" role="status">
          {refused !== undefined && <p class="field-error">{refused.reason}</p>}
        </div>
        {refused?.id !== undefined && <AddId id={refused.id} onAdd={add} />}
      </search>
      <LinkList
        rows={rows}
        keyOf={({ contact }) => contact}
        targetOf={({ contact }) => ({ user: contact, selection: undefined })}
        isCurrent={({ contact }) => contact === selected}
        rowClass="user"
        label="Users"
        empty={search === '' ? 'No users yet. Enter a phone number above to add one.' : 'No matching users.'}
        renderRow={(user) => <Row user={user} isWindowOpen={hasOpenWindow(user, now)} />}
      />
    </div>
  );
};

/** The chat platform's addresses are not always phone numbers. */
const AddId = ({ id, onAdd }: { id: string; onAdd: (contact: string) => Promise<void> }) => (
  <Button class="new-user" onClick={() => onAdd(id)}>
    Add {id} as a platform ID
  </Button>
);

const Row = ({ user, isWindowOpen }: { user: UserRow; isWindowOpen: boolean }) => {
  const { contact, name, lastMessage } = user;
  return (
    <>
      <Avatar name={name || contact} isWindowOpen={isWindowOpen} />
      <span class="who">
        <span class="name">{name || contact}</span> {name && <small>{contact}</small>}
      </span>
      <span class="time">{lastMessage && formatTime(lastMessage.at)}</span>
      <span class="preview">{lastMessage ? messagePreview(lastMessage) : 'No messages yet'}</span>
    </>
  );
};

const COLORS = 6;

/** The user's initial, with a dot while a conversation window is open. */
const Avatar = ({ name, isWindowOpen }: { name: string; isWindowOpen: boolean }) => {
  const [first = ''] = name;
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span class={`avatar color-${sum % COLORS}${isWindowOpen ? ' open' : ''}`} aria-hidden="true">
      {/^\+?\d/.test(name) ? name.slice(-2) : first.toUpperCase()}
    </span>
  );
};
