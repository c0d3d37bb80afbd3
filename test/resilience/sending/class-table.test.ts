import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contactItem } from '../../../lambdas/aws/table-keys.ts';
import { contactRef } from '../../../lambdas/domain/contact.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import type { TableItem } from '../../../local/local-client.ts';
import { contactNumber, RULE, type SendingStage, startSendingStage } from './sending-stage.ts';

// Every row of the class table and of the decision table, through the bundled function against the sandbox. Each row has a
// user of its own, whom alone its fault meets, so that all rows are played at once; what holds the account comes after.

type Who = 'open' | 'closed' | 'optedIn' | 'optedOut' | 'never' | 'absent';
type What = 'freeForm' | 'template' | 'both';

interface Row {
  readonly name: string;
  readonly who: Who;
  readonly what: What;
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly fault?: Readonly<Record<string, unknown>>;
  readonly ends: Readonly<Record<string, unknown>>;
  /** Through which endpoint the user was sent something in the end. */
  readonly sent: readonly string[];
  /** The reason on the dead-letter queue. */
  readonly deadLetter?: string;
}

const error = (code: number) => ({ error: { code, message: 'told by the test' } });
const row = (name: string, who: Who, what: What, ends: Record<string, unknown>, sent: readonly string[] = []) => ({
  name,
  who,
  what,
  ends,
  sent,
});
const faulty = (
  name: string,
  fault: Record<string, unknown>,
  ends: Record<string, unknown>,
  more: Partial<Row> = {},
): Row => ({ ...row(name, 'open', 'freeForm', ends), fault, ...more });

const refused = (code: string) => ({ state: 'refused', code });
const ACCEPTED = { state: 'accepted', messageId: expect.any(String) };
const UNCERTAIN = { state: 'uncertain', uncertainAt: expect.any(String) };
const WAITING = { state: 'waiting' };
const rejected = (why: string) => ({ ends: { state: 'rejected', why }, deadLetter: `REJECTED: ${why}` });
const FOREVER = 1_000_000;
/** All rows at once, on a machine that does other things too. */
const PATIENCE_MS = 180_000;

const DECISIONS: readonly Row[] = [
  row('free-form, window open', 'open', 'freeForm', ACCEPTED, ['message/v3']),
  row('free-form, window closed', 'closed', 'freeForm', refused('WINDOW_CLOSED')),
  row('free-form, never opened', 'never', 'freeForm', refused('WINDOW_CLOSED')),
  row('both, window open', 'open', 'both', ACCEPTED, ['message/v3']),
  row('both, window closed', 'closed', 'both', ACCEPTED, ['intent/v2']),
  row('template, window open', 'open', 'template', ACCEPTED, ['intent/v2']),
  row('template, window closed', 'closed', 'template', ACCEPTED, ['intent/v2']),
  row('template, opted in', 'optedIn', 'template', ACCEPTED, ['intent/v2']),
  row('template, to a stranger', 'never', 'template', refused('NO_OPT_IN')),
  row('template, opted out', 'optedOut', 'template', refused('OPTED_OUT')),
  row('template, not on the platform', 'absent', 'template', refused('NOT_ON_PLATFORM')),
  { ...row('template, no reason', 'closed', 'template', refused('REASON_MISSING')), changes: { reason: undefined } },
  {
    ...row('a video', 'open', 'freeForm', refused('MEDIA_UNSUPPORTED')),
    changes: { fileURL: 'https://media.example/a.mp4' },
  },
  { ...row('too late', 'open', 'freeForm', { state: 'expired' }), changes: { notAfter: '2020-01-01T00:00:00Z' } },
];

const CLASSES: readonly Row[] = [
  faulty(
    'an id beside problems that are null',
    { body: { id: 'm-1', problems: null } },
    { ...ACCEPTED, messageId: 'm-1' },
  ),
  faulty(
    '200 with problems',
    { body: { problems: { code: 304, message: 'Invalid channel' }, result: {} } },
    {},
    {
      ...rejected('HTTP 200, code 304: Invalid channel'),
    },
  ),
  faulty('400', { status: 400, body: error(1) }, {}, rejected('HTTP 400, code 1: told by the test')),
  faulty('404 with an empty body', { status: 404 }, {}, rejected('HTTP 404')),
  faulty('201 as 403, free-form alone', { status: 403, body: error(201) }, refused('WINDOW_CLOSED')),
  faulty('201 as 200, free-form alone', { status: 200, body: error(201) }, refused('WINDOW_CLOSED')),
  faulty('201 as 400, with a template', { status: 400, body: error(201) }, ACCEPTED, {
    what: 'both',
    sent: ['intent/v2'],
  }),
  faulty(
    '201 to a template',
    { status: 403, body: error(201) },
    {},
    {
      what: 'template',
      ...rejected('The template was answered with error 201.'),
    },
  ),
  faulty('429', { status: 429, count: FOREVER, headers: { 'Retry-After': '900' } }, WAITING),
  faulty('503', { status: 503, count: FOREVER, headers: { 'Retry-After': '900' } }, WAITING),
  faulty('503 once', { status: 503 }, ACCEPTED, { sent: ['message/v3'] }),
  faulty('a redirect', { status: 307, count: FOREVER, headers: { Location: 'http://127.0.0.1:9/' } }, WAITING),
  faulty('500', { status: 500, accept: true }, UNCERTAIN, { sent: ['message/v3'] }),
  faulty('502', { status: 502 }, UNCERTAIN),
  faulty('504', { status: 504 }, UNCERTAIN),
  faulty('an unreadable 200', { status: 200, body: '<html>' }, UNCERTAIN),
  faulty('a reset before acceptance', { reset: 'before' }, UNCERTAIN),
  faulty('a reset after acceptance', { reset: 'after' }, UNCERTAIN, { sent: ['message/v3'] }),
  faulty('no answer in ten seconds', { delayMs: 12_000 }, UNCERTAIN, { sent: ['message/v3'] }),
  faulty(
    '502, to be sent again',
    { status: 502 },
    { ...ACCEPTED, attempts: 2 },
    {
      changes: { onUncertain: 'resend' },
      sent: ['message/v3'],
    },
  ),
  faulty(
    'a reset after acceptance, whose status refers to it',
    { reset: 'after' },
    { ...ACCEPTED, settledBy: 'status' },
    {
      what: 'template',
      sent: ['intent/v2'],
    },
  ),
];

const ROWS = [...DECISIONS, ...CLASSES];
const CONTENT: Record<What, Record<string, unknown>> = {
  freeForm: { messageText: 'Hi' },
  template: { ruleNameOrId: RULE, params: { n: '1' }, reason: 'appointment' },
  both: { messageText: 'Hi', ruleNameOrId: RULE, params: { n: '1' }, reason: 'appointment' },
};
const idOf = (name: string) => name.replaceAll(/[^a-z0-9]+/gi, '-');
const contactOf = (name: string) => contactNumber(ROWS.findIndex((candidate) => candidate.name === name));

let stage: SendingStage;
let deadLetters: Map<string, string | undefined>;

const meet = async (contact: string, who: Who): Promise<void> => {
  const { client, cloud } = stage;
  if (who === 'open') {
    await client.userWrites(contact, { text: 'Hi' });
    return;
  }
  if (who === 'absent') await client.control('PATCH', `/users/${encodeURIComponent(contact)}`, { onPlatform: false });
  const known: Record<Who, Record<string, string>> = {
    open: {},
    never: {},
    closed: { lastInboundAt: '2026-01-01T00:00:00.000Z', address: contact },
    optedIn: { optInAt: '2026-01-01T00:00:00.000Z' },
    optedOut: { optInAt: '2026-01-01T00:00:00.000Z', optOutAt: '2026-02-01T00:00:00.000Z' },
    absent: { optInAt: '2026-01-01T00:00:00.000Z' },
  };
  const item = { ...contactItem(contactRef('chat', contact)), ...known[who] };
  await cloud.emulators.dynamodb.send(new PutItemCommand({ TableName: cloud.tableName, Item: marshall(item) }));
};
const sendOf = (requestId: string, state: unknown): Promise<TableItem> =>
  waitFor(`${requestId} is ${state}`, async () => {
    const found = (await stage.sends()).get(requestId);
    return found?.state === state ? found : undefined;
  });
const sentTo = async (contact: string) =>
  (await stage.client.outbox())
    .filter(({ body }) => String(body.platformContactId).replace('+', '') === contact.slice(1))
    .map(({ endpoint }) => endpoint);

beforeAll(async () => {
  stage = await startSendingStage({ settings: { contactCheck: 'beforeFirstTemplate' } });
  for (const { name, who, fault } of ROWS) {
    await meet(contactOf(name), who);
    if (fault) await stage.client.control('POST', '/faults', { answers: { contact: contactOf(name), ...fault } });
  }
  await stage.delivered();
  await stage.enqueue(
    ROWS.map(({ name, what, changes }) => ({
      requestId: idOf(name),
      platformContactId: contactOf(name),
      ...CONTENT[what],
      ...changes,
    })),
  );
}, PATIENCE_MS);
afterAll(() => stage?.close());

const check = async ({ name, ends, sent }: Row): Promise<void> => {
  expect(await sendOf(idOf(name), ends.state)).toMatchObject(ends);
  expect(await sentTo(contactOf(name))).toEqual(sent);
};

describe('the decision table', () => {
  it.each(DECISIONS)('$name', check);
});

describe('the class table', () => {
  it.each(CLASSES)('$name', check);

  it('puts what was rejected, and nothing else, on the dead-letter queue with the reason', async () => {
    const expected = new Map(
      ROWS.filter((each) => each.deadLetter).map(({ name, deadLetter }) => [idOf(name), deadLetter]),
    );
    deadLetters = new Map();
    await waitFor('the dead letters are there', async () => {
      for (const { body, reason } of await stage.client.takeMessages(stage.cloud.sendDeadLetterQueueUrl)) {
        deadLetters.set(JSON.parse(body).requestId, reason);
      }
      return deadLetters.size >= expected.size ? true : undefined;
    });
    expect(deadLetters).toEqual(expected);
  });
});

describe('what holds the account', () => {
  // The rows that still wait would otherwise take the probes, and fail them.
  beforeAll(async () => {
    await stage.client.control('DELETE', '/faults');
    await stage.drain(60);
  }, PATIENCE_MS);

  it.each([
    { reason: 'no-credit', fault: { status: 403, body: error(101) }, index: 900 },
    { reason: 'no-credit', fault: { status: 400, body: error(101) }, index: 901 },
    { reason: 'token', fault: { status: 401, body: 'Unauthorized' }, index: 902 },
  ])(
    '$reason: $fault',
    async ({ reason, fault, index }) => {
      const contact = contactNumber(index);
      const requestId = `held-${index}`;
      await stage.optIn(contact);
      // The contact check is not about one user, and a fault is: so it is the send's call that is met.
      await stage.client.control('POST', '/faults', { answers: { contact, ...fault } });
      await stage.enqueue([{ requestId, platformContactId: contact, ...CONTENT.template }]);
      await sendOf(requestId, 'waiting');
      const account = async () => (await stage.client.table())['ACCOUNT#chat#+5491100000000 ACCOUNT'];
      const accountIs = (state: string) =>
        waitFor(`the account is ${state}`, async () => {
          const item = await account();
          return item?.state === state ? item : undefined;
        });
      expect(await accountIs('held')).toMatchObject({ reason });
      await stage.cloud.clock.advance(10_000);
      await sendOf(requestId, 'accepted');
      await accountIs('open');
      expect(await sentTo(contact)).toEqual(['intent/v2']);
    },
    PATIENCE_MS,
  );
});
