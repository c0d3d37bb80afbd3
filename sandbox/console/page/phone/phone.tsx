import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { counted } from '../components/counted.ts';
import { formatTime, useServiceTime } from '../components/time.ts';
import { showChecklist } from '../first-run/actions.ts';
import { SampleConversation } from '../first-run/checklist.tsx';
import { addUser } from '../state/add-user.ts';
import { callApi, type Message, userPath } from '../state/api.ts';
import { NO_USER, showResult, useConsole, useSelectedUser } from '../state/console-state.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { EditForm } from './edit-form.tsx';

/** The selected user's phone. */
export const Phone = () => {
  const contact = useConsole((state) => state.route.user);
  const user = useSelectedUser();
  const isUnknown = useConsole((state) => state.conversation.contact === null) && user === undefined;
  const [businessNumber = ''] = useConsole((state) => state.chatChannelNumbers);
  const isOff = user?.device === 'off';
  const [edit, setEdit] = useState<{ contact: string; message: Message }>();
  const isEditing = edit !== undefined && edit.contact === contact;
  return (
    <div class={`phone${isOff ? ' off' : ''}`}>
      <StatusLine isOff={isOff} />
      <div class="contact-bar">
        <div>
          <h2>Business</h2>
          <p>{businessNumber}</p>
        </div>
        <Button
          disabledReason={contact === undefined ? NO_USER : undefined}
          onClick={() => contact && void markAllAsRead(contact)}
        >
          Mark all as read
        </Button>
      </div>
      {contact === undefined ? (
        <NoUser />
      ) : isUnknown ? (
        <UnknownUser contact={contact} />
      ) : (
        <Conversation key={contact} onEdit={(message) => setEdit({ contact, message })} />
      )}
      {isEditing && <EditForm key={edit.message.id} {...edit} onClose={() => setEdit(undefined)} />}
      <div hidden={isEditing}>
        <Composer key={`composer ${contact}`} contact={contact} />
      </div>
      <p class="visually-hidden">{user ? `${user.name || user.contact}'s phone` : 'No user selected'}</p>
    </div>
  );
};

/** Apart from the rest of the phone, because it renders every second. */
const StatusLine = ({ isOff }: { isOff: boolean }) => {
  const now = useServiceTime();
  return (
    <div class="phone-status" aria-hidden="true">
      <span>{formatTime(new Date(now).toISOString())}</span>
      <span class="notch" />
      <span>{isOff ? 'no signal' : '●●●'}</span>
    </div>
  );
};

/** On a new sandbox, offers to play a conversation. */
const NoUser = () => {
  const hasUsers = useConsole(({ users, connection }) => users.byContact.size > 0 || connection !== 'live');
  if (hasUsers) return <p class="empty">Select a user or enter a new number above.</p>;
  return (
    <div class="empty">
      <p>No users yet. Enter a phone number above, or play a sample conversation.</p>
      <SampleConversation isPrimary />
      <button type="button" class="text-button" onClick={showChecklist}>
        Show the checklist
      </button>
    </div>
  );
};

/** Shown for a URL that names a user that does not exist, such as a link from before a reset. */
const UnknownUser = ({ contact }: { contact: string }) => (
  <div class="empty">
    <p>User {contact} does not exist.</p>
    <Button onClick={() => addUser(contact)}>Add user</Button>
  </div>
);

const markAllAsRead = async (contact: string): Promise<void> => {
  const result = await callApi<{ read: readonly string[] }>('POST', `${userPath(contact)}/read`);
  showResult(result, ({ read: { length } }) =>
    length === 0 ? 'No unread messages.' : `Marked ${counted(length, 'message')} as read.`,
  );
};
