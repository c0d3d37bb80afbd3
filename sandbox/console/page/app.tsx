import { useEffect, useState } from 'preact/hooks';
import { Activity } from './activity/activity.tsx';
import { formatDateTime, useServiceTime } from './components/time.ts';
import { Controls } from './controls/controls.tsx';
import { Phone } from './phone/phone.tsx';
import { UserList } from './phone/user-list.tsx';
import { store, useConsole } from './state/console-state.ts';

const PANES = ['Phone', 'Activity', 'Controls'] as const;
type Pane = (typeof PANES)[number];

/** The console: three panes, of which a narrow screen shows one at a time. */
export const App = () => {
  const [pane, setPane] = useState<Pane>('Phone');
  return (
    <div class={`app shows-${pane.toLowerCase()}`}>
      <Header />
      <nav class="pane-tabs" aria-label="Console panes">
        {PANES.map((name) => (
          <button type="button" key={name} aria-pressed={pane === name} onClick={() => setPane(name)}>
            {name}
          </button>
        ))}
      </nav>
      <main>
        <section class="pane phone-pane" aria-label="Phone">
          <UserList />
          <Phone />
        </section>
        <section class="pane activity-pane" aria-label="Activity">
          <Activity />
        </section>
        <section class="pane controls-pane" aria-label="Controls">
          <Controls />
        </section>
      </main>
      <Notice />
    </div>
  );
};

const CONNECTIONS = { connecting: 'Connecting…', live: 'Live', lost: 'Connection lost. Reconnecting…' };

const Header = () => {
  const connection = useConsole((state) => state.connection);
  const hasInspector = useConsole((state) => state.hasInspector);
  const [businessNumber = '–'] = useConsole((state) => state.chatChannelNumbers);
  const depths = useConsole((state) => state.queueDepths);
  const now = useServiceTime();
  return (
    <header class="header">
      <h1>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 6.500A2.500 2.500 0 0 1 6.500 4h11A2.500 2.500 0 0 1 20 6.500v7a2.500 2.500 0 0 1-2.500 2.500H11l-4.500 4v-4A2.500 2.500 0 0 1 4 13.500z" />
        </svg>
        Parley <span>console</span>
      </h1>
      <p class={`connection ${connection}`} role="status">
        {CONNECTIONS[connection]}
      </p>
      <p class="mode">{hasInspector ? 'Sandbox and local stack' : 'Sandbox only'}</p>
      <dl class="stats">
        <Stat name="Business number" value={businessNumber} />
        {depths !== undefined && <Stat name="Send queue" value={depths.send} />}
        {depths !== undefined && (
          <Stat name="Dead letters" value={depths.sendDeadLetters + depths.inboundDeadLetters} />
        )}
        <Stat name="Service time" value={formatDateTime(now)} />
      </dl>
    </header>
  );
};

const Stat = ({ name, value }: { name: string; value: string | number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

const NOTICE_MS = 6_000;

/** The outcome of the last action. Errors stay until they are dismissed. */
const Notice = () => {
  const notice = useConsole((state) => state.notice);
  useEffect(() => {
    if (notice === undefined || notice.isError) return;
    const timer = setTimeout(() => store.set({ notice: undefined }), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notice" role="status" aria-live="polite">
      {notice !== undefined && (
        <p class={notice.isError ? 'error' : undefined}>
          {notice.text}
          <button type="button" onClick={() => store.set({ notice: undefined })}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
};
