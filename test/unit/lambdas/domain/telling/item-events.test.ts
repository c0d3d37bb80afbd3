import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from '../../../../../lambdas/domain/schema.ts';
import type { ItemChange } from '../../../../../lambdas/domain/telling/item-change.ts';
import { itemEvents } from '../../../../../lambdas/domain/telling/item-events.ts';
import { toldDetails } from '../../../../../lambdas/domain/telling/told-details.ts';
import { accountChange, change, contactChange, inboundImage, outboundImage, sendChange, sendImage } from './changes.ts';

const AT = '2026-11-20T11:00:05.000Z';

/** The events of a change, each held against its own schema. */
const eventsOf = (itemChange: ItemChange) =>
  itemEvents(itemChange).map(({ name, detail }) => {
    z.parse(toldDetails[name], JSON.parse(JSON.stringify(detail)));
    return { name, detail };
  });
const namesOf = (itemChange: ItemChange) => eventsOf(itemChange).map(({ name }) => name);

describe('a message that is stored', () => {
  it('is told as received, with who wrote and what', () => {
    expect(eventsOf(change())).toEqual([
      {
        name: 'MessageReceived',
        detail: {
          id: expect.stringMatching(/^[\w-]{32}$/),
          messageId: 'message-1',
          contact: { platform: 'chat', channel: '*', key: '541155550000' },
          platformContactId: '5491155550000',
          at: '2026-11-20T11:00:00.000Z',
          content: { text: 'Where is my parcel?', media: undefined, event: inboundImage().body },
        },
      },
    ]);
  });

  it('is told with its media', () => {
    const [event] = eventsOf(change({ after: inboundImage({ media: { images: ['https://a.example/1.png'] } }) }));

    expect(event?.detail).toMatchObject({ content: { media: { images: ['https://a.example/1.png'] } } });
  });

  it('is told as echoed when it is our own come back', () => {
    expect(namesOf(change({ kind: 'echo', after: inboundImage({ direction: 'echo' }) }))).toEqual(['MessageEchoed']);
  });

  it('is told by its send alone when we sent it', () => {
    expect(namesOf(change({ after: outboundImage() }))).toEqual([]);
  });

  it('is told once, also when an earlier version of it replaces it', () => {
    const earlier = inboundImage({ createdAt: '2026-11-20T10:59:59.000Z' });

    expect(namesOf(change({ before: inboundImage(), after: earlier }))).toEqual([]);
  });

  it('is told together with a status that came before it only once', () => {
    const before = { deliveredAt: AT };

    expect(namesOf(change({ before, after: inboundImage(before) }))).toEqual(['MessageReceived']);
  });
});

describe('a status', () => {
  it.each([
    { attribute: 'deliveredAt', name: 'MessageDelivered' },
    { attribute: 'readAt', name: 'MessageRead' },
    { attribute: 'failedAt', name: 'MessageFailed' },
    { attribute: 'sentAt', name: 'MessageStatusChanged' },
  ])('at $attribute is told as $name, with the request that it answers', ({ attribute, name }) => {
    const told = eventsOf(change({ before: outboundImage(), after: outboundImage({ [attribute]: AT }) }));

    expect(told).toEqual([
      { name, detail: expect.objectContaining({ messageId: 'message-1', requestId: 'request-1', at: AT }) },
    ]);
  });

  it('that is not known is told by its own literal, and its time', () => {
    const before = outboundImage({ otherStatuses: new Set(['queued at 2026-11-20T11:00:01.000Z']) });
    const after = outboundImage({
      otherStatuses: new Set(['queued at 2026-11-20T11:00:01.000Z', `on hold ${AT}`]),
    });

    expect(eventsOf(change({ before, after }))).toEqual([
      { name: 'MessageStatusChanged', detail: expect.objectContaining({ status: 'on hold', at: AT }) },
    ]);
  });

  it('whose earlier time becomes known is not told again', () => {
    const before = outboundImage({ readAt: AT });

    expect(namesOf(change({ before, after: outboundImage({ readAt: '2026-11-20T11:00:01.000Z' }) }))).toEqual([]);
  });
});

describe('a send', () => {
  it('that is accepted is told with its message’s id and the call', () => {
    expect(eventsOf(sendChange(sendImage(), sendImage({ state: 'claimed' })))).toEqual([
      {
        name: 'SendAccepted',
        detail: expect.objectContaining({
          requestId: 'request-1',
          messageId: 'message-1',
          endpoint: 'message/v3',
          at: '2026-11-20T11:00:00.000Z',
          content: { body: { platformContactId: '5491155550000', messageText: 'Hi' } },
        }),
      },
    ]);
  });

  it.each([
    { state: 'refused', name: 'SendRefused' },
    { state: 'rejected', name: 'SendRejected' },
    { state: 'expired', name: 'SendExpired' },
    { state: 'uncertain', name: 'SendUncertain' },
    { state: 'cancelled', name: 'SendCancelled' },
  ])('that is $state is told with why, and the request', ({ state, name }) => {
    const after = sendImage({ state, [`${state}At`]: AT, why: 'Because.' });

    expect(eventsOf(sendChange(after))).toEqual([
      { name, detail: expect.objectContaining({ at: AT, why: 'Because.', content: { request: after.body } }) },
    ]);
  });

  it.each(['scheduled', 'claimed', 'waiting'])('that is %s is not told: it is on its way', (state) => {
    expect(namesOf(sendChange(sendImage({ state }), sendImage({ state: 'waiting' })))).toEqual([]);
  });

  it('that is refused is told with the rule', () => {
    const [event] = eventsOf(sendChange(sendImage({ state: 'refused', code: 'WINDOW_CLOSED' })));

    expect(event?.detail).toMatchObject({ code: 'WINDOW_CLOSED' });
  });

  it('that is resent and uncertain again is told as another event', () => {
    const uncertain = (at: string) => sendChange(sendImage({ state: 'uncertain', uncertainAt: at }));
    const ids = [uncertain(AT), uncertain('2026-11-20T11:30:00.000Z')].map((one) => eventsOf(one)[0]?.detail.id);

    expect(new Set(ids).size).toBe(2);
  });
});

describe('a contact', () => {
  it('who opts in or out is told, at each new time', () => {
    const before = { optInAt: '2026-11-01T00:00:00.000Z', optOutAt: '2026-11-02T00:00:00.000Z' };
    const after = { ...before, optInAt: AT, optInSource: 'form' };

    expect(eventsOf(contactChange(after, before))).toEqual([
      { name: 'ContactOptedIn', detail: expect.objectContaining({ at: AT, source: 'form' }) },
    ]);
    expect(namesOf(contactChange({ optOutAt: AT }))).toEqual(['ContactOptedOut']);
  });

  it('whose window moves is not', () => {
    expect(namesOf(contactChange({ lastInboundAt: AT, optInAt: AT }, { optInAt: AT }))).toEqual([]);
  });
});

describe('an account', () => {
  const held = { state: 'held', heldAt: AT, reason: 'no-credit', why: 'code 101' };
  const open = {
    state: 'open',
    heldAt: AT,
    reason: 'no-credit',
    why: 'code 101',
    resumedAt: '2026-11-20T11:30:00.000Z',
  };
  const account = { platform: 'chat', channel: '+5491100000000' };

  it('that is held is told with the reason, and that goes on without it', () => {
    const id = expect.any(String);

    expect(eventsOf(accountChange(held, open))).toEqual([
      { name: 'AccountHeld', detail: { id, account, at: AT, reason: 'no-credit', why: 'code 101' } },
    ]);
    expect(eventsOf(accountChange(open, held))).toEqual([
      { name: 'AccountResumed', detail: { id, account, at: '2026-11-20T11:30:00.000Z' } },
    ]);
  });

  it('is told of from its first hold on, and not of its probes', () => {
    expect(namesOf(accountChange(held))).toEqual(['AccountHeld']);
    expect(namesOf(accountChange({ ...held, probes: 2 }, held))).toEqual([]);
    expect(namesOf(accountChange(open))).toEqual([]);
  });

  it('that is held again is told as another event', () => {
    const again = { ...held, heldAt: '2026-11-20T12:00:00.000Z' };
    const ids = [held, again].map((one) => eventsOf(accountChange(one, open))[0]?.detail.id);

    expect(new Set(ids).size).toBe(2);
  });
});

describe('any change', () => {
  const image = fc.dictionary(
    fc.constantFrom(
      ...[
        'direction',
        'createdAt',
        'text',
        'media',
        'body',
        'sentAt',
        'deliveredAt',
        'readAt',
        'failedAt',
        'failedBody',
      ],
      ...[
        'otherStatuses',
        'requestId',
        'state',
        'why',
        'call',
        'messageId',
        'code',
        'optInAt',
        'optOutAt',
        'acceptedAt',
      ],
    ),
    fc.oneof(
      fc.constantFrom('inbound', 'echo', 'accepted', 'refused', 'uncertain', 'held', 'open', AT),
      fc.constant(new Set(['odd', `queued ${AT}`])),
      fc.jsonValue(),
    ),
  );
  const changes = fc
    .record({ kind: fc.constantFrom('message', 'echo', 'send', 'contact', 'account'), before: image, after: image })
    .map((parts) => change(parts as Partial<ItemChange>));

  it('whatever stands in the item, tells only what the schemas say', () => {
    fc.assert(fc.property(changes, (one) => void eventsOf(one)));
  });

  it('that the stream tells again tells the same', () => {
    fc.assert(fc.property(changes, (one) => void expect(itemEvents(structuredClone(one))).toEqual(itemEvents(one))));
  });

  it('that changed nothing tells nothing, as an emulator tells of such writes', () => {
    fc.assert(
      fc.property(
        changes,
        (one) => void expect(itemEvents({ ...one, before: structuredClone(one.after) })).toEqual([]),
      ),
    );
  });
});
