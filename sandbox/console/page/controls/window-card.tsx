import { Button } from '../components/button.tsx';
import { formatDuration, formatRoughly, useServiceTime } from '../components/time.ts';
import { useWindowEnd } from '../phone/open-windows.ts';
import { useConsole } from '../state/console-state.ts';
import { focusTemplate } from './focus-field.ts';

const WINDOW_MS = 24 * 60 * 60 * 1000;
const CIRCUMFERENCE = 2 * Math.PI * 26;

/** How long the selected user's conversation window stays open, and what to do if it is closed. */
export const WindowCard = () => {
  const hasInspector = useConsole((state) => state.hasInspector);
  const contact = useConsole((state) => state.route.user);
  const closesAt = useWindowEnd();
  const now = useServiceTime();
  const remainingMs = closesAt === undefined ? 0 : Math.max(0, closesAt - now);
  const state = closesAt === undefined ? 'never' : remainingMs > 0 ? 'open' : 'closed';
  const dash = `${(remainingMs / WINDOW_MS) * CIRCUMFERENCE} ${CIRCUMFERENCE}`;
  return (
    <section class={`window-card ${state}`} aria-label="Conversation window">
      <svg viewBox="0 0 60 60" aria-hidden="true">
        <circle class="track" cx="30" cy="30" r="26" />
        <circle class="remaining" cx="30" cy="30" r="26" stroke-dasharray={dash} />
      </svg>
      <div>
        <h3>Conversation window</h3>
        <p class="countdown">
          {closesAt === undefined
            ? 'Never opened'
            : remainingMs > 0
              ? formatDuration(remainingMs)
              : `Closed ${formatRoughly(now - closesAt)} ago`}
        </p>
        <p class="note">{NOTES[state]}</p>
        {state === 'closed' && hasInspector && contact !== undefined && <SendTemplate />}
      </div>
    </section>
  );
};

const NOTES = {
  open: 'left to send free-form messages',
  closed: 'Only templates can be sent.',
  never: 'It opens when the user writes. Until then, only templates can be sent.',
};

const SendTemplate = () => {
  const hasTemplates = useConsole((state) => state.rules.length > 0);
  return <Button onClick={focusTemplate}>{hasTemplates ? 'Send a template' : 'Create a sample template'}</Button>;
};
