import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONSENT_KINDS, CONSENT_ORIGINS, consentVerdict } from '../../../../../lambdas/domain/consent.ts';
import { eventDetails } from '../../../../../lambdas/domain/events/event-details.ts';
import type { ItemChange } from '../../../../../lambdas/domain/events/item-change.ts';
import { itemEvents } from '../../../../../lambdas/domain/events/item-events.ts';
import * as z from '../../../../../lambdas/domain/schema.ts';
import { SEND_STATES } from '../../../../../lambdas/domain/send-transitions.ts';
import { consentRegister } from '../../../../../lambdas/table/consent-item.ts';
import { optIn, optOut, TRACEPARENT, wireMessage } from '../../../../support/builders.ts';
import { arbitraryChange, arbitraryWrite } from './arbitrary-change.ts';
import {
  accountChange,
  change,
  changeBy,
  consentChange,
  consentImage,
  echoChange,
  echoImage,
  handoverChange,
  inboundImage,
  outboundImage,
  sendChange,
  sendImage,
} from './changes.ts';

const AT = '2026-11-20T11:00:05.000Z';

/** Returns the events of a change after checking each against its schema. */
const eventsOf = (itemChange: ItemChange) =>
  itemEvents(itemChange).map(({ name, detail }) => {
    z.parse(eventDetails[name], JSON.parse(JSON.stringify(detail)));
    return { name, detail };
  });
const namesOf = (itemChange: ItemChange) => eventsOf(itemChange).map(({ name }) => name);

describe('a handover', () => {
  const OVER = { handoverAt: '2026-11-20T10:00:00.000Z' };
  const BACK = { handbackAt: AT };
  const WROTE = { operatorWroteAt: AT, operatorUntil: '2026-11-20T12:00:05.000Z' };
  const WROTE_BEFORE = { operatorWroteAt: '2026-11-20T10:30:00.000Z', operatorUntil: '2026-11-20T11:30:00.000Z' };
  const timesOf = (itemChange: ItemChange) =>
    eventsOf(itemChange).map(({ name, detail }) => [name, detail.at, 'until' in detail ? detail.until : undefined]);

  it.each([
    ['of a contact', OVER, {}, [['ContactHandedOver', OVER.handoverAt, undefined]]],
    ['that ends', { ...OVER, ...BACK }, OVER, [['ContactHandedBack', AT, undefined]]],
    ["by an operator's message", WROTE, {}, [['ContactHandedOver', AT, WROTE.operatorUntil]]],
    ['that another message prolongs', WROTE, WROTE_BEFORE, [['ContactHandedOver', AT, WROTE.operatorUntil]]],
    ['that ends before its time', { ...WROTE_BEFORE, ...BACK }, WROTE_BEFORE, [['ContactHandedBack', AT, undefined]]],
  ])('%s is published', (_case, after, before, events) => {
    expect(timesOf(handoverChange(after, before))).toEqual(events);
  });

  it.each([
    ['an operator writes to a contact that is handed over anyway', { ...OVER, ...WROTE }, OVER],
    ["an operator's late message is older than the handback", { ...BACK, ...WROTE_BEFORE }, BACK],
    ['an operator writes in a stage where that hands nothing over', { operatorWroteAt: AT }, {}],
    ['a contact is handed back that was not handed over', BACK, {}],
    ['an erasure removes a time', { handbackAt: AT }, { ...OVER, ...BACK }],
  ])('is not published if %s', (_case, after, before) => {
    expect(timesOf(handoverChange(after, before))).toEqual([]);
  });
});

describe('storing a message', () => {
  it('publishes MessageReceived with the sender and the content', () => {
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

  it('publishes the media of the message', () => {
    const [event] = eventsOf(change({ after: inboundImage({}, { IMAGES_URLS: ['https://a.example/1.png'] }) }));

    expect(event?.detail).toMatchObject({ content: { media: { images: ['https://a.example/1.png'] } } });
  });

  it('publishes nothing for a message that Parley sent: its send is published', () => {
    expect(namesOf(change({ after: outboundImage() }))).toEqual([]);
  });

  it('publishes nothing when an earlier version replaces the message', () => {
    const earlier = inboundImage({ createdAt: '2026-11-20T10:59:59.000Z' });

    expect(namesOf(change({ before: inboundImage(), after: earlier }))).toEqual([]);
  });

  it('publishes MessageReceived again, as new, when the webhook delivers an imported message', () => {
    const delivered = inboundImage({ createdAt: AT });
    const imported = { ...inboundImage(), isImported: true };

    const [first] = eventsOf(change({ after: imported }));
    const again = eventsOf(change({ before: imported, after: delivered }));

    expect(first).toMatchObject({ name: 'MessageReceived', detail: { imported: true } });
    expect(again).toMatchObject([{ name: 'MessageReceived', detail: { at: AT } }]);
    expect(again[0]?.detail).not.toHaveProperty('imported');
    expect(again[0]?.detail.id).not.toBe(first?.detail.id);
    expect(namesOf(change({ before: imported, after: { ...imported, readAt: AT } }))).toEqual(['MessageRead']);
    expect(namesOf(change({ before: imported, after: { erasedAt: AT } }))).toEqual([]);
  });

  it('publishes MessageUpdated for each later version, and not for an earlier one or a repetition', () => {
    const before = inboundImage();
    const body = JSON.stringify(wireMessage({ MESSAGE: 'edited' }));
    const after = { ...before, body, modifiedAt: AT, versions: new Set(['1']) };
    const [updated] = eventsOf(change({ before, after }));
    expect(updated).toMatchObject({
      name: 'MessageUpdated',
      detail: { messageId: 'message-1', at: AT, sender: 'user', content: { text: 'edited', event: body } },
    });
    expect(namesOf(change({ before: after, after: { ...after, versions: new Set(['1', '2']) } }))).toEqual([]);
    // A change that was not published is published again from the item as it is now.
    const [received, again] = eventsOf(change({ after }));
    expect([received?.name, again]).toEqual(['MessageReceived', updated]);
    const other = { ...after, body: body.replace('edited', 'again'), modifiedAt: AT };
    expect(eventsOf(change({ before: after, after: other }))[0]?.detail.id).not.toBe(updated?.detail.id);
  });

  it('does not publish a status again that arrived before the message', () => {
    const before = { deliveredAt: AT };

    expect(namesOf(change({ before, after: inboundImage(before) }))).toEqual(['MessageReceived']);
  });
});

describe('storing an echo', () => {
  it("publishes MessageEchoed with the content and the echo's own contact", () => {
    expect(eventsOf(echoChange())).toEqual([
      {
        name: 'MessageEchoed',
        detail: {
          id: expect.stringMatching(/^[\w-]{32}$/),
          messageId: 'message-1',
          contact: { platform: 'chat', channel: '*', key: '541155550000' },
          at: '2026-11-20T11:00:01.000Z',
          sender: 'business',
          content: { text: 'On its way.', media: undefined, event: echoImage().body },
        },
      },
    ]);
  });

  it('publishes nothing when an earlier version replaces the echo', () => {
    const after = echoImage({ createdAt: '2026-11-20T11:00:00.500Z' });

    expect(namesOf(echoChange(after, echoImage()))).toEqual([]);
  });
});

describe('storing a status', () => {
  it.each([
    { attribute: 'deliveredAt', name: 'MessageDelivered' },
    { attribute: 'readAt', name: 'MessageRead' },
    { attribute: 'failedAt', name: 'MessageFailed' },
    { attribute: 'sentAt', name: 'MessageStatusChanged' },
  ])('publishes $attribute as $name with its request', ({ attribute, name }) => {
    const events = eventsOf(change({ before: outboundImage(), after: outboundImage({ [attribute]: AT }) }));

    expect(events).toEqual([
      { name, detail: expect.objectContaining({ messageId: 'message-1', requestId: 'request-1', at: AT }) },
    ]);
  });

  it('publishes the body of a failure', () => {
    const after = outboundImage({ failedAt: AT, failedBody: '{"DETAIL":"blocked"}' });

    expect(eventsOf(change({ before: outboundImage(), after }))).toEqual([
      { name: 'MessageFailed', detail: expect.objectContaining({ content: { event: '{"DETAIL":"blocked"}' } }) },
    ]);
  });

  it('publishes a status of several words, which can quote the user, as content', () => {
    const after = outboundImage({ otherStatuses: new Set([`blocked by ana ${AT}`]) });

    expect(eventsOf(change({ before: outboundImage(), after }))).toEqual([
      {
        name: 'MessageStatusChanged',
        detail: expect.objectContaining({ status: 'other', content: { status: 'blocked by ana' } }),
      },
    ]);
  });

  it('publishes an unknown status with its literal and time', () => {
    const before = outboundImage({ otherStatuses: new Set(['queued at 2026-11-20T11:00:01.000Z']) });
    const after = outboundImage({
      otherStatuses: new Set(['queued at 2026-11-20T11:00:01.000Z', `failed_softly ${AT}`]),
    });

    expect(eventsOf(change({ before, after }))).toEqual([
      { name: 'MessageStatusChanged', detail: expect.objectContaining({ status: 'failed_softly', at: AT }) },
    ]);
  });

  it('publishes nothing when an earlier time of the status becomes known', () => {
    const before = outboundImage({ readAt: AT });

    expect(namesOf(change({ before, after: outboundImage({ readAt: '2026-11-20T11:00:01.000Z' }) }))).toEqual([]);
  });
});

describe('a change of a send', () => {
  it('publishes SendAccepted with the message id and the call', () => {
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

  it('publishes SendAccepted with the earlier call that a status confirmed, if the latest one sent nothing', () => {
    const body = { ruleNameOrId: 'parcel_update' };
    const after = sendImage({
      confirmedBy: 'status',
      claimedAt: '2026-11-20T10:30:00.000Z',
      claimId: 'claim-2',
      unsentClaimId: 'claim-2',
      unknownCall: { endpoint: 'intent/v2', body, claimedAt: '2026-11-20T10:00:00.000Z', attempt: 1 },
    });
    const detailOf = (image: typeof after) => eventsOf(sendChange(image, sendImage({ state: 'rejected' })))[0]?.detail;

    expect(detailOf(after)).toMatchObject({ endpoint: 'intent/v2', content: { body } });
    expect(detailOf({ ...after, unsentClaimId: 'claim-1' })).toMatchObject({ endpoint: 'message/v3' });
  });

  it.each([
    { state: 'refused', name: 'SendRefused' },
    { state: 'rejected', name: 'SendRejected' },
    { state: 'expired', name: 'SendExpired' },
    { state: 'uncertain', name: 'SendUncertain' },
    { state: 'cancelled', name: 'SendCancelled' },
  ])('to $state publishes $name with the decision, the outcome, and the request', ({ state, name }) => {
    const reasons = { decision: 'The user wrote, so the window is open.', outcome: 'HTTP 502' };
    const outcomeDetails = 'The number of Ana is invalid.';
    const after = sendImage({ state, [`${state}At`]: AT, ...reasons, outcomeDetails });
    const [event, ...others] = eventsOf(sendChange(after));
    const { content, ...withoutContent } = Object(event?.detail);

    expect(others).toEqual([]);
    expect([event?.name, content]).toEqual([name, { request: after.body, outcomeDetails }]);
    expect(withoutContent).toMatchObject({ at: AT, ...reasons });
    expect(JSON.stringify(withoutContent)).not.toContain('Ana');
  });

  it('to refused again, after a redrive, publishes the new reason with another id', () => {
    const failed = sendImage({ state: 'refused', refusedAt: '2026-11-19T11:00:00.000Z', code: 'PROCESSING_FAILED' });
    const refused = { ...failed, refusedAt: AT, code: 'OPTED_OUT' };

    const [first] = eventsOf(sendChange(failed));
    expect(eventsOf(sendChange(refused, failed))).toMatchObject([
      { name: 'SendRefused', detail: { code: 'OPTED_OUT' } },
    ]);
    expect(eventsOf(sendChange(refused, failed))[0]?.detail.id).not.toBe(first?.detail.id);
  });

  it('names the customer of a request, and the contact only once an address was chosen', () => {
    const body = '{"requestId":"request-1","customerId":"customer-1","messageText":"Hi"}';
    const contact = 'CUSTOMER#chat#customer-1';
    const detailOf = (after: ReturnType<typeof sendImage>) => eventsOf(sendChange(after))[0]?.detail;
    const refused = sendImage({ state: 'refused', refusedAt: AT, code: 'CUSTOMER_UNKNOWN', body, contact });

    expect(detailOf(sendImage({ body }))).toMatchObject({ customerId: 'customer-1', contact: { key: '541155550000' } });
    expect(detailOf(refused)).toMatchObject({ customerId: 'customer-1', contact: undefined });
    expect(detailOf(sendImage())).toMatchObject({ customerId: undefined });
  });

  it('that records only a failure publishes nothing, whatever its state', () => {
    for (const state of [undefined, ...SEND_STATES]) {
      const before = sendImage({ state });
      expect(namesOf(sendChange({ ...before, failingSince: AT }, before))).toEqual([]);
    }
    expect(namesOf(sendChange({ failingSince: AT, expiresAt: 1 }))).toEqual([]);
  });

  it.each(['queued', 'scheduled', 'claimed', 'waiting'])('to %s publishes nothing', (state) => {
    expect(namesOf(sendChange(sendImage({ state }), sendImage({ state: 'waiting' })))).toEqual([]);
  });

  it('to refused publishes the rule', () => {
    const [event] = eventsOf(sendChange(sendImage({ state: 'refused', code: 'WINDOW_CLOSED' })));

    expect(event?.detail).toMatchObject({ code: 'WINDOW_CLOSED' });
  });

  it('from one message that failed to another publishes events with other ids', () => {
    const failed = (messageId: string) =>
      sendImage({ state: 'failed', failedAt: AT, failure: '131049', code: '131049', messageId });
    const unnamed = sendImage({ messageId: undefined });
    const other = sendImage({ messageId: 'message-2' });
    const changes = [
      sendChange(unnamed),
      sendChange(failed('message-1'), unnamed),
      sendChange(other, failed('message-1')),
      sendChange(failed('message-2'), other),
    ];
    const events = changes.flatMap((itemChange) => eventsOf(itemChange));

    expect(events.map(({ name }) => name)).toEqual(['SendAccepted', 'SendFailed', 'SendAccepted', 'SendFailed']);
    expect(new Set(events.map(({ detail }) => detail.id)).size).toBe(4);
  });

  it('to uncertain for a second time publishes an event with another id', () => {
    const uncertain = (at: string) => sendChange(sendImage({ state: 'uncertain', uncertainAt: at }));
    const ids = [uncertain(AT), uncertain('2026-11-20T11:30:00.000Z')].map((one) => eventsOf(one)[0]?.detail.id);

    expect(new Set(ids).size).toBe(2);
  });
});

describe("a change of a contact's consents", () => {
  const [FIRST, SECOND, THIRD] = ['2026-11-01', '2026-11-02', '2026-11-03'].map((day) => `${day}T00:00:00.000Z`);
  const imported = { origin: 'import' as const, source: 'list' };

  it('publishes the consent that becomes effective', () => {
    const before = consentImage(optIn(String(FIRST)), optOut(String(SECOND)));
    const after = { ...before, ...consentImage(optIn(AT)) };

    expect(eventsOf(consentChange(after, before))).toEqual([
      { name: 'ContactOptedIn', detail: expect.objectContaining({ at: AT, origin: 'user', source: 'form' }) },
    ]);
    expect(eventsOf(consentChange(consentImage(optOut(AT, imported))))).toMatchObject([
      { name: 'ContactOptedOut', detail: { at: AT, origin: 'import', source: 'list' } },
    ]);
  });

  it('publishes nothing if another consent overrides the new one', () => {
    const before = consentImage(optOut(String(FIRST)));
    const after = { ...before, ...consentImage(optIn(String(SECOND), imported)) };

    expect(namesOf(consentChange(after, before))).toEqual([]);
    expect(namesOf(consentChange({ ...after, userOptOutRecordedAt: AT }, after))).toEqual([]);
  });

  it('publishes another id when the same consent becomes effective again', () => {
    const byImport = consentImage(optIn(String(THIRD), imported));
    const optedOut = { ...byImport, ...consentImage(optOut(String(FIRST))) };
    const again = { ...optedOut, ...consentImage(optIn(String(SECOND))) };
    const events = [consentChange(byImport), consentChange(optedOut, byImport), consentChange(again, optedOut)].flatMap(
      eventsOf,
    );

    expect(events.map(({ name, detail }) => `${name} ${detail.at}`)).toEqual([
      `ContactOptedIn ${THIRD}`,
      `ContactOptedOut ${FIRST}`,
      `ContactOptedIn ${THIRD}`,
    ]);
    expect(new Set(events.map(({ detail }) => detail.id)).size).toBe(3);
  });

  it('publishes the effective consent last, in any order of writes', () => {
    const consent = fc.record({
      kind: fc.constantFrom(...CONSENT_KINDS),
      origin: fc.constantFrom(...CONSENT_ORIGINS),
      at: fc.constantFrom(String(FIRST), String(SECOND), String(THIRD)),
      source: fc.constant('form'),
    });
    fc.assert(
      fc.property(fc.array(consent, { minLength: 1, maxLength: 8 }), (consents) => {
        let image: Readonly<Record<string, unknown>> = {};
        const published: string[] = [];
        for (const one of consents) {
          const { at } = consentRegister(one);
          const after = one.at > String(image[at] ?? '') ? { ...image, ...consentImage(one) } : image;
          published.push(...namesOf(consentChange(after, image)));
          image = after;
        }
        const { state } = consentVerdict(consents);
        expect(published.at(-1)).toBe(state === 'opted-in' ? 'ContactOptedIn' : 'ContactOptedOut');
      }),
    );
  });

  it('cannot be published if a register is damaged', () => {
    expect(() => itemEvents(consentChange({ userOptOutAt: 'yesterday' }))).toThrow('cannot be read');
  });
});

describe('a change of an account', () => {
  const open = { circuit: 'open', openedAt: AT, reason: 'no-credit', why: 'code 101' };
  const closed = { ...open, circuit: 'closed', closedAt: '2026-11-20T11:30:00.000Z' };
  const account = { platform: 'chat', channel: '+5491100000000' };

  it('publishes AccountHeld with the reason, and AccountResumed without', () => {
    const id = expect.any(String);

    expect(eventsOf(accountChange(open, closed))).toEqual([
      { name: 'AccountHeld', detail: { id, account, at: AT, reason: 'no-credit', why: 'code 101' } },
    ]);
    expect(eventsOf(accountChange(closed, open))).toEqual([
      { name: 'AccountResumed', detail: { id, account, at: '2026-11-20T11:30:00.000Z' } },
    ]);
  });

  it('is published from the first opening of the circuit breaker on, without its probes', () => {
    expect(namesOf(accountChange(open))).toEqual(['AccountHeld']);
    expect(namesOf(accountChange({ ...open, probes: 2 }, open))).toEqual([]);
    expect(namesOf(accountChange(closed))).toEqual([]);
  });

  it('publishes SendingStopped with the note as content, and SendingResumed', () => {
    const id = expect.any(String);
    const stopped = { stoppedAt: AT, stopNote: 'Wrong template' };
    const resumed = { resumedAt: '2026-11-20T11:30:00.000Z' };

    expect(eventsOf(accountChange(stopped))).toEqual([
      { name: 'SendingStopped', detail: { id, account, at: AT, content: { note: 'Wrong template' } } },
    ]);
    expect(eventsOf(accountChange(resumed, stopped))).toEqual([
      { name: 'SendingResumed', detail: { id, account, at: resumed.resumedAt } },
    ]);
  });

  it('publishes nothing about a stop whose note changes, or while nothing is stopped', () => {
    const stopped = { stoppedAt: AT, stopNote: 'Wrong template' };
    expect(namesOf(accountChange({ ...stopped, stopNote: 'Other' }, stopped))).toEqual([]);
    expect(namesOf(accountChange({ resumedAt: AT }))).toEqual([]);
    expect(namesOf(accountChange({ ...stopped, ...open }, stopped))).toEqual(['AccountHeld']);
  });

  it('publishes the next opening with another id', () => {
    const again = { ...open, openedAt: '2026-11-20T12:00:00.000Z' };
    const ids = [open, again].map((one) => eventsOf(accountChange(one, closed))[0]?.detail.id);

    expect(new Set(ids).size).toBe(2);
  });
});

describe('the trace of an item', () => {
  const traced = { traceparent: TRACEPARENT };
  const statuses = { sentAt: AT, deliveredAt: AT, readAt: AT, failedAt: AT, otherStatuses: new Set([`queued ${AT}`]) };

  it.each([
    ['a message', change({ after: inboundImage(traced) }), 1],
    ['an echo', echoChange(echoImage(traced)), 1],
    [
      'the statuses of a message that Parley sent',
      change({ before: outboundImage(traced), after: outboundImage({ ...traced, ...statuses }) }),
      5,
    ],
    ['an accepted send', sendChange(sendImage(traced)), 1],
    ['a refused send', sendChange(sendImage({ ...traced, state: 'refused', refusedAt: AT, code: 'NO_OPT_IN' })), 1],
    ['a rejected send', sendChange(sendImage({ ...traced, state: 'rejected', rejectedAt: AT })), 1],
  ])('is in each event about %s', (_case, itemChange, count) => {
    expect(eventsOf(itemChange).map(({ detail }) => detail)).toEqual(
      Array.from({ length: count }, () => expect.objectContaining(traced)),
    );
  });
});

describe('any change', () => {
  // It can take hundreds of changes to find a defect that only one type of one attribute reveals.
  const check = <Of>(property: fc.IProperty<[Of]>) => fc.assert(property, { numRuns: 2_000 });

  it('publishes only events that match their schemas, whatever the item contains', () => {
    check(fc.property(arbitraryChange, (one) => void eventsOf(one)));
  });

  it('publishes the same events when the stream repeats it', () => {
    check(
      fc.property(arbitraryChange, (one) => void expect(itemEvents(structuredClone(one))).toEqual(itemEvents(one))),
    );
  });

  // The emulator reports writes that change nothing; DynamoDB does not.
  it('publishes nothing when nothing changed', () => {
    check(
      fc.property(arbitraryWrite, ({ kind, after }) => {
        expect(itemEvents(changeBy({ kind, before: after, after }))).toEqual([]);
      }),
    );
  });
});
