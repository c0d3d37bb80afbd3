import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbMessages } from '../../../../../lambdas/adapters/dynamodb/messages.ts';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { parseEvents } from '../../../../../lambdas/domain/parse-events.ts';
import { MAX_IMPORT_BYTES } from '../../../../../lambdas/manage/api/imports.ts';
import { NOW, sendRequest, sendResult, USER, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { outbound } from '../../adapters/dynamodb/message-builders.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const HOUR_MS = 60 * 60 * 1000;
const ago = (hours: number) => addMs(NOW, -hours * HOUR_MS);
const contact = contactRef('chat', USER);

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables, {
    eventMeanings: { keywords: { optOut: ['STOP'], optIn: ['START'] }, operatorEchoes: undefined },
  });
});

/** An entry of `GET /messages`. */
const entry = (changes: Record<string, unknown> = {}) => ({
  id: 'history-1',
  creationTime: ago(30),
  from: 'user',
  chat: { chatId: 'CUST0000000000000001', contactId: USER },
  content: { type: 'text', text: 'Where is my order?' },
  ...changes,
});

/** An entry of `message/download`. */
const downloaded = (changes: Record<string, unknown> = {}) => ({
  _id_: 'history-2',
  creation_time: ago(29),
  msg_from: 'bot',
  msg_to: USER,
  message: 'It is on its way.',
  ...changes,
});

const importEntries = async (entries: readonly unknown[], options: Record<string, unknown> = {}) => {
  const { status, body } = await stage.call('importEvents', { body: { entries, ...options } });
  return { status, ...(body as { results: Record<string, unknown>[]; message: string }) };
};

const resultsOf = async (...given: Parameters<typeof importEntries>) =>
  (await importEntries(...given)).results.map(({ result }) => result);

describe('an import', () => {
  it('stores messages and echoes with their own times and texts', async () => {
    const { results } = await importEntries([entry(), downloaded()]);

    expect(results).toEqual([
      { entry: 0, result: 'stored', kind: 'message', messageId: 'history-1', eventAt: ago(30) },
      { entry: 1, result: 'stored', kind: 'echo', messageId: 'history-2', eventAt: ago(29) },
    ]);
    expect(await stage.messages.readConversation([{ subject: contact }], { limit: 10 })).toMatchObject({
      messages: [
        { id: 'history-2', direction: 'echo', createdAt: ago(29), text: 'It is on its way.', sender: 'bot' },
        { id: 'history-1', direction: 'inbound', createdAt: ago(30), text: 'Where is my order?' },
      ],
    });
  });

  it('keeps the text of each entry exactly as it is', async () => {
    const text = JSON.stringify(entry()).replace('{', '{ "price": 1.50, ');

    await stage.call('importEvents', { body: `{"dryRun":false,"entries": [ ${text} ]}` });

    expect(await stage.item('MESSAGE#history-1 MESSAGE')).toMatchObject({ body: text, isImported: true });
  });

  it('leaves what the chat service delivered as it is', async () => {
    const same = { _id_: 'history-1', CREATION_TIME: ago(30), CUSTOMER_ID: 'CUST0000000000000001' };
    await stage.receive(wireMessage({ ...same, FROM_NAME: 'Ana' }));
    const before = await stage.items();

    expect(await resultsOf([entry()], { dryRun: true })).toEqual(['exists']);
    expect(await resultsOf([entry()])).toEqual(['exists']);
    expect(await stage.items()).toMatchObject(before);
  });

  it('completes what a delivery left half stored', async () => {
    const deliver = async (event: Record<string, unknown>) => {
      const context = { times: { receivedAt: NOW }, chatPlatform: 'chat', windowPer: 'user' } as const;
      const [parsed] = parseEvents(JSON.stringify(event), context);
      // The function dies before it writes the window and the consent.
      if (parsed?.kind === 'event' && parsed.event.kind === 'message') await stage.messages.recordInbound(parsed.event);
    };
    const stop = { content: { type: 'text', text: 'STOP' } };
    await deliver(wireMessage({ _id_: 'history-1', CREATION_TIME: ago(2), MESSAGE: 'STOP' }));
    await deliver(wireMessage({ _id_: 'of-another', CREATION_TIME: ago(3), FROM: '+5491155559999' }));
    const message = await stage.item('MESSAGE#history-1 MESSAGE');
    const entries = [
      // The service's history can have another time.
      entry({ creationTime: ago(1), ...stop }),
      entry({ id: 'of-another', creationTime: ago(1), content: { type: 'text', text: 'START' } }),
    ];

    expect(await resultsOf(entries, { dryRun: true })).toEqual(['exists', 'exists']);
    expect(await stage.contacts.read(contact, NOW)).toBeUndefined();
    expect(await resultsOf(entries)).toEqual(['exists', 'exists']);

    expect(await stage.contacts.read(contact, NOW)).toMatchObject({
      lastInboundAt: ago(2),
      consents: [{ kind: 'opt-out', at: ago(2) }],
    });
    expect(await stage.item('MESSAGE#history-1 MESSAGE')).toEqual(message);
  });

  it('writes nothing in a dry run', async () => {
    await importEntries([entry()]);
    const before = await stage.items();

    expect(await resultsOf([entry(), downloaded()], { dryRun: true })).toEqual(['exists', 'wouldStore']);
    expect(await stage.items()).toEqual(before);
  });

  it('is recorded with its counts before anything is stored', async () => {
    await importEntries([entry()]);
    stage.ports.messages.recordInbound = () => Promise.reject(new Error('The table is away.'));

    await expect(importEntries([entry({ id: 'history-9' }), entry(), { id: 1 }])).rejects.toThrow('The table is away.');

    expect((await stage.audit.list({}, { limit: 10 })).entries).toContainEqual(
      expect.objectContaining({
        action: 'import',
        details: { events: 3, missing: 1, existing: 1, unreadable: 1, earliest: ago(30), latest: ago(30) },
      }),
    );
  });
});

describe('an imported message', () => {
  it('queues no confirmation of an opt-out, and starts no turn', async () => {
    await importEntries([entry({ content: { type: 'text', text: 'STOP' } })]);

    expect(stage.queued).toEqual([]);
    expect(Object.keys(await stage.items()).filter((name) => name.endsWith(' TURN'))).toEqual([]);
  });
});

it.each([
  [{ id: 'row-17', msg_id: 'wire-17', _id_: 'service-17' }, 'service-17'],
  [{ id: 'row-17', MSG_ID: 'wire-17' }, 'wire-17'],
  [{ message_id: 'other-17', ID: 'row-17' }, 'row-17'],
  [{ id: '', message_id: 'other-17' }, 'other-17'],
  [{ id: null, msg_id: null, messageId: 'other-17' }, 'other-17'],
])(
  'an entry of message/download with several IDs has the first of _id_, msg_id, id, and message_id: %o',
  async (ids, id) => {
    const { _id_: _none, ...rest } = downloaded();

    expect((await importEntries([{ ...ids, ...rest }])).results).toMatchObject([{ result: 'stored', messageId: id }]);
  },
);

describe('in a stage with windows per number', () => {
  it('a message of a user that names no number is unreadable, because it would open no window', async () => {
    stage = await createManagedStage(tables, { windowPer: 'channel' });
    const chat = { chatId: 'CUST0000000000000001', contactId: USER };

    const { results } = await importEntries([
      entry(),
      entry({ id: 'numbered', chat: { ...chat, channelId: 'acme-whatsapp-5491100000000' } }),
      downloaded(),
    ]);

    expect(results).toMatchObject([
      { result: 'unreadable', reason: expect.stringContaining('names no business number') },
      { result: 'stored', messageId: 'numbered' },
      { result: 'stored', kind: 'echo' },
    ]);
  });
});

describe('recorded events of the webhook', () => {
  it('are stored like entries of the history, several of a post as several events', async () => {
    const post = {
      v: '1.1',
      type: 'message',
      chatPlatform: 'chat',
      contactId: USER,
      messages: [
        { _id: 'post-1', date: ago(3), message: 'Hi', from: 'user' },
        { _id: 'post-2', date: ago(3), message: 'Hello', from: 'bot' },
      ],
    };

    const { results } = await importEntries([post, wireStatus({ _id_: 'post-2', CREATION_TIME: ago(2) })]);

    expect(results).toMatchObject([
      { entry: 0, result: 'stored', kind: 'message', messageId: 'post-1' },
      { entry: 0, result: 'stored', kind: 'echo', messageId: 'post-2' },
      { entry: 1, result: 'stored', kind: 'status', messageId: 'post-2' },
    ]);
    expect(await resultsOf([wireStatus({ _id_: 'post-2', CREATION_TIME: ago(2) })])).toEqual(['exists']);
  });

  it('confirm an uncertain send, as if they had arrived', async () => {
    await putSendInState(stage.sends, 'uncertain');

    await importEntries([wireStatus({ CREATION_TIME: NOW, CLIENT_PAYLOAD: 'request-1' })]);

    expect((await stage.sends.read('request-1'))?.state).toBe('accepted');
  });
});

it('an import closes the gaps of messages of which only statuses had arrived', async () => {
  const messages = createDynamodbMessages(stage.table, { gapClock: { now: () => NOW } });
  const times = { receivedAt: NOW };
  for (const _id_ of ['history-1', 'history-2', 'history-9']) {
    const status = wireStatus({ _id_, CREATION_TIME: ago(28) });
    const [parsed] = parseEvents(JSON.stringify(status), { times, chatPlatform: 'chat', windowPer: 'user' });
    if (parsed?.kind === 'event' && parsed.event.kind === 'status') await messages.recordStatus(parsed.event);
  }
  const isGap = async (id: string) => (await stage.item(`MESSAGE#${id} MESSAGE`))?.stateShard !== undefined;
  expect(await isGap('history-2')).toBe(true);

  await importEntries([entry(), downloaded()]);

  expect([await isGap('history-1'), await isGap('history-2'), await isGap('history-9')]).toEqual([false, false, true]);
});

describe('an uncertain send', () => {
  const { messageText } = sendRequest();
  const minutes = (count: number) => addMs(NOW, count * 60_000);
  const echo = (changes: Record<string, unknown> = {}) =>
    downloaded({ creation_time: addMs(NOW, 1_000), message: ` ${messageText}`, ...changes });
  const likely = async () => {
    stage.setNow(minutes(60));
    return Object((await stage.call('getSend', { id: 'request-1' })).body).likelyMessage;
  };

  beforeEach(async () => {
    await putSendInState(stage.sends, 'uncertain');
    stage.setNow(minutes(60));
  });

  it('shows the only message with its text, which an import brought', async () => {
    expect(await likely()).toBeUndefined();

    await importEntries([echo(), echo({ _id_: 'other', message: 'Hi' })]);

    expect(await likely()).toEqual({ id: 'history-2', createdAt: addMs(NOW, 1_000) });
  });

  it.each([
    ['of two messages with its text', [echo(), echo({ _id_: 'second' })]],
    ['that was written before the call', [echo({ creation_time: minutes(-2) })]],
    ['that was written long after the call', [echo({ creation_time: minutes(11) })]],
    ['to another user', [echo({ msg_to: '+5491155559999' })]],
    ['that the user wrote', [echo({ msg_from: USER, msg_to: 'me' })]],
  ])('shows none %s', async (_name, entries) => {
    expect(await resultsOf(entries)).not.toContain('unreadable');

    expect(await likely()).toBeUndefined();
  });

  it('shows none that another send is', async () => {
    await importEntries([echo({ _id_: 'message-request-2' }), echo()]);
    await stage.messages.recordOutbound(outbound({ id: 'message-request-2', requestId: 'request-2' }));

    expect(await likely()).toMatchObject({ id: 'history-2' });
  });

  it('of a template shows the message of that template', async () => {
    await putSendInState(stage.sends, 'claimed', { requestId: 'template' });
    const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'parcel_update' } };
    await stage.sends.replaceCall('template', 'claim-template', { call, decision: 'The window is closed.' });
    await stage.sends.recordResult('template', 'claim-template', sendResult('uncertain', NOW));
    const template = { creationTime: addMs(NOW, 1_000), from: 'bot' };
    await importEntries([
      entry({ ...template, id: 'template-1', content: { type: 'text', whatsAppTemplateName: 'parcel_update' } }),
      entry({ ...template, id: 'template-2', content: { type: 'text', whatsAppTemplateName: 'other' } }),
      entry({ ...template, id: 'template-3', content: { type: 'text', text: 'Your parcel' } }),
    ]);

    const { body } = await stage.call('getSend', { id: 'template' });

    expect(body).toMatchObject({ likelyMessage: { id: 'template-1' } });
  });
});

describe('an entry is unreadable', () => {
  it.each([
    ['without a time', entry({ creationTime: null, date: undefined }), 'not a known event'],
    ['with a time that is none', entry({ creationTime: 'yesterday' }), 'no time of its own'],
    ['with a time without an offset', entry({ creationTime: '2026-11-20T10:00:00' }), 'no time of its own'],
    ['with a time in the future', entry({ creationTime: addMs(NOW, 1) }), 'in the future'],
    ['that is too old to be deleted', entry({ creationTime: '2021-01-01T00:00:00Z' }), 'five years'],
    ['without an ID', downloaded({ _id_: undefined }), '_id_: is missing'],
    ['from and to users', downloaded({ msg_from: USER, msg_to: USER }), 'sender is not known'],
    ['of a user without an address', entry({ chat: {} }), 'does not name the user'],
    ['in no known format', { text: 'Hi' }, 'message-download, v2-messages, uppercase'],
  ])('%s', async (_name, given, reason) => {
    const { results } = await importEntries([given, entry({ id: 'other' })]);

    expect(results).toMatchObject([{ result: 'unreadable' }, { result: 'stored' }]);
    expect(String(results[0]?.reason).toLowerCase()).toContain(reason.toLowerCase());
  });

  it('of a user under the ID of a message that Parley sent', async () => {
    await stage.messages.recordOutbound(outbound({ id: 'history-1', claimedAt: ago(30) }));

    expect(await resultsOf([entry()])).toEqual(['unreadable']);
    expect((await stage.contacts.read(contact, NOW))?.lastInboundAt).toBeUndefined();
  });

  it('that is too large for the table', async () => {
    expect(await resultsOf([entry({ content: { type: 'text', text: 'x'.repeat(401 * 1024) } })])).toEqual([
      'unreadable',
    ]);
  });

  it('in another format than the one that the call names', async () => {
    expect(await resultsOf([entry(), downloaded(), wireMessage()], { format: 'message-download' })).toEqual([
      'unreadable',
      'stored',
      'unreadable',
    ]);
  });
});

describe('a call is refused', () => {
  it.each([
    ['without entries', { entries: [] }, 'at least one entry'],
    ['with too many entries', { entries: Array.from({ length: 101 }, () => entry()) }, 'more than 100 entries'],
    ['with an entry that is no object', { entries: ['x'] }, 'entries.0: must be a JSON object'],
    ['with an unknown format', { entries: [entry()], format: 'csv' }, 'must be one of message-download'],
    ['with a misspelled dryRun', { entries: [entry()], dryrun: true }, 'unknown field dryrun'],
    ['that is too large', { entries: [entry({ x: 'x'.repeat(MAX_IMPORT_BYTES) })] }, 'larger than 1 MiB'],
  ])('%s', async (_name, body, explanation) => {
    const answer = await stage.call('importEvents', { body });

    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(explanation) } });
    expect(await stage.items()).toEqual({});
  });

  it('with too many events in its entries', async () => {
    const messages = Array.from({ length: 100 }, (_, index) => ({ _id: `m-${index}`, date: NOW, from: 'user' }));
    const post = { v: '1.1', type: 'message', contactId: USER, messages };

    expect(await importEntries([post, post, post])).toMatchObject({
      status: 400,
      message: expect.stringContaining('more than 200 events'),
    });
  });
});
