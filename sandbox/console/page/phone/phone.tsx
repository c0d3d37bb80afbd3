import { Button } from '../components/button.tsx';
import { formatTime, useServiceTime } from '../components/time.ts';
import { callApi, userPath } from '../state/api.ts';
import { NO_USER, showResult, useConsole, useSelectedUser } from '../state/console-state.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';

/** The selected user's phone. */
export const Phone = () => {
  const contact = useConsole((state) => state.route.user);
  const user = useSelectedUser();
  const [businessNumber = ''] = useConsole((state) => state.chatChannelNumbers);
  const now = useServiceTime();
  const isOff = user?.device === 'off';
  return (
    <div class={`phone${isOff ? ' off' : ''}`}>
      <div class="phone-status" aria-hidden="true">
        <span>{formatTime(new Date(now).toISOString())}</span>
        <span class="notch" />
        <span>{isOff ? 'no signal' : '●●●'}</span>
      </div>
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
        <p class="empty">Select a user or enter a new number above.</p>
      ) : (
        <Conversation key={contact} />
      )}
      <Composer key={`composer ${contact}`} contact={contact} />
      <p class="visually-hidden">{user ? `Phone of ${user.name ?? user.contact}` : 'No user selected'}</p>
    </div>
  );
};

const markAllAsRead = async (contact: string): Promise<void> => {
  const result = await callApi<{ read: readonly string[] }>('POST', `${userPath(contact)}/read`);
  showResult(result, ({ read: { length } }) => {
    if (length === 0) return 'There are no unread messages.';
    return length === 1 ? 'Marked 1 message as read.' : `Marked ${length} messages as read.`;
  });
};
