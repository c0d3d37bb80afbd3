import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { removeContact } from '../../../../../lambdas/adapters/dynamodb/contact-erasure.ts';
import { createDynamodbContacts } from '../../../../../lambdas/adapters/dynamodb/contacts.ts';
import { CONSENT_KINDS, CONSENT_ORIGINS, type Consent } from '../../../../../lambdas/domain/consent.ts';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { CheckedContact } from '../../../../../lambdas/domain/contact-check.ts';
import { ItemBusyError } from '../../../../../lambdas/domain/errors.ts';
import { addMs, type Instant } from '../../../../../lambdas/domain/instant.ts';
import type { InboundMessage } from '../../../../../lambdas/domain/webhook-event.ts';
import type { ContactRepository } from '../../../../../lambdas/ports.ts';
import { ACCOUNT, NOW, optIn, optOut, RETENTION_DAYS, TRACEPARENT, USER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const contact = contactRef('chat', USER);
const at = (minute: number) => `2026-11-20T10:0${minute}:00.000Z`;

const tables = contractTables();
let tableName: string;
let contacts: ContactRepository;

const useNewTable = async () => {
  tableName = await tables.createTable();
  // Different times for each kind of data show which one is used.
  const retentionDays = { ...RETENTION_DAYS, contacts: 120 };
  contacts = createDynamodbContacts(tables.tableOf(tableName, retentionDays), { readsHandovers: false });
};

beforeEach(useNewTable);

const message = (written: Instant): InboundMessage => ({
  kind: 'message',
  id: `message of ${written}`,
  contact,
  time: { at: written, source: 'event' },
  body: `body of ${written}`,
  traceparent: TRACEPARENT,
  address: '5491155550000',
  name: `Ana at ${written}`,
  opensWindow: true,
});

type Step =
  | { readonly consent: Consent }
  | { readonly checked: CheckedContact }
  | { readonly deniedAt: Instant }
  | { readonly writtenAt: Instant }
  | { readonly handedTo: 'people' | 'automated'; readonly at: Instant }
  | { readonly operatorAt: Instant };

const play = async (steps: readonly Step[]) => {
  await useNewTable();
  for (const step of steps) {
    if ('consent' in step) await contacts.recordConsent(contact, step.consent);
    else if ('checked' in step) await contacts.recordCheck(contact, step.checked);
    else if ('writtenAt' in step) await contacts.openWindow(message(step.writtenAt));
    else if ('handedTo' in step) await contacts.recordHandover(contact, step.handedTo, step.at);
    else if ('operatorAt' in step) {
      await contacts.recordOperatorMessage(contact, { at: step.operatorAt, until: addMs(step.operatorAt, DAY_MS) });
    } else await contacts.denyWindow(contact, step.deniedAt);
  }
  return tables.items(tableName);
};

describe('what is recorded about a contact', () => {
  it('is undefined for an unknown contact, or empty beside a closed circuit', async () => {
    expect(await contacts.read(contact, NOW)).toBeUndefined();
    expect(await contacts.readConsents(contact)).toEqual([]);
    expect(await contacts.readWithAccount(contact, ACCOUNT, NOW)).toEqual({
      contact: {},
      circuit: { state: 'closed' },
    });
  });

  it('is the latest of each kind, and of each origin', async () => {
    const byImport = { origin: 'import' as const, source: 'list' };
    await contacts.recordConsent(contact, optIn(at(2)));
    await contacts.recordConsent(contact, optIn(at(1), { source: 'call' }));
    await contacts.recordConsent(contact, optIn(at(3), byImport));
    await contacts.recordConsent(contact, optOut(at(1), { source: 'email' }));
    await contacts.recordCheck(contact, { checkedAt: at(2), checkedAddress: '541155550000' });
    await contacts.recordCheck(contact, { checkedAt: at(1) });
    await contacts.denyWindow(contact, at(2));
    await contacts.denyWindow(contact, at(1));

    const stored = {
      consents: [optIn(at(2)), optIn(at(3), byImport), optOut(at(1), { source: 'email' })],
      checkedAt: at(2),
      checkedAddress: '541155550000',
      windowDeniedAt: at(2),
    };
    expect(await contacts.read(contact, NOW)).toEqual(stored);
    expect((await contacts.readWithAccount(contact, ACCOUNT, NOW)).contact).toEqual(stored);
    expect(await contacts.readConsents(contact)).toEqual(stored.consents);
  });

  it("has the latest message's own time, if it has one that is later", async () => {
    const early = message(at(1));
    await contacts.openWindow({ ...early, time: { ...early.time, own: at(9) } });
    expect(await contacts.read(contact, NOW)).toMatchObject({ lastInboundAt: at(1), lastInboundOwnAt: at(9) });
    await contacts.openWindow(message(at(2)));
    expect(await contacts.read(contact, NOW)).not.toHaveProperty('lastInboundOwnAt');
  });

  it('has the latest times of its handover if they are read, and expires with the latest', async () => {
    const reading = createDynamodbContacts(tables.tableOf(tableName, { ...RETENTION_DAYS, contacts: 120 }), {
      readsHandovers: true,
    });
    await contacts.recordOperatorMessage(contact, { at: at(3), until: at(9) });
    await contacts.recordOperatorMessage(contact, { at: at(1), until: at(7) });
    await contacts.recordHandover(contact, 'people', at(2));
    await contacts.recordHandover(contact, 'automated', at(1));

    const stored = { operatorWroteAt: at(3), operatorUntil: at(9), handoverAt: at(2), handbackAt: at(1) };
    expect(await reading.read(contact, NOW)).toEqual(stored);
    expect(await contacts.read(contact, NOW)).toBeUndefined();
    const [item] = Object.values(await tables.items(tableName));
    expect(item).toMatchObject({ expiresAt: Date.parse(addMs(at(3), 120 * DAY_MS)) / 1000 });
  });

  it('loses the times of its handover until an erasure, and keeps later ones', async () => {
    await contacts.recordOperatorMessage(contact, { at: at(1), until: at(7) });
    await contacts.recordHandover(contact, 'people', at(3));
    await removeContact(tables.tableOf(tableName, RETENTION_DAYS), contact, at(2));
    const [kept] = Object.values(await tables.items(tableName));
    await removeContact(tables.tableOf(tableName, RETENTION_DAYS), contact, at(3));

    expect(kept).toMatchObject({ sk: 'HANDOVER', handoverAt: at(3) });
    expect(kept).not.toHaveProperty('operatorWroteAt');
    expect(kept).not.toHaveProperty('operatorUntil');
    expect(await tables.items(tableName)).toEqual({});
  });

  it('forgets the address of an earlier check when the number is no longer on the platform', async () => {
    await contacts.recordCheck(contact, { checkedAt: at(1), checkedAddress: '541155550000' });
    await contacts.recordCheck(contact, { checkedAt: at(2) });
    expect(await contacts.read(contact, NOW)).toEqual({ checkedAt: at(2) });
  });

  it('is the same in any order, with any repetition', async () => {
    const minute = fc.integer({ min: 0, max: 3 });
    const consent = fc
      .record({
        kind: fc.constantFrom(...CONSENT_KINDS),
        origin: fc.constantFrom(...CONSENT_ORIGINS),
        source: fc.constantFrom('form', 'call', 'keyword'),
        number: minute,
        // By their own times, the second messages are in reverse order.
        isSecond: fc.boolean(),
      })
      .map(({ number, isSecond, ...given }): Step => {
        const keyword = { messageId: `message-${isSecond ? 2 : 1}`, ownAt: at(isSecond ? 9 - number : number) };
        return { consent: { ...given, at: at(number), ...(given.source === 'keyword' && keyword) } };
      });
    // Two checks of one millisecond do not happen: a check is a call.
    const check = minute.map(
      (number): Step => ({
        checked: { checkedAt: at(number), ...(number % 2 === 0 && { checkedAddress: `54115555000${number}` }) },
      }),
    );
    const denial = minute.map((number): Step => ({ deniedAt: at(number) }));
    const written = minute.map((number): Step => ({ writtenAt: at(number) }));
    const handover = fc
      .record({ handedTo: fc.constantFrom('people' as const, 'automated' as const), at: minute.map(at) })
      .map((handed): Step => handed);
    const operator = minute.map((number): Step => ({ operatorAt: at(number) }));
    const orders = fc
      .array(fc.oneof(consent, check, denial, written, handover, operator), { minLength: 1, maxLength: 8 })
      .chain((steps) =>
        fc.tuple(
          fc.constant(steps),
          fc
            .tuple(fc.shuffledSubarray(steps, { minLength: steps.length }), fc.subarray(steps))
            .chain(([all, again]) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
        ),
      );
    await fc.assert(
      fc.asyncProperty(orders, async ([steps, otherOrder]) => {
        expect(await play(otherOrder)).toEqual(await play(steps));
      }),
      { numRuns: 30 },
    );
  });
});

describe('a consent by a keyword', () => {
  const byKeyword = optOut(at(0), { source: 'keyword STOP', messageId: 'message-1', ownAt: at(2) });

  it('names its message and its own time, unlike a later one by a form', async () => {
    await contacts.recordConsent(contact, byKeyword);
    expect(await contacts.readConsents(contact)).toEqual([byKeyword]);
    await contacts.recordConsent(contact, optOut(at(1)));
    // Its own time is still that of the user's latest message that opts out.
    expect(await contacts.readConsents(contact)).toEqual([{ ...optOut(at(1)), ownAt: at(2) }]);
  });

  it('is removed by an erasure together with the ID of the message', async () => {
    const later = optIn(at(1));
    await contacts.recordConsent(contact, byKeyword);
    await contacts.recordConsent(contact, { ...later, recordedAt: at(5) });
    await removeContact(tables.tableOf(tableName), contact, at(3));

    const items = JSON.stringify(await tables.items(tableName));
    expect(items).toContain(later.source);
    expect(items).not.toContain('message-1');
    expect(items).not.toContain(at(2));
  });
});

describe('an opt-out that is earlier than the stored one, and recorded after an erasure was requested', () => {
  const keyword = { source: 'keyword STOP', messageId: 'message-1', ownAt: at(3) };
  it.each([
    { fields: {}, writes: 2 },
    { fields: keyword, writes: 4 },
  ])('is kept whenever the erasure removes the stored one: $fields', async ({ fields, writes }) => {
    for (let number = 1; number <= writes; number += 1) {
      await useNewTable();
      await contacts.recordConsent(contact, { ...optOut(at(4)), recordedAt: at(4) });
      const table = tables.tableOf(tableName);
      let written = 0;
      const racing: typeof table = {
        ...table,
        async update(...parameters) {
          written += 1;
          if (written === number) await removeContact(table, contact, at(5));
          return table.update(...parameters);
        },
      };
      const earlier = optOut(at(3), fields);

      await createDynamodbContacts(racing, { readsHandovers: false }).recordConsent(contact, {
        ...earlier,
        recordedAt: at(6),
      });

      expect(await contacts.readConsents(contact)).toEqual([earlier]);
    }
  });

  it('is given up as busy if erasures keep removing the consents, so that its event is stored later', async () => {
    let writes = 0;
    const racing: ReturnType<typeof tables.tableOf> = {
      ...tables.tableOf(tableName),
      update: async () => {
        writes += 1;
        return { kind: 'conflict', item: undefined };
      },
    };

    const recorded = createDynamodbContacts(racing, { readsHandovers: false }).recordConsent(contact, optOut(at(3)));

    await expect(recorded).rejects.toThrow(ItemBusyError);
    expect(writes).toBe(2 * 10);
  });
});

describe('a consent that was stored without recordedAt', () => {
  const store = async (...consents: readonly Consent[]) => {
    for (const consent of consents) await contacts.recordConsent(contact, consent);
    const [item] = Object.values(await tables.items(tableName)).filter(({ sk }) => sk === 'CONSENT');
    if (item === undefined) throw new Error('The consents are not stored.');
    const older = Object.entries(item).filter(([name]) => !name.endsWith('RecordedAt'));
    await tables.put(tableName, { pk: item.pk, sk: item.sk, ...Object.fromEntries(older) });
  };

  it('is removed by an erasure that keeps a later one', async () => {
    await store(optOut(at(0)));
    const later = optIn(at(1));
    await contacts.recordConsent(contact, { ...later, recordedAt: at(5) });

    await removeContact(tables.tableOf(tableName), contact, at(3));

    expect(await contacts.readConsents(contact)).toEqual([later]);
  });

  it('leaves nothing if another erasure removes the contact at the same time', async () => {
    await store(optOut(at(0)));
    await contacts.recordConsent(contact, { ...optIn(at(1)), recordedAt: at(5) });
    const table = tables.tableOf(tableName);
    const racing: typeof table = {
      ...table,
      async update(...parameters) {
        await removeContact(table, contact, at(9));
        return table.update(...parameters);
      },
    };

    await removeContact(racing, contact, at(3));

    expect(await tables.items(tableName)).toEqual({});
  });

  it('is kept by an erasure if it is recorded again after the request', async () => {
    const [allowed, forbidden] = [optIn(at(0)), optOut(at(1))];
    await store(allowed, forbidden);
    await contacts.recordConsent(contact, { ...allowed, recordedAt: at(5) });
    // An earlier opt-out leaves the later one in place.
    await contacts.recordConsent(contact, { ...forbidden, at: at(0), recordedAt: at(5) });

    await removeContact(tables.tableOf(tableName), contact, at(3));

    expect(await contacts.readConsents(contact)).toEqual([allowed, forbidden]);
  });
});

describe('how long it is kept', () => {
  const expiries = async () => {
    const items = await tables.items(tableName);
    return Object.fromEntries(Object.values(items).map(({ sk, expiresAt }) => [sk, expiresAt]));
  };
  const seconds = (instant: Instant) => Date.parse(instant) / 1000;

  it('depends only on when each part was last recorded', async () => {
    await contacts.openWindow(message(at(2)));
    await contacts.openWindow(message(at(1)));
    await contacts.recordCheck(contact, { checkedAt: at(3) });
    await contacts.denyWindow(contact, at(4));
    await contacts.recordConsent(contact, optIn(at(5)));

    expect(await expiries()).toEqual({
      CONTACT: seconds(addMs(at(2), 120 * DAY_MS)),
      CHECK: seconds(addMs(at(3), 90 * DAY_MS)),
      DENIAL: seconds(addMs(at(4), DAY_MS)),
      // An opt-out that expired would let the next import reach somebody who opted out.
      CONSENT: undefined,
    });
  });

  it('ends for readers when each part expires, even before DynamoDB deletes it', async () => {
    await contacts.openWindow(message(at(0)));
    await contacts.recordCheck(contact, { checkedAt: at(0), checkedAddress: '541155550000' });
    await contacts.denyWindow(contact, at(0));
    const names = async (afterMs: number) => Object.keys((await contacts.read(contact, addMs(at(0), afterMs))) ?? {});
    const window = ['address', 'name', 'lastInboundAt', 'lastInboundId'];

    expect((await names(DAY_MS - 1)).toSorted()).toEqual(
      [...window, 'windowDeniedAt', 'checkedAt', 'checkedAddress'].toSorted(),
    );
    expect((await names(90 * DAY_MS - 1)).toSorted()).toEqual([...window, 'checkedAt', 'checkedAddress'].toSorted());
    expect((await names(90 * DAY_MS)).toSorted()).toEqual(window.toSorted());
    expect(await contacts.read(contact, addMs(at(0), 120 * DAY_MS))).toBeUndefined();
    const { contact: read } = await contacts.readWithAccount(contact, ACCOUNT, addMs(at(0), 120 * DAY_MS));
    expect(read).toEqual({});
  });

  it('has no end for an opt-out', async () => {
    await contacts.recordConsent(contact, optOut(at(0)));

    expect(await contacts.read(contact, addMs(at(0), 3650 * DAY_MS))).toEqual({ consents: [optOut(at(0))] });
  });
});
