import { duration } from '../parts/format-time.ts';
import { useClock } from '../parts/use-clock.ts';
import { store } from '../state/console-state.ts';
import { useStore } from '../state/store.ts';

const WINDOW_MS = 24 * 60 * 60 * 1000;
const AROUND = 2 * Math.PI * 26;

/** How long the chosen user can still be written to freely. */
export const WindowCard = () => {
  const contact = useStore(store, (state) => state.user);
  const user = useStore(store, (state) => (contact === undefined ? undefined : state.users.byContact.get(contact)));
  const [channel] = useStore(store, (state) => state.chatChannelNumbers);
  const now = useClock();
  const closesAt = user?.windows.find(({ chatChannelNumber }) => chatChannelNumber === channel)?.closesAt;
  const leftMs = closesAt === undefined ? 0 : Math.max(0, Date.parse(closesAt) - now);
  const isOpen = leftMs > 0;
  return (
    <section class={`window-card ${isOpen ? 'open' : 'closed'}`} aria-label="Conversation window">
      <svg viewBox="0 0 60 60" aria-hidden="true">
        <circle class="whole" cx="30" cy="30" r="26" />
        <circle class="left" cx="30" cy="30" r="26" stroke-dasharray={`${(leftMs / WINDOW_MS) * AROUND} ${AROUND}`} />
      </svg>
      <div>
        <h3>Conversation window</h3>
        <p class="countdown">{isOpen ? duration(leftMs) : closesAt === undefined ? 'Never opened' : 'Closed'}</p>
        <p class="note">{isOpen ? 'left for free-form messages' : 'Only a template reaches the user.'}</p>
      </div>
    </section>
  );
};
