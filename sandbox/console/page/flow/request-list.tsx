import type { SendSummary } from '../../../machine-room/machine-room.ts';
import { Badge, toneOf } from '../parts/badge.tsx';
import { preciseTime } from '../parts/format-time.ts';
import { WindowedList } from '../parts/windowed-list.tsx';
import { store } from '../state/console-state.ts';
import { useStore } from '../state/store.ts';
import { choose } from '../state/way.ts';

/** The chosen user's requests, the refused and the waiting ones too, which no phone shows. */
export const RequestList = () => {
  const sends = useStore(store, (state) => state.sends);
  const chosen = useStore(store, (state) => state.chosen);
  return (
    <WindowedList
      rows={sends}
      rowHeight={34}
      keyOf={({ requestId }) => requestId}
      label="Requests to this user"
      empty="No request to this user yet. Enqueue one under Controls."
      draw={(send) => <Row send={send} isChosen={chosen?.kind === 'request' && chosen.id === send.requestId} />}
    />
  );
};

const Row = ({ send, isChosen }: { send: SendSummary; isChosen: boolean }) => (
  <button
    type="button"
    class="happening"
    aria-pressed={isChosen}
    onClick={() => choose({ kind: 'request', id: send.requestId })}
  >
    <time class="at">{send.at && preciseTime(send.at).slice(0, 8)}</time>
    <span class="id">{send.requestId}</span>
    <span class="why">{send.code ?? send.why}</span>
    <Badge tone={toneOf(send.state)}>{send.state}</Badge>
  </button>
);
