import { useEffect, useState } from 'preact/hooks';
import { serviceTime, useConsole } from '../state/console-state.ts';

/** Returns the service's time in milliseconds. Updates every second and whenever the clock is advanced. */
export const useServiceTime = (): number => {
  useConsole((state) => state.clockOffsetMs);
  const [, tick] = useState({});
  useEffect(() => {
    const timer = setInterval(() => tick({}), 1_000);
    return () => clearInterval(timer);
  }, []);
  return serviceTime();
};

// Times are shown in the browser's time zone.

/** `14:05` */
export const formatTime = (iso: string): string => format(MINUTES, iso);

/** `14:05:09` */
export const formatSeconds = (iso: string): string => format(SECONDS, iso);

/** `14:05:09.120` */
export const formatMilliseconds = (iso: string): string =>
  Number.isNaN(Date.parse(iso))
    ? iso
    : `${formatSeconds(iso)}.${String(new Date(iso).getMilliseconds()).padStart(3, '0')}`;

/** `Sat, Nov 21` */
export const formatDay = (iso: string): string => format(DAY, iso);

/** `Nov 21, 14:05:09` */
export const formatDateTime = (ms: number): string => DATE_TIME.format(new Date(ms));

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Returns a sentence with its ISO times as the page shows times: Parley's sentences are in UTC. */
export const withReadableTimes = (sentence: string): string =>
  sentence.replaceAll(ISO_TIME, (iso) => formatDateTime(Date.parse(iso)));

/** `23:59:07`, or `1 d 02:00:00` for more than a day. */
export const formatDuration = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  // A window that just opened counts down from `24:00:00`, without a change of format.
  const days = seconds > 86_400 ? Math.floor(seconds / 86_400) : 0;
  const clock = [Math.floor(seconds / 3600) - days * 24, Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return days > 0 ? `${days} d ${clock}` : clock;
};

/** Returns a duration in its largest whole unit: `42 s`, `5 min`, `3 h`, or `2 d`. */
export const formatRoughly = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const unit = ROUGH_UNITS.find(([, size]) => seconds >= size);
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit[1])} ${unit[0]}`;
};

const ROUGH_UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** `37 ms`, `2.4 s`, `3 min 20 s`, `25 h`, `3 d 4 h` */
export const formatElapsed = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${tenths / 10} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return units(seconds, 60, 'min', 's');
  const minutes = Math.round(seconds / 60);
  return minutes < 48 * 60 ? units(minutes, 60, 'h', 'min') : units(Math.round(minutes / 60), 24, 'd', 'h');
};

const units = (total: number, size: number, large: string, small: string): string => {
  const rest = total % size;
  return `${Math.floor(total / size)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
};

/** Returns text that is not a time unchanged, because an error would leave the page blank. */
const format = (style: Intl.DateTimeFormat, iso: string): string =>
  Number.isNaN(Date.parse(iso)) ? iso : style.format(new Date(iso));

const MINUTES = new Intl.DateTimeFormat('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const SECONDS = new Intl.DateTimeFormat('en-US', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const DAY = new Intl.DateTimeFormat('en-US', { weekday: 'short', month: 'short', day: 'numeric' });
const DATE_TIME = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
