import { parseObject } from '../world/parse-object.ts';
import { WIRE_FORMATS, type WireEvent, type WireFormat } from '../world/translate-event.ts';
import type { LedgerEntry } from './ledger.ts';

/** What the chat service's events can look like that a stage must handle, whatever they report. */
export const WIRE_KINDS = [
  ...WIRE_FORMATS.map((format) => `event in ${format}` as const),
  'events posted together',
  'echo from a bot',
  'echo from an agent',
  'echo from nobody',
  'failure with a code like a float',
  'status without a time',
  'event that Parley does not know',
] as const;

/** How the chat service's id of a send, and the message of the send, become known. */
export const LINKS = ['transaction known by the answer first', 'transaction known by an event first'] as const;

/** Returns what an event looks like. */
export const observeWire = ({ body, source, others = 0 }: Extract<LedgerEntry, { kind: 'event' }>) => {
  const event = parseObject(body);
  if (event === undefined) return [];
  const { STATUS, CREATION_TIME, REASON } = source ?? {};
  const found: (typeof WIRE_KINDS)[number][] = [`event in ${formatOf(event)}`];
  if (others > 0) found.push('events posted together');
  if (STATUS !== undefined && CREATION_TIME === undefined) found.push('status without a time');
  if (REASON !== undefined) found.push('failure with a code like a float');
  if (event.type === 'event') found.push('event that Parley does not know');
  if (source?.FROM === 'me') found.push(...senderOf(event));
  return found;
};

const formatOf = ({ v, context, contactId }: WireEvent): WireFormat => {
  if (v !== undefined) return 'v1.1';
  if (context !== undefined) return 'code-action';
  return contactId === undefined ? 'uppercase' : 'camelCase';
};

const senderOf = ({ messages, contactId, fromCustomer }: WireEvent): (typeof WIRE_KINDS)[number][] => {
  if (Array.isArray(messages)) {
    const { from } = messages[0] ?? {};
    return [from === 'bot' ? 'echo from a bot' : from === 'agent' ? 'echo from an agent' : 'echo from nobody'];
  }
  return contactId !== undefined && fromCustomer === undefined ? ['echo from nobody'] : [];
};

/** Returns how a write completes what links a send to its message. */
export const observeLink = ({
  before,
  after,
}: Extract<LedgerEntry, { kind: 'write' }>): readonly (typeof LINKS)[number][] => {
  const isComplete = after?.requestId !== undefined && after.messageId !== undefined;
  if (!isComplete || before === undefined) return [];
  if (before.messageId === undefined) return ['transaction known by the answer first'];
  return before.requestId === undefined ? ['transaction known by an event first'] : [];
};
