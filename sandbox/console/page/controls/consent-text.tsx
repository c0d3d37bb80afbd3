import { formatDateTime } from '../components/time.ts';
import type { ConsentStatus } from '../state/api.ts';

/** The state of a consent, and where, when, and how the user gave it. */
export const ConsentText = (consent: ConsentStatus) => (
  <>
    <strong>{STATES[consent.state]}</strong>
    {originOf(consent)}
  </>
);

const STATES = { 'opted-in': 'opted in', 'opted-out': 'opted out', none: 'none recorded' };

const originOf = ({ at, source, from }: ConsentStatus): string => {
  if (at === undefined) return '';
  const where = from === undefined ? '' : ` at ${from}`;
  return `${where} on ${formatDateTime(Date.parse(at))}${source === undefined ? '' : `, by ${source}`}`;
};
