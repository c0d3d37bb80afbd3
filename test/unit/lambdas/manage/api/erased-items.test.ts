import { beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { createTraceSearch } from '../../../../../lambdas/domain/traces.ts';
import { NOW, USER, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;

const SECOND_CHANNEL = '+5491100000099';
const search = createTraceSearch({ ids: [USER, 'customer-1'], texts: ['parcel', 'blocked', 'form of Ana'] });

/** The keys of the items with a trace of the user. */
const traces = async () => {
  const items = Object.entries(await stage.items());
  return items
    .flatMap(([key, item]) =>
      search.inValue(item).length > 0 ? [key.replace(/^(AUDIT#)[0-9a-f-]{36}/, '$1<id>')] : [],
    )
    .toSorted();
};

const erase = async () => {
  await stage.call('eraseContact', { id: USER });
  await stage.erase();
};

const anonymous = { FROM: 'me', TO: undefined, CUSTOMER_ID: undefined };
const failed = { STATUS: 'failed', ERROR: 'the user has blocked you' };

/** One of every kind of item, and where a trace of the user is in it. */
const KINDS: Readonly<Record<string, { readonly put: () => Promise<unknown>; readonly at: readonly string[] }>> = {
  'a message and its contact': {
    put: () => stage.receive(wireMessage()),
    at: ['CONTACT#chat#*#541155550000 CONTACT', 'MESSAGE#message-1 MESSAGE'],
  },
  'an echo': {
    put: () => stage.receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: USER })),
    at: ['MESSAGE#echo ECHO'],
  },
  'a failed status of an unknown message': {
    put: () => stage.receive(wireStatus({ _id_: 'unknown', ...failed })),
    at: ['MESSAGE#unknown MESSAGE'],
  },
  'an unknown status of an unknown message': {
    put: () => stage.receive(wireStatus({ _id_: 'unknown', STATUS: `blocked by ${USER}` })),
    at: ['MESSAGE#unknown MESSAGE'],
  },
  'a failed status that names only the customer': {
    put: async () => {
      await stage.receive(wireMessage({ _id_: 'm-1' }));
      await stage.receive(wireStatus({ _id_: 'unknown', ...failed, FROM: undefined }));
    },
    at: ['CONTACT#chat#*#541155550000 CONTACT', 'MESSAGE#m-1 MESSAGE', 'MESSAGE#unknown MESSAGE'],
  },
  'an echo and its failed status': {
    put: async () => {
      await stage.receive(wireStatus({ _id_: 'echo', ...failed }));
      await stage.receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: USER }));
    },
    at: ['MESSAGE#echo ECHO', 'MESSAGE#echo MESSAGE'],
  },
  'an echo that names only the customer, and a message that names both': {
    put: async () => {
      await stage.receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: undefined }));
      await stage.receive(wireMessage({ _id_: 'm-1' }));
    },
    at: ['CONTACT#chat#*#541155550000 CONTACT', 'MESSAGE#echo ECHO', 'MESSAGE#m-1 MESSAGE'],
  },
  'an echo that names only the customer, and its message': {
    put: async () => {
      await stage.receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: undefined }));
      await stage.receive(wireMessage({ _id_: 'out', FROM: 'me', TO: undefined }));
      const { contact, request } = await putSendInState(stage.sends, 'accepted');
      const call = { endpoint: 'message/v3' as const, body: { messageText: request.messageText } };
      const { requestId } = request;
      await stage.messages.recordOutbound({ id: 'out', requestId, contact, call, claimedAt: NOW, attempt: 1 });
    },
    at: ['MESSAGE#echo ECHO', 'MESSAGE#out ECHO', 'MESSAGE#out MESSAGE', 'SEND#request-1 SEND'],
  },
  'an echo that names nobody, and a status that does': {
    put: async () => {
      await stage.receive(wireMessage({ _id_: 'echo', ...anonymous }));
      await stage.receive(wireStatus({ _id_: 'echo', STATUS: 'read' }));
    },
    at: ['MESSAGE#echo ECHO', 'MESSAGE#echo MESSAGE'],
  },
  'an opt-in': {
    put: () => stage.call('optIn', { body: { platformContactId: USER, source: 'form of Ana' } }),
    at: ['AUDIT#<id> AUDIT', 'CONTACT#chat#*#541155550000 CONSENT'],
  },
  'an opt-out': {
    put: () => stage.call('optOut', { body: { platformContactId: USER, source: 'form of Ana' } }),
    at: ['AUDIT#<id> AUDIT', 'CONTACT#chat#*#541155550000 CONSENT'],
  },
  'a report of a closed window': {
    put: () => stage.contacts.denyWindow(contactRef('chat', USER), NOW),
    at: ['CONTACT#chat#*#541155550000 DENIAL'],
  },
  'the resolution of a send, with a note': {
    put: async () => {
      await putSendInState(stage.sends, 'uncertain');
      const body = { requestId: 'request-1', outcome: 'failed', note: 'no parcel for Ana' };
      await stage.call('resolveSend', { body });
    },
    at: ['AUDIT#<id> AUDIT', 'SEND#request-1 SEND'],
  },
  'a cancelled send': {
    put: async () => {
      await putSendInState(stage.sends, 'scheduled');
      await stage.call('cancelSend', { body: { requestId: 'request-1' } });
    },
    at: ['AUDIT#<id> AUDIT', 'SEND#request-1 SEND'],
  },
  'a send whose message failed': {
    put: async () => {
      await putSendInState(stage.sends, 'accepted');
      const failure = '131026 the user has blocked you';
      await stage.sends.fail('request-1', { messageId: 'message-request-1', at: NOW, failure });
    },
    at: ['SEND#request-1 SEND'],
  },
  'a contact check': {
    put: () =>
      stage.contacts.recordCheck(contactRef('chat', USER), { checkedAt: NOW, checkedAddress: '5491155550000' }),
    at: ['CONTACT#chat#*#541155550000 CHECK'],
  },
  'a scheduled send': {
    put: () => putSendInState(stage.sends, 'scheduled'),
    at: ['SEND#request-1 SEND'],
  },
  'an uncertain send': {
    put: () => putSendInState(stage.sends, 'uncertain'),
    at: ['SEND#request-1 SEND'],
  },
};

describe.each(Object.entries(KINDS))('an erasure of %s', (_kind, { put, at }) => {
  beforeEach(async () => {
    stage = await createManagedStage(tables);
  });

  it('leaves no trace of the user', async () => {
    await put();
    expect(await traces()).toEqual(expect.arrayContaining([...at]));

    await erase();

    expect(await traces()).toEqual([]);
  });
});

describe('an erasure', () => {
  it("touches no other user's items", async () => {
    stage = await createManagedStage(tables);
    const other = { FROM: '5491155559999', CUSTOMER_ID: 'customer-2' };
    await stage.receive(wireMessage({ _id_: 'other', ...other }));
    await stage.receive(wireStatus({ _id_: 'other-unknown', ...other, ...failed }));
    await stage.receive(wireMessage({ _id_: 'other-echo', ...other, FROM: 'me' }));
    await stage.receive(wireMessage({ _id_: 'other-echo-to', ...other, FROM: 'me', TO: '5491155559999' }));
    await stage.receive(wireStatus({ _id_: 'other-echo-to', ...other, ...failed }));
    const before = await stage.items();
    await stage.receive(wireMessage());

    await erase();

    const { 'ERASURE#id-1 ERASURE': erasure, ...others } = await stage.items();
    expect(erasure).toMatchObject({ state: 'done', messages: 1 });
    const left = Object.entries(others).filter(([, item]) => Object(item).erasureId !== 'id-1');
    expect(Object.fromEntries(left)).toEqual(before);
  });

  it('that dies after any write leaves no trace once it is repeated', async () => {
    stage = await createManagedStage(tables);
    // Only the second echo leads from the number to the customer.
    await stage.receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: undefined }));
    await stage.receive(wireMessage({ _id_: 'm-1', FROM: 'me', TO: USER }));
    await stage.receive(wireStatus({ _id_: 'unknown', ...failed, FROM: undefined }));
    await stage.call('eraseContact', { id: USER });
    const [erasure] = stage.queuedErasures;
    if (!erasure) throw new Error('No erasure was queued.');
    const results: string[] = [];
    // Every pass dies one write later than the one before.
    for (let writes = 0; results.at(-1) !== 'done'; writes += 1) {
      results.push(await stage.erasePassWithWrites(erasure, writes));
    }

    expect(results.filter((result) => result === 'died').length).toBeGreaterThan(3);
    expect(await traces()).toEqual([]);
  });
});

describe('an erasure where windows are per business number', () => {
  beforeEach(async () => {
    stage = await createManagedStage(tables, { windowPer: 'channel' });
  });

  it('reaches every number, and what names none', async () => {
    await stage.receive(wireMessage({ _id_: 'm-1', TO: SECOND_CHANNEL }));
    await stage.receive(wireMessage({ _id_: 'm-2', TO: 'me', MESSAGE: 'My parcel, please' }));
    await stage.receive(wireMessage({ _id_: 'm-3', CHAT_CHANNEL_ID: '+5491100000088' }));
    await stage.call('optIn', {
      body: { platformContactId: USER, source: 'form of Ana', chatChannelNumber: '+5491100000077' },
    });
    await putSendInState(stage.sends, 'waiting');
    expect(await traces()).toHaveLength(10);

    await erase();

    expect(await traces()).toEqual([]);
  });

  it('reaches a number with which the user has only a contact check, or only an opt-out', async () => {
    const check = { checkedAt: NOW, checkedAddress: '5491155550000' };
    await stage.contacts.recordCheck(contactRef('chat', USER, '+5491100000066'), check);
    await stage.call('optOut', {
      body: { platformContactId: USER, source: 'form of Ana', chatChannelNumber: '+5491100000077' },
    });
    // With the entry of the audit trail about the opt-out.
    expect(await traces()).toHaveLength(3);

    await erase();

    expect(await traces()).toEqual([]);
  });

  it('reaches them too when the call names one of them', async () => {
    await stage.receive(wireMessage({ TO: SECOND_CHANNEL }));

    await stage.call('eraseContact', { id: USER, query: { chatChannelNumber: '+5491100000077' } });
    await stage.erase();

    expect(await traces()).toEqual([]);
  });
});
