import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerForecasts, STAGE, storedSend } from '../../../support/answer-forecasts.ts';
import { NOW } from '../../../support/builders.ts';
import { type AnswerCall, type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';
import { runParley } from '../../../support/run-parley.ts';

let target: LocalTarget;
let answer: AnswerCall;
let called: { readonly path: string; readonly sent: string }[];
let stored: ReturnType<typeof storedSend>[];
let files = 0;
let csv: string;
let args: readonly string[];

beforeAll(async () => {
  target = await startLocalTarget({}, (method, path, sent) => {
    called.push({ path, sent });
    return answer(method, path, sent);
  });
});
afterAll(async () => {
  await target?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await requests();
  forgetDeduplication();
  stored = [];
  answer = answerForecasts(undefined, NOW, stored);
  called = [];
  files += 1;
  csv = join(target.folder, `rows-${files}.csv`);
  write(`phone,name\n+5491155000001,Ana\n+5491155000002,Bea\n`);
  args = ['broadcast', csv, '--contact-column', 'phone', '--text', 'Hi {{name}}', '--yes'];
});
const write = (text: string) => writeFileSync(csv, text);

/** Receives and deletes what is on the send queue. Returns the requests. */
const requests = async (): Promise<readonly Record<string, unknown>[]> => {
  const QueueUrl = target.addresses.sendQueueUrl;
  const received: Record<string, unknown>[] = [];
  for (;;) {
    const { Messages = [] } = await target.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return received;
    for (const { Body = '', ReceiptHandle } of Messages) {
      received.push(JSON.parse(Body));
      await target.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
};
const queued = async () => (await requests()).map(({ requestId }) => requestId);
const sentTo = async () => (await requests()).map(({ platformContactId }) => platformContactId);
/** SQS drops a repeated deduplication ID for five minutes. */
const forgetDeduplication = () => target.clock.advance(301_000);
/** Has the stage process what is on the queue, as requests in these states. Returns the requests. */
const process = async (...others: readonly object[]) => {
  const received = await requests();
  stored.push(...received.map((request, index) => storedSend(request, others[index])));
  return received;
};

/** Runs the command on a terminal, on which this is typed. */
const onTerminal = (typed: string, given: readonly string[]) => {
  const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
  return runParley(given, { stateFolder: target.folder, stdin });
};
const without = (...options: readonly string[]) => args.filter((arg) => !options.includes(arg));

describe('a broadcast', () => {
  it('repeated unchanged queues nothing, and says how to send it again', async () => {
    await target.parley(args);
    await process();

    const repeated = await target.parley(args);

    expect(await queued()).toEqual([]);
    expect(repeated.code).toBe(0);
    expect(repeated.err).toMatch(
      /\nBroadcast b-[0-9a-f]{20}: 2 rows are for contacts that already have a request in it, and will not be queued /,
    );
    expect(repeated.err).toContain(`: 2 accepted, last at ${NOW} (now).`);
    expect(repeated.out).toContain(
      'Nothing was queued: 2 rows are for contacts that already have a request in this broadcast.',
    );
    expect(repeated.out).toContain('To send it to the same contacts once more, add --again 2.');
  });

  it.each([
    ['with a byte order mark and CRLF', (rows: string) => `\ufeff${rows.replaceAll('\n', '\r\n')}`],
    ['with semicolons and quotes', (rows: string) => rows.replaceAll(/(.+),(.+)/g, '"$1";"$2"')],
    ['sorted the other way', (rows: string) => rows.replace(/\n(.+)\n(.+)\n/, '\n$2\n$1\n')],
    ['with the numbers spelled in another way', (rows: string) => rows.replaceAll('+549115', '54 11 5')],
    ['in another column order', (rows: string) => rows.replaceAll(/(.+),(.+)/g, '$2,$1')],
  ])('saved again %s is the same broadcast, also before the stage has processed it', async (_, save) => {
    const rows = readFileSync(csv, 'utf8');
    await target.parley(args);
    const first = await requests();
    write(save(rows));

    await target.parley(args);
    const inFlight = await queued();
    stored.push(...first.map((request) => storedSend(request)));
    forgetDeduplication();
    const processed = await target.parley(args);

    expect(save(rows)).not.toBe(rows);
    expect([first.length, inFlight]).toEqual([2, []]);
    expect(processed).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was queued') });
    expect(await queued()).toEqual([]);
  });

  it('that was saved as another file, with more rows, is sent to the contacts that do not have it', async () => {
    await target.parley(args);
    await process();
    const other = join(target.folder, `copy-${files}.csv`);
    writeFileSync(other, `${readFileSync(csv, 'utf8')}+5491150000003,Eva\n`);

    const { code, err, out } = await target.parley(args.map((arg) => (arg === csv ? other : arg)));

    expect([code, err]).toEqual([
      0,
      expect.stringContaining('2 rows are for contacts that already have a request in it'),
    ]);
    expect(out).toContain(`${other}: 1 of 3 rows queued, 2 not.`);
    expect(await sentTo()).toEqual(['+5491150000003']);
  });

  it('whose machine was lost continues elsewhere: what the stage has not processed is queued under the same IDs', async () => {
    await target.parley(args);
    const [first, second] = await requests();
    stored.push(storedSend(first ?? {}));
    forgetDeduplication();
    answer = answerForecasts(undefined, '2026-11-21T09:00:00.000Z', stored);

    await target.parley(args);

    expect(await requests()).toEqual([second]);
  });

  it('with --id, whose text was corrected, is sent only to contacts that do not have it, and says so', async () => {
    const named = [...args, '--id', 'spring-sale'];
    await target.parley(named);
    await process();
    write(`${readFileSync(csv, 'utf8')}+5491150000003,Eva\n`);

    const { code, err } = await target.parley([...named, '--text', 'Hello {{name}}']);

    expect([code, err]).toEqual([0, expect.stringContaining('To 2 of them, another message was sent.')]);
    expect(await requests()).toMatchObject([{ messageText: 'Hello Eva', broadcastId: 'spring-sale' }]);
  });

  it('whose text is written in another way is the same broadcast without --id', async () => {
    await target.parley([...args, '--text', 'Mañana, {{name}}'.normalize('NFC')]);
    await process();

    await target.parley([...args, '--text', ` ${'Mañana, {{name}}'.normalize('NFD')} `]);

    expect(await queued()).toEqual([]);
  });

  it('with a template and other variables than its contacts got names them', async () => {
    const template = ['broadcast', csv, '--contact-column', 'phone', '--template', 'opening', '--yes'];
    await target.parley(template);
    await process();
    write('phone,status,name\n+5491155000001,new,Ana\n');

    const { code, err } = await target.parley(template);

    expect([code, err]).toEqual([2, expect.stringContaining('with the variables name, not name, status; state the')]);
  });

  it('whose columns were put in another order has the same requests, also before the stage has processed them', async () => {
    const template = ['broadcast', csv, '--contact-column', 'phone', '--template', 'opening', '--yes'];
    write('phone,name,time\n+5491155000001,Ana,9:00\n');
    await target.parley(template);
    const first = await requests();
    forgetDeduplication();
    write('time,name,phone\n9:00,Ana,+5491155000001\n');

    await target.parley(template);

    expect(JSON.stringify(await requests())).toBe(JSON.stringify(first));
  });

  it('without --id, whose contacts have the same message with other values, asks for a name', async () => {
    await target.parley(args);
    await process();
    write(readFileSync(csv, 'utf8').replace('Ana', 'Anna'));

    const { code, err } = await target.parley(args);

    expect([code, await queued()]).toEqual([2, []]);
    expect(err).toContain('row 2: the contact already has this broadcast, with other values; to send it too');
    await target.parley([...args, '--id', 'second']);
    expect((await requests()).map(({ messageText }) => messageText).toSorted()).toEqual(['Hi Anna', 'Hi Bea']);
  });

  it('does not repeat requests that were refused or expired, and says how to', async () => {
    await target.parley(args);
    await process({ state: 'refused', code: 'NO_OPT_IN' }, { state: 'expired' });

    const { err, out } = await target.parley(args);

    expect(out).not.toContain('--again');
    expect(err).toContain(`will not be queued again: 1 refused, 1 expired, last at ${NOW} (now).`);
    expect(err).toContain('To retry 2 requests that were not sent, add --retry-unsent.');
    expect(await queued()).toEqual([]);
  });

  it('knows a contact that was erased since, and one to whom another system sent a request of the broadcast', async () => {
    const named = [...args, '--id', 'spring-sale'];
    await target.parley(named);
    const [erased, other] = await requests();
    stored.push(
      storedSend(erased ?? {}, { request: undefined, erasedAt: NOW }),
      storedSend({ ...other, requestId: 'of-another-system' }),
    );
    forgetDeduplication();

    expect(await target.parley(named)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was queued') });
    expect(await queued()).toEqual([]);
  });
});

it('knows the contacts of erased requests by their IDs, also of repeats', async () => {
  const named = [...args, '--id', 'spring-sale'];
  await target.parley([...named, '--allow-repeats']);
  stored.push(...(await requests()).map((request) => storedSend(request, { request: undefined, erasedAt: NOW })));

  await target.parley(named);

  expect([stored.length, await queued()]).toEqual([2, []]);
});

describe('--again', () => {
  const again = (number: number, ...others: readonly string[]) =>
    target.parley([...args, '--again', String(number), ...others]);

  it('sends a broadcast once more, under new request IDs, as often as it says', async () => {
    await target.parley(args);
    const first = await process();

    const second = await again(2);
    const ofSecond = await process();
    forgetDeduplication();
    const repeated = await again(2);
    const ofRepeated = await process();
    await again(3);
    const ofThird = await process();

    const { broadcastId } = first[0] ?? {};
    expect(second).toMatchObject({ code: 0, out: expect.stringContaining('2 of 2 rows queued, 0 not.') });
    expect(second.err).toContain(`Broadcast ${broadcastId}.2: no contact in the file has a request in it yet.`);
    expect([ofRepeated, repeated.out]).toEqual([[], expect.stringContaining('once more, add --again 3.')]);
    expect([ofSecond, ofThird].map((all) => all.map((request) => request.broadcastId))).toEqual(
      [2, 3].map((number) => [`${broadcastId}.${number}`, `${broadcastId}.${number}`]),
    );
    expect(new Set([...first, ...ofSecond, ...ofThird].map(({ requestId }) => requestId)).size).toBe(6);
  });

  it('that was interrupted, at any row, continues with the same command', async () => {
    await target.parley(args);
    await process();
    await again(2);
    const [one, other] = await requests();
    stored.push(storedSend(one ?? {}));
    forgetDeduplication();

    await again(2);

    expect(await process()).toEqual([other]);
    await again(2);
    expect(await requests()).toEqual([]);
  });

  it('asks before it reaches the same contacts', async () => {
    await target.parley(args);
    await process();

    const { code, err } = await target.parley([...without('--yes'), '--again', '2']);

    expect([code, err]).toEqual([2, expect.stringMatching(/Broadcast \S+\.2: no contact in the file has/)]);
    expect(await queued()).toEqual([]);
  });

  it('is refused while the stage has nothing of the time before', async () => {
    await target.parley(args);
    const first = await again(2);
    await process();
    const third = await again(3);

    expect([first, third].map(({ code, err }) => [code, err])).toEqual(
      ['', '\\.2'].map((suffix) => [
        2,
        expect.stringMatching(`processed no request of the broadcast b-[0-9a-f]{20}${suffix} yet, so there is nothing`),
      ]),
    );
    expect(await queued()).toEqual([]);
  });

  it.each(['1', 'x', '100'])('with the number %j is refused', async (number) => {
    expect(await again(Number(number))).toMatchObject({ code: 2, err: expect.stringContaining('from 2 to 99') });
  });

  it('has contacts that the first time does not send it to as well', async () => {
    await target.parley(args);
    await process();
    write(`${readFileSync(csv, 'utf8')}+5491150000003,Eva\n`);
    await again(2);
    await process();

    await target.parley(args);

    expect(await queued()).toEqual([]);
  });
});

describe('--retry-unsent', () => {
  const retry = () => target.parley([...args, '--retry-unsent']);

  it('tries again what was not sent, under a new request ID, each time that the last attempt has ended', async () => {
    await target.parley(args);
    const [first] = await process({ state: 'expired' }, { state: 'accepted' });
    const { err } = await retry();
    const second = await requests();
    forgetDeduplication();
    await retry();
    const inFlight = await process({ state: 'rejected' });
    await retry();
    const third = await process({ state: 'accepted' });
    await retry();

    const { requestId } = first ?? {};
    expect(err).toContain('1 request that was not sent will be retried.');
    expect([second, inFlight].map((all) => all.map((request) => request.requestId))).toEqual(
      [1, 2].map(() => [`${requestId}_2`]),
    );
    expect(third.map((request) => request.requestId)).toEqual([`${requestId}_3`]);
    expect(await queued()).toEqual([]);
  });

  it('leaves out what may have been sent, and whoever has the broadcast by another request', async () => {
    const named = [...args, '--id', 'spring-sale'];
    await target.parley(named);
    const [uncertain, expired] = await process({ state: 'expired', unknownOutcomes: 1 }, { state: 'expired' });
    stored.push(storedSend({ ...expired, requestId: 'of-another-system' }));

    const { code } = await target.parley([...named, '--retry-unsent']);

    expect([code, uncertain?.broadcastId, await queued()]).toEqual([0, 'spring-sale', []]);
  });

  it('tries each of several rows of a contact again with --allow-repeats', async () => {
    write('phone,name\n+5491155000001,Ana\n+5491155000001,Bea\n');
    const all = [...args, '--allow-repeats'];
    await target.parley(all);
    await process({ state: 'accepted' }, { state: 'cancelled' });

    await target.parley([...all, '--retry-unsent']);

    expect((await requests()).map(({ messageText }) => messageText)).toEqual(['Hi Bea']);
  });

  it('does not send to whoever got it again, and tries again what was not sent then', async () => {
    await target.parley(args);
    await process({ state: 'accepted' }, { state: 'refused', code: 'NO_OPT_IN' });
    await target.parley([...args, '--again', '2']);
    const [, second] = await process({ state: 'expired' }, { state: 'accepted' });
    await retry();
    const first = await queued();

    await target.parley([...args, '--again', '2', '--retry-unsent']);

    expect([second?.messageText, first]).toEqual(['Hi Bea', []]);
    expect(await requests()).toMatchObject([{ messageText: 'Hi Ana', broadcastId: expect.stringMatching(/\.2$/) }]);
  });

  it('leaves out dead letters, which a redrive sends, and says so', async () => {
    await target.parley(args);
    await process({ state: 'accepted' }, { state: 'refused', code: 'PROCESSING_FAILED' });

    const { err } = await retry();

    expect(err).toContain('To send 1 dead letter, fix the cause. Then see parley dead-letters redrive --help.');
    expect(await queued()).toEqual([]);
  });

  it('with --wait waits for the new requests, and does not count those that they replace', async () => {
    await target.parley(args);
    const [, refused] = await process({}, { state: 'refused', code: 'NO_OPT_IN' });
    const reads: number[] = [];
    const others = answer;
    answer = async (method, path, sent) => {
      if (!path.startsWith('/v1/send-counts?')) return others(method, path, sent);
      if (reads.push(stored.length) === 2) await process();
      const groups = Map.groupBy(stored, ({ state }) => state);
      return [
        200,
        {
          counts: [...groups].map(([state, all]) => ({
            state,
            ...(state === 'refused' && { code: 'NO_OPT_IN' }),
            count: all.length,
          })),
        },
      ];
    };

    const first = await target.parley([...args, '--retry-unsent', '--wait']);
    const later = await target.parley([...args, '--wait']);

    expect([refused?.messageText, reads]).toEqual(['Hi Bea', [2, 2, 3]]);
    for (const { code, out } of [first, later])
      expect([code, out]).toEqual([0, expect.stringContaining(': 2 accepted.')]);
  });
});

describe('rows for one contact', () => {
  const SPELLINGS = ['+5491150000001', '+54 9 11 5000-0001', '54 11 5000 0001', '5491150000001'];
  const REPEATS =
    '4 rows repeat the contact of an earlier row, in any spelling; only the first row of each contact will be sent:';
  beforeEach(() => write(`phone,name\n${SPELLINGS.map((phone) => `${phone},Ana\n`).join('')}+5491150000001,Bea\n`));

  it('are reported, and sent once', async () => {
    const { code, err, out } = await target.parley(args);

    expect([code, out]).toEqual([0, expect.stringContaining('1 of 5 rows queued, 4 not.')]);
    expect(err).toContain([REPEATS, '  3: the same message (rows 3, 4, 5)', '  1: another message (row 6)'].join('\n'));
    expect(await requests()).toMatchObject([{ platformContactId: '+5491150000001', messageText: 'Hi Ana' }]);
  });

  it('are all sent with --allow-repeats, once and in order', async () => {
    const groups: (string | undefined)[] = [];
    const all = [...args, '--allow-repeats'];
    const { err } = await target.parley(all);
    const QueueUrl = target.addresses.sendQueueUrl;
    const { Messages = [] } = await target.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
    );
    groups.push(...Messages.map(({ Attributes }) => Attributes?.MessageGroupId));
    forgetDeduplication();
    const first = await process();
    write(`phone,name\n+5491150000001,Bea\n${SPELLINGS.map((phone) => `${phone},Ana\n`).join('')}`);
    const again = await target.parley(all);

    expect(err).toContain('4 rows repeat the contact of an earlier row, in any spelling, and will be sent too:');
    expect(new Set(groups)).toEqual(new Set(['541150000001']));
    expect(first.map(({ messageText }) => messageText)).toEqual(['Hi Ana', 'Hi Ana', 'Hi Ana', 'Hi Ana', 'Hi Bea']);
    expect([again.code, await queued()]).toEqual([0, []]);
  });

  it('of which the first was sent without --allow-repeats are not all sent again with it', async () => {
    await target.parley(args);
    await process();

    await target.parley([...args, '--allow-repeats']);

    expect((await requests()).map(({ messageText }) => messageText)).toEqual(['Hi Ana', 'Hi Ana', 'Hi Ana', 'Hi Bea']);
  });

  it.each([
    ['without --allow-repeats and then with it', [[], ['--allow-repeats']]],
    ['with --allow-repeats and then without it', [['--allow-repeats'], []]],
  ])('are the same requests %s, also before the stage has processed them', async (_, [first = [], second = []]) => {
    write('phone,name\n+5491150000001,Ana\n+5491150000002,Bea\n+5491150000001,Anita\n');
    await target.parley([...args, ...first]);
    const before = await requests();
    forgetDeduplication();

    await target.parley([...args, ...second]);

    const bodies = new Map([...before, ...(await requests())].map((request) => [request.requestId, request]));
    expect([...bodies.values()].map(({ messageText }) => messageText).toSorted()).toEqual([
      'Hi Ana',
      'Hi Anita',
      'Hi Bea',
    ]);
  });

  it('sorted before the stage has processed them are queued under the same IDs', async () => {
    write('phone,name\n+5491150000001,Ana\n+5491150000001,Anita\n');
    const all = [...args, '--allow-repeats'];
    await target.parley(all);
    const first = await queued();
    forgetDeduplication();
    write('phone,name\n+5491150000001,Anita\n+5491150000001,Ana\n');

    await target.parley(all);

    expect([first.length, await queued()]).toEqual([2, first]);
  });

  it('of which one was sent may be in another order, and others may be added', async () => {
    write('phone,name\n+5491150000001,Ana\n+5491150000001,Anita\n');
    await target.parley(args);
    await process();
    write('phone,name\n+5491150000001,Anita\n+5491150000001,Ana\n+5491150000002,Bea\n');

    expect(await target.parley(args)).toMatchObject({ code: 0 });
    expect((await requests()).map(({ messageText }) => messageText)).toEqual(['Hi Bea']);
  });

  it('are all waited for with --allow-repeats, also when it is run again', async () => {
    const all = [...args, '--allow-repeats'];
    await target.parley(all);
    await process();
    const others = answer;
    answer = async (method, path, sent) =>
      path.startsWith('/v1/send-counts?')
        ? [200, { counts: [{ state: 'accepted', count: stored.length }] }]
        : others(method, path, sent);

    expect(await target.parley([...all, '--wait'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Outcome: 5 accepted.'),
    });
  });
});

describe('the requests of a broadcast', () => {
  it('name the broadcast and the contact, and expire 24 hours after they were queued', async () => {
    await target.parley(args);

    const all = await requests();
    const broadcastId = String(all[0]?.broadcastId);
    expect(broadcastId).toMatch(/^b-[0-9a-f]{20}$/);
    expect(all.map(({ requestId }) => String(requestId).slice(0, broadcastId.length + 1))).toEqual(
      [1, 2].map(() => `${broadcastId}-`),
    );
    expect(all).toEqual([
      expect.objectContaining({ broadcastId, messageText: 'Hi Ana', notAfter: 'P1D' }),
      expect.objectContaining({ broadcastId, messageText: 'Hi Bea', notAfter: 'P1D' }),
    ]);
  });

  it('name the broadcast that --id gives, and expire when --not-after says', async () => {
    await target.parley([...args, '--id', 'spring-sale', '--not-after', '2026-12-24T18:00:00Z']);

    expect((await requests()).map(({ broadcastId, notAfter }) => [broadcastId, notAfter])).toEqual(
      [1, 2].map(() => ['spring-sale', '2026-12-24T18:00:00Z']),
    );
  });

  it('refuse an ID that looks like that of a repetition', async () => {
    const { code, err } = await target.parley([...args, '--id', 'news.2']);
    expect([code, err]).toEqual([2, expect.stringContaining('--id "news.2" looks like a repetition')]);
  });

  it.each(['a b', 'x'.repeat(61), 'é'])('refuse the ID %j', async (id) => {
    const { code, err } = await target.parley([...args, '--id', id]);
    expect([code, err]).toEqual([2, expect.stringContaining('Use 1 to 60 letters, digits, or punctuation characters')]);
  });

  it('that wait for a sendAt expire 24 hours after it', async () => {
    write('phone,name,time\n+5491150000001,Ana,2026-11-22T10:00:00Z\n+5491150000002,Bea,2026-11-23T10:00:00-03:00\n');
    await target.parley([...args, '--send-at', '{{time}}']);

    expect((await requests()).map(({ sendAt, notAfter }) => [sendAt, notAfter]).toSorted()).toEqual([
      ['2026-11-22T10:00:00Z', 'P1D'],
      ['2026-11-23T10:00:00-03:00', 'P1D'],
    ]);
  });
});

const EXPIRY = 'Messages expire 24 hours after they are queued, or after --send-at. To change that, use --not-after.';
const NEW = expect.stringMatching(/^Broadcast b-[0-9a-f]{20}: no contact in the file has a request in it yet\.$/);

describe('before it queues anything, a broadcast', () => {
  it('shows the first, the longest, and the strangest rows, and lists the invalid ones', async () => {
    const names = [
      'Ana',
      'Eva',
      'Leo',
      'JosÃ©',
      'Ольга',
      'Mu?oz',
      'Maria\u200b',
      'A name that is longer than others',
      '',
    ];
    const rows = [...names, ...Array.from({ length: 20 }, () => ' ')].map((name, index) => {
      return `+54911550${String(index).padStart(5, '0')},${name}`;
    });
    write(`phone,name\n${rows.join('\n')}\n+541155009999,Bea\n`);

    const { code, err } = await target.parley([...args, '--template', 'hello', '--param', 'n={{name}}']);

    expect(code).toBe(2);
    expect(err.split('\n')).toEqual([
      `${csv}: 30 rows, 9 contacts. Encoding: utf-8. Delimiter: ,`,
      '  row 2, +5491155000000: Hi Ana; outside the window, template hello (n: Ana)',
      '  row 3, +5491155000001: Hi Eva; outside the window, template hello (n: Eva)',
      '  row 5 (looks damaged), +5491155000003: Hi JosÃ©; outside the window, template hello (n: JosÃ©)',
      '  row 6 (non-Latin letters), +5491155000004: Hi Ольга; outside the window, template hello (n: Ольга)',
      expect.stringMatching(/^ {2}row 8 \(unusual characters\), \+5491155000006: Hi Maria.{1,6};/),
      expect.stringMatching(/^ {2}row 9 \(longest\), \+5491155000007: Hi A name that is longer than others;/),
      '  row 31 (shortest contact), +541155009999: Hi Bea; outside the window, template hello (n: Bea)',
      '21 rows are invalid:',
      ...Array.from({ length: 10 }, (_, index) => `  row ${index + 10}: column name is empty`),
      '  and 11 more. All of them, by reason:',
      '  21: column name is empty (rows 10, 11, 12, 13, 14, ..., 30)',
      NEW,
      'Forecast: 9 free-form.',
      EXPIRY,
      'parley: Nothing was queued, because 21 rows are invalid. Fix them, or add --skip-invalid-rows to send the ' +
        'others. You can send the fixed rows later with the same command.',
    ]);
    expect(await queued()).toEqual([]);
  });

  it('says once that an option is wrong for all rows', async () => {
    write(`phone,name\n${Array.from({ length: 30 }, (_, row) => `+54911550000${10 + row},Ana`).join('\n')}\n`);
    const { code, err } = await target.parley([...args, '--send-at', 'tomorrow']);
    expect(code).toBe(2);
    expect(err).toContain('30 rows are invalid:\n  30: --send-at must be');
    expect(err).not.toContain('row 2:');
  });

  it('refuses rows that are not valid, and sends the others with --skip-invalid-rows', async () => {
    write('phone,name\n+5491155000001,Ana\n5.49115E+12,Bea\n');

    const refused = await target.parley(args);
    const skipped = await target.parley([...args, '--skip-invalid-rows']);
    await process();
    write('phone,name\n+5491155000001,Ana\n+5491155000002,Bea\n');
    const fixed = await target.parley(args);

    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('add --skip-invalid-rows') });
    expect(skipped).toMatchObject({ code: 6, out: expect.stringContaining('1 of 2 rows queued, 1 not.') });
    expect(fixed).toMatchObject({ code: 0, out: expect.stringContaining('1 of 2 rows queued, 1 not.') });
    expect(await sentTo()).toEqual(['+5491155000002']);
  });

  it('names the option of a field that is not valid, and the value that a row has', async () => {
    write('phone,name,url\n+5491155000001,Ana,https://files.example/a.png\n+5491155000002,Bea,a.png\n');

    const { err } = await target.parley([
      ...args,
      '--image',
      '{{url}}',
      '--send-at',
      '{{name}}',
      '--skip-invalid-rows',
    ]);

    expect(err).toMatch(/row 2: --send-at must be an ISO 8601 time .+ \("Ana"\)$/m);
    expect(err).toMatch(
      /row 3: --send-at must be .+; --image must be a complete URL, such as https:\/\/media.example\/photo.jpg$/m,
    );
  });

  it('refuses a message that is too long for a request', async () => {
    write(`phone,name\n+5491155000001,${'a'.repeat(140_000)}\n`);

    expect((await target.parley(args)).err).toMatch(/row 2: .*(128|131072|characters)/);
  });

  it('refuses an ID that is no phone number if the stage does not know it', async () => {
    write('phone,name\nabc,Ana\nUS.1349,Bea\n');
    answer = answerForecasts((contact) => ({ decision: 'free-form', known: contact === 'US.1349' }));

    const { code, err } = await target.parley(args);

    expect(code).toBe(2);
    expect(err).toContain(
      'row 2: column phone is not a phone number, and Parley knows no contact with this ID ("abc")',
    );
    expect(err).toContain('Forecast: 1 free-form.');
    await target.parley([...args, '--skip-invalid-rows']);
    expect(await sentTo()).toEqual(['US.1349']);
  });

  it('forecasts how many would be sent how, and which rules forbid the others', async () => {
    write(`phone,name\n${Array.from({ length: 500 }, (_, index) => `+54911500${10_000 + index},Ana`).join('\n')}\n`);
    answer = answerForecasts((contact) => {
      const row = Number(contact.slice(-5)) - 10_000;
      if (row < 60) return { decision: 'free-form' };
      if (row < 300) return { decision: 'template' };
      if (row < 380) return { decision: 'refused', code: 'OPTED_OUT' };
      return { decision: 'refused', code: 'NO_OPT_IN', known: row < 460 };
    });

    const { code, err } = await target.parley([...without('--yes'), '--template', 'hello', '--reason', 'similar']);

    expect(code).toBe(2);
    expect(err).toContain(
      'Forecast: 60 free-form, 240 as template, 200 may not be sent: ' +
        '120 NO_OPT_IN (80 never opted in, 40 unknown numbers), 80 OPTED_OUT.',
    );
    expect(err).toContain('parley: Nothing was queued. There is no terminal to ask for confirmation. Add --yes.');
    expect(await queued()).toEqual([]);
  });

  it('asks for the forecast with what decides it, not with the text', async () => {
    write(
      'phone,name,url\n+5491150000001,Ana,https://files.example/ana.png\n+5491150000002,Bea,https://files.example/b.png\n',
    );
    await target.parley([...args, '--image', '{{url}}', '--send-at', '2026-11-22T10:20:00Z']);

    const calls = called.filter(({ path }) => path === '/v1/forecasts');
    expect(calls.map(({ sent }) => JSON.parse(sent))).toEqual([
      {
        contacts: ['+5491150000001', '+5491150000002'],
        broadcastId: expect.stringMatching(/^b-/),
        imageURL: 'https://media.example/file.png',
        sendAt: '2026-11-22T10:00:00.000Z',
      },
    ]);
  });

  it('says that the circuit breaker is open', async () => {
    const circuitBreaker = { state: 'open', openedAt: NOW, why: 'No credit.', nextProbeAt: NOW };
    const forecasts = answerForecasts();
    answer = async (method, path, sent) =>
      path === '/v1/stage' ? [200, { ...STAGE, circuitBreaker }] : forecasts(method, path, sent);

    expect((await target.parley(args)).err).toContain(
      `The circuit breaker has been open since ${NOW} (now), so requests wait: No credit.`,
    );
  });

  it('says that an operator stopped sending', async () => {
    const sending = { state: 'stopped', stoppedAt: NOW, note: 'Wrong template.' };
    const forecasts = answerForecasts();
    answer = async (method, path, sent) =>
      path === '/v1/stage' ? [200, { ...STAGE, sending }] : forecasts(method, path, sent);

    expect((await target.parley(args)).err).toContain(
      `Sending has been stopped since ${NOW} (now), so requests wait: Wrong template.`,
    );
  });

  it('asks on a terminal, and sends after yes only', async () => {
    const ask = without('--yes');

    const refused = await onTerminal('\n', ask);
    expect(refused).toMatchObject({ code: 130, out: '' });
    expect(refused.err).toContain('Send 2 messages through the local run? [y/N]\nparley: Nothing was queued.');
    expect(await queued()).toEqual([]);

    expect(await onTerminal('no\n', ask)).toMatchObject({ code: 130 });
    expect(await onTerminal('y\n', ask)).toMatchObject({ code: 0, out: expect.stringContaining('2 of 2 rows queued') });
    expect(await queued()).toHaveLength(2);
  });

  it('asks about the remaining messages only, when it continues', async () => {
    await target.parley(args);
    const [first] = await requests();
    stored.push(storedSend(first ?? {}));

    const { err } = await onTerminal('n\n', without('--yes'));

    expect(err).toContain('Send 1 message through the local run? [y/N]');
  });

  it('ends when no row can be sent', async () => {
    write('phone,name\n+5491150000001,\n');
    const { code, err } = await target.parley(args);

    expect([code, err]).toEqual([2, expect.stringContaining('row 2: column name is empty')]);
    expect(err).toContain(`No row of ${csv} can be sent, so nothing was queued. Fix the rows.`);
  });
});

describe('--wait', () => {
  const counting = (...pages: readonly object[]) => {
    const forecasts = answerForecasts();
    const left = [...pages];
    answer = async (method, path, sent) =>
      path.startsWith('/v1/send-counts?') ? [200, left.shift()] : forecasts(method, path, sent);
  };

  it('shows the outcome by state and code, in full', async () => {
    counting(
      { counts: [{ state: 'refused', code: 'OPTED_OUT', count: 80 }], cursor: 'next' },
      {
        counts: [
          { state: 'refused', code: 'NO_OPT_IN', count: 119 },
          { state: 'refused', code: 'OPTED_OUT', count: 1 },
          { state: 'accepted', count: 300 },
        ],
      },
    );
    const { code, out } = await target.parley([...args, '--wait', '--id', 'spring sale'.replace(' ', '-')]);

    expect([code, out.split('\n')[1]]).toEqual([
      6,
      'Outcome: 300 accepted, 119 refused (NO_OPT_IN), 81 refused (OPTED_OUT).',
    ]);
    expect(called.map(({ path }) => path).filter((path) => path.startsWith('/v1/send-counts'))).toEqual([
      '/v1/send-counts?broadcast=spring-sale',
      '/v1/send-counts?broadcast=spring-sale&cursor=next',
    ]);
  });

  it('lasts while requests are missing, queued, or waiting, and succeeds when all were sent or scheduled', async () => {
    counting(
      { counts: [{ state: 'accepted', count: 1 }] },
      {
        counts: [
          { state: 'accepted', count: 1 },
          { state: 'waiting', count: 1 },
        ],
      },
      {
        counts: [
          { state: 'accepted', count: 1 },
          { state: 'scheduled', count: 1 },
        ],
      },
    );
    const { code, out } = await target.parley([...args, '--wait']);

    expect([code, out]).toEqual([0, expect.stringContaining('Outcome: 1 accepted, 1 scheduled.')]);
  });

  it('shows the outcome of a broadcast that was already complete', async () => {
    await target.parley(args);
    counting({ counts: [{ state: 'expired', count: 2 }] });

    const { code, out } = await target.parley([...args, '--wait']);

    expect([code, out]).toEqual([6, expect.stringContaining('Outcome: 2 expired.')]);
  });

  it('does not count messages that failed after they were accepted as sent', async () => {
    await target.parley(args);
    counting({ counts: [{ state: 'failed', code: '131049', count: 2 }] });

    const { code, out } = await target.parley([...args, '--wait']);

    expect([code, out]).toEqual([6, expect.stringContaining('Outcome: 2 failed (131049).')]);
  });

  it('ends with Ctrl-C, and says that the broadcast continues', async () => {
    const stop = new AbortController();
    const forecasts = answerForecasts();
    answer = async (method, path, sent) => {
      if (path.startsWith('/v1/send-counts?')) stop.abort();
      return forecasts(method, path, sent);
    };
    const { code, err } = await target.parley([...args, '--wait'], stop.signal);

    expect([code, err]).toEqual([130, expect.stringContaining('continues in the background.')]);
  });
});

describe('a placeholder', () => {
  it.each([
    ['Hi ${name}', 'Write {{name}} instead of ${name}: a shell replaces ${name} before parley sees it.'],
    ['Hi {{name}', 'The message has {{ without a column. Write a placeholder as {{column}}.'],
    ['Hi name}}', 'The message has }} without a column. Write a placeholder as {{column}}.'],
    ['Hi {{nmae}}', 'has no column "nmae". Did you mean "name"? Its columns: phone, name.'],
  ])('in %j is refused with advice', async (text, advice) => {
    const { code, err } = await target.parley([...args, '--text', text]);
    expect([code, err]).toEqual([2, expect.stringContaining(advice)]);
    expect(await queued()).toEqual([]);
  });

  it('that names no column shows a few of them, shortened', async () => {
    write(`phone,${'x'.repeat(5_000)},${Array.from({ length: 500 }, (_, index) => `c${index}`).join(',')}\n`);

    const { err } = await target.parley([...args, '--text', 'Hi {{unknown}}']);

    expect(err).toContain(`Its columns: phone, ${'x'.repeat(30)}…, c0, c1, c2, c3, c4, c5, and 494 more.`);
  });

  it('can have spaces around the column', async () => {
    await target.parley([...args, '--text', 'Hi {{ name }}']);
    expect((await requests()).map(({ messageText }) => messageText).toSorted()).toEqual(['Hi Ana', 'Hi Bea']);
  });
});

describe('--dry-run', () => {
  it('shows the rows and the forecast, and queues nothing', async () => {
    const { code, out } = await target.parley([...args, '--dry-run']);

    expect([code, out.split('\n')]).toEqual([
      0,
      [
        `${csv}: 2 rows, 2 contacts. Encoding: utf-8. Delimiter: ,`,
        '  row 2, +5491155000001: Hi Ana',
        '  row 3, +5491155000002: Hi Bea',
        NEW,
        'Forecast: 2 free-form.',
        EXPIRY,
        '2 of 2 rows would be queued (dry run).',
      ],
    ]);
    expect(await queued()).toEqual([]);
  });
});
