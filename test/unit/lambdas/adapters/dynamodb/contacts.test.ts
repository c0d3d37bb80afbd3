import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Consent, contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { CheckedContact } from '../../../../../lambdas/domain/contact-check.ts';
import { ACCOUNT, USER } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createRepositories, type Repositories } from './repositories.ts';

const contact = contactRef('chat', USER);
const at = (minute: number) => `2026-11-20T10:0${minute}:00.000Z`;

const tables = testTables();
let tableName: string;
let contacts: Repositories['contacts'];

const useNewTable = async () => {
  tableName = await tables.createTable();
  contacts = createRepositories(tables, tableName).contacts;
};

beforeEach(useNewTable);

type Step = { readonly consent: Consent } | { readonly checked: CheckedContact } | { readonly deniedAt: string };

const play = async (steps: readonly Step[]) => {
  await useNewTable();
  for (const step of steps) {
    if ('consent' in step) await contacts.recordConsent(contact, step.consent);
    else if ('checked' in step) await contacts.recordCheck(contact, step.checked);
    else await contacts.denyWindow(contact, step.deniedAt);
  }
  return tables.items(tableName);
};

describe('what is recorded about a contact', () => {
  it('is undefined for an unknown contact, or empty beside a closed circuit', async () => {
    expect(await contacts.read(contact)).toBeUndefined();
    expect(await contacts.readWithCircuit(contact, ACCOUNT)).toEqual({ contact: {}, circuit: { state: 'closed' } });
  });

  it('is the latest of each kind', async () => {
    await contacts.recordConsent(contact, { kind: 'opt-in', at: at(2), source: 'form' });
    await contacts.recordConsent(contact, { kind: 'opt-in', at: at(1), source: 'call' });
    await contacts.recordConsent(contact, { kind: 'opt-out', at: at(1), source: 'email' });
    await contacts.recordCheck(contact, { checkedAt: at(2), checkedAddress: '541155550000' });
    await contacts.recordCheck(contact, { checkedAt: at(1) });
    await contacts.denyWindow(contact, at(2));
    await contacts.denyWindow(contact, at(1));

    const stored = {
      optInAt: at(2),
      optInSource: 'form',
      optOutAt: at(1),
      optOutSource: 'email',
      checkedAt: at(2),
      checkedAddress: '541155550000',
      windowDeniedAt: at(2),
    };
    expect(await contacts.read(contact)).toEqual(stored);
    expect((await contacts.readWithCircuit(contact, ACCOUNT)).contact).toEqual(stored);
  });

  it('forgets the address of an earlier check when the number is no longer on the platform', async () => {
    await contacts.recordCheck(contact, { checkedAt: at(1), checkedAddress: '541155550000' });
    await contacts.recordCheck(contact, { checkedAt: at(2) });
    expect(await contacts.read(contact)).toEqual({ checkedAt: at(2) });
  });

  it('is the same in any order, with any repetition', async () => {
    const minute = fc.integer({ min: 0, max: 3 });
    const consent = fc
      .record({
        kind: fc.constantFrom('opt-in' as const, 'opt-out' as const),
        at: minute.map(at),
        source: fc.constantFrom('form', 'call'),
      })
      .map((recorded): Step => ({ consent: recorded }));
    // Two checks of one millisecond do not happen: a check is a call.
    const check = minute.map(
      (number): Step => ({
        checked: { checkedAt: at(number), ...(number % 2 === 0 && { checkedAddress: `54115555000${number}` }) },
      }),
    );
    const denial = minute.map((number): Step => ({ deniedAt: at(number) }));
    const orders = fc.array(fc.oneof(consent, check, denial), { minLength: 1, maxLength: 8 }).chain((steps) =>
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
