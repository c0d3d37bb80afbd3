import type { ComponentChildren } from 'preact';
import { ActivityCharts } from './activity-charts.tsx';
import { Link } from './components/link.tsx';
import { formatDateTime, useServiceTime } from './components/time.ts';
import { useConsole } from './state/console-state.ts';
import { allDeadLetters } from './state/dead-letters.ts';
import { NO_FILTER } from './state/route.ts';

export const Header = () => {
  const depths = useConsole((state) => state.queueDepths);
  return (
    <header class="header">
      <h1>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 6.500A2.500 2.500 0 0 1 6.500 4h11A2.500 2.500 0 0 1 20 6.500v7a2.500 2.500 0 0 1-2.500 2.500H11l-4.500 4v-4A2.500 2.500 0 0 1 4 13.500z" />
        </svg>
        Parley <span>console</span>
      </h1>
      <ActivityCharts />
      <dl class="stats">
        {depths !== undefined && (
          <>
            <Stat name="Send queue">
              <Link to={{ tab: 'requests', filter: NO_FILTER }}>{depths.send}</Link>
            </Stat>
            {depths.bulk !== undefined && (
              <Stat name="Bulk queue" isSecondary>
                <Link to={{ tab: 'requests', filter: NO_FILTER }}>{depths.bulk}</Link>
              </Stat>
            )}
            <Stat name="Dead letters">
              <Link to={{ tab: 'dead-letters' }}>{allDeadLetters(depths)}</Link>
            </Stat>
          </>
        )}
        <Stat name="Service time" isSecondary>
          <ServiceTime />
        </Stat>
      </dl>
    </header>
  );
};

const ServiceTime = () => <>{formatDateTime(useServiceTime())}</>;

/** A narrow screen has no room for secondary figures. */
const Stat = (props: { name: string; isSecondary?: boolean; children: ComponentChildren }) => (
  <div class={props.isSecondary ? 'secondary' : ''}>
    <dt>{props.name}</dt>
    <dd>{props.children}</dd>
  </div>
);
