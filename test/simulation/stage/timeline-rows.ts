import { requestIdIn } from '../world/journal.ts';
import { describeAct } from './describe-act.ts';
import { describeWrite, isUnchanged } from './describe-write.ts';
import type { LedgerEntry } from './ledger.ts';

/** The participants of a run other than the processes of the functions. */
export const LANES = ['users', 'internal', 'chat service', 'delivery', 'table', 'queues', 'scheduler', 'bus'] as const;

export type Lane = (typeof LANES)[number];

/** A line of a timeline: an event in one column, or from one column to another. */
export interface Row {
  readonly atMs: number;
  /** A column or the name of a process. */
  readonly from: string;
  readonly to?: string;
  readonly text: string;
  readonly mark?: 'fault' | 'violation' | 'start' | 'end';
}

/** Returns an entry's line, or undefined if it changed nothing. */
export const rowOf = (entry: LedgerEntry): Row | undefined => {
  const { atMs, process } = entry;
  const by = process ?? 'internal';
  switch (entry.kind) {
    case 'act':
      return { atMs, ...describeAct(entry.act) };
    case 'api-answer': {
      const status = entry.status === undefined ? 'no answer' : `answer ${entry.status}`;
      return { atMs, from: 'internal', text: `${status} for: ${describeAct(entry.act).text}` };
    }
    case 'invoked': {
      const messages = entry.messages === 1 ? '1 message' : `${entry.messages} messages`;
      return { atMs, from: by, text: `${entry.function} starts, ${messages}`, mark: 'start' };
    }
    case 'ended':
      return { atMs, from: by, text: `${entry.function} ${ENDS[entry.how]}`, mark: 'end' };
    case 'event':
      return {
        atMs,
        from: 'chat service',
        to: 'delivery',
        text: `${entry.eventId}: ${entry.isUnauthenticated ? 'UNAUTHENTICATED ' : ''}${describeEvent(entry.body)}`,
      };
    case 'delivery':
      return { atMs, from: 'delivery', text: `delivers ${entry.eventId}, attempt ${entry.attempt}` };
    case 'delivery-answer':
      return {
        atMs,
        from: 'delivery',
        text: `answer ${entry.status} for ${entry.eventId}${entry.isHeard ? '' : ', lost on its way'}`,
      };
    case 'event-lost':
      return { atMs, from: 'delivery', text: `${entry.eventId} is LOST: ${entry.why}` };
    case 'write':
      return isUnchanged(entry) ? undefined : { atMs, from: by, to: 'table', text: describeWrite(entry) };
    case 'read-contact':
      return undefined;
    case 'call': {
      const effect = entry.effect ? ` as ${entry.effect.id}` : '';
      const heard = entry.isAnswered ? '' : `, but the answer is ${entry.isUnreadable ? 'unreadable' : 'lost'}`;
      const text = `${entry.endpoint} ${entry.requestId}: ${entry.end}${effect}${heard}`;
      return { atMs, from: by, to: 'chat service', text };
    }
    case 'queued': {
      const why = entry.reason === undefined ? '' : ` (${entry.reason})`;
      return { atMs, from: by, to: 'queues', text: `${entry.queue} ← ${describeMessage(entry.body)}${why}` };
    }
    case 'misdirected':
      return { atMs, from: by, to: 'queues', text: `${entry.queue}: has no message ${describeMessage(entry.body)}` };
    case 'deleted':
      return { atMs, from: by, to: 'queues', text: `${entry.queue}: ${describeMessage(entry.body)} deleted` };
    case 'published':
      return {
        atMs,
        from: by,
        to: 'bus',
        text: `${entry.detailType} ${describeMessage(JSON.stringify(entry.detail))}`,
      };
    case 'scheduled':
    case 'unscheduled':
      return { atMs, from: by, to: 'scheduler', text: `${entry.kind} ${entry.requestId}` };
    case 'schedule-fired':
      return { atMs, from: 'scheduler', to: 'queues', text: `${entry.requestId} is due` };
    case 'fault':
      return { atMs, from: by, text: `FAULT ${entry.fault} at ${entry.call}`, mark: 'fault' };
    case 'calm':
      return { atMs, from: 'internal', text: 'No act or fault happens from here on.' };
  }
};

const ENDS = {
  answered: 'ends',
  failed: 'FAILS',
  died: 'DIES',
  'timed-out': 'TIMES OUT',
} as const satisfies Record<Extract<LedgerEntry, { kind: 'ended' }>['how'], string>;

const field = (body: string, name: string): string | undefined =>
  new RegExp(`\\\\?"${name}\\\\?":\\s*\\\\?"((?:[^"\\\\]|\\\\u....)*)`).exec(body)?.[1];

const describeEvent = (body: string): string => {
  const id = field(body, '_id_');
  const status = field(body, 'STATUS');
  const from = field(body, 'FROM');
  if (id === undefined) return 'a body that is no event';
  return status === undefined ? `message ${id} from ${from}` : `${status} of ${id}`;
};

/** Names what a message on a queue or an event on the bus is about. */
const describeMessage = (body: string): string => {
  const requestId = requestIdIn(body);
  if (requestId !== 'none') return requestId;
  const id = field(body, '_id_') ?? field(body, 'messageId') ?? field(body, 'erasureId') ?? field(body, 'id');
  return id ?? `${body.length} characters`;
};
