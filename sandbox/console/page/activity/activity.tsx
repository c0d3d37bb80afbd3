import { Link } from '../components/link.tsx';
import { useConsole } from '../state/console-state.ts';
import { allDeadLetters } from '../state/dead-letters.ts';
import type { Tab } from '../state/route.ts';
import { DeadLetterList } from './dead-letter-list.tsx';
import { EventLog } from './event-log.tsx';
import { AllRequests, UserRequests } from './request-list.tsx';
import { Timeline } from './timeline.tsx';

const TAB_NAMES: readonly (readonly [tab: Tab, name: string])[] = [
  ['user', 'This user'],
  ['requests', 'All requests'],
  ['dead-letters', 'Dead letters'],
  ['events', 'Event log'],
];

/** The lists, next to the timeline of the selected message or request. A narrow screen shows one of the two. */
export const Activity = () => {
  const hasInspector = useConsole((state) => state.hasInspector);
  const tab = useConsole((state) => state.route.tab);
  const hasSelection = useConsole((state) => state.route.selection !== undefined);
  const shown = hasInspector ? tab : 'events';
  return (
    <div class={`activity${hasSelection ? ' has-selection' : ''}`}>
      <nav class="tabs" aria-label="Lists">
        {TAB_NAMES.filter(([name]) => hasInspector || name === 'events').map(([name, title]) => (
          <Link key={name} to={{ tab: name }} isCurrent={shown === name}>
            {title}
            {name === 'dead-letters' && <DeadLetterCount />}
          </Link>
        ))}
        {hasInspector && <p class="owner">{shown === 'events' ? 'Chat service (sandbox)' : 'Parley'}</p>}
        {!hasInspector && (
          <p class="sandbox-only">
            Only the sandbox is running. Run <code>npm start</code> to also see requests, decisions, and queues.
          </p>
        )}
      </nav>
      <div class="log">
        <List tab={shown} />
      </div>
      <div class="selected-item">
        <Timeline />
      </div>
    </div>
  );
};

const List = ({ tab }: { tab: Tab }) => {
  switch (tab) {
    case 'user':
      return <UserRequests />;
    case 'requests':
      return <AllRequests />;
    case 'dead-letters':
      return <DeadLetterList />;
    case 'events':
      return <EventLog />;
  }
};

const DeadLetterCount = () => {
  const count = useConsole((state) => allDeadLetters(state.queueDepths));
  return (
    count > 0 && (
      <>
        {' '}
        <span class="badge error">{count}</span>
      </>
    )
  );
};
