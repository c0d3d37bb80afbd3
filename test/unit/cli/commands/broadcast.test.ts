import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerForecasts, STAGE } from '../../../support/answer-forecasts.ts';
import { NOW } from '../../../support/builders.ts';
import { type AnswerCall, type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';
import { runParley } from '../../../support/run-parley.ts';

let target: LocalTarget;
let answer: AnswerCall;
let called: { readonly path: string; readonly sent: string }[];
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
  answer = answerForecasts();
  called = [];
  files += 1;
  csv = join(target.folder, `rows-${files}.csv`);
  write(`phone,name\n+549115000${files}001,Ana\n+549115000${files}002,Bea\n`);
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
const stateFile = () => `${csv}.local.broadcast.json`;
const state = () => JSON.parse(readFileSync(stateFile(), 'utf8'));
const interruptAfter = (done: number) => writeFileSync(stateFile(), JSON.stringify({ ...state(), done, queued: done }));
/** SQS drops a repeated deduplication ID for five minutes. */
const forgetDeduplication = () => target.clock.advance(301_000);

/** Runs the command on a terminal, on which this is typed. */
const onTerminal = (typed: string, given: readonly string[]) => {
  const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
  return runParley(given, { stateFolder: target.folder, stdin });
};
const without = (...options: readonly string[]) => args.filter((arg) => !options.includes(arg));

describe('a broadcast', () => {
  it('repeated unchanged queues nothing, and says how to send it again', async () => {
    await target.parley(args);
    await queued();

    const repeated = await target.parley(args);

    expect(await queued()).toEqual([]);
    expect(repeated).toMatchObject({ code: 0, err: '' });
    expect(repeated.out).toContain('Nothing was queued: this broadcast was already complete.');
    expect(repeated.out).toContain('To send it to the same users again, add --new.');
  });

  it('of an unchanged file starts again with --new and --yes, under new request IDs, at once', async () => {
    await target.parley(args);
    const first = await queued();

    const again = await target.parley([...args, '--new']);
    const second = await queued();
    const third = await target.parley([...args, '--new']).then(queued);

    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('2 of 2 rows queued, 0 skipped.') });
    expect([first.length, second.length, third.length]).toEqual([2, 2, 2]);
    expect(new Set([...first, ...second, ...third]).size).toBe(6);
  });

  it('says that it reaches the same users again, and queues nothing until that is confirmed', async () => {
    await target.parley(args);
    await queued();

    const { code, out, err } = await target.parley([...without('--yes'), '--new']);

    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(
      `2 of 2 rows of ${csv} were already queued with this message. With --new, the same users receive it again.`,
    );
    expect(await queued()).toEqual([]);
  });

  it('that --new started and that was interrupted continues without --new, under its own request IDs', async () => {
    await target.parley(args);
    await target.parley([...args, '--new']);
    const { requestPrefix } = state();
    const [first] = await requests().then((all) => all.filter(({ requestId }) => requestId === `${requestPrefix}-2`));
    interruptAfter(1);
    await forgetDeduplication();

    const resumed = await target.parley(args);

    expect(resumed.out).toContain('2 of 2 rows queued');
    expect(await requests()).toEqual([first]);
  });

  it('saves the request IDs of a new broadcast before it queues the first row, so that a crash repeats none', async () => {
    const stop = new AbortController();
    stop.abort();

    const stopped = await target.parley([...args, '--new'], stop.signal);
    const { requestPrefix, done } = state();
    await target.parley(args);

    expect(stopped).toMatchObject({
      code: 130,
      err: expect.stringContaining('Run the same command without --new to continue with row 1.'),
    });
    expect([done, (await queued()).toSorted()]).toEqual([0, [`${requestPrefix}-1`, `${requestPrefix}-2`]]);
  });
});

describe('the requests of a broadcast', () => {
  it('name the broadcast, and expire 24 hours after its start, on the clock of the stage', async () => {
    await target.parley(args);

    const { broadcastId } = state();
    const notAfter = '2026-11-21T12:00:00.000Z';
    expect(await requests()).toEqual([
      expect.objectContaining({ requestId: `${broadcastId}-1`, broadcastId, messageText: 'Hi Ana', notAfter }),
      expect.objectContaining({ requestId: `${broadcastId}-2`, broadcastId, messageText: 'Hi Bea', notAfter }),
    ]);
  });

  it('name the broadcast that --id gives, and expire when --not-after says', async () => {
    await target.parley([...args, '--id', 'spring-sale', '--not-after', '2026-12-24T18:00:00Z']);

    const all = await requests();
    expect(all.map(({ broadcastId, notAfter }) => [broadcastId, notAfter])).toEqual(
      [1, 2].map(() => ['spring-sale', '2026-12-24T18:00:00Z']),
    );
    expect(all.map(({ requestId }) => requestId)).not.toContain('spring-sale-1');
  });

  it.each(['a b', 'x'.repeat(65), 'é'])('refuse the ID %j', async (id) => {
    const { code, err } = await target.parley([...args, '--id', id]);
    expect([code, err]).toEqual([2, expect.stringContaining('Use 1 to 64 letters, digits, or punctuation characters')]);
  });

  it('that wait for a sendAt expire 24 hours after it', async () => {
    write('phone,name,time\n+5491150000001,Ana,2026-11-22T10:00:00Z\n+5491150000002,Bea,2026-11-23T10:00:00-03:00\n');
    await target.parley([...args, '--send-at', '{{time}}']);

    expect((await requests()).map(({ sendAt, notAfter }) => [sendAt, notAfter]).toSorted()).toEqual([
      ['2026-11-22T10:00:00Z', '2026-11-23T10:00:00.000Z'],
      ['2026-11-23T10:00:00-03:00', '2026-11-24T13:00:00.000Z'],
    ]);
  });

  it('are the same when an interrupted broadcast continues the next day', async () => {
    await target.parley(args);
    const [, second] = await requests();
    interruptAfter(1);
    await forgetDeduplication();
    answer = answerForecasts(undefined, '2026-11-21T09:00:00.000Z');

    await target.parley(args);

    expect(await requests()).toEqual([second]);
  });

  it('are the same when the state file was lost, as the stage still has the first of them', async () => {
    await target.parley(args);
    const first = await requests();
    await forgetDeduplication();
    rmSync(stateFile());
    const nextDay = answerForecasts(undefined, '2026-11-21T09:00:00.000Z');
    answer = async (method, path, sent) =>
      path.startsWith('/v1/sends/')
        ? [200, { requestId: 'x', state: 'accepted', attempts: 1, unknownOutcomes: 0, request: first[0] }]
        : nextDay(method, path, sent);

    const again = await target.parley(args);

    expect(again.err).toContain('This broadcast was started before.');
    expect(called.map(({ path }) => path)).toContain(`/v1/sends/${first[0]?.requestId}`);
    expect(await requests()).toEqual(first);
  });

  it('are the same when the state file was lost and each row has its own times', async () => {
    write('phone,name,time\n+5491150000001,Ana,2026-11-22T10:00:00Z\n');
    for (const option of ['--send-at', '--not-after']) {
      const own = [...args, option, '{{time}}'];
      await target.parley(own);
      const first = await requests();
      await forgetDeduplication();
      rmSync(stateFile());
      answer = answerForecasts(undefined, '2026-11-21T09:00:00.000Z');

      await target.parley(own);

      expect([first.length, await requests()]).toEqual([1, first]);
    }
  });

  it('cannot be made again after the state file was lost and the contact was erased', async () => {
    const known = { requestId: 'x', state: 'cancelled', attempts: 0, unknownOutcomes: 0, erasedAt: NOW };
    const forecasts = answerForecasts();
    answer = async (method, path, sent) =>
      path.startsWith('/v1/sends/') ? [200, known] : forecasts(method, path, sent);

    const { code, err } = await target.parley(args);

    expect([code, err]).toEqual([2, expect.stringContaining('its state file is missing')]);
    expect(await queued()).toEqual([]);
  });
});

describe('before it queues anything, a broadcast', () => {
  it('shows the first three rows as they would be sent, and the faulty ones in groups', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => {
      const row = index + 1;
      return `+54911500${String(row).padStart(5, '0')},${row % 10 === 2 ? '' : `Name ${row}`},${row === 50 ? 'x y' : ''}`;
    });
    write(`phone,name,code\n${rows.join('\n')}\n`);

    const { code, err } = await target.parley([
      ...without('--yes'),
      '--template',
      'hello',
      '--param',
      'n={{name}}',
      '--reason',
      'similar',
    ]);

    expect(code).toBe(2);
    expect(err.split('\n').slice(0, 6)).toEqual([
      `${csv}: 100 rows. The first:`,
      '  row 1, +5491150000001: Hi Name 1; outside the window, template hello (n: Name 1)',
      '  row 2: column name is empty',
      '  row 3, +5491150000003: Hi Name 3; outside the window, template hello (n: Name 3)',
      '10 rows cannot be sent and will be skipped:',
      '  10: column name is empty (rows 2, 12, 22, 32, 42, ..., 92)',
    ]);
    expect(await queued()).toEqual([]);
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
        broadcastId: state().broadcastId,
        imageURL: 'https://media.example/file.png',
        sendAt: '2026-11-22T10:00:00.000Z',
        notAfter: '2026-11-23T11:00:00.000Z',
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
    interruptAfter(1);

    const { err } = await onTerminal('n\n', without('--yes'));

    expect(err).toContain('Send the remaining 1 message through the local run? [y/N]');
  });

  it('ends when no row can be sent', async () => {
    write('phone,name\n+5491150000001,\n');
    const { code, err } = await target.parley(args);

    expect([code, err]).toEqual([2, expect.stringContaining('1: column name is empty (row 1)')]);
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
        `${csv}: 2 rows. The first:`,
        `  row 1, +549115000${files}001: Hi Ana`,
        `  row 2, +549115000${files}002: Hi Bea`,
        'Forecast: 2 free-form.',
        '2 of 2 rows would be queued, 0 skipped (dry run).',
      ],
    ]);
    expect(await queued()).toEqual([]);
  });
});
