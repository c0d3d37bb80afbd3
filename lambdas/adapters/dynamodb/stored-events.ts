import type { WebhookEvent } from '../../domain/webhook-event.ts';
import type { StoredEvent, StoredEventReader } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { contactName, echoKey, messageKey } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

/** Creates what finds out which events an import would add. */
export const createDynamodbStoredEvents = (table: ConversationTable): StoredEventReader => ({
  async read(events) {
    const items = await table.getAll(events.map(keyOf));
    return events.map((event, index) => storedAs(event, items[index] ?? {}));
  },
});

const keyOf = ({ kind, id }: WebhookEvent) => (kind === 'echo' ? echoKey(id) : messageKey(id));

const storedAs = (event: WebhookEvent, item: Item): StoredEvent => {
  if (event.kind === 'status') return hasStatus(event, item) ? 'delivered' : 'missing';
  if (event.kind !== 'echo' && item.requestId !== undefined) return 'sent';
  // A status can carry its message, which is replaced by the message itself.
  if (item.createdAt === undefined || item.isFromStatus === true) return 'missing';
  if (item.isImported === true) return 'imported';
  return event.contact && item.contact === contactName(event.contact) ? 'delivered' : 'delivered-for-another';
};

const hasStatus = ({ body, status, time }: Extract<WebhookEvent, { kind: 'status' }>, item: Item): boolean => {
  const { [`${status}At`]: at, statusBodies } = item;
  return (typeof at === 'string' && at <= time.at) || (statusBodies instanceof Set && statusBodies.has(body));
};
