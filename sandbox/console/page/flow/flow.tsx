import { useState } from 'preact/hooks';
import { store } from '../state/console-state.ts';
import { useStore } from '../state/store.ts';
import { LiveTape } from './live-tape.tsx';
import { RequestList } from './request-list.tsx';
import { WayView } from './way-view.tsx';

/** What happens, and the way of what is chosen. */
export const Flow = () => {
  const hasMachineRoom = useStore(store, (state) => state.hasMachineRoom);
  const [tab, setTab] = useState<'requests' | 'live'>('requests');
  const shown = hasMachineRoom ? tab : 'live';
  return (
    <div class="flow">
      <div class="happenings">
        <div class="tabs">
          {hasMachineRoom && (
            <button type="button" aria-pressed={shown === 'requests'} onClick={() => setTab('requests')}>
              Requests
            </button>
          )}
          <button type="button" aria-pressed={shown === 'live'} onClick={() => setTab('live')}>
            Live
          </button>
          {!hasMachineRoom && (
            <p class="alone">The service runs alone. With npm start, table, queues and decisions show as well.</p>
          )}
        </div>
        {shown === 'requests' ? <RequestList /> : <LiveTape />}
      </div>
      <WayView />
    </div>
  );
};
