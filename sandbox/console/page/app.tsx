import { Activity } from './activity/activity.tsx';
import { Banners } from './banners/banners.tsx';
import { Controls } from './controls/controls.tsx';
import { Header } from './header.tsx';
import { Pane, PaneTabs, SkipLinks } from './panes.tsx';
import { Phone } from './phone/phone.tsx';
import { UserList } from './phone/user-list.tsx';
import { useConsole } from './state/console-state.ts';
import { StatusBar } from './status-bar.tsx';

/** The console: three panes, of which a narrow screen shows one or two at a time. */
export const App = () => {
  const pane = useConsole((state) => state.pane);
  const side = useConsole((state) => state.side);
  return (
    <div class={`app shows-${pane} beside-${side}`}>
      <SkipLinks />
      <Header />
      <Banners />
      <main>
        <PaneTabs />
        <Pane name="phone">
          <h2 class="owner">Chat service (sandbox)</h2>
          <UserList />
          <Phone />
        </Pane>
        <Pane name="activity">
          <Activity />
        </Pane>
        <Pane name="controls">
          <Controls />
        </Pane>
      </main>
      <StatusBar />
    </div>
  );
};
