import { formatDateTime } from '../components/time.ts';
import type { ConsentStatus } from '../state/api.ts';
import { useContactStatus } from '../state/contact-status.ts';

/** The consent that Parley has recorded. The switch next to it is the chat service's. */
export const ConsentLine = () => {
  const consent = useContactStatus()?.consent ?? { state: 'none' };
  return (
    <p class="hint">
      Consent in Parley: <ConsentText {...consent} />
    </p>
  );
};

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
