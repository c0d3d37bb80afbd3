import { describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { ErasableItem, ErasablePosition } from '../../../../../lambdas/ports.ts';
import {
  ACCOUNT,
  claim,
  NOW,
  optIn,
  queuedSend,
  sendResult,
  USER,
  wireMessage,
  wireStatus,
} from '../../../../support/builders.ts';
import { contact, outbound } from './message-builders.ts';
import { createRepositoriesForEach } from './repositories.ts';

const stored = createRepositoriesForEach();

const { receive } = stored;

const listAll = async (until = NOW): Promise<readonly ErasableItem[]> => {
  const items: ErasableItem[] = [];
  let after: ErasablePosition | undefined;
  do {
    const page = await stored.erasures.listItems(contact, until, after);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
};

const PASS = { messages: 2, sends: 1, deadLetters: 0 };

describe("an erasure's record", () => {
  it('is created once, and counts each pass once', async () => {
    const { erasures } = stored;
    await erasures.start('erasure-1', NOW);
    const started = await erasures.read('erasure-1');
    expect(started).toMatchObject({ state: 'running', messages: 0, sends: 0, deadLetters: 0, passes: 0 });
    if (started === undefined) return;

    await erasures.recordPass(started, PASS);
    await erasures.recordPass(started, PASS);
    await erasures.start('erasure-1', '2026-11-21T12:00:00.000Z');

    const counted = { ...started, ...PASS, passes: 1 };
    expect(await erasures.read('erasure-1')).toEqual(counted);
    await erasures.recordPass(counted, { messages: 0, sends: 0, deadLetters: 1, finishedAt: NOW });
    expect(await erasures.read('erasure-1')).toEqual({
      ...counted,
      deadLetters: 1,
      passes: 2,
      state: 'done',
      finishedAt: NOW,
    });
    expect(await erasures.read('unknown')).toBeUndefined();
  });
});

describe("what is stored under a contact's name", () => {
  it('is listed with messages before sends, and nothing newer than the request', async () => {
    await receive(wireMessage({ _id_: 'old' }));
    await receive(wireMessage({ _id_: 'new', CREATION_TIME: '2026-11-20T11:59:59.000Z' }));
    await receive(wireStatus({ _id_: 'unknown' }));
    await stored.sends.register(queuedSend(), '2026-11-20T11:00:00.000Z');

    const createdAt = '2026-11-20T11:00:00.000Z';
    expect(await listAll('2026-11-20T11:30:00.000Z')).toEqual([
      { kind: 'message', id: 'old', createdAt, customerIds: ['customer-1'] },
      { kind: 'status', id: 'unknown', customerIds: ['customer-1'] },
      { kind: 'send', id: 'request-1', createdAt, isScheduled: false },
    ]);
  });

  it('names the customer whose items must be erased first', async () => {
    await receive(wireMessage());
    const { customers } = await stored.erasures.listItems(contact, NOW);
    expect(customers).toEqual([{ platform: 'chat', customerId: 'customer-1' }]);
    expect(await stored.erasures.customersOf(contact)).toMatchObject({
      user: [{ ...customers[0], channel: '*' }],
    });
  });

  it('is erased once, and never under another name', async () => {
    const { erasures } = stored;
    await receive(wireMessage());
    const item = { kind: 'message', id: 'message-1' } as const;

    expect(await erasures.erase(contactRef('chat', 'CO.1000'), item, NOW)).toBe('gone');
    expect(await erasures.erase(contact, item, NOW)).toBe('erased');
    expect(await erasures.erase(contact, item, NOW)).toBe('gone');
    expect(await stored.messages.read('message-1')).toBeUndefined();
  });

  it('is found under every business number that a contact was stored with', async () => {
    const [one, other] = [ACCOUNT.channel, '+5491100000001'].map((channel) => contactRef('chat', USER, channel));
    if (one === undefined || other === undefined) return;
    await stored.contacts.recordConsent(one, optIn(NOW));
    await stored.messages.recordOutbound(outbound({ contact: other }));

    const contacts = await stored.erasures.contactsOf(contact);

    expect(contacts).toHaveLength(3);
    expect(contacts).toEqual(expect.arrayContaining([contact, one, other]));
  });
});

describe('a send that is erased', () => {
  const send = { kind: 'send', id: 'request-1' } as const;

  it.each([
    ['claimed', '2026-11-20T12:01:00.000Z', 'busy'],
    ['claimed, after its lease', '2026-11-20T12:03:01.000Z', 'lost'],
  ])('is left alone while it is processed: %s', async (_case, at, outcome) => {
    await stored.sends.claim(queuedSend(), claim(), { resend: false });
    expect(await stored.erasures.erase(contact, send, at)).toBe(outcome);
  });

  it('is erased with its message, even if that is newer than the erasure, and never with that of another', async () => {
    const { sends, messages, erasures } = stored;
    const listed = { ...send, messageIds: ['message-1'] };
    await sends.claim(queuedSend(), claim(), { resend: false });
    await sends.recordResult('request-1', 'claim-1', sendResult('accepted'));
    await messages.recordOutbound(outbound({ claimedAt: NOW }));
    await messages.recordOutbound(outbound({ id: 'message-2', requestId: 'request-2' }));

    expect(await erasures.erase(contact, { ...send, messageIds: ['message-2'] }, NOW)).toBe('busy');
    expect(await erasures.erase(contact, send, NOW)).toBe('busy');
    expect(await messages.read('message-1')).toBeDefined();
    expect(await erasures.erase(contact, listed, NOW)).toBe('erased');

    expect(await messages.read('message-1')).toBeUndefined();
    expect(await messages.read('message-2')).toBeDefined();
  });

  it('is erased with the message of an earlier call, even if a function writes that message afterward', async () => {
    const { sends, messages } = stored;
    await sends.claim(queuedSend(), claim({ claimId: 'claim-0' }), { resend: false });
    await sends.recordResult('request-1', 'claim-0', sendResult('uncertain'));
    await sends.claim(queuedSend(), claim(), { resend: true });
    const earlier = await sends.confirm('request-1', { messageId: 'message-0', at: NOW });
    await sends.recordResult('request-1', 'claim-1', sendResult('accepted'));
    const [listed = send] = await listAll();

    expect(await stored.erasures.erase(contact, listed, NOW)).toBe('erased');
    if (earlier !== undefined) await messages.recordOutbound(earlier);

    expect(earlier).toMatchObject({ id: 'message-0' });
    expect(await messages.read('message-0')).toBeUndefined();
  });

  it('is listed again if another message was recorded for it since it was listed', async () => {
    const { sends, erasures } = stored;
    await sends.claim(queuedSend(), claim(), { resend: false });
    await sends.confirm('request-1', { messageId: 'message-1', at: '2026-11-20T12:00:02.000Z' });
    const [listed = send] = await listAll();
    await sends.confirm('request-1', { messageId: 'message-0', at: '2026-11-20T12:00:01.000Z' });
    await sends.recordResult('request-1', 'claim-1', sendResult('accepted'));

    expect(await erasures.erase(contact, listed, NOW)).toBe('busy');
    const [again = send] = await listAll();
    expect(await erasures.erase(contact, again, NOW)).toBe('erased');
  });

  it('is left alone while only a status has confirmed it, and its function may still wait for the answer', async () => {
    const { sends, erasures } = stored;
    const listed = { ...send, messageIds: ['message-1'] };
    await sends.claim(queuedSend(), claim(), { resend: false });
    await sends.confirm('request-1', { messageId: 'message-1', at: NOW });

    expect(await erasures.erase(contact, listed, '2026-11-20T12:15:00.000Z')).toBe('busy');
    expect(await erasures.erase(contact, listed, '2026-11-20T12:15:00.001Z')).toBe('erased');
  });
});
