import { useEffect, useState } from 'preact/hooks';
import type { Activity, MinuteCounts } from './state/api.ts';
import { useConsole } from './state/console-state.ts';
import { rollOver, totalOf } from './state/minutes.ts';

const KINDS: readonly (readonly [kind: Activity, name: string, isFailure: boolean])[] = [
  ['received', 'Received', false],
  ['sent', 'Sent', false],
  ['failedCalls', 'Failed calls', true],
  ['failedDeliveries', 'Failed deliveries', true],
];

/** The number beside each chart is of this many minutes. */
const RECENT_MINUTES = 5;

const MINUTE_MS = 60_000;
const currentMinute = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

const HEIGHT = 22;
const BAR_WIDTH = 2;

/** What happened in each of the last 30 minutes. */
export const ActivityCharts = () => {
  const counted = useConsole((state) => state.minutes);
  // Renders once a minute, and when something is counted.
  const [minute, setMinute] = useState(currentMinute);
  useEffect(() => {
    const timer = setInterval(() => setMinute(currentMinute()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const minutes = rollOver(counted, minute);
  return (
    <dl class="charts">
      {KINDS.map(([kind, name, isFailure]) => {
        const recent = totalOf(minutes, kind, RECENT_MINUTES);
        const all = totalOf(minutes, kind, minutes.length);
        const label = `${name}: ${recent} in the last ${RECENT_MINUTES} minutes, ${all} in the last ${minutes.length}`;
        return (
          <div key={kind} class={isFailure && all > 0 ? 'failing' : ''} title={label}>
            <dt>{name}</dt>
            <dd>
              <Chart minutes={minutes} kind={kind} label={label} />
              <span aria-hidden="true">
                {recent} <small>in {RECENT_MINUTES} min</small>
              </span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
};

const Chart = ({ minutes, kind, label }: { minutes: readonly MinuteCounts[]; kind: Activity; label: string }) => {
  const width = minutes.length * (BAR_WIDTH + 1);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT}>
      <path class="base" d={`M0 ${HEIGHT - 0.5}H${width}`} />
      <path class="bars" d={barsOf(minutes, kind)} />
    </svg>
  );
};

/** Returns one path for all bars, because an element for each would make the page heavy. */
const barsOf = (minutes: readonly MinuteCounts[], kind: Activity): string => {
  // A few events do not fill the chart, so that a busy minute differs from a quiet one.
  const most = Math.max(4, ...minutes.map((minute) => minute[kind]));
  return minutes
    .map((minute, index) => {
      const height = minute[kind] === 0 ? 0 : Math.max(2, Math.round((minute[kind] / most) * (HEIGHT - 1)));
      return height === 0 ? '' : `M${index * (BAR_WIDTH + 1)} ${HEIGHT}v${-height}h${BAR_WIDTH}v${height}z`;
    })
    .join('');
};
