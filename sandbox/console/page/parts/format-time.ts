/** How the console writes times: in the reader's zone, on the service's clock. */
export const timeOfDay = (iso: string): string => TIME.format(new Date(iso));

export const preciseTime = (iso: string): string => {
  const date = new Date(iso);
  return `${PRECISE.format(date)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
};

export const dayOf = (iso: string): string => DAY.format(new Date(iso));

/** Hours, minutes and seconds; days where there are any. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const days = Math.floor(seconds / 86_400);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return days > 0 ? `${days} d ${clock}` : clock;
};

const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const PRECISE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
