import { useEffect, useState } from 'preact/hooks';
import { counted } from '../components/counted.ts';
import { Link } from '../components/link.tsx';
import { useConsole } from '../state/console-state.ts';
import { deadLettersOf } from '../state/dead-letters.ts';
import type { RouteChange } from '../state/navigate.ts';
import { fetchOnlyUncertainSend } from '../state/send-states.ts';
import { Banner } from './banner.tsx';

const UNCERTAIN_LIST: RouteChange = { tab: 'requests', filter: { state: 'uncertain', text: '' } };

/** Requests that may have been sent. An operator must resolve them. */
export const UncertainBanner = () => {
  const count = useConsole((state) => state.sendStates.uncertain ?? 0);
  const [to, setTo] = useState(UNCERTAIN_LIST);
  useEffect(() => {
    setTo(UNCERTAIN_LIST);
    if (count !== 1) return;
    let isCurrent = true;
    void fetchOnlyUncertainSend().then((send) => {
      if (!isCurrent || send === undefined) return;
      const { requestId: id, platformContactId: user } = send;
      setTo({ selection: { kind: 'request', id }, ...(user && { user }) });
    });
    return () => {
      isCurrent = false;
    };
  }, [count]);
  if (count === 0) return null;
  return (
    <Banner
      tone="pending"
      sentence={`${counted(count, 'request')} ${count === 1 ? 'has' : 'have'} an unknown outcome.`}
    >
      <Link class="button" to={to} label={`Review ${counted(count, 'request')} with an unknown outcome`}>
        Review
      </Link>
    </Banner>
  );
};

/** Requests that cannot be sent, and events that cannot be read. */
export const DeadLettersBanner = () => {
  const depths = useConsole((state) => state.queueDepths);
  const requests = deadLettersOf('send', depths) + deadLettersOf('bulk', depths);
  const events = deadLettersOf('inbound', depths);
  const isShown = useConsole((state) => state.route.tab === 'dead-letters');
  const total = requests + events;
  if (total === 0) return null;
  const names = [requests > 0 && counted(requests, 'request'), events > 0 && counted(events, 'event')];
  return (
    <Banner
      tone="pending"
      sentence={`${names.filter(Boolean).join(' and ')} ${total === 1 ? 'is a dead letter' : 'are dead letters'}.`}
    >
      {!isShown && (
        <Link class="button" to={{ tab: 'dead-letters' }} label="Review dead letters">
          Review
        </Link>
      )}
    </Banner>
  );
};
