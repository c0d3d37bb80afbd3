import { describe, expect, it } from 'vitest';
import { createLatestSends } from '../../../../local/inspector/latest-sends.ts';
import type { SendFilter } from '../../../../sandbox/base/inspector.ts';
import type { SendSummary } from '../../../../sandbox/base/trace.ts';

const listOf = (sends: readonly SendSummary[], maxSends?: number) => {
  const list = createLatestSends(maxSends);
  for (const send of sends) list.add(send);
  return list;
};

const sends: readonly SendSummary[] = [
  {
    requestId: 'order-1',
    state: 'accepted',
    platformContactId: '+5491155550001',
    text: 'On its WAY',
    messageId: 'm-1',
  },
  { requestId: 'order-2', state: 'refused', platformContactId: '5491155550001', code: 'WINDOW_CLOSED', text: 'Hi' },
  {
    requestId: 'order-3',
    state: 'waiting',
    firstAt: '2026-11-21T10:00:00.000Z',
    customerId: 'K3',
    platformContactId: 'ana.perez',
    ruleName: 'order_shipped',
  },
  { requestId: 'erased', state: 'accepted' },
];

const idsOf = (filter: SendFilter) =>
  listOf(sends)
    .find(filter)
    .sends.map(({ requestId }) => requestId);

describe('the latest sends', () => {
  it('are found latest change first, with the number of those that match and of all in each state', () => {
    const list = listOf([...sends, { requestId: 'order-1', state: 'uncertain' }]);

    const { sends: found, total, states } = list.find({ text: 'order' });

    expect(found.map(({ requestId }) => requestId)).toEqual(['order-1', 'order-3', 'order-2']);
    expect(total).toBe(3);
    expect(states).toEqual({
      failed: 0,
      queued: 0,
      scheduled: 0,
      claimed: 0,
      waiting: 1,
      accepted: 1,
      refused: 1,
      rejected: 0,
      expired: 0,
      uncertain: 1,
      cancelled: 0,
    });
  });

  it.each<[SendFilter, string[]]>([
    [{}, ['erased', 'order-3', 'order-2', 'order-1']],
    [{ contact: '', state: '', text: ' ' }, ['erased', 'order-3', 'order-2', 'order-1']],
    [{ contact: '+5491155550001' }, ['order-2', 'order-1']],
    [{ contact: '5491155550001' }, ['order-2', 'order-1']],
    // In a query, a plus that is not encoded is a space.
    [{ contact: ' 54 911 5555-0001' }, ['order-2', 'order-1']],
    [{ contact: '\u2068tel:+54\u00a09\u00a011 5555\u20110001\u2069' }, ['order-2', 'order-1']],
    [{ text: '\u2068tel:+54\u00a09\u00a011 5555\u20110001\u2069' }, ['order-2', 'order-1']],
    [{ contact: '54911' }, []],
    [{ contact: 'ana.perez' }, ['order-3']],
    [{ contact: 'ana.perez', since: '2026-11-21T10:00:00.000Z' }, ['order-3']],
    // What an earlier user of the address was sent.
    [{ contact: 'ana.perez', since: '2026-11-21T10:00:00.001Z' }, []],
    [{ contact: 'anaperez' }, []],
    [{ state: 'accepted' }, ['erased', 'order-1']],
    [{ text: 'ORDER-2' }, ['order-2']],
    [{ text: 'm-1' }, ['order-1']],
    [{ text: 'its way' }, ['order-1']],
    [{ text: 'Shipped' }, ['order-3']],
    [{ text: 'window_' }, ['order-2']],
    [{ text: '+54 911 5555' }, ['order-2', 'order-1']],
    [{ text: 'ana.p' }, ['order-3']],
    [{ text: 'k3' }, ['order-3']],
    [{ text: 'on its way m-1' }, []],
    [{ text: 'undefined' }, []],
    [{ contact: '+5491155550001', state: 'refused', text: 'hi' }, ['order-2']],
    [{ contact: '+5491155550001', state: 'refused', text: 'way' }, []],
  ])('with the filter %j are %j', (filter, expected) => {
    expect(idsOf(filter)).toEqual(expected);
  });

  it('are listed with the furthest status of their message once they are accepted, whichever is known first', () => {
    const list = createLatestSends();
    list.addStatus('m-2', 'read');
    list.add({ requestId: 'order-1', state: 'claimed', messageId: 'm-1' });
    list.add({ requestId: 'order-2', state: 'accepted', messageId: 'm-2' });

    expect(list.addStatus('m-1', 'delivered')?.status).toBeUndefined();
    list.add({ requestId: 'order-1', state: 'accepted', messageId: 'm-1' });
    expect(list.addStatus('m-2', 'read')).toBeUndefined();
    expect(list.addStatus('of-another-sender', 'read')).toBeUndefined();

    expect(list.find({}).sends.map(({ requestId, status }) => [requestId, status])).toEqual([
      ['order-1', 'delivered'],
      ['order-2', 'read'],
    ]);
    expect(list.find({ state: 'read' }).sends.map(({ requestId }) => requestId)).toEqual(['order-2']);
    expect(list.states()).toMatchObject({ claimed: 0, accepted: 0, delivered: 1, read: 1 });
  });

  it('are at most 200, while the total counts all', () => {
    const list = listOf(Array.from({ length: 250 }, (_, index) => ({ requestId: `r-${index}`, state: 'queued' })));

    const { sends: found, total } = list.find({});

    expect([found.length, found[0]?.requestId, found.at(-1)?.requestId, total]).toEqual([200, 'r-249', 'r-50', 250]);
  });

  it('exclude those whose latest change is the oldest once there are too many', () => {
    const list = listOf(sends, 3);

    list.add({ requestId: 'order-2', state: 'accepted' });
    list.add({ requestId: 'order-4', state: 'queued' });

    expect(list.find({}).sends.map(({ requestId }) => requestId)).toEqual(['order-4', 'order-2', 'erased']);
    expect(list.states()).toMatchObject({ queued: 1, waiting: 0, refused: 0, accepted: 2 });
  });
});
