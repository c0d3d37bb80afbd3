import { field, stringField } from './api.ts';
import type { Timeline } from './console-state.ts';

/** An item of the customer's table. */
export type TableItem = Readonly<Record<string, unknown>>;

/** Returns the timeline's item with a sort key. */
export const itemOf = ({ trace }: Timeline, sortKey: string): TableItem | undefined =>
  trace?.items.find(({ sk }) => sk === sortKey);

/** Returns the ID of the timeline's request, if it has one. */
export const requestIdOf = (timeline: Timeline): string | undefined => {
  const { kind, id } = timeline.selection;
  return kind === 'request' ? id : stringField(itemOf(timeline, 'SEND'), 'pk')?.replace(/^SEND#/, '');
};

/** Returns the ID of the timeline's message, if it has one. */
export const messageIdOf = (timeline: Timeline): string | undefined => {
  const { kind, id } = timeline.selection;
  return kind === 'message' ? id : stringField(itemOf(timeline, 'SEND'), 'messageId');
};

/** Returns the trace ID of an item or call with a W3C `traceparent`: its second field. */
export const traceIdOf = (traced: unknown): string | undefined => stringField(traced, 'traceparent')?.split('-')[1];

/** Returns the request as queued; undefined if it cannot be read. */
const requestOf = (send: TableItem | undefined): unknown => {
  try {
    return JSON.parse(stringField(send, 'body') ?? '');
  } catch {
    return undefined;
  }
};

/** Returns the request's address of the user. */
export const addressIn = (send: TableItem | undefined): string | undefined =>
  stringField(requestOf(send), 'platformContactId') ?? stringField(field(send?.call, 'body'), 'platformContactId');

/** Returns the request's variables. */
export const paramsIn = (send: TableItem | undefined): Readonly<Record<string, string>> => {
  const params = field(requestOf(send), 'params');
  if (typeof params !== 'object' || params === null) return {};
  return Object.fromEntries(
    Object.entries(params).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
};

/** Returns the name of the request's template. */
export const ruleNameIn = (send: TableItem | undefined): string | undefined =>
  stringField(requestOf(send), 'ruleNameOrId');
