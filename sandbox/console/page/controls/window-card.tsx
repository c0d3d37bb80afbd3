import { Button } from '../components/button.tsx';
import { formatDateTime, formatDuration, formatRoughly, useServiceTime } from '../components/time.ts';
import type { ContactStatus } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { useContactStatus } from '../state/contact-status.ts';
import { type ConversationWindow, useConversationWindow } from '../state/conversation-window.ts';
import { focusTemplate } from './focus-field.ts';

const WINDOW_MS = 24 * 60 * 60 * 1000;
const CIRCUMFERENCE = 2 * Math.PI * 26;

/** How long the selected user's conversation window stays open, and what to do if it is closed. */
export const WindowCard = () => {
  const hasInspector = useConsole((state) => state.hasInspector);
  const window = useConversationWindow();
  const isMuted = isMutedBy(useContactStatus());
  const now = useServiceTime();
  const remainingMs = window.state === 'open' ? Math.max(0, window.closesAt - now) : 0;
  const dash = `${(remainingMs / WINDOW_MS) * CIRCUMFERENCE} ${CIRCUMFERENCE}`;
  return (
    <section class={`window-card ${isMuted ? 'muted' : window.state}`} aria-label="Conversation window">
      <svg viewBox="0 0 60 60" aria-hidden="true">
        <circle class="track" cx="30" cy="30" r="26" />
        <circle class="remaining" cx="30" cy="30" r="26" stroke-dasharray={dash} />
      </svg>
      <div>
        <h4>Conversation window</h4>
        <p class="countdown">{isMuted ? 'Opted out' : headline(window, now)}</p>
        <p class="note">{isMuted ? MUTED : NOTES[window.state]}</p>
        {window.state === 'open' && <EndOfWindow closesAt={window.closesAt} />}
        {window.state === 'closed' && hasInspector && <SendTemplate />}
      </div>
    </section>
  );
};

/** Whether the user has not written since an opt-out, so that an open window does not help. */
const isMutedBy = ({ consent, window }: Partial<ContactStatus> = {}): boolean =>
  consent?.state === 'opted-out' && (window?.lastInboundAt ?? '') <= (consent.at ?? '');

const headline = (window: ConversationWindow, now: number): string => {
  switch (window.state) {
    case 'unknown':
      return '…';
    case 'never':
      return 'Never opened';
    case 'open':
      return formatDuration(window.closesAt - now);
    case 'closed':
      return window.closesAt === undefined ? 'Closed' : `Closed ${formatRoughly(now - window.closesAt)} ago`;
  }
};

const MUTED = 'Free-form messages are refused until the user writes again, and templates until the user opts in.';

const NOTES = {
  unknown: '',
  never: 'It opens when the user writes. Until then, only templates can be sent.',
  open: 'left to send free-form messages',
  closed: 'Only templates can be sent.',
};

/** The one end that the page names, and how it relates to the chat service's. */
const EndOfWindow = ({ closesAt }: { closesAt: number }) => {
  const marginSeconds = useConsole((state) => state.features?.windowMarginSeconds ?? 0);
  const margin = marginSeconds === 0 ? '' : `, ${marginSeconds} s before the chat service closes it`;
  return <p class="note">{`Until ${formatDateTime(closesAt)}${margin}`}</p>;
};

const SendTemplate = () => {
  const hasTemplates = useConsole((state) => state.rules.length > 0);
  return <Button onClick={focusTemplate}>{hasTemplates ? 'Send a template' : 'Create a sample template'}</Button>;
};
