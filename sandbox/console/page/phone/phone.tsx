import { timeOfDay } from '../parts/format-time.ts';
import { useClock } from '../parts/use-clock.ts';
import { notice, store } from '../state/console-state.ts';
import { ask, userPath } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';

/** What the chosen user sees. */
export const Phone = () => {
  const contact = useStore(store, (state) => state.user);
  const user = useStore(store, (state) => (contact === undefined ? undefined : state.users.byContact.get(contact)));
  const [business = ''] = useStore(store, (state) => state.chatChannelNumbers);
  const now = useClock();
  return (
    <div class={`phone${user?.device === 'off' ? ' off' : ''}`}>
      <div class="status-bar" aria-hidden="true">
        <span>{timeOfDay(new Date(now).toISOString())}</span>
        <span class="notch" />
        <span>{user?.device === 'off' ? 'no signal' : '●●●'}</span>
      </div>
      <div class="contact-bar">
        <div>
          <h2>Business</h2>
          <p>{business}</p>
        </div>
        <button type="button" disabled={contact === undefined} onClick={() => contact && void read(contact)}>
          Read all
        </button>
      </div>
      {contact === undefined ? (
        <p class="nobody">Choose a user, or type a new number above.</p>
      ) : (
        <ConversationView key={contact} />
      )}
      <Composer key={`composer ${contact}`} contact={contact} />
      <p class="whose">{user ? `This is the phone of ${user.name ?? user.contact}.` : 'Nobody’s phone yet.'}</p>
    </div>
  );
};

const read = async (contact: string): Promise<void> => {
  const asked = await ask<{ read: readonly string[] }>('POST', `${userPath(contact)}/read`);
  if (!asked.ok) return notice(asked.why, true);
  const { length } = asked.value.read;
  notice(length === 0 ? 'There was nothing new to read.' : `${length} read.`);
};
