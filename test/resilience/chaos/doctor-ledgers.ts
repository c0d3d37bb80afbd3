import { erasedContacts, type Ledgers } from './ledgers.ts';

/** Returns the ledgers of a run with one change for each check, by the name of the check that must find it. */
export const doctorLedgers = (ledgers: Ledgers): Readonly<Record<string, Ledgers>> => {
  const { table, published, erasures, requests } = ledgers;
  const items = Object.entries(table);
  const erased = erasedContacts(ledgers);
  const kept = new Set(requests.filter(({ contact }) => !erased.has(contact)).map(({ requestId }) => requestId));
  const sent = items.filter(([, { direction, requestId }]) => direction === 'outbound' && kept.has(String(requestId)));
  const [[sentKey, sentItem] = ['', {}]] = sent.filter(([, { deliveredAt }]) => deliveredAt !== undefined);
  const { direction: _direction, requestId: _requestId, ...incomplete } = sentItem;
  const refusal = { state: 'refused', code: 'WINDOW_CLOSED', refusedAt: latestOf(ledgers) };
  return {
    'a request is refused only for a cause that Parley knew of': {
      ...ledgers,
      table: Object.fromEntries(items.map(([key, item]) => [key, item.sk === 'SEND' ? { ...item, ...refusal } : item])),
    },
    'an erased contact leaves no data in the table': {
      ...ledgers,
      table: { ...table, 'MESSAGE#left MESSAGE': { pk: 'MESSAGE#left', sk: 'MESSAGE', body: erasures[0]?.contact } },
    },
    'every published event has a cause': {
      ...ledgers,
      published: [...published, { id: 'invented', name: 'MessageReceived', subject: 'invented', at: '' }],
    },
    'the time of every status is the earliest that the chat service reported': {
      ...ledgers,
      table: { ...table, [sentKey]: { ...sentItem, deliveredAt: '2026-01-01T00:00:00.000Z' } },
    },
    'every stored message has its direction and its request': {
      ...ledgers,
      table: { ...table, [sentKey]: incomplete },
    },
  };
};

/** Returns a minute after the latest window was recorded, when all windows were known. */
const latestOf = ({ windows }: Ledgers): string => {
  const latest = windows.map(({ at }) => Date.parse(at)).reduce((one, other) => Math.max(one, other), 0);
  return new Date(latest + 60_000).toISOString();
};
