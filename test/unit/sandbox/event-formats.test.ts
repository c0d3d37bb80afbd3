import { describe, expect, test } from 'vitest';
import type { EventFormatName, SandboxOptions } from '../../../sandbox/sandbox.ts';
import {
  aMessage,
  anIntent,
  aRule,
  CHANNEL,
  type RunningSandbox,
  startWithReceiver,
  USER,
  untilDelivered,
  userPath,
} from '../../support/running-sandbox.ts';

/*
 * Events as real services write them: in the contract's format, and in the two formats of public documents.
 */

const DIGITS = '5491155550000';
const ID = expect.stringMatching(/^[A-Z0-9]{20}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const LOCATION = { name: 'Plaza', address: 'Calle 1', latitude: -34.6, longitude: -58.4 };
const CONTACTS = [{ name: { formatted_name: 'Juan' }, phones: [{ phone: '+54 9 11 5000-0002' }] }];

/** Starts a sandbox that delivers bare events in a format, to the user Ana Díaz. */
const startWith = async (eventFormat: EventFormatName, options: Partial<SandboxOptions> = {}) => {
  const { receiver, sandbox } = await startWithReceiver(
    { eventFormat, ...options },
    { auth: { kind: 'shared-token', header: 'auth-bm-token', token: 'token-1' }, wrapped: false },
  );
  await sandbox.control(`PATCH ${userPath(USER)}`, { name: 'Ana Díaz' });
  const bodies = async (): Promise<unknown[]> => {
    await untilDelivered(sandbox);
    return receiver.requests.map(({ body }) => JSON.parse(body));
  };
  return { receiver, sandbox, bodies };
};

const write = (sandbox: RunningSandbox, message: object) => sandbox.control(`POST ${userPath(USER)}/messages`, message);

/** Returns what a message event says besides the fields of every event. */
const contentOf = (body: unknown): Record<string, unknown> => {
  const { date: _date, chatPlatform: _platform, contactId: _contact, customerId: _customer, ...flat } = Object(body);
  const { _id_, fromName: _name, fromCustomer: _from, WHATSAPP_NUMBER: _line, ...content } = flat;
  if (_id_ !== undefined) return content;
  const { _id, date: _at, fromName: _sender, from: _kind, ...entry } = Object(body).messages[0];
  return entry;
};

describe('the event format camelCase', () => {
  test('names the user without a plus, the kind of sender, and the business number', async () => {
    const { sandbox, bodies } = await startWith('camelCase');

    const { body } = await write(sandbox, { text: 'Hola' });

    expect(await bodies()).toEqual([
      {
        date: TIME,
        chatPlatform: 'chat',
        contactId: DIGITS,
        customerId: ID,
        fromName: 'Ana Díaz',
        _id_: Object(body)._id_,
        message: 'Hola',
        fromCustomer: true,
        WHATSAPP_NUMBER: '5491100000000',
      },
    ]);
  });

  test('reports statuses in the uppercase format', async () => {
    const { sandbox, bodies } = await startWith('camelCase');
    await write(sandbox, { text: 'Hola' });

    const { id } = Object((await sandbox.api('/message/v3', aMessage())).body);

    const [, status] = await bodies();
    expect(status).toMatchObject({ _id_: id, STATUS: 'delivered', FROM: USER, CREATION_TIME: TIME });
    expect(status).not.toHaveProperty('contactId');
  });
});

describe('the event format v1.1', () => {
  test('has an envelope about the user, and the message in an array', async () => {
    const { sandbox, bodies } = await startWith('v1.1');

    const { body } = await write(sandbox, { text: 'Hola', at: '2026-11-20T12:00:00.000Z' });

    const [event] = await bodies();
    const { customerId } = Object(event);
    expect(event).toEqual({
      v: '1.1',
      type: 'message',
      chatPlatform: 'chat',
      contactId: USER,
      whatsappNumber: CHANNEL,
      chatChannelId: 'sandbox-business-chat-5491100000000',
      customerId: ID,
      firstName: 'Ana',
      lastName: 'Díaz',
      whatsappNickName: 'Ana Díaz',
      customerCreationTime: TIME,
      sessionCreationTime: '2026-11-20T12:00:00.000Z',
      sessionId: `${customerId}_2026-11-20T12:00:00.000Z`,
      messages: [
        {
          _id: Object(body)._id_,
          date: '2026-11-20T12:00:00.000Z',
          message: 'Hola',
          fromName: 'Ana Díaz',
          from: 'user',
        },
      ],
    });
  });

  test('has a plus only before a phone number', async () => {
    const { sandbox, bodies } = await startWith('v1.1');

    await sandbox.control(`POST ${userPath(DIGITS)}/messages`, { text: 'Hola' });
    await sandbox.control('POST /users/CO.1000x/messages', { text: 'Hola' });

    expect((await bodies()).map((body) => Object(body).contactId)).toEqual([`+${DIGITS}`, 'CO.1000x']);
  });

  test('reports a status with the id of the message, and without a time', async () => {
    const { sandbox, bodies } = await startWith('v1.1');
    await write(sandbox, { text: 'Hola' });

    const { id } = Object((await sandbox.api('/message/v3', aMessage())).body);

    expect((await bodies()).at(-1)).toEqual({
      v: '1.1',
      type: 'status',
      chatPlatform: 'chat',
      contactId: USER,
      whatsappNumber: CHANNEL,
      messageId: id,
      status: 'delivered',
    });
    const { deliveries } = await (await fetch(`${sandbox.url}/console/messages/${id}`)).json();
    expect(deliveries).toMatchObject([{ event: { messageId: id } }]);
  });

  test('connects a template with its statuses by the id of its job', async () => {
    const { sandbox, bodies } = await startWith('v1.1');
    await sandbox.control('PATCH /account', { echoes: true });
    await sandbox.control('PUT /rules/table_ready', aRule());

    const { id } = Object((await sandbox.api('/intent/v2', anIntent())).body);

    const [first, second] = await bodies();
    const [echo, status] = 'messages' in Object(first) ? [first, second] : [second, first];
    expect(echo).toMatchObject({
      contactId: USER,
      txId: ID,
      messages: [{ _id: id, from: 'bot', fromName: 'Bot', message: 'Hello Ana, table 7 is ready.' }],
    });
    expect(status).toMatchObject({ messageId: id, intentTxId: Object(echo).txId });
  });
});

describe('a message of each kind', () => {
  const IMAGE = 'https://media.example/i.png';
  const AUDIO = 'https://media.example/a.ogg';
  const VIDEO = 'https://media.example/v.mp4';
  const FILE = 'https://media.example/f.pdf';

  test.each<[object, object | undefined, object | undefined, object | undefined]>([
    // The message, and its content in uppercase, camelCase, and v1.1; undefined if the format has none.
    [{ text: 'Hola' }, { MESSAGE: 'Hola' }, { message: 'Hola' }, { message: 'Hola' }],
    [{ imageUrls: [IMAGE] }, { IMAGES_URLS: [IMAGE] }, { image: IMAGE }, { image: IMAGE }],
    [
      { imageUrls: [IMAGE], text: 'La puerta' },
      { IMAGES_URLS: [IMAGE], MESSAGE: 'La puerta' },
      { image: IMAGE, caption: 'La puerta' },
      { image: IMAGE, caption: 'La puerta' },
    ],
    [{ audioUrls: [AUDIO] }, { AUDIOS_URLS: [AUDIO] }, { audio: AUDIO }, { audio: AUDIO }],
    [{ audioUrls: [AUDIO], text: 'Oí' }, { AUDIOS_URLS: [AUDIO], MESSAGE: 'Oí' }, undefined, undefined],
    [
      { videoUrls: [VIDEO], text: 'Mirá' },
      { VIDEOS_URLS: [VIDEO], MESSAGE: 'Mirá' },
      { video: VIDEO, caption: 'Mirá' },
      { video: VIDEO, caption: 'Mirá' },
    ],
    [
      { fileUrls: [FILE], text: 'El plano' },
      { FILES_URLS: [FILE] },
      { file: FILE, caption: 'El plano' },
      { file: FILE, caption: 'El plano' },
    ],
    [{ imageUrls: [IMAGE], fileUrls: [FILE] }, { IMAGES_URLS: [IMAGE], FILES_URLS: [FILE] }, undefined, undefined],
    [{ location: LOCATION }, undefined, { location: LOCATION }, { location: LOCATION }],
    [{ contacts: CONTACTS }, undefined, { contacts: CONTACTS }, { contacts: CONTACTS }],
    [
      { text: 'Mañana', buttonPayload: 'slot-2' },
      { MESSAGE: '{"button":"Mañana","intent":"slot-2"}' },
      undefined,
      { message: 'Mañana', buttonPayload: 'slot-2' },
    ],
    [{ error: 'Unsupported message' }, undefined, { error: 'Unsupported message' }, { error: 'Unsupported message' }],
  ])('%j has its fields, or is refused where the format has none', async (message, ...expected) => {
    const { sandbox, bodies } = await startWith('uppercase');
    const statuses: number[] = [];

    for (const eventFormat of ['uppercase', 'camelCase', 'v1.1']) {
      await sandbox.control('PATCH /account', { eventFormat });
      statuses.push((await write(sandbox, message)).status);
      await untilDelivered(sandbox);
    }

    expect(statuses).toEqual(expected.map((content) => (content === undefined ? 409 : 202)));
    const [uppercase, ...others] = expected;
    const delivered = await bodies();
    if (uppercase !== undefined) expect(delivered.shift()).toMatchObject(uppercase);
    expect(delivered.map(contentOf)).toEqual(others.filter((content) => content !== undefined));
  });

  test('that the format cannot carry is refused with a sentence, and opens no window', async () => {
    const { sandbox } = await startWith('uppercase');

    const answer = await write(sandbox, { location: LOCATION });

    expect(answer.body).toEqual({
      error: {
        code: 409,
        message: 'The event format uppercase has no location; see PATCH /sandbox/account for the format.',
      },
    });
    expect((await sandbox.api('/message/v3', aMessage())).status).toBe(403);
  });

  test.each([
    {},
    { text: 'Hola', location: LOCATION },
    { location: LOCATION, error: 'Unsupported message' },
    { buttonPayload: 'slot-2' },
    { buttonPayload: 'slot-2', text: 'Mañana', imageUrls: [IMAGE] },
    { location: { latitude: 91, longitude: 0 } },
    { contacts: [] },
    { imageUrls: [VIDEO] },
  ])('cannot be %j', async (message) => {
    const { sandbox } = await startWith('v1.1');

    expect((await write(sandbox, message)).status).toBe(400);
  });
});

describe('an operator, and the API', () => {
  test.each<[EventFormatName, object, object]>([
    [
      'uppercase',
      { FROM: 'me', OPERATOR: 'eva', MESSAGE: 'Soy Eva' },
      { FROM: 'me', FROM_NAME: 'Bot', TO: USER, MESSAGE: 'Your table is ready.' },
    ],
    [
      'camelCase',
      { contactId: DIGITS, fromCustomer: false, fromName: 'Operator', OPERATOR: 'eva', message: 'Soy Eva' },
      { contactId: DIGITS, fromCustomer: false, fromName: 'Bot', message: 'Your table is ready.' },
    ],
    [
      'v1.1',
      { contactId: USER, messages: [{ from: 'agent', fromName: 'Operator', OPERATOR: 'eva', message: 'Soy Eva' }] },
      { contactId: USER, messages: [{ from: 'bot', fromName: 'Bot', message: 'Your table is ready.' }] },
    ],
  ])('come back in %s as what the business wrote', async (format, byOperator, byApi) => {
    const { sandbox, bodies } = await startWith(format);
    await write(sandbox, { text: 'Hola' });
    await sandbox.control('PATCH /account', { echoes: true });
    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'off' });

    await sandbox.control(`POST ${userPath(USER)}/operator-messages`, { text: 'Soy Eva', fields: { OPERATOR: 'eva' } });
    await untilDelivered(sandbox);
    await sandbox.api('/message/v3', aMessage());

    expect((await bodies()).slice(1)).toMatchObject([byOperator, byApi]);
  });

  test('the API comes back only if the account says so', async () => {
    const { sandbox, bodies } = await startWith('v1.1');
    await write(sandbox, { text: 'Hola' });
    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'off' });

    await sandbox.api('/message/v3', aMessage());

    expect(await bodies()).toHaveLength(1);
  });
});

describe('POST /sandbox/users/{contact}/batches', () => {
  const batch = (sandbox: RunningSandbox, messages: object[]) =>
    sandbox.control(`POST ${userPath(USER)}/batches`, { messages });

  test.each<[EventFormatName, (body: unknown) => unknown]>([
    ['uppercase', (body) => body],
    ['camelCase', (body) => body],
    ['v1.1', (body) => Object(body).messages],
  ])('delivers several messages in one %s event, each with its own id', async (format, entries) => {
    const { receiver, sandbox, bodies } = await startWith(format);

    const answer = await batch(sandbox, [{ text: 'Uno' }, { text: 'Dos' }, { imageUrls: ['https://media.example/3'] }]);

    const ids = Object(answer.body).messages.map(({ _id_ }: { _id_: string }) => _id_);
    expect([answer.status, new Set(ids).size]).toEqual([202, 3]);
    const [body] = await bodies();
    expect(receiver.requests).toHaveLength(1);
    expect(entries(body)).toMatchObject(ids.map((id: string) => ({ [format === 'v1.1' ? '_id' : '_id_']: id })));
    const { deliveries } = await (await fetch(`${sandbox.url}/console/messages/${ids[2]}`)).json();
    expect(deliveries).toHaveLength(1);
  });

  test('delivers none if the format cannot carry one of them', async () => {
    const { sandbox, bodies } = await startWith('uppercase');

    const answer = await batch(sandbox, [{ text: 'Uno' }, { location: LOCATION }]);

    expect(answer.status).toBe(409);
    expect(await bodies()).toEqual([]);
  });

  test.each([[[]], [[{ text: '' }]]])('refuses %j', async (messages) => {
    const { sandbox } = await startWith('uppercase');

    expect((await batch(sandbox, messages)).status).toBe(400);
  });
});

describe('a failure after acceptance', () => {
  const sendTo = async (sandbox: RunningSandbox) => {
    await write(sandbox, { text: 'Hola' });
    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'off' });
    return Object((await sandbox.api('/message/v3', aMessage())).body).id;
  };

  test.each<[EventFormatName, (id: string) => object]>([
    ['uppercase', (id) => ({ _id_: id, STATUS: 'error', REASON: '131049.0' })],
    ['camelCase', (id) => ({ _id_: id, STATUS: 'error', REASON: '131049.0' })],
    ['v1.1', (id) => ({ messageId: id, status: 'error', reason: '131049.0' })],
  ])('is a %s status with the code as real services write it', async (format, expected) => {
    const { sandbox, bodies } = await startWith(format);
    const id = await sendTo(sandbox);
    await sandbox.control('POST /clock', { advanceSeconds: 300 });

    const answer = await sandbox.control(`POST /messages/${id}/statuses`, { status: 'error', code: '131049' });
    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'on' });

    expect(answer.status).toBe(202);
    expect((await bodies()).slice(1)).toMatchObject([expected(id)]);
    expect((await sandbox.control('GET /outbox')).body).toMatchObject({ messages: [{ id, status: 'error' }] });
  });

  test('can be a setting of the user, until it is removed', async () => {
    const { sandbox, bodies } = await startWith('v1.1');
    const first = await sendTo(sandbox);

    await sandbox.control(`PATCH ${userPath(USER)}`, { failWith: '131026', device: 'on' });
    await untilDelivered(sandbox);
    await sandbox.control(`PATCH ${userPath(USER)}`, { failWith: null });
    const second = Object((await sandbox.api('/message/v3', aMessage())).body).id;

    expect((await bodies()).slice(1)).toMatchObject([
      { messageId: first, status: 'error', reason: '131026.0' },
      { messageId: second, status: 'delivered' },
    ]);
  });

  test.each(['sent', 'delivered', 'read', 'answered', 'failed', 'error'])(
    'any status can be reported: %s',
    async (status) => {
      const { sandbox, bodies } = await startWith('uppercase');
      const id = await sendTo(sandbox);

      await sandbox.control(`POST /messages/${id}/statuses`, { status });

      const last = (await bodies()).at(-1);
      expect(last).toMatchObject({ _id_: id, STATUS: status });
      expect(last).not.toHaveProperty('REASON');
    },
  );

  test('is refused for an unknown message, for an unknown status, and for a code without a failure', async () => {
    const { sandbox } = await startWith('uppercase');
    const id = await sendTo(sandbox);
    const report = async (of: string, body: object) =>
      (await sandbox.control(`POST /messages/${of}/statuses`, body)).status;

    expect(await report('unknown', { status: 'error' })).toBe(404);
    expect(await report(id, { status: 'lost' })).toBe(400);
    expect(await report(id, { status: 'read', code: '131049' })).toBe(400);
  });
});

describe('an answer that names only a job', () => {
  test.each(['webhookNotificationId', 'requestId'])('has HTTP 202 and %s from both endpoints', async (answerId) => {
    const { sandbox, bodies } = await startWith('v1.1');
    await sandbox.control('PUT /rules/table_ready', aRule());
    await sandbox.control('PATCH /account', { answerId });
    await write(sandbox, { text: 'Hola' });

    const answers = [await sandbox.api('/message/v3', aMessage()), await sandbox.api('/intent/v2', anIntent())];

    expect(answers).toMatchObject([
      { status: 202, body: { [answerId]: ID } },
      { status: 202, body: { [answerId]: ID } },
    ]);
    for (const { body } of answers) expect(Object.keys(Object(body))).toEqual([answerId]);
    const jobs = answers.map(({ body }) => Object(body)[answerId]);
    const events = await bodies();
    const echoes = events.filter((event) => jobs.includes(Object(event).txId));
    const statuses = events.filter((event) => jobs.includes(Object(event).intentTxId));
    expect(echoes.map((event) => Object(event).messages[0]._id).toSorted()).toEqual(
      statuses.map((event) => Object(event).messageId).toSorted(),
    );
    expect(echoes).toHaveLength(2);
  });
});

describe('the event format', () => {
  test('is the uppercase one unless it is set, and can change while the sandbox runs', async () => {
    const { sandbox, bodies } = await startWith('uppercase');
    const shown = (await sandbox.control('GET /account')).body;
    await write(sandbox, { text: 'Uno' });
    await untilDelivered(sandbox);

    const changed = await sandbox.control('PATCH /account', { eventFormat: 'v1.1' });
    await write(sandbox, { text: 'Dos' });

    expect(shown).toMatchObject({ eventFormat: 'uppercase', answerId: 'id', echoes: false });
    expect(changed.body).toMatchObject({ eventFormat: 'v1.1' });
    expect(await bodies()).toMatchObject([{ MESSAGE: 'Uno' }, { v: '1.1', messages: [{ message: 'Dos' }] }]);
    expect((await sandbox.control('PATCH /account', { eventFormat: 'code-action' })).status).toBe(400);
  });

  test('does not change the authentication by a header such as auth-bm-token', async () => {
    const { receiver, sandbox, bodies } = await startWith('v1.1');
    await write(sandbox, { text: 'Hola' });
    await bodies();

    expect(receiver.requests.map(({ headers }) => headers['auth-bm-token'])).toEqual(['token-1']);
  });
});
