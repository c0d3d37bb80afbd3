import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { ACCOUNT, sendRequest, templateRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type SendHarness } from './send-harness.ts';

// The user has opted out at another address. The contact's own items do not say so: only the customer's does.

const tables = testTables();
const contact = contactRef(ACCOUNT.platform, USER);
let harness: SendHarness;

beforeEach(async () => {
  harness = await createSendHarness(tables, { rules: { contactCheck: 'beforeFirstTemplate' } });
  harness.checkAnswer = { kind: 'answered', httpStatus: 200, body: { problems: null, result: { [USER]: USER } } };
});

const optOut = async () => {
  const at = '2026-11-20T10:00:00.000Z';
  await harness.contacts.linkCustomer({ contact, customerId: 'customer-1' }, at);
  const optedOut = { kind: 'opt-out', origin: 'user', at, source: 'keyword STOP' } as const;
  const { platform, channel } = contact;
  await harness.contacts.recordConsent({ platform, channel, customerId: 'customer-1' }, optedOut);
};

describe('no template is sent to a user who opted out at another address', () => {
  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['the contact check', () => vi.spyOn(harness, 'duringCheck').mockImplementation(async () => harness.advance(6))],
    [
      'the claim',
      () => {
        const { claim } = harness.sends;
        vi.spyOn(harness.sends, 'claim').mockImplementation(async (...parameters) => {
          const claimed = await claim(...parameters);
          harness.advance(6);
          return claimed;
        });
      },
    ],
  ])('if %s takes so long that the account is read again', async (_what, delay) => {
    await harness.optIn(USER);
    await optOut();
    delay();

    await harness.startFunction().send(templateRequest());

    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
  });

  it('although the user has written since, if the chat service reports the window closed', async () => {
    await harness.openWindow(USER);
    await optOut();
    harness.answers = [ANSWERS.windowClosed];

    await harness.startFunction().send({ ...templateRequest(), ...sendRequest() });

    expect(harness.calls.map(({ endpoint }) => endpoint)).toEqual(['message/v3']);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
  });
});
