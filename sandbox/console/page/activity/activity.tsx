import { useState } from 'preact/hooks';
import { Badge, toneOf } from '../components/badge.tsx';
import { formatSeconds } from '../components/time.ts';
import { VirtualList } from '../components/virtual-list.tsx';
import type { SendSummary } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { selectItem } from '../state/timeline.ts';
import { EventLog } from './event-log.tsx';
import { Timeline } from './timeline.tsx';

/** The selected user's requests and the event log, above the timeline of the selected message or request. */
export const Activity = () => {
  const hasInspector = useConsole((state) => state.hasInspector);
  const [tab, setTab] = useState<'requests' | 'events'>('requests');
  const shown = hasInspector ? tab : 'events';
  return (
    <div class="activity">
      <div class="log">
        <div class="tabs">
          {hasInspector && (
            <button type="button" aria-pressed={shown === 'requests'} onClick={() => setTab('requests')}>
              Requests
            </button>
          )}
          <button type="button" aria-pressed={shown === 'events'} onClick={() => setTab('events')}>
            Event log
          </button>
          {!hasInspector && (
            <p class="sandbox-only">
              Only the sandbox is running. Run <code>npm start</code> to also see requests, decisions, and queues.
            </p>
          )}
        </div>
        {shown === 'requests' ? <RequestList /> : <EventLog />}
      </div>
      <Timeline />
    </div>
  );
};

const RequestList = () => {
  const sends = useConsole((state) => state.sends);
  const selection = useConsole((state) => state.selection);
  return (
    <VirtualList
      rows={sends}
      rowHeight={34}
      keyOf={({ requestId }) => requestId}
      label="Requests for this user"
      emptyText="No requests for this user yet. Send a message to create one."
      renderRow={(send) => (
        <RequestRow send={send} isSelected={selection?.kind === 'request' && selection.id === send.requestId} />
      )}
    />
  );
};

/** Returns the reason for a request's state. If a request expires, the outcome is that of an earlier call. */
const reasonOf = ({ state, code, decision, outcome, outcomeDetails }: SendSummary): string | undefined =>
  code ?? (state === 'expired' ? decision : (outcomeDetails ?? outcome ?? decision));

const RequestRow = ({ send, isSelected }: { send: SendSummary; isSelected: boolean }) => (
  <button
    type="button"
    class="log-row"
    aria-pressed={isSelected}
    onClick={() => selectItem({ kind: 'request', id: send.requestId })}
  >
    <time class="time">{send.at && formatSeconds(send.at)}</time>
    <span class="id">{send.requestId}</span>
    <span class="detail">{reasonOf(send)}</span>
    <Badge tone={toneOf(send.state)}>{send.state}</Badge>
  </button>
);
