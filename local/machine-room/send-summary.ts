import type { SendSummary } from '../../sandbox/machine-room/machine-room.ts';
import type { TableItem } from './table-watch.ts';

const PREFIX = 'SEND#';

/** A request as the table's item has it; undefined for an item of something else. */
export const sendSummary = (item: TableItem): SendSummary | undefined => {
  const key = text(item.pk);
  const state = text(item.state);
  if (!key?.startsWith(PREFIX) || state === undefined) return undefined;
  const times = Object.entries(item).filter(([name]) => name.endsWith('At'));
  return {
    requestId: key.slice(PREFIX.length),
    state,
    platformContactId: contactIn(text(item.body)),
    at: times
      .map(([, time]) => text(time) ?? '')
      .toSorted()
      .at(-1),
    code: text(item.code),
    why: text(item.why),
    messageId: text(item.messageId),
  };
};

const contactIn = (body: string | undefined): string | undefined => {
  try {
    const request: unknown = JSON.parse(body ?? '');
    return typeof request === 'object' && request !== null && 'platformContactId' in request
      ? text(request.platformContactId)
      : undefined;
  } catch {
    return undefined;
  }
};

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
