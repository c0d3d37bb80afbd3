import { describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { wireMessage, wireStatus } from '../../../../support/builders.ts';
import { outbound } from './message-builders.ts';
import { createRepositoriesForEach } from './repositories.ts';

const stored = createRepositoriesForEach();

const PHONE = '5491155550001';
const HIDDEN = 'AR.1000';
const MESSAGE = 'MESSAGE#message-1 MESSAGE';

const toPhone = () => stored.messages.recordOutbound(outbound({ contact: contactRef('chat', PHONE) }));
const statusOf = (wire: Record<string, unknown>) => stored.receive(wireStatus({ _id_: 'message-1', ...wire }));

/** The users that the statuses of a platform that hides numbers name, if Parley knows nothing else of them. */
const NAMED = [
  ['with a customer ID', { FROM: HIDDEN, CUSTOMER_ID: 'ana' }],
  ['without a customer ID', { FROM: HIDDEN, CUSTOMER_ID: undefined }],
] as const;

describe('a message to a phone number from which nobody ever wrote, on a platform that hides numbers', () => {
  it.each(NAMED)('has its statuses %s, which arrive after the answer', async (_case, named) => {
    await toPhone();
    for (const STATUS of ['delivered', 'read', 'failed']) {
      expect(await statusOf({ ...named, STATUS })).toMatchObject({ kind: 'stored' });
    }
    expect((await stored.items())[MESSAGE]).toMatchObject({ requestId: 'request-1', contact: `CONTACT#chat#*#${KEY}` });
  });

  it.each(NAMED)('is recorded over its statuses %s, which arrive before the answer', async (_case, named) => {
    await statusOf({ ...named, STATUS: 'delivered' });
    expect(await toPhone()).toBeUndefined();
    expect((await stored.items())[MESSAGE]).toMatchObject({ requestId: 'request-1', contact: `CONTACT#chat#*#${KEY}` });
    expect(await statusOf({ ...named, STATUS: 'read' })).toMatchObject({ kind: 'stored' });
  });

  it('fails if a status says so before the answer', async () => {
    await statusOf({ FROM: HIDDEN, CUSTOMER_ID: 'ana', STATUS: 'failed' });
    expect(await toPhone()).toMatchObject({ failure: expect.any(String) });
  });
});

/** The key has no 9 after the country code. */
const KEY = '541155550001';

describe('a hidden user is not merged with that of a phone number', () => {
  const IS_OTHER = { kind: 'unstorable', reason: expect.stringContaining('ID_OF_ANOTHER_CONTACT') };

  it('if both are known customers', async () => {
    await stored.receive(wireMessage({ _id_: 'earlier', FROM: PHONE, CUSTOMER_ID: 'juan' }));
    await toPhone();
    expect(await statusOf({ FROM: HIDDEN, CUSTOMER_ID: 'ana' })).toMatchObject(IS_OTHER);
  });

  it('if the message is one that a user wrote', async () => {
    const wire = { _id_: 'message-1', FROM: PHONE, CUSTOMER_ID: undefined };
    await stored.receive(wireMessage(wire));
    expect(await statusOf({ FROM: HIDDEN, CUSTOMER_ID: 'ana' })).toMatchObject(IS_OTHER);
    const ofHidden = wireMessage({ ...wire, FROM: HIDDEN, MESSAGE: 'STOP' });
    expect(await stored.receive(ofHidden)).toMatchObject(IS_OTHER);
  });

  it('if a user wrote the message that has the ID of the answer', async () => {
    await stored.receive(wireMessage({ _id_: 'message-1', FROM: HIDDEN, CUSTOMER_ID: 'ana' }));
    expect(await toPhone()).toBe('other-user');
  });

  it('if the user writes a message with the ID of one that was sent', async () => {
    await toPhone();
    const written = wireMessage({ _id_: 'message-1', FROM: HIDDEN, CUSTOMER_ID: 'ana' });
    expect(await stored.receive(written)).toMatchObject(IS_OTHER);
  });

  it('if both are phone numbers, or both are hidden', async () => {
    await toPhone();
    expect(await statusOf({ FROM: '5491155550002' })).toMatchObject(IS_OTHER);
    await statusOf({ _id_: 'message-2', FROM: HIDDEN, CUSTOMER_ID: undefined });
    expect(await statusOf({ _id_: 'message-2', FROM: 'AR.1001' })).toMatchObject(IS_OTHER);
  });

  it('if the messages are those of two requests', async () => {
    await stored.messages.recordOutbound(outbound({ requestId: 'request-2', contact: contactRef('chat', HIDDEN) }));
    expect(await toPhone()).toBe('other-user');
    expect(await statusOf({ FROM: PHONE, CLIENT_PAYLOAD: 'request-3' })).toMatchObject(IS_OTHER);
  });
});
