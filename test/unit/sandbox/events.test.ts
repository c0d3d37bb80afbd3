import { describe, expect, test } from 'vitest';
import {
  aMessage,
  anIntent,
  aRule,
  CHANNEL,
  DAY_SECONDS,
  eventIn,
  eventually,
  type RunningSandbox,
  startTestSandbox,
  USER,
  userPath,
  webhookTo,
} from '../../support/running-sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const startBoth = async () => {
  const receiver = await startWebhookReceiver();
  const sandbox = await startTestSandbox({ webhook: webhookTo(receiver.url) });
  return { receiver, sandbox };
};

/** The events once the carrier has nothing left to bring. */
const allEvents = async (sandbox: RunningSandbox, receiver: WebhookReceiver): Promise<Record<string, unknown>[]> => {
  await eventually(async () => {
    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ pending: 0 });
  });
  return receiver.posts.map((post) => eventIn(post.body));
};

const statusesOf = (events: Record<string, unknown>[], id: unknown) =>
  events.filter((event) => event._id_ === id).map((event) => event.STATUS);

describe('an inbound user message', () => {
  test('has the fields of the contract and those that the field notes name', async () => {
    const { receiver, sandbox } = await startBoth();
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

  test('brings media of every kind, also without a text (contract: "Media messages (voice, audio, documents, images) are also delivered")', async () => {
    const { receiver, sandbox } = await startBoth();
    const imageUrls = ['https://media.example/1.png', 'https://media.example/2.jpg'];
    const audioUrls = ['https://media.example/voice.ogg', 'https://media.example/song.mp3'];
    const fileUrls = ['https://media.example/1.pdf'];

    await sandbox.control(`POST ${userPath(USER)}/messages`, { imageUrls, audioUrls, fileUrls });
    const events = await allEvents(sandbox, receiver);

    expect(events).toMatchObject([
      { MESSAGE: '', IMAGES_URLS: imageUrls, AUDIOS_URLS: audioUrls, FILES_URLS: fileUrls, VIDEOS_URLS: [] },
    ]);
  });

  test('names the user only "when available", and keeps customer and session over a conversation', async () => {
    const { receiver, sandbox } = await startBoth();

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
  test('Delivered comes by itself, Read when the user reads, each with the message\'s id (contract, "Events")', async () => {
    const { receiver, sandbox } = await startBoth();
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

  test('Read never comes while read receipts are off (contract: "Read notifications are never received")', async () => {
    const { receiver, sandbox } = await startBoth();
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

  test('Delivered waits while the device is off (contract: "the message reached the user\'s device")', async () => {
    const { receiver, sandbox } = await startBoth();
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

  test('brings clientPayload back (field notes: it "has been seen to come back in its statuses as CLIENT_PAYLOAD")', async () => {
    const { receiver, sandbox } = await startBoth();
    await sandbox.control('PUT /rules/table_ready', aRule());

    await sandbox.api('/intent/v2', anIntent({ clientPayload: 'request-1' }));
    const events = await allEvents(sandbox, receiver);

    expect(events).toMatchObject([{ STATUS: 'delivered', CLIENT_PAYLOAD: 'request-1' }]);
  });
});
