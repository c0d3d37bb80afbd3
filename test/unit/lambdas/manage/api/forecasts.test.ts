import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { decideSend } from '../../../../../lambdas/domain/send-decision.ts';
import { NOW, optIn, optOut, sendRules, templateRequest, USER, wireMessage } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const TEXT = { messageText: 'We open at nine.' };
const TEMPLATE = { ruleNameOrId: 'opening', reason: 'similar' };
const YEAR_AGO = '2025-11-20T12:00:00.000Z';

const numbered = (index: number): string => `+54911555${String(index).padStart(5, '0')}`;
const [WRITER, OPTED_IN, OPTED_OUT, FORMER, UNKNOWN] = [1, 2, 3, 4, 5].map(numbered) as [
  string,
  string,
  string,
  string,
  string,
];

const response = z.object({
  forecasts: z.array(
    z.object({ contact: z.string(), decision: z.string(), code: z.optional(z.string()), known: z.boolean() }),
  ),
});
const forecast = async (contacts: readonly string[], message: object) => {
  const { status, body } = await stage.call('forecastSends', { body: { contacts, ...message } });
  expect(status).toBe(200);
  return response.parse(body).forecasts;
};
const decisionsOf = async (contacts: readonly string[], message: object) =>
  (await forecast(contacts, message)).map(({ decision, code = decision }) => code);

/** One contact in each situation that a decision depends on. */
const populate = async () => {
  const write = (number: string, at: string) =>
    stage.receive(wireMessage({ FROM: number.slice(1), _id_: number, CREATION_TIME: at }));
  await write(WRITER, '2026-11-20T11:00:00.000Z');
  await write(FORMER, YEAR_AGO);
  const { contacts } = stage;
  await contacts.recordConsent(contactRef('chat', OPTED_IN), optIn(YEAR_AGO));
  await contacts.recordConsent(contactRef('chat', OPTED_OUT), optOut(YEAR_AGO));
};
const EVERYONE = [WRITER, OPTED_IN, OPTED_OUT, FORMER, UNKNOWN];

describe('a forecast', () => {
  it('is what the send would decide for each contact, in the order of the call', async () => {
    await populate();
    const refused = { decision: 'refused', code: 'WINDOW_CLOSED' };

    expect(await decisionsOf(EVERYONE, { ...TEXT, ...TEMPLATE })).toEqual([
      'free-form',
      'template',
      'OPTED_OUT',
      'template',
      'NO_OPT_IN',
    ]);
    expect(await decisionsOf(EVERYONE, TEMPLATE)).toEqual([
      'template',
      'template',
      'OPTED_OUT',
      'template',
      'NO_OPT_IN',
    ]);
    expect(await forecast([...EVERYONE, WRITER], TEXT)).toMatchObject([
      { contact: WRITER, decision: 'free-form', known: true },
      { contact: OPTED_IN, ...refused, known: true },
      { contact: OPTED_OUT, ...refused, known: true },
      { contact: FORMER, ...refused, known: true },
      { contact: UNKNOWN, ...refused, known: false },
      { contact: WRITER, decision: 'free-form', known: true },
    ]);
  });

  it('gives the same reason as the send', async () => {
    await populate();
    const { body } = await stage.call('forecastSends', { body: { contacts: [OPTED_OUT], ...TEMPLATE } });

    const contact = await stage.contacts.read(contactRef('chat', OPTED_OUT), NOW);
    const decided = decideSend(templateRequest({ platformContactId: OPTED_OUT }), contact ?? {}, NOW, sendRules());
    expect(body).toMatchObject({ forecasts: [{ code: 'OPTED_OUT', why: decided.why }] });
  });

  it('finds a contact under every spelling of its number', async () => {
    await populate();
    expect(await decisionsOf([WRITER.replace('+549', '+54 9 '), WRITER.slice(1)], TEXT)).toEqual([
      'free-form',
      'free-form',
    ]);
  });

  it('uses the rules of the stage: default template, exempt reasons, and contact check', async () => {
    const rules = {
      defaultTemplate: { ruleNameOrId: 'welcome' },
      optOutExemptReasons: ['payment' as const],
      contactCheck: 'beforeFirstTemplate' as const,
    };
    stage = await createManagedStage(tables, { rules });
    await populate();
    await stage.contacts.recordCheck(contactRef('chat', OPTED_IN), { checkedAt: NOW });

    expect(await decisionsOf([FORMER, OPTED_IN], { ...TEXT, reason: 'similar' })).toEqual([
      'template',
      'NOT_ON_PLATFORM',
    ]);
    expect(await decisionsOf([OPTED_OUT], { ...TEMPLATE, reason: 'payment' })).toEqual(['NO_OPT_IN']);
  });

  it('forecasts no confirmation of an opt-out, because only the one that Parley queues is sent', async () => {
    stage = await createManagedStage(tables, { rules: { optOutConfirmation: 'You will get no more messages.' } });
    await populate();
    await stage.contacts.recordConsent(contactRef('chat', WRITER), optOut('2026-11-20T11:00:00.000Z'));

    expect(await decisionsOf([WRITER, OPTED_OUT], { confirmsOptOut: true })).toEqual(['OPTED_OUT', 'WINDOW_CLOSED']);
    expect(await decisionsOf([WRITER], { messageText: 'You will get no more messages.' })).toEqual(['OPTED_OUT']);
  });

  it('names what the message itself lacks', async () => {
    await populate();
    expect(await decisionsOf([FORMER], { ruleNameOrId: 'opening' })).toEqual(['REASON_MISSING']);
    expect(await decisionsOf([WRITER], { imageURL: 'https://files.example/a.gif' })).toEqual(['MEDIA_UNSUPPORTED']);
    expect(await decisionsOf([WRITER], { ...TEXT, notAfter: YEAR_AGO })).toEqual(['expired']);
  });

  it('judges a scheduled request at its time, when an open window has closed', async () => {
    await populate();
    const sendAt = '2026-11-21T11:30:00Z';

    expect(await decisionsOf([WRITER], { ...TEXT, ...TEMPLATE, sendAt: '2026-11-20T13:00:00Z' })).toEqual([
      'free-form',
    ]);
    expect(await decisionsOf([WRITER], { ...TEXT, ...TEMPLATE, sendAt })).toEqual(['template']);
    expect(await decisionsOf([WRITER], { ...TEXT, sendAt: YEAR_AGO })).toEqual(['free-form']);
  });

  it('covers 500 contacts, of which one that cannot be read does not hide the others', async () => {
    await populate();
    const damaged = '541155501234';
    await stage.table.update({
      key: { pk: `CONTACT#chat#*#${damaged}`, sk: 'CONSENT' },
      set: { userOptOutAt: 'yesterday' },
    });
    const contacts = [...Array.from({ length: 499 }, (_, index) => numbered(index + 1)), `+${damaged}`];

    const forecasts = await forecast(contacts, { ...TEXT, ...TEMPLATE });

    expect(forecasts.map(({ contact }) => contact)).toEqual(contacts);
    const codes = Map.groupBy(forecasts, ({ decision, code = decision }) => code);
    expect(Object.fromEntries([...codes].map(([code, { length }]) => [code, length]))).toEqual({
      'free-form': 1,
      template: 2,
      OPTED_OUT: 1,
      NO_OPT_IN: 495,
      PROCESSING_FAILED: 1,
    });
  });

  it('judges a condition by the message that it names, which is in the conversation of one contact', async () => {
    await populate();
    await stage.receive(wireMessage({ FROM: WRITER.slice(1), CREATION_TIME: '2026-11-20T10:00:00.000Z' }));
    const unless = { unless: ['userWroteSince'] };

    expect(await decisionsOf([WRITER, OPTED_IN], { ...TEXT, ...unless, since: WRITER })).toEqual([
      'free-form',
      'SINCE_UNKNOWN',
    ]);
    expect(await decisionsOf([WRITER, OPTED_IN], { ...TEXT, ...unless, since: 'message-1' })).toEqual([
      'SUPERSEDED',
      'SINCE_UNKNOWN',
    ]);
  });

  it('reads the message that a condition names once for all contacts', async () => {
    await populate();
    const read = vi.spyOn(stage.messages, 'readOrigin');

    await forecast(EVERYONE, { ...TEXT, unless: ['userWroteSince'], since: 'no-such-message' });
    expect(read).toHaveBeenCalledOnce();
  });

  it('writes nothing and queues nothing', async () => {
    await populate();
    const before = await stage.items();
    await forecast(EVERYONE, TEXT);

    expect(await stage.items()).toEqual(before);
    expect(stage.queued).toEqual([]);
  });

  it.each([
    ['no contacts', { ...TEXT }, 'contacts: must be a list of contact IDs'],
    ['an empty list', { contacts: [], ...TEXT }, 'contacts: must have at least one contact'],
    [
      'more than 500 contacts',
      { contacts: Array.from({ length: 501 }, () => USER), ...TEXT },
      'contacts: must not have more than 500 contacts',
    ],
    ['a contact that is no text', { contacts: [USER, 17], ...TEXT }, 'contacts.1: must be a string'],
    ['no message', { contacts: [USER] }, 'has nothing to send'],
    ['an unknown field', { contacts: [USER], ...TEXT, contact: USER }, 'has the unknown field contact'],
    ['a request id', { contacts: [USER], ...TEXT, requestId: 'order-17' }, 'has requestId, which belongs to one send'],
    [
      'a contact of its own',
      { contacts: [USER], ...TEXT, platformContactId: USER },
      'has platformContactId, which belongs to one send',
    ],
    ['an unknown reason', { contacts: [USER], ...TEMPLATE, reason: 'sale' }, 'reason: must be one of'],
    ['a time more than a year ahead', { contacts: [USER], ...TEXT, sendAt: '2028-01-01T00:00:00Z' }, 'a year ahead'],
    ['no JSON', 'contacts', 'the body: is not JSON.'],
  ])('is answered with 400 for %s', async (_, body, message) => {
    expect(await stage.call('forecastSends', { body })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringContaining(message) },
    });
  });
});
