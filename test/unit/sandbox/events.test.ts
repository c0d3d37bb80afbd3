import { describe, expect, test } from 'vitest';
import {
  aMessage,
  anIntent,
  aRule,
  CHANNEL,
  DAY_SECONDS,
  eventIn,
  type RunningSandbox,
  startWithReceiver,
  USER,
  untilDelivered,
  userPath,
} from '../../support/running-sandbox.ts';
import type { WebhookReceiver } from '../../support/webhook-receiver.ts';

/** Returns the events of all webhook requests once none is pending. */
const allEvents = async (sandbox: RunningSandbox, receiver: WebhookReceiver): Promise<Record<string, unknown>[]> => {
  await untilDelivered(sandbox);
  return receiver.requests.map(({ body }) => eventIn(body));
};

const statusesOf = (events: Record<string, unknown>[], id: unknown) =>
  events.filter((event) => event._id_ === id).map((event) => event.STATUS);

describe('the address of a new user', () => {
  test.each([
    ['+54 9 11 5555-0001', '+5491155550001'],
    [' +54 (9) 11 5555 0001\u00a0', '+5491155550001'],
    ['+54.9.11.5555.0001', '+5491155550001'],
    ['(011) 4555 0001', '01145550001'],
    ['011 4555-0001', '01145550001'],
    ['5491155550001', '5491155550001'],
    // Not phone numbers: only a plus, a space, or a parenthesis shows that the punctuation is not part of the address.
    ['1234-5678-9012', '1234-5678-9012'],
    ['192.168.1.12', '192.168.1.12'],
    ['CO.1000 x', 'CO.1000 x'],
  ])('%j is %s in events and in lists: a phone number has no separators', async (written, proper) => {
    const { receiver, sandbox } = await startWithReceiver();

    await sandbox.control(`POST ${userPath(written)}/messages`, { text: 'Hello' });
    const changed = await sandbox.control(`PATCH ${userPath(written)}`, { name: 'Ana' });
    await sandbox.api('/message/v3', aMessage({ platformContactId: written }));
    const events = await allEvents(sandbox, receiver);

    expect(events.map(({ FROM }) => FROM)).toEqual([proper, proper]);
    expect(changed.body).toMatchObject({ contact: proper, name: 'Ana' });
    expect((await sandbox.control('GET /users')).body).toMatchObject({ users: [{ contact: proper }] });
    expect((await sandbox.control(`GET ${userPath(proper)}/conversation`)).body).toMatchObject({
      user: { contact: proper },
      messages: [{ direction: 'in' }, { direction: 'out' }],
    });
  });

  test.each(['PATCH', 'send'])('has no separators if the user is created by a %s', async (how) => {
    const { receiver, sandbox } = await startWithReceiver();
    await sandbox.control('PUT /rules/table_ready', aRule());
    const written = '+54 9 11 5555-0001';

    if (how === 'PATCH') await sandbox.control(`PATCH ${userPath(written)}`, { name: 'Ana' });
    await sandbox.api('/intent/v2', anIntent({ platformContactId: written }));

    expect(await allEvents(sandbox, receiver)).toMatchObject([{ FROM: '+5491155550001', STATUS: 'delivered' }]);
  });

  test('stays as first seen when it is written differently later', async () => {
    const { receiver, sandbox } = await startWithReceiver();

    await sandbox.control(`POST ${userPath('5491155550001')}/messages`, { text: 'Hello' });
    await sandbox.control(`POST ${userPath('+54 9 11 5555-0001')}/messages`, { text: 'Hello' });

    expect((await allEvents(sandbox, receiver)).map(({ FROM }) => FROM)).toEqual(['5491155550001', '5491155550001']);
  });
});

describe('an inbound user message', () => {
  test('has the fields of the contract and of the field notes', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    await sandbox.control(`PATCH ${userPath(USER)}`, { name: 'Ana' });

    const answer = await sandbox.control(`POST ${userPath(USER)}/messages`, {
      text: 'Hello',
      imageUrls: ['https://media.example/1.png'],
      at: '2026-01-31T11:00:00+01:00',
    });
    const events = await allEvents(sandbox, receiver);

    expect(answer.status).toBe(202);
    expect(events).toEqual([
      {
        _id_: Object(answer.body)._id_,
        BUSINESS_ID: expect.any(String),
        OBJECT_TYPE: 'message',
        CHAT_PLATFORM_ID: 'chat',
        CHAT_CHANNEL_ID: CHANNEL,
        CUSTOMER_ID: expect.any(String),
        FROM: USER,
        FROM_NAME: 'Ana',
        TO: CHANNEL,
        MESSAGE: 'Hello',
        IMAGES_URLS: ['https://media.example/1.png'],
        AUDIOS_URLS: [],
        FILES_URLS: [],
        VIDEOS_URLS: [],
        TAGS: [],
        REACTIONS: [],
        SESSION_CREATION_TIME: '2026-01-31T10:00:00.000Z',
        CREATION_TIME: '2026-01-31T10:00:00.000Z',
        LAST_MODIFICATION: expect.any(String),
      },
    ]);
  });

  test('carries media of every kind, with or without text (contract: "are also delivered")', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    const imageUrls = ['https://media.example/1.png', 'https://media.example/2.jpg'];
    const audioUrls = ['https://media.example/voice.ogg', 'https://media.example/song.mp3'];
    const fileUrls = ['https://media.example/1.pdf'];

    await sandbox.control(`POST ${userPath(USER)}/messages`, { imageUrls, audioUrls, fileUrls });
    const events = await allEvents(sandbox, receiver);

    expect(events).toMatchObject([
      { MESSAGE: '', IMAGES_URLS: imageUrls, AUDIOS_URLS: audioUrls, FILES_URLS: fileUrls, VIDEOS_URLS: [] },
    ]);
  });

  test('names the user only "when available", and keeps customer and session during a conversation', async () => {
    const { receiver, sandbox } = await startWithReceiver();

    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    await sandbox.control('POST /clock', { advanceSeconds: 60 });
    await sandbox.control(`POST ${userPath(USER)}/messages`, { audioUrls: ['https://media.example/1.ogg'] });
    await sandbox.control('POST /clock', { advanceSeconds: DAY_SECONDS });
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello again' });
    const events = await allEvents(sandbox, receiver);

    const sessions = events.map((event) => event.SESSION_CREATION_TIME).sort();
    expect(events).toHaveLength(3);
    for (const event of events) expect(event).not.toHaveProperty('FROM_NAME');
    expect(new Set(events.map((event) => event.CUSTOMER_ID)).size).toBe(1);
    expect(sessions[0]).toBe(sessions[1]);
    expect(sessions[1]).not.toBe(sessions[2]);
  });
});

describe('a status notification', () => {
  test('is sent for Delivered, and for Read once the user reads, with the id (contract, "Events")', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    const { id } = Object((await sandbox.api('/message/v3', aMessage())).body);
    const afterSend = await allEvents(sandbox, receiver);
    const read = await sandbox.control(`POST ${userPath(USER)}/read`);
    const readAgain = await sandbox.control(`POST ${userPath(USER)}/read`);
    const afterRead = await allEvents(sandbox, receiver);

    expect(statusesOf(afterSend, id)).toEqual(['delivered']);
    expect(read.body).toEqual({ read: [id] });
    expect(readAgain.body).toEqual({ read: [] });
    expect(statusesOf(afterRead, id)).toEqual(['delivered', 'read']);
    expect(afterRead.at(-1)).toEqual({
      _id_: id,
      BUSINESS_ID: expect.any(String),
      OBJECT_TYPE: 'status',
      CHAT_PLATFORM_ID: 'chat',
      CHAT_CHANNEL_ID: CHANNEL,
      CUSTOMER_ID: afterRead[0]?.CUSTOMER_ID,
      FROM: USER,
      STATUS: 'read',
      CREATION_TIME: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
    });
    expect((await sandbox.control('GET /outbox')).body).toMatchObject({ messages: [{ id, status: 'read' }] });
  });

  test('is never sent for Read while read receipts are off (contract: "never received")', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    await sandbox.control(`PATCH ${userPath(USER)}`, { readReceipts: false });
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    const { id } = Object((await sandbox.api('/message/v3', aMessage())).body);

    const read = await sandbox.control(`POST ${userPath(USER)}/read`);
    await sandbox.control(`PATCH ${userPath(USER)}`, { readReceipts: true });
    await sandbox.control(`POST ${userPath(USER)}/read`);
    const events = await allEvents(sandbox, receiver);

    expect(read.body).toEqual({ read: [id] });
    expect(statusesOf(events, id)).toEqual(['delivered']);
    expect((await sandbox.control('GET /outbox')).body).toMatchObject({ messages: [{ id, status: 'delivered' }] });
  });

  test('is delayed while the device is off (contract: "the message reached the user\'s device")', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'off' });
    const { id } = Object((await sandbox.api('/message/v3', aMessage())).body);

    const read = await sandbox.control(`POST ${userPath(USER)}/read`);
    const whileOff = await allEvents(sandbox, receiver);
    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'on' });
    const whileOn = await allEvents(sandbox, receiver);

    expect(read.body).toEqual({ read: [] });
    expect(statusesOf(whileOff, id)).toEqual([]);
    expect(statusesOf(whileOn, id)).toEqual(['delivered']);
  });

  test('returns clientPayload as CLIENT_PAYLOAD (field notes, "The API\'s answers")', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    await sandbox.control('PUT /rules/table_ready', aRule());

    await sandbox.api('/intent/v2', anIntent({ clientPayload: 'request-1' }));
    const events = await allEvents(sandbox, receiver);

    expect(events).toMatchObject([{ STATUS: 'delivered', CLIENT_PAYLOAD: 'request-1' }]);
  });
});
