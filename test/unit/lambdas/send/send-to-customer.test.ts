import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamodbErasures } from '../../../../lambdas/adapters/dynamodb/erasures.ts';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import type { ErasablePage, ErasablePosition } from '../../../../lambdas/ports.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { ACCOUNT, optOut, sendRequest, TRACEPARENT, templateRequest } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
const PHONE = '+5491155550001';
const ID = 'AR.13491208655302741918';
const CUSTOMER_ID = 'customer-1';
const REQUEST = { ...sendRequest(), platformContactId: undefined, customerId: CUSTOMER_ID };
const BY_ADDRESS = `CONTACT#chat#*#${ID}`;

let harness: SendHarness;
let sender: RunningSend;
let count = 0;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
});

/** A user writes from an address. */
const write = async (address: string, at: string, customerId = CUSTOMER_ID): Promise<void> => {
  const contact = contactRef(ACCOUNT.platform, address);
  const message = { kind: 'message', id: `in-${++count}`, contact, customerId, address, body: '{}' } as const;
  await harness.contacts.openWindow({
    ...message,
    time: { at, source: 'event' },
    opensWindow: true,
    traceparent: TRACEPARENT,
  });
};
const sentTo = () => harness.calls.map(({ body }) => body.platformContactId);

/** Runs something once, before the next claim. */
const beforeClaim = (change: () => Promise<void>): void => {
  const { claim } = harness.sends;
  vi.spyOn(harness.sends, 'claim').mockImplementationOnce(async (...parameters) => {
    await change();
    return claim(...parameters);
  });
};

describe('a send to a customer', () => {
  it('goes to the address from which the customer wrote last, which its item and the contact then name', async () => {
    await write(PHONE, '2026-11-20T11:00:00.000Z');
    await write(ID, '2026-11-20T11:30:00.000Z');

    expect(await sender.send(REQUEST)).toEqual(DONE);

    expect(sentTo()).toEqual([ID]);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', contact: BY_ADDRESS });
    expect(await harness.item('MESSAGE#message-out MESSAGE')).toMatchObject({ contact: BY_ADDRESS });
    expect((await harness.sends.read('request-1'))?.contact?.key).toBe(ID);
  });

  it('is refused and stored under the customer if the customer has no address', async () => {
    expect(await sender.send(REQUEST)).toEqual(DONE);

    expect(harness.calls).toEqual([]);
    const refused = { state: 'refused', code: 'CUSTOMER_UNKNOWN', contact: `CUSTOMER#chat#${CUSTOMER_ID}` };
    expect(await harness.sendItem()).toMatchObject(refused);
  });

  it('obeys the rules of the address that was chosen, and the opt-outs of the customer', async () => {
    await write(PHONE, '2026-11-20T11:00:00.000Z');
    await write(ID, '2026-11-18T11:30:00.000Z');
    await harness.contacts.recordConsent(
      { platform: 'chat', channel: '*', customerId: CUSTOMER_ID },
      optOut('2026-11-20T10:30:00.000Z'),
    );

    await sender.send({ ...templateRequest(), platformContactId: undefined, customerId: CUSTOMER_ID });
    await sender.send({ ...REQUEST, requestId: 'request-2' });

    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
    expect(sentTo()).toEqual([PHONE]);
  });

  it.each<[string, () => Promise<void>]>([
    ['another customer writes from the address', () => write(ID, '2026-11-20T11:59:00.000Z', 'customer-2')],
    [
      'a status names the address with another customer',
      () =>
        harness.contacts.linkCustomer(
          { contact: contactRef('chat', ID), customerId: 'customer-2' },
          '2026-11-20T11:59:00.000Z',
        ),
    ],
    [
      'an operator separates the customer from the address',
      () =>
        harness.contacts.recordSeparation(
          { contact: contactRef('chat', ID), customerId: CUSTOMER_ID },
          'separated',
          '2026-11-20T11:59:00.000Z',
        ),
    ],
  ])('is refused if %s before the claim', async (_what, change) => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    beforeClaim(change);

    expect(await sender.send(REQUEST)).toEqual(DONE);

    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'CUSTOMER_AMBIGUOUS' });
  });

  it('is sent no template after error 201 if another customer has written from the address', async () => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    harness.answers = [
      async () => {
        await write(ID, '2026-11-20T11:59:00.000Z', 'customer-2');
        return ANSWERS.windowClosed;
      },
    ];

    await sender.send({ ...templateRequest(), ...REQUEST });

    expect(harness.calls.map(({ endpoint }) => endpoint)).toEqual(['message/v3']);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'CUSTOMER_AMBIGUOUS' });
  });
});

describe('a send to a customer that is tried again', () => {
  it('goes to the same address, although the customer has written from another one', async () => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    harness.answers = [ANSWERS.unavailable()];
    expect(await sender.send(REQUEST)).toMatchObject({ kind: 'retry' });
    await write(PHONE, '2026-11-20T11:59:00.000Z');

    expect(await sender.send(REQUEST)).toEqual(DONE);

    expect(sentTo()).toEqual([ID, ID]);
  });

  it('goes to no address once the earlier one belongs to another customer', async () => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    harness.answers = [ANSWERS.unavailable()];
    await sender.send(REQUEST);
    await write(PHONE, '2026-11-20T11:59:00.000Z');
    await write(ID, '2026-11-20T11:59:00.000Z', 'customer-2');

    expect(await sender.send(REQUEST)).toEqual(DONE);

    expect(sentTo()).toEqual([ID]);
    expect(await harness.sendItem()).toMatchObject({
      state: 'refused',
      code: 'CUSTOMER_AMBIGUOUS',
      contact: BY_ADDRESS,
    });
  });

  it('cannot claim a different address from the one that another function has just claimed', async () => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    beforeClaim(async () => {
      harness.answers = [ANSWERS.unavailable()];
      await write(PHONE, '2026-11-20T11:40:00.000Z');
      expect(await harness.startFunction().send(REQUEST)).toMatchObject({ kind: 'retry' });
    });

    expect(await sender.send(REQUEST)).toMatchObject({ kind: 'retry' });
    expect(sentTo()).toEqual([PHONE]);
    expect(await sender.send(REQUEST)).toEqual(DONE);
    expect(sentTo()).toEqual([PHONE, PHONE]);
  });

  it('keeps the address of its call when it is given up and redriven', async () => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    harness.answers = [ANSWERS.unavailable()];
    await sender.send(REQUEST);
    await write(PHONE, '2026-11-20T11:59:00.000Z');
    for (let hour = 0; hour <= 48; hour += 1) {
      harness.advance(30 * 60);
      await sender.giveUp(JSON.stringify(REQUEST), new Error('The table was unavailable.'));
    }
    expect(await harness.sendItem()).toMatchObject({
      state: 'refused',
      code: 'PROCESSING_FAILED',
      contact: BY_ADDRESS,
    });
  });

  it('is not sent again when it is delivered twice, and is the same request as before', async () => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    await sender.send(REQUEST);
    await write(PHONE, '2026-11-20T11:59:00.000Z');

    expect(await sender.send(REQUEST)).toEqual(DONE);
    expect(await sender.send(sendRequest({ platformContactId: PHONE }))).toEqual(DONE);

    expect(sentTo()).toEqual([ID]);
    expect(harness.deadLetters).toEqual([expect.stringContaining('REQUEST_ID_REUSED')]);
  });
});

describe('an erasure of a customer', () => {
  const erase = async () => {
    const erasures = createDynamodbErasures(harness.table);
    const customer = { platform: 'chat', customerId: CUSTOMER_ID };
    const erased: string[] = [];
    for (let next: ErasablePosition | 'first' | undefined = 'first'; next !== undefined; ) {
      const page: ErasablePage = await erasures.listItems(customer, harness.now(), next === 'first' ? undefined : next);
      for (const item of page.items) erased.push(await erasures.erase(customer, item, harness.now()));
      next = page.next;
    }
    return erased;
  };

  it('finds a refused send that names only the customer', async () => {
    await sender.send(REQUEST);

    expect(await erase()).toEqual(['erased']);

    const item = await harness.sendItem();
    expect(item).toMatchObject({ state: 'refused', body: '' });
    expect(JSON.stringify(item)).not.toContain(CUSTOMER_ID);
  });

  it('looks again for a send that was listed before a claim chose an address', async () => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    await sender.send(REQUEST);

    const erasures = createDynamodbErasures(harness.table);
    const listed = { kind: 'send', id: 'request-1' } as const;
    expect(await erasures.erase({ platform: 'chat', customerId: CUSTOMER_ID }, listed, harness.now())).toBe('busy');
  });

  it('cancels a scheduled send that names only the customer, which then goes nowhere', async () => {
    await write(ID, '2026-11-20T11:30:00.000Z');
    const body = JSON.stringify({ ...REQUEST, sendAt: '2026-11-20T13:00:00.000Z' });
    await sender.receive(body);
    expect(await harness.sendItem()).toMatchObject({ state: 'scheduled', contact: `CUSTOMER#chat#${CUSTOMER_ID}` });

    expect(await erase()).toEqual(['erased']);
    harness.advance(3_600);
    await sender.receive(JSON.stringify({ scheduledRequestId: 'request-1' }));

    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'cancelled', body: '' });
  });
});
