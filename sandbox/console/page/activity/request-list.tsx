import { Badge, toneOf } from '../components/badge.tsx';
import { Link } from '../components/link.tsx';
import { formatSeconds } from '../components/time.ts';
import { VirtualList } from '../components/virtual-list.tsx';
import type { SendSummary } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';

/** The selected user's requests, latest first. */
export const UserRequests = () => {
  const sends = useConsole((state) => state.sends);
  const selection = useConsole((state) => state.route.selection);
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
  <Link class="log-row" to={{ selection: { kind: 'request', id: send.requestId } }} isCurrent={isSelected}>
    <time class="time">{send.at && formatSeconds(send.at)}</time>
    <span class="id">{send.requestId}</span>
    <span class="detail">{reasonOf(send)}</span>
    <Badge tone={toneOf(send.state)}>{send.state}</Badge>
  </Link>
);
