import { formatDateTime } from '../components/time.ts';
import type { ContactStatus } from '../state/api.ts';
import { useContactStatus } from '../state/contact-status.ts';

/** The consent that Parley has recorded. The switch next to it is the chat service's. */
export const ConsentLine = () => {
  const consent = useContactStatus()?.consent;
  return (
    <p class="hint">
      Consent in Parley: <strong>{consent === undefined ? STATES.none : STATES[consent.state]}</strong>
      {consent !== undefined && originOf(consent)}
    </p>
  );
};

const STATES = { 'opted-in': 'opted in', 'opted-out': 'opted out', none: 'none recorded' };

const originOf = ({ at, source }: ContactStatus['consent']): string =>
  at === undefined ? '' : ` on ${formatDateTime(Date.parse(at))}${source === undefined ? '' : `, by ${source}`}`;
