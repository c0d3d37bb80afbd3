import type { WireEvent } from '../world/translate-event.ts';

/** The kinds of events that the chat service reports and that Parley handles differently. */
export const REPORTS = [
  'message',
  'message with an unknown status',
  'echo',
  'echo of a message that Parley sent',
  'status sent',
  'status delivered',
  'status read',
  'status failed',
  'status error',
  'unknown status',
] as const;

export type Report = (typeof REPORTS)[number];

/** Returns what an event, in the contract's own format, reports. Returns undefined if it is not a known event. */
export const observeReport = ({
  _id_: id,
  FROM: from,
  STATUS: status,
  MESSAGE: text,
}: WireEvent): Report | undefined => {
  if (typeof id !== 'string' || typeof from !== 'string') return undefined;
  if (typeof status === 'string') {
    const known = REPORTS.find((report) => report === `status ${status.toLowerCase()}`);
    return known ?? (text === undefined ? 'unknown status' : 'message with an unknown status');
  }
  if (from !== 'me') return 'message';
  return id.startsWith(SENT_ID_PREFIX) ? 'echo of a message that Parley sent' : 'echo';
};

/** The prefix of the ids of messages that the stage's chat service accepts from Parley. */
const SENT_ID_PREFIX = 'message-of-';
