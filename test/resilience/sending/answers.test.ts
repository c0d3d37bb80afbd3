import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TableItem } from '../../../local/cloud/local-client.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import type { StoredContact } from '../../support/contact-items.ts';
import { contactNumber, RULE, type SendingStage, startSendingStage, templateRequest } from './sending-stage.ts';

// Every row of the table of decisions and of the table of answers, through the bundled function against the sandbox.
// Each row has its own user, and its fault affects only that user. The rows of the table of answers run one after
// another, each followed by an accepted request, so that their failures do not add up and open the circuit breaker.

type Contact = 'open' | 'closed' | 'optedIn' | 'optedOut' | 'never' | 'absent';
type Content = 'freeForm' | 'template' | 'both';

interface Row {
  readonly name: string;
  readonly contact: Contact;
  readonly content: Content;
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly fault?: Readonly<Record<string, unknown>>;
  /** The send in the end. */
  readonly send: Readonly<Record<string, unknown>>;
  /** The endpoints that accepted a message to the user. */
  readonly sent: readonly string[];
}

const error = (code: number) => ({ error: { code, message: 'from the test' } });
const row = (
  name: string,
  contact: Contact,
  content: Content,
  send: Record<string, unknown>,
  sent: readonly string[] = [],
): Row => ({ name, contact, content, send, sent });
const faulty = (
  name: string,
  fault: Record<string, unknown>,
  send: Record<string, unknown>,
  more: Partial<Row> = {},
): Row => ({ ...row(name, 'open', 'freeForm', send), fault, ...more });

const refused = (code: string) => ({ state: 'refused', code });
const ACCEPTED = { state: 'accepted', messageId: expect.any(String) };
const UNCERTAIN = { state: 'uncertain', uncertainAt: expect.any(String) };
const WAITING = { state: 'waiting' };
const rejected = (outcome: string, outcomeDetails?: string) => ({
  state: 'rejected',
  outcome,
  ...(outcomeDetails !== undefined && { outcomeDetails }),
});
const FOREVER = 1_000_000;
/** For all decisions at once, or for the slowest answer, on a busy machine. */
const TIMEOUT_MS = 180_000;

const DECISIONS: readonly Row[] = [
  row('free-form, window open', 'open', 'freeForm', ACCEPTED, ['message/v3']),
  row('free-form, window closed', 'closed', 'freeForm', refused('WINDOW_CLOSED')),
  row('free-form, never opened', 'never', 'freeForm', refused('WINDOW_CLOSED')),
  row('both, window open', 'open', 'both', ACCEPTED, ['message/v3']),
  row('both, window closed', 'closed', 'both', ACCEPTED, ['intent/v2']),
  row('template, window open', 'open', 'template', ACCEPTED, ['intent/v2']),
  row('template, window closed', 'closed', 'template', ACCEPTED, ['intent/v2']),
  row('template, opted in', 'optedIn', 'template', ACCEPTED, ['intent/v2']),
  row('template, never opened, no opt-in', 'never', 'template', refused('NO_OPT_IN')),
  row('template, opted out', 'optedOut', 'template', refused('OPTED_OUT')),
  row('template, not on the platform', 'absent', 'template', refused('NOT_ON_PLATFORM')),
  { ...row('template, no reason', 'closed', 'template', refused('REASON_MISSING')), changes: { reason: undefined } },
  {
    ...row('a video', 'open', 'freeForm', refused('MEDIA_UNSUPPORTED')),
    changes: { fileURL: 'https://media.example/a.mp4' },
  },
  { ...row('after notAfter', 'open', 'freeForm', { state: 'expired' }), changes: { notAfter: '2020-01-01T00:00:00Z' } },
];

const ANSWERS: readonly Row[] = [
  faulty(
    'an id beside problems that are null',
    { body: { id: 'm-1', problems: null } },
    { ...ACCEPTED, messageId: 'm-1' },
  ),
  faulty(
    '200 with problems',
    { body: { problems: { code: 304, message: 'Invalid channel' }, result: {} } },
    rejected('HTTP 200, code 304', 'Invalid channel'),
  ),
  faulty('202 with the id of a job', { status: 202, body: { webhookNotificationId: 't-1' } }, { state: 'accepted' }),
  faulty(
    '400 with a list of errors',
    { status: 400, body: { errors: [{ type: 'validation', source: 'text', message: 'is empty' }] } },
    rejected('HTTP 400', 'text: is empty (validation)'),
  ),
  faulty(
    '200 with problems that name the valid channels',
    { body: { problems: { code: 304, message: 'Invalid channel. Valid channels are [5491100000001]' }, result: {} } },
    rejected(
      'HTTP 200, code 304: the channels of the access token are 5491100000001; set chatChannelNumber to one of them',
      'Invalid channel. Valid channels are [***01]',
    ),
  ),
  faulty('400', { status: 400, body: error(1) }, rejected('HTTP 400, code 1', 'from the test')),
  faulty('404 with an empty body, once', { status: 404 }, { ...ACCEPTED, attempts: 2 }, { sent: ['message/v3'] }),
  faulty("a firewall's 403", { status: 403, body: '<html>', count: FOREVER }, WAITING),
  faulty('201 with status 403, free-form only', { status: 403, body: error(201) }, refused('WINDOW_CLOSED')),
  faulty('201 with status 200, free-form only', { status: 200, body: error(201) }, refused('WINDOW_CLOSED')),
  faulty('201 with status 400, with a template', { status: 400, body: error(201) }, ACCEPTED, {
    content: 'both',
    sent: ['intent/v2'],
  }),
  faulty(
    '201 to a template',
    { status: 403, body: error(201) },
    rejected('The chat service answered the template with error 201.'),
    { content: 'template' },
  ),
  faulty('429', { status: 429, count: FOREVER, headers: { 'Retry-After': '900' } }, WAITING),
  faulty('503', { status: 503, count: FOREVER, headers: { 'Retry-After': '900' } }, WAITING),
  faulty('503 once, then accepted', { status: 503 }, ACCEPTED, { sent: ['message/v3'] }),
  faulty('a redirect', { status: 307, count: FOREVER, headers: { Location: 'http://127.0.0.1:9/' } }, WAITING),
  faulty('500', { status: 500, accept: true }, UNCERTAIN, { sent: ['message/v3'] }),
  faulty('502', { status: 502 }, UNCERTAIN),
  faulty('504', { status: 504 }, UNCERTAIN),
  faulty('an unreadable 200', { status: 200, body: '<html>' }, UNCERTAIN),
  faulty('an id together with a problem', { body: { id: 'm-2', ...error(1) } }, UNCERTAIN),
  faulty('a template accepted without an id', { body: {} }, { state: 'accepted' }, { content: 'template' }),
  faulty(
    'an unreadable 200, with onUncertain: resend',
    { status: 200, body: '<html>' },
    { ...UNCERTAIN, attempts: 1 },
    { changes: { onUncertain: 'resend' } },
  ),
  faulty('a reset before acceptance', { reset: 'before' }, UNCERTAIN),
  faulty('a reset after acceptance', { reset: 'after' }, UNCERTAIN, { sent: ['message/v3'] }),
  faulty('no answer within ten seconds', { delayMs: 12_000 }, UNCERTAIN, { sent: ['message/v3'] }),
  faulty(
    '502, with onUncertain: resend',
    { status: 502 },
    { ...ACCEPTED, attempts: 2 },
    {
      changes: { onUncertain: 'resend' },
      sent: ['message/v3'],
    },
  ),
  faulty(
    'a reset after acceptance, confirmed by a status',
    { reset: 'after' },
    { ...ACCEPTED, confirmedBy: 'status' },
    {
      content: 'template',
      sent: ['intent/v2'],
    },
  ),
];

const ROWS = [...DECISIONS, ...ANSWERS];
const CONTENT: Record<Content, Record<string, unknown>> = {
  freeForm: { messageText: 'Hi' },
  template: { ruleNameOrId: RULE, params: { n: '1' }, reason: 'appointment' },
  both: { messageText: 'Hi', ruleNameOrId: RULE, params: { n: '1' }, reason: 'appointment' },
};
const requestOf = ({ name, content, changes }: Row) => ({
  requestId: idOf(name),
  platformContactId: numberOf(name),
  ...CONTENT[content],
  ...changes,
});
const idOf = (name: string) => name.replaceAll(/[^a-z0-9]+/gi, '-');
const numberOf = (name: string) => contactNumber(ROWS.findIndex((candidate) => candidate.name === name));

let stage: SendingStage;

const prepareContact = async (number: string, contact: Contact): Promise<void> => {
  const { client } = stage;
  if (contact === 'open') {
    await client.userWrites(number, { text: 'Hi' });
    return;
  }
  if (contact === 'absent') {
    await client.control('PATCH', `/users/${encodeURIComponent(number)}`, { onPlatform: false });
  }
  const stored: Record<Exclude<Contact, 'open'>, StoredContact> = {
    never: {},
    closed: { lastInboundAt: '2026-01-01T00:00:00.000Z', address: number },
    optedIn: { optInAt: '2026-01-01T00:00:00.000Z' },
    optedOut: { optInAt: '2026-01-01T00:00:00.000Z', optOutAt: '2026-02-01T00:00:00.000Z' },
    absent: { optInAt: '2026-01-01T00:00:00.000Z' },
  };
  await stage.putContact(number, stored[contact]);
};
const sendOf = (requestId: string, state: unknown): Promise<TableItem> =>
  waitFor(`${requestId} is ${state}`, async () => {
    const found = (await stage.sends()).get(requestId);
    return found?.state === state ? found : undefined;
  });
const sentTo = async (number: string) =>
  (await stage.client.outbox())
    .filter(({ body }) => String(body.platformContactId).replace('+', '') === number.slice(1))
    .map(({ endpoint }) => endpoint);

beforeAll(async () => {
  stage = await startSendingStage({ settings: { contactCheck: 'beforeFirstTemplate' } });
  for (const { name, contact, fault } of ROWS) {
    await prepareContact(numberOf(name), contact);
    if (fault) await stage.client.control('POST', '/faults', { answers: { contact: numberOf(name), ...fault } });
  }
  await stage.delivered();
  await stage.enqueue(DECISIONS.map(requestOf));
}, TIMEOUT_MS);
afterAll(() => stage?.close());

const check = async ({ name, send, sent }: Row): Promise<void> => {
  expect(await sendOf(idOf(name), send.state)).toMatchObject(send);
  expect(await sentTo(numberOf(name))).toEqual(sent);
};

describe('the table of decisions', () => {
  it.each(DECISIONS)('$name', check);
});

describe('the table of answers', () => {
  const HEALTHY = contactNumber(800);
  beforeAll(() => stage.optIn(HEALTHY));

  it.each(ANSWERS)(
    '$name',
    async (row) => {
      await stage.enqueue([requestOf(row)]);
      await check(row);
      const requestId = `after-${idOf(row.name)}`;
      await stage.enqueue([{ requestId, platformContactId: HEALTHY, ...CONTENT.template }]);
      await sendOf(requestId, 'accepted');
    },
    TIMEOUT_MS,
  );

  it('puts no request on the dead-letter queue', async () => {
    expect(await stage.client.queueDepth(stage.cloud.sendDeadLetterQueueUrl)).toBe(0);
  });
});

describe('the circuit breaker', () => {
  // Requests that still wait would otherwise be sent as probes, and fail.
  beforeAll(async () => {
    await stage.client.control('DELETE', '/faults');
    await stage.drain(60);
  }, TIMEOUT_MS);

  it.each([
    { reason: 'no-credit', fault: { status: 403, body: error(101) }, index: 900 },
    { reason: 'no-credit', fault: { status: 400, body: error(101) }, index: 901 },
    { reason: 'token', fault: { status: 401, body: 'Unauthorized' }, index: 902 },
  ])(
    'opens after HTTP $fault.status ($reason), and an accepted probe closes it',
    async ({ reason, fault, index }) => {
      const contact = contactNumber(index);
      const requestId = `on-hold-${index}`;
      await stage.optIn(contact);
      // A contact check is for many users and a fault for one, so the fault meets the send.
      await stage.client.control('POST', '/faults', { answers: { contact, ...fault } });
      await stage.enqueue([{ requestId, platformContactId: contact, ...CONTENT.template }]);
      await sendOf(requestId, 'waiting');
      const account = async () => (await stage.client.table())['ACCOUNT#chat#+5491100000000 ACCOUNT'];
      const circuitIs = (circuit: string) =>
        waitFor(`the circuit breaker is ${circuit}`, async () => {
          const item = await account();
          return item?.circuit === circuit ? item : undefined;
        });
      expect(await circuitIs('open')).toMatchObject({ reason });
      await stage.cloud.clock.advance(10_000);
      await sendOf(requestId, 'accepted');
      await circuitIs('closed');
      expect(await sentTo(contact)).toEqual(['intent/v2']);
    },
    TIMEOUT_MS,
  );

  it(
    'opens after three unknown outcomes in a row (unreachable), and one accepted send closes it',
    async () => {
      const contact = contactNumber(903);
      await stage.optIn(contact);
      const requests = [1, 2, 3, 4, 5].map((n) => templateRequest(`unreachable-${n}`, contact));
      await stage.client.control('POST', '/faults', { answers: { contact, status: 502, count: FOREVER } });

      await stage.enqueue(requests);
      const waiting = await sendOf('unreachable-4', 'waiting');
      const [first, third] = [await sendOf('unreachable-1', 'uncertain'), await sendOf('unreachable-3', 'uncertain')];
      await stage.client.control('DELETE', '/faults');
      await stage.drain(60);

      expect(waiting).toMatchObject({ decision: expect.stringMatching(/^The circuit breaker has been open since /) });
      expect([first.outcome, third.outcome]).toEqual(['HTTP 502', 'HTTP 502']);
      expect(await sentTo(contact)).toEqual(['intent/v2', 'intent/v2']);
      expect([...(await stage.sends())].filter(([, { state }]) => state === 'waiting')).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
