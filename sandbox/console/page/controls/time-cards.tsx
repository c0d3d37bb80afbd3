import { formatDuration, useServiceTime } from '../components/time.ts';
import { callApi } from '../state/api.ts';
import { showResult, useConsole, useSelectedUser } from '../state/console-state.ts';
import { Card } from './card.tsx';

const WINDOW_MS = 24 * 60 * 60 * 1000;
const CIRCUMFERENCE = 2 * Math.PI * 26;

/** How long the selected user's conversation window stays open. */
export const WindowCard = () => {
  const user = useSelectedUser();
  const [channel] = useConsole((state) => state.chatChannelNumbers);
  const now = useServiceTime();
  const closesAt = user?.windows.find(({ chatChannelNumber }) => chatChannelNumber === channel)?.closesAt;
  const remainingMs = closesAt === undefined ? 0 : Math.max(0, Date.parse(closesAt) - now);
  const isOpen = remainingMs > 0;
  const dash = `${(remainingMs / WINDOW_MS) * CIRCUMFERENCE} ${CIRCUMFERENCE}`;
  return (
    <section class={`window-card ${isOpen ? 'open' : 'closed'}`} aria-label="Conversation window">
      <svg viewBox="0 0 60 60" aria-hidden="true">
        <circle class="track" cx="30" cy="30" r="26" />
        <circle class="remaining" cx="30" cy="30" r="26" stroke-dasharray={dash} />
      </svg>
      <div>
        <h3>Conversation window</h3>
        <p class="countdown">
          {isOpen ? formatDuration(remainingMs) : closesAt === undefined ? 'Never opened' : 'Closed'}
        </p>
        <p class="note">{isOpen ? 'left to send free-form messages' : 'Only templates can be sent.'}</p>
      </div>
    </section>
  );
};

const HOUR = 3600;
const STEPS: readonly (readonly [label: string, seconds: number])[] = [
  ['1 min', 60],
  ['1 h', HOUR],
  ['23 h', 23 * HOUR],
  ['25 h', 25 * HOUR],
  ['7 days', 7 * 24 * HOUR],
];

/** Advances the service's clock, and the local stack's with it. */
export const ClockCard = () => (
  <Card title="Clock" note="Forward only" open>
    <div class="row wrap">
      {STEPS.map(([label, seconds]) => (
        <button type="button" class="advance" key={label} onClick={() => void advance(label, seconds)}>
          + {label}
        </button>
      ))}
    </div>
  </Card>
);

const advance = async (label: string, advanceSeconds: number): Promise<void> => {
  const result = await callApi('POST', '/sandbox/clock', { advanceSeconds });
  showResult(result, () => `Clock advanced by ${label}.`);
};
