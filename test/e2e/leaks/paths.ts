import { setTimeout as pause } from 'node:timers/promises';
import { contactKey } from '../../../lambdas/domain/contact.ts';
import { PROBE_BODY } from '../../../lambdas/domain/webhook-probe.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { CANARIES, canaryNumber } from '../../support/canaries.ts';
import { incompressibleText, PLAIN_CHARACTERS } from '../../support/incompressible.ts';
import { seedChannel } from '../../support/seed-channel.ts';
import { type AnswerRequest, echo, echoBody } from './echoing-chat-service.ts';
import type { LeakingStage } from './leaking-stage.ts';

/** A path that data takes through a stage. */
export interface Path {
  readonly name: string;
  readonly drive: (stage: LeakingStage) => Promise<void>;
}

const { text, number, name, param, mediaUrl, note, accessToken, webhookSecret } = CANARIES;

/** Events name where a consent was given. */
const source = 'registration form';

/** Every user has one number of their own, so that a request that waits delays no other. */
let users = 10;
const nextNumber = (): string => {
  users += 1;
  return canaryNumber(users);
};

const iso = ({ cloud }: LeakingStage, seconds = 0): string =>
  new Date(cloud.clock.now().getTime() + seconds * 1000).toISOString();

const message = (stage: LeakingStage, changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    CHAT_PLATFORM_ID: 'chat',
    MESSAGE: text,
    CREATION_TIME: iso(stage),
    FROM_NAME: name,
    CUSTOMER_ID: 'customer-1',
    _id_: 'in-1',
    FROM: number.slice(1),
    IMAGES_URLS: [mediaUrl],
    ...changes,
  });

/** Posts an event until it is answered with this status. */
const deliver = async (stage: LeakingStage, body: string | Buffer, answer = 200): Promise<void> => {
  let answered = await stage.post(body);
  // As the publish/subscribe system does, while the machine is busy.
  while (answered === 503) answered = await stage.post(body);
  if (answered !== answer) throw new Error(`The webhook answered with ${answered}.`);
};

/** The user of this number writes, which opens the window. */
const writes = async (stage: LeakingStage, from: string): Promise<void> => {
  await deliver(stage, message(stage, { _id_: `in-${from.slice(-4)}`, FROM: from.slice(1) }));
  // An event that was deferred is answered with 200 before it is stored.
  await waitFor(`the window of ${from} is open`, async () => {
    const contact = (await stage.client.table())[`CONTACT#chat#*#${contactKey(from)} CONTACT`];
    return contact?.lastInboundAt === undefined ? undefined : true;
  });
};

const status = (stage: LeakingStage, changes: Readonly<Record<string, unknown>>): string =>
  message(stage, { MESSAGE: undefined, IMAGES_URLS: undefined, STATUS: 'delivered', ...changes });

/** Receives an event, with the status with which it is answered. */
const event = (pathName: string, body: (stage: LeakingStage) => string | Buffer, answer = 200): Path => ({
  name: `receive: ${pathName}`,
  drive: (stage) => deliver(stage, body(stage), answer),
});

const TEMPLATE = { ruleNameOrId: 'parcel_update', params: { name, code: param }, reason: 'shipping-status' };
const FREE_FORM = { messageText: text, imageURL: mediaUrl };

/** Sends a request whose call is answered like this, until it is in a state. */
const send = (
  requestId: string,
  state: string,
  answers: readonly AnswerRequest[],
  {
    request = FREE_FORM,
    window = 'open',
  }: { readonly request?: object; readonly window?: 'open' | 'opted in' | 'none' } = {},
): Path => ({
  name: `send: ${requestId}, ${state}`,
  async drive(stage) {
    const platformContactId = nextNumber();
    if (window === 'open') await writes(stage, platformContactId);
    if (window === 'opted in') await stage.call('optIn', 200, { body: { platformContactId, source } }, 'one');
    stage.service.answers.set(requestId, [...answers]);
    await stage.client.enqueue({ requestId, platformContactId, ...request });
    await stage.sendIs(requestId, state);
  },
});

const error =
  (httpStatus: number, code: unknown, describe = echo): AnswerRequest =>
  (request) => ({ status: httpStatus, body: { error: { code, message: describe(request) } } });
const plainText =
  (httpStatus: number): AnswerRequest =>
  (request) => ({ status: httpStatus, body: echo(request) });

/** Puts a message on the send queue that is dead-lettered. */
const malformed = (pathName: string, body: string): Path => ({
  name: `send: malformed, ${pathName}`,
  async drive({ client, cloud }) {
    const before = await client.queueDepth(cloud.sendDeadLetterQueueUrl);
    await client.putMessage(cloud.sendQueueUrl, body, { groupId: nextNumber(), id: pathName.replaceAll(' ', '-') });
    await waitFor(`${pathName} is dead-lettered`, async () =>
      (await client.queueDepth(cloud.sendDeadLetterQueueUrl)) > before ? true : undefined,
    );
  },
});

const RECEIVING: readonly Path[] = [
  event('a message', (stage) => message(stage)),
  event('the message again', (stage) => message(stage)),
  event('an echo', (stage) => message(stage, { _id_: 'echo-1', FROM: 'me', TO: number })),
  ...['sent', 'delivered', 'read', 'failed'].map((STATUS) =>
    event(`the status ${STATUS}`, (stage) => status(stage, { _id_: 'in-1', STATUS, CAUSE: text })),
  ),
  event('an unknown status', (stage) => status(stage, { _id_: 'in-1', STATUS: `blocked by ${name} ${number}` })),
  event('a status with a message', (stage) => message(stage, { _id_: 'both-1', STATUS: 'delivered' })),
  event('an unknown event', () =>
    JSON.stringify({ v: '1.1', type: 'conversation-close', contactId: number, note: text, chatPlatform: 'chat' }),
  ),
  event('a probe', () => PROBE_BODY),
  event('not JSON', () => `{"MESSAGE": "${text} ${number}`),
  event('not UTF-8', () => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])])),
  event('no id', (stage) => message(stage, { _id_: undefined })),
  event('no event', () => JSON.stringify({ _id_: 'nothing', [text]: name, [number]: number })),
  event('wrong types', () => JSON.stringify({ _id_: { [text]: number }, FROM: [name], MESSAGE: { text } })),
  event(
    'too large',
    (stage) => message(stage, { _id_: 'large', MESSAGE: `${text} ${incompressibleText(2_000_000, PLAIN_CHARACTERS)}` }),
    413,
  ),
  {
    name: 'receive: unauthenticated',
    async drive(stage) {
      for (const token of ['', `${webhookSecret}-old`, accessToken, encodeURIComponent(name)]) {
        if ((await stage.post(message(stage), token)) !== 401) throw new Error('A wrong token was accepted.');
      }
    },
  },
  {
    name: 'receive: deferred while the table is unavailable, then stored or quarantined',
    async drive(stage) {
      const { client, cloud } = stage;
      cloud.emulators.pauseTables(true);
      try {
        await deliver(stage, message(stage, { _id_: 'deferred-1' }));
      } finally {
        cloud.emulators.pauseTables(false);
      }
      // The table may store what was written while it was paused.
      await waitFor('the deferred event is stored from the queue', async () =>
        (await stage.logLines()).some((line) => line.includes('deferred event stored')) ? true : undefined,
      );
      for (const body of [
        `${text} ${number}`,
        JSON.stringify({ receivedAt: iso(stage), encoding: 'utf8', rawBody: text }),
      ]) {
        await client.putMessage(cloud.inboundQueueUrl, body);
      }
      await waitFor('they are quarantined', async () =>
        (await client.queueDepth(cloud.inboundQueueUrl)) === 0 ? true : undefined,
      );
    },
  },
];

const SENDING: readonly Path[] = [
  send('free-form', 'accepted', []),
  send('template', 'accepted', [], { request: TEMPLATE, window: 'opted in' }),
  send('without-id', 'accepted', [() => ({ status: 200, body: {} })], { request: TEMPLATE }),
  send('problem', 'rejected', [
    (request) => ({ status: 200, body: { problems: { code: 304, message: echo(request) }, result: {} } }),
  ]),
  send('error', 'rejected', [error(400, 304)]),
  send('error-of-the-request', 'rejected', [error(400, '305', echoBody)]),
  send('error-with-a-number-as-code', 'rejected', [error(400, Number(number.slice(1)), echoBody)]),
  send('error-to-a-template', 'rejected', [error(404, 404, echoBody)], { request: TEMPLATE }),
  send('window-closed', 'refused', [error(403, 201)]),
  send('window-closed-then-template', 'accepted', [error(403, 201)], { request: { ...FREE_FORM, ...TEMPLATE } }),
  send('window-closed-to-a-template', 'rejected', [error(403, 201)], { request: TEMPLATE }),
  send('uncertain-reset', 'uncertain', [() => 'reset']),
  send('between-1', 'accepted', []),
  send('uncertain-silence', 'uncertain', [() => 'silence']),
  send('between-2', 'accepted', []),
  send('uncertain-500', 'uncertain', [error(500, 500, echoBody)]),
  send('between-3', 'accepted', []),
  send('uncertain-502', 'uncertain', [plainText(502)]),
  send('between-4', 'accepted', []),
  send('uncertain-id-and-problem', 'uncertain', [
    (request) => ({ status: 200, body: { id: 'out-both', problems: { code: 1, message: echoBody(request) } } }),
  ]),
  send('between-5', 'accepted', []),
  send('uncertain-unreadable', 'uncertain', [plainText(200)]),
  send('between-6', 'accepted', []),
  send('redirected', 'waiting', [
    (request) => ({ status: 302, body: echo(request), headers: { location: `/${encodeURIComponent(name)}` } }),
  ]),
  send('unavailable', 'waiting', [
    (request) => ({ status: 503, body: echo(request), headers: { 'retry-after': '1' } }),
  ]),
  send('too-many', 'waiting', [error(429, 9, echoBody)]),
  send('blocked', 'waiting', [plainText(403)]),
  send('between-7', 'accepted', []),
  send('media-unsupported', 'refused', [], { request: { imageURL: `${mediaUrl.split('?')[0]}.gif` } }),
  send('media-not-https', 'refused', [], { request: { imageURL: mediaUrl.replace('https', 'http') } }),
  send('no-window', 'refused', [], { window: 'none' }),
  send('no-opt-in', 'refused', [], { request: TEMPLATE, window: 'none' }),
  send('reason-missing', 'refused', [], { request: { ...TEMPLATE, reason: undefined }, window: 'opted in' }),
  send('expired', 'expired', [], { request: { ...FREE_FORM, notAfter: '2020-01-01T00:00:00Z' } }),
  {
    name: 'send: opted out, refused',
    async drive(stage) {
      const platformContactId = nextNumber();
      await stage.call('optIn', 200, { body: { platformContactId, source } }, 'one');
      await stage.call('optOut', 200, { body: { platformContactId, source } }, 'one');
      await stage.client.enqueue({ requestId: 'opted-out', platformContactId, ...TEMPLATE });
      await stage.sendIs('opted-out', 'refused');
    },
  },
  {
    name: 'send: the request again, and its id with another body',
    async drive(stage) {
      const platformContactId = nextNumber();
      await writes(stage, platformContactId);
      const body = { requestId: 'again', platformContactId, ...FREE_FORM };
      await stage.client.enqueue(body);
      await stage.sendIs('again', 'accepted');
      const { client, cloud } = stage;
      await client.putMessage(cloud.sendQueueUrl, JSON.stringify(body), { groupId: platformContactId, id: 'again-2' });
      const other = JSON.stringify({ ...body, messageText: `${text} ${name}` });
      await client.putMessage(cloud.sendQueueUrl, other, { groupId: platformContactId, id: 'again-3' });
      await waitFor('the other request is dead-lettered', async () =>
        (await client.queueDepth(cloud.sendDeadLetterQueueUrl)) > 0 ? true : undefined,
      );
    },
  },
  {
    name: 'send: contact checks that are rejected, unavailable, unreadable, or negative',
    async drive(stage) {
      const { service, client } = stage;
      const working = service.onCheck;
      const check = async (requestId: string, state: string, answer: AnswerRequest) => {
        const platformContactId = nextNumber();
        await stage.call('optIn', 200, { body: { platformContactId, source } }, 'one');
        service.onCheck = answer;
        await client.enqueue({ requestId, platformContactId, ...TEMPLATE });
        await stage.sendIs(requestId, state);
      };
      await check('check-rejected', 'accepted', error(400, 77));
      await check('check-unreadable', 'accepted', ({ body }) => ({
        status: 200,
        body: { result: { [body]: echo({ path: '', body, token: accessToken }) } },
      }));
      await check('check-absent', 'refused', () => ({ status: 200, body: { problems: null, result: {} } }));
      await check('check-unavailable', 'waiting', plainText(503));
      service.onCheck = working;
    },
  },
  malformed('not JSON', `{"requestId":"malformed ${number} ${text}`),
  malformed('unknown fields', JSON.stringify({ requestId: 'm-1', platformContactId: number, [text]: 1, [number]: 2 })),
  malformed(
    'an unknown variable',
    JSON.stringify({
      requestId: 'm-2',
      platformContactId: number,
      ruleNameOrId: 'x',
      params: { [`${name}, ${number}`]: { param } },
    }),
  ),
  malformed(
    'wrong types',
    JSON.stringify({
      requestId: [text],
      platformContactId: { number },
      messageText: [name],
      imageURL: `no URL ${mediaUrl}`,
    }),
  ),
  malformed(
    'too large',
    JSON.stringify({ requestId: 'm-3', platformContactId: number, messageText: text.repeat(6_000) }),
  ),
];

const SCHEDULING: readonly Path[] = [
  {
    name: 'send: scheduled, then sent when due',
    async drive(stage) {
      const platformContactId = nextNumber();
      await stage.call('optIn', 200, { body: { platformContactId, source } }, 'one');
      await stage.client.enqueue({ requestId: 'due', platformContactId, ...TEMPLATE, sendAt: iso(stage, 600) });
      await stage.sendIs('due', 'scheduled');
      await stage.cloud.clock.advance(700_000);
      await stage.sendIs('due', 'accepted');
    },
  },
  {
    name: 'send: scheduled, then cancelled',
    async drive(stage) {
      const platformContactId = nextNumber();
      const sendAt = iso(stage, 600);
      await stage.client.enqueue({ requestId: 'cancelled', platformContactId, ...TEMPLATE, sendAt });
      await stage.sendIs('cancelled', 'scheduled');
      await stage.call('requeueSend', 409, { body: { requestId: 'cancelled' } });
      await stage.call('cancelSend', 200, { body: { requestId: 'cancelled' } }, 'one');
      await stage.call('cancelSend', 200, { body: { requestId: 'cancelled' } }, 'one');
      await stage.client.putMessage(stage.cloud.sendQueueUrl, '{"scheduledRequestId":"cancelled"}', {
        groupId: platformContactId,
        id: 'due-cancelled',
      });
      await waitFor('the due message is handled', async () =>
        (await stage.logLines()).some((line) => line.includes('due request not sent')) ? true : undefined,
      );
    },
  },
];

const MANAGING: readonly Path[] = [
  {
    name: 'manage: every route, with what exists',
    async drive(stage) {
      const platformContactId = nextNumber();
      await writes(stage, platformContactId);
      await stage.call('getContact', 200, { id: platformContactId }, 'one');
      await stage.call('getConversation', 200, { id: platformContactId }, 'one');
      await stage.call('getMessage', 200, { id: 'in-1' }, 'one');
      await stage.call('enqueueSend', 202, { body: { requestId: 'managed', platformContactId, ...FREE_FORM } });
      await stage.sendIs('managed', 'accepted');
      await stage.call('getSend', 200, { id: 'error' }, 'one');
      // Lists the sends themselves.
      await stage.call('listUncertainSends', 200, {}, 'one');
      await stage.call('listSends', 200, { query: { contact: platformContactId } }, 'one');
      await stage.call('listSends', 200, { query: { state: 'refused' } }, 'one');
      await stage.call('countSends', 200, { query: { state: 'refused' } });
      await stage.call('checkContacts', 200, { body: { contacts: [platformContactId] } }, 'one');
      await stage.call('forecastSends', 200, { body: { contacts: [platformContactId], ...FREE_FORM } }, 'one');
      const imported = { chat: { contactId: platformContactId }, from: 'user', content: { type: 'text', text } };
      const entries = [
        { ...imported, id: 'imported-1', creationTime: '2026-11-20T11:00:00.000Z' },
        { ...imported, id: 'imported-2', creationTime: text },
        { [text]: number, note },
      ];
      await stage.call('importEvents', 200, { body: { entries, dryRun: true } });
      await stage.call('importEvents', 200, { body: { entries } });
      await stage.call('getStage', 200);
      await stage.call('handOver', 200, { body: { platformContactId, note: `${note}, ${number}` } }, 'one');
      await stage.call('handBack', 200, { body: { platformContactId, note: `${note}, ${number}` } }, 'one');
    },
  },
  {
    name: 'manage: sending is stopped, and resumed',
    async drive(stage) {
      const platformContactId = nextNumber();
      await writes(stage, platformContactId);
      await stage.call('stopSending', 200, { body: { note: `${note}, ${number}` } }, 'one');
      // What a function has read of the account is trusted for five seconds.
      await stage.cloud.clock.advance(6_000);
      await stage.client.enqueue({ requestId: 'stopped', platformContactId, ...FREE_FORM });
      await stage.sendIs('stopped', 'waiting');
      // Shows the note.
      await stage.call('getStage', 200, {}, 'one');
      await stage.parley('doctor');
      await stage.parley('doctor', '--json');
      await stage.call('closeCircuitBreaker', 200, { body: { note } });
      await stage.call('resumeSending', 200, { body: { note } });
      await waitFor('the request is sent', async () => {
        await stage.cloud.clock.advance(MINUTE_MS);
        return (await stage.client.table())['SEND#stopped SEND']?.state === 'accepted' ? true : undefined;
      });
    },
  },
  {
    name: 'manage: every resolution',
    async drive(stage) {
      const resolve = (requestId: string, body: object) =>
        stage.call('resolveSend', 200, { body: { requestId, note: `${note}, ${number}`, ...body } }, 'one');
      await resolve('uncertain-reset', { outcome: 'accepted', messageId: 'out-found' });
      await resolve('uncertain-500', { outcome: 'failed' });
      await resolve('uncertain-500', { outcome: 'failed' });
      await resolve('uncertain-silence', { outcome: 'resend' });
      await stage.sendIs('uncertain-silence', 'accepted');
    },
  },
  {
    name: 'manage: a status confirms an uncertain send',
    async drive(stage) {
      await deliver(stage, status(stage, { _id_: 'out-late', CLIENT_PAYLOAD: 'uncertain-502' }));
      await stage.sendIs('uncertain-502', 'accepted');
      const failure = { STATUS: 'failed', REASON: '131049.0', CAUSE: text };
      await deliver(stage, status(stage, { _id_: 'out-late', CLIENT_PAYLOAD: 'uncertain-502', ...failure }));
      await stage.sendIs('uncertain-502', 'failed');
    },
  },
  {
    name: 'manage: a message is missing, and a channel is silent until a user writes',
    async drive(stage) {
      const { cloud } = stage;
      await deliver(stage, status(stage, { _id_: 'missing-1', STATUS: 'delivered', TAGS: { [text]: name } }));
      await cloud.clock.advance(25 * MINUTE_MS);
      await waitFor('the message is missing', async () =>
        (await stage.client.table())['MESSAGE#missing-1 MESSAGE']?.missingSince === undefined ? undefined : true,
      );
      await stage.call('listGaps', 200, {}, 'one');
      await seedChannel(cloud);
      await cloud.clock.advance(60 * MINUTE_MS);
      const isSilent = async () => (await stage.client.table())['CHANNEL#chat#* CHANNEL']?.silentSince !== undefined;
      await waitFor('the channel is silent', async () => ((await isSilent()) ? true : undefined));
      await stage.call('listChannels', 200);
      await stage.parley('channels');
      await writes(stage, nextNumber());
      await cloud.clock.advance(10 * MINUTE_MS);
      await waitFor('the channel is no longer silent', async () => ((await isSilent()) ? undefined : true));
    },
  },
  {
    name: 'manage: what does not exist',
    async drive(stage) {
      await stage.call('getContact', 404, { id: 'nobody' });
      await stage.call('getConversation', 404, { id: 'nobody' });
      await stage.call('getMessage', 404, { id: 'nothing' });
      await stage.call('getSend', 404, { id: 'nothing' });
      await stage.call('cancelSend', 404, { body: { requestId: 'nothing' } });
      await stage.call('requeueSend', 404, { body: { requestId: 'nothing' } });
      await stage.call('resolveSend', 404, { body: { requestId: 'nothing', outcome: 'failed', note } });
      const separated = { platformContactId: 'nobody', customerId: 'nobody', note: `${note}, ${number}` };
      await stage.call('separateCustomer', 404, { body: separated });
      await stage.call('reverseSeparation', 404, { body: separated });
      await stage.call('listContacts', 404, { query: { customerId: 'nobody' } });
      await stage.call('listConversation', 404, { query: { customerId: 'nobody' } });
      await stage.call('eraseCustomer', 202, { id: 'nobody' });
      await stage.call('getErasure', 404, { id: 'nothing' });
      await stage.call('getDeadLetter', 404, { id: 'nothing' });
      await stage.call('deleteDeadLetter', 404, { id: 'nothing' });
      await stage.call('redriveDeadLetters', 200, { body: { queue: 'inbound', deadLetterId: 'nothing' } });
    },
  },
  {
    name: 'manage: a send and its cancellation with the request id in the path',
    async drive(stage) {
      const body = {
        platformContactId: number,
        ...FREE_FORM,
        sendAt: new Date(Date.now() + 30 * DAY_MS).toISOString(),
      };
      await stage.call('enqueueSendById', 202, { id: 'by-id', body });
      await stage.sendIs('by-id', 'scheduled');
      await stage.call('cancelSendById', 200, { id: 'by-id' }, 'one');
    },
  },
  {
    name: 'manage: the audit trail',
    async drive(stage) {
      await stage.call('recordAudit', 200, { body: { action: 'redrive', queue: 'send', reason: 'MALFORMED' } });
      // It shows the contacts and the notes, because that is what it is for.
      await stage.call('listAudit', 200, { query: { limit: '500' } }, 'one');
      await stage.call('listAudit', 200, { query: { platformContactId: number } }, 'one');
    },
  },
  {
    name: 'manage: invalid calls and conflicts',
    async drive(stage) {
      const strange = { [text]: name, [number]: param };
      for (const route of ['enqueueSend', 'optIn', 'optOut', 'checkContacts', 'cancelSend', 'resolveSend'] as const) {
        await stage.call(route, 400, { body: strange });
        await stage.call(route, 400, {
          body: { contacts: [{ text }], requestId: { note }, source: [name], ...strange },
        });
      }
      await stage.call('forecastSends', 400, { body: strange });
      await stage.call('forecastSends', 400, { body: { contacts: [number], ...strange, messageText: { text } } });
      for (const route of ['getContact', 'getConversation', 'listUncertainSends', 'eraseContact'] as const) {
        await stage.call(route, 400, { id: 'nobody', query: strange });
      }
      await stage.call('listDeadLetters', 400, { query: { queue: text, cursor: name } });
      await stage.call('listAudit', 400, { query: strange });
      for (const route of ['recordAudit', 'redriveDeadLetters'] as const)
        await stage.call(route, 400, { body: strange });
      await stage.call('getConversation', 400, {
        id: 'nobody',
        query: { cursor: Buffer.from(text).toString('base64url') },
      });
      const reused = { requestId: 'managed', platformContactId: number, messageText: `${text} ${name}` };
      await stage.call('enqueueSend', 409, { body: reused });
      await stage.call('cancelSend', 409, { body: { requestId: 'free-form' } });
      await stage.call('resolveSend', 409, { body: { requestId: 'free-form', outcome: 'failed', note } });
    },
  },
  {
    name: 'manage: a contact check that the chat service rejects, and one that fails',
    async drive(stage) {
      const { service } = stage;
      const working = service.onCheck;
      for (const answer of [error(400, 7, echoBody), plainText(401), plainText(503), () => 'reset' as const]) {
        service.onCheck = answer;
        await stage.call('checkContacts', 502, { body: { contacts: [number] } });
      }
      service.onCheck = working;
    },
  },
  {
    name: 'manage: a call that fails',
    async drive(stage) {
      await stage.putItem({ pk: 'SEND#damaged', sk: 'SEND', state: text, body: { [name]: number }, call: [param] });
      await stage.call('getSend', 500, { id: 'damaged' });
    },
  },
];

const MINUTE_MS = 60 * 1000;

/** Opens the circuit breaker by answers, looks at the stage, and closes it again. */
const opens = (name: string, answer: AnswerRequest): Path => ({
  name: `circuit breaker: ${name}`,
  async drive(stage) {
    const { service, cloud, client } = stage;
    const { onSend } = service;
    const enqueue = async (requestId: string) => {
      const platformContactId = nextNumber();
      await writes(stage, platformContactId);
      await client.enqueue({ requestId, platformContactId, ...FREE_FORM });
    };
    service.onSend = answer;
    let requests = 0;
    // Each function opens it after what it has seen itself.
    await waitFor('the circuit breaker is open', async () => {
      requests += 1;
      await enqueue(`${name}-${requests}`);
      await pause(300);
      const { circuitBreaker } = Object(await stage.call('getStage', 200));
      return circuitBreaker.state === 'open' ? true : undefined;
    });
    await enqueue(`${name}-delayed`);
    await stage.sendIs(`${name}-delayed`, 'waiting');
    await stage.parley('doctor');
    await stage.parley('doctor', '--json');
    service.onSend = onSend;
    await waitFor('the circuit breaker is closed', async () => {
      await cloud.clock.advance(2 * MINUTE_MS);
      const item = (await client.table())[`SEND#${name}-delayed SEND`];
      return item?.state === 'accepted' ? true : undefined;
    });
    await stage.call('getStage', 200);
  },
});

const HOLDING: readonly Path[] = [
  opens('no-credit', error(403, 101)),
  opens('token', plainText(401)),
  opens('blocked', plainText(403)),
  opens('uncertain', error(500, 5, echoBody)),
];

const DAY_MS = 24 * 60 * MINUTE_MS;

const ENDING: readonly Path[] = [
  {
    name: 'send: fails for a day, then dead-lettered',
    async drive(stage) {
      const platformContactId = nextNumber();
      const pk = `CONTACT#chat#*#${contactKey(platformContactId)}`;
      await stage.putItem({ pk, sk: 'CONTACT', address: { [text]: number }, name: [name] });
      await stage.client.enqueue({ requestId: 'failing', platformContactId, ...FREE_FORM });
      // Slow functions make fewer attempts per step, so the limit is a number of steps, not a time on the machine's clock.
      for (let step = 0; step < 100; step += 1) {
        await stage.cloud.clock.advance(50 * MINUTE_MS);
        await pause(200);
        if ((await stage.client.table())['SEND#failing SEND']?.code === 'PROCESSING_FAILED') return;
      }
      throw new Error('The request is not dead-lettered after 83 hours.');
    },
  },
  {
    name: 'publish: the bus refuses events, then accepts them',
    async drive(stage) {
      const { buses } = stage.cloud.emulators;
      const refused = new Map<string, number>();
      buses.setFault(({ Detail }) => {
        const times = (refused.get(Detail) ?? 0) + 1;
        refused.set(Detail, times);
        if (Detail.includes('unpublishable'))
          return { errorCode: 'InvalidArgument', message: `${Detail} ${text} ${number}` };
        return times < 7 ? { errorCode: 'InternalFailure', message: `${Detail} ${text}` } : undefined;
      });
      await deliver(stage, message(stage, { _id_: 'published-late' }));
      await deliver(stage, message(stage, { _id_: 'unpublishable' }));
      await waitFor('the event is published', async () =>
        buses.events(stage.cloud.eventBusName).some(({ detail }) => Object(detail).messageId === 'published-late')
          ? true
          : undefined,
      );
      await waitFor('the change is dead-lettered', async () =>
        (await stage.client.queueDepth(stage.cloud.publishFailuresQueueUrl ?? '')) > 0 ? true : undefined,
      );
      buses.setFault(undefined);
    },
  },
  {
    name: 'publish: a turn ends',
    async drive(stage) {
      const from = nextNumber();
      await writes(stage, from);
      await waitFor('the turn is published', async () =>
        stage.cloud.emulators.buses
          .events(stage.cloud.eventBusName)
          .some((event) => event['detail-type'] === 'TurnEnded' && JSON.stringify(event).includes(from.slice(1)))
          ? true
          : undefined,
      );
    },
  },
  {
    name: 'dead letters: attributes, list, show, kept in the table, deleted',
    async drive(stage) {
      const { cloud } = stage;
      const queues = [
        cloud.sendDeadLetterQueueUrl,
        cloud.inboundDeadLetterQueueUrl,
        cloud.publishFailuresQueueUrl ?? '',
      ];
      for (const url of queues) await stage.readAttributes(url);
      await cloud.clock.advance(9 * DAY_MS);
      const read = async (queue: string) => {
        // The message group is the contact's number.
        const { deadLetters } = Object(await stage.call('listDeadLetters', 200, { query: { queue } }, 'one'));
        return deadLetters.map(({ groupId: _, ...rest }: Record<string, unknown>) => rest);
      };
      const kept = await waitFor('dead letters are kept', async () => {
        const [sends, events] = [await read('send'), await read('inbound')];
        return sends.length > 0 && events.length > 0 ? [...sends, ...events] : undefined;
      });
      stage.outputs.push({ place: 'answer of GET /v1/dead-letters: 200', text: JSON.stringify(kept) });
      await stage.parley('doctor');
      await stage.call('redriveDeadLetters', 200, { body: { queue: 'inbound' } });
      const [{ id }] = kept;
      await stage.call('getDeadLetter', 200, { id }, 'one');
      await stage.call('deleteDeadLetter', 200, { id });
    },
  },
  {
    name: 'erasure',
    async drive(stage) {
      const { client, cloud } = stage;
      const body = JSON.stringify({ requestId: 'erased', platformContactId: number, ...FREE_FORM });
      const queue = (id: string) => client.putMessage(cloud.sendQueueUrl, body, { groupId: number, id });
      await deliver(stage, message(stage, { _id_: 'before-erasure' }));
      await queue('erased-1');
      await stage.sendIs('erased', 'accepted');
      const { erasureId } = Object(await stage.call('eraseContact', 202, { id: number }));
      await waitFor('the erasure is done', async () => {
        // A turn that searches the dead-letter queues needs a few seconds, and ends when 20 have passed on the clock.
        await pause(7_000);
        await stage.cloud.clock.advance(60_000);
        const { state } = Object(await stage.call('getErasure', 200, { id: erasureId }));
        return state === 'done' ? true : undefined;
      });
      await queue('erased-2');
      await waitFor('the erased request is ignored', async () =>
        (await stage.logLines()).some((line) => line.includes('its contact was erased')) ? true : undefined,
      );
    },
  },
];

/** Every path, in an order in which none prevents another. */
export const PATHS: readonly Path[] = [...RECEIVING, ...SENDING, ...SCHEDULING, ...MANAGING, ...HOLDING, ...ENDING];
