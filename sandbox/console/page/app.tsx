import { Activity } from './activity/activity.tsx';
import { Banners } from './banners/banners.tsx';
import { Controls } from './controls/controls.tsx';
import { Header } from './header.tsx';
import { Phone } from './phone/phone.tsx';
import { UserList } from './phone/user-list.tsx';
import { type Pane, useConsole } from './state/console-state.ts';
import { navigate } from './state/navigate.ts';
import { StatusBar } from './status-bar.tsx';

const PANES: readonly (readonly [pane: Pane, name: string])[] = [
  ['phone', 'Phone'],
  ['activity', 'Activity'],
  ['controls', 'Controls'],
];

/** The console: three panes, of which a narrow screen shows one at a time. */
export const App = () => {
  const pane = useConsole((state) => state.pane);
  return (
    <div class={`app shows-${pane}`}>
      <Header />
      <nav class="pane-tabs" aria-label="Console panes">
        {PANES.map(([name, title]) => (
          <button type="button" key={name} aria-pressed={pane === name} onClick={() => navigate({}, name)}>
            {title}
          </button>
        ))}
      </nav>
      <Banners />
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
      <StatusBar />
    </div>
  );
};
