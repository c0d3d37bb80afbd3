import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { countMessages } from '../../../../lambdas/adapters/sqs-backlog.ts';
import { NOW, USER } from '../../../support/builders.ts';
import { type AnswerCall, type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';
import { runParley } from '../../../support/run-parley.ts';

let target: LocalTarget;
afterEach(async () => {
  vi.useRealTimers();
  await target?.[Symbol.asyncDispose]();
});

/** The calls of the command, with their bodies. */
const calls: [call: string, body: unknown][] = [];
const answerWith =
  (answer: AnswerCall): AnswerCall =>
  async (method, path, sent) => {
    calls.push([`${method} ${path}`, sent === '' ? undefined : JSON.parse(sent)]);
    return answer(method, path, sent);
  };
const start = async (answer: AnswerCall) => {
  calls.length = 0;
  target = await startLocalTarget({}, answerWith(answer));
};
const REFUSED: AnswerCall = async () => [500, { code: 'INTERNAL', message: 'Retry it.' }];

const putDeadLetter = async () => {
  const { sendDeadLetterQueueUrl: QueueUrl } = target.addresses;
  const fifo = { MessageGroupId: 'a', MessageDeduplicationId: 'a' };
  await target.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}', ...fifo }));
};

describe("an action with the operator's own permissions", () => {
  it('is not done if its entry in the audit trail cannot be written: a deletion', async () => {
    await start(REFUSED);
    await putDeadLetter();

    const { code } = await target.parley(['dead-letters', 'delete', 'send', '--reason', 'max', '--yes']);

    expect(code).toBe(1);
    expect(calls.map(([call]) => call)).toEqual(['POST /v1/audit']);
    expect(await countMessages(target.sqs, target.addresses.sendDeadLetterQueueUrl)).toEqual({
      available: 1,
      inFlight: 0,
    });
  });

  it('is not performed if its audit entry cannot be written: a new access token', async () => {
    await start(REFUSED);

    const { code, err } = await runParley(['token', 'set'], { stateFolder: target.folder, stdin: 'another-token' });

    // Storing the token would fail to connect instead.
    expect([code, err]).toEqual([1, 'parley: Retry it.']);
    expect(calls).toEqual([['POST /v1/audit', { action: 'access-token-change' }]]);
    expect(JSON.stringify(calls)).not.toContain('another-token');
  });

  it('is recorded with its filter', async () => {
    await start(async (_method, path) => [200, path.startsWith('/v1/dead-letters') ? { deadLetters: [] } : {}]);

    await target.parley(['dead-letters', 'delete', 'schedules', '--reason', 'AccessDenied', '--yes']);
    await target.parley(['dead-letters', 'delete', 'erasures', 'message-1', '--yes']);

    expect(calls.filter(([call]) => call.startsWith('POST'))).toEqual([
      ['POST /v1/audit', { action: 'dead-letter-deletion', queue: 'schedules', reason: 'AccessDenied' }],
      ['POST /v1/audit', { action: 'dead-letter-deletion', queue: 'erasures', deadLetterId: 'message-1' }],
    ]);
  });
});

describe('a redrive', () => {
  it('repeats the call until nothing is left, and touches no queue', async () => {
    const answers = [
      { moved: 250, deleted: 0, left: 0, isComplete: false, before: NOW },
      { moved: 0, deleted: 0, left: 0, isComplete: false, before: NOW },
      { moved: 3, deleted: 0, left: 2, isComplete: true, before: NOW },
    ];
    await start(async () => [200, answers.shift()]);
    const QueueUrl = target.addresses.inboundDeadLetterQueueUrl;
    await target.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'event' }));

    const { code, out, err } = await target.parley(['dead-letters', 'redrive', 'inbound', '--reason', 'JSON']);

    expect([code, out, err]).toEqual([0, '253 redriven, 2 left.', '250 dead letters redriven']);
    expect(calls).toEqual([
      ['POST /v1/redrives', { queue: 'inbound', reason: 'JSON' }],
      ['POST /v1/redrives', { queue: 'inbound', reason: 'JSON', before: NOW }],
      ['POST /v1/redrives', { queue: 'inbound', reason: 'JSON', before: NOW }],
    ]);
    expect(await countMessages(target.sqs, QueueUrl)).toEqual({ available: 1, inFlight: 0 });
  });

  it('says how many were moved if it is interrupted', async () => {
    const stop = new AbortController();
    await start(async () => {
      stop.abort();
      return [200, { moved: 7, deleted: 0, left: 0, isComplete: false, before: NOW }];
    });

    const { code, err } = await target.parley(['dead-letters', 'redrive', 'inbound'], stop.signal);

    expect([code, err]).toEqual([
      130,
      'parley: Interrupted after 7 dead letters redriven. Run the same command again to continue.',
    ]);
  });
});

describe('parley audit-trail', () => {
  const entry = { auditId: 'a-1', at: NOW, action: 'opt-in', caller: 'arn:aws:sts::111122223333:assumed-role/crm/ana' };

  it('shows who requested which action, with text from others in quotation marks', async () => {
    vi.useFakeTimers({ now: Date.parse(NOW) + 180_000, toFake: ['Date'] });
    const contact = { chatPlatform: 'chat', chatChannelNumber: '*', key: '541155550000' };
    const entries = [
      { ...entry, contact, consentAt: NOW, source: 'form\u001b[2J', origin: 'import' },
      { ...entry, action: 'handover', contact, platformContactId: USER },
      { ...entry, action: 'erasure', erasureId: 'e-1' },
    ];
    await start(async () => [200, { entries, cursor: 'next' }]);

    const { code, out } = await target.parley(['audit-trail', USER, '--since', '2026-11-20T00:00:00Z', '--limit', '2']);

    expect([code, out.split('\n')]).toEqual([
      0,
      [
        `${NOW} (3 minutes ago)  opt-in  by ${entry.caller}  contact "541155550000", consentAt "${NOW}", source "form\\u001b[2J", origin "import"`,
        `${NOW} (3 minutes ago)  handover  by ${entry.caller}  contact "${USER}"`,
        `${NOW} (3 minutes ago)  erasure  by ${entry.caller}  erasureId "e-1"`,
        `Next page: parley audit-trail ${USER} --since 2026-11-20T00:00:00Z --limit 2 --cursor next --local`,
      ],
    ]);
    expect(calls.map(([call]) => call)).toEqual([
      'GET /v1/audit?platformContactId=%2B5491155550000&since=2026-11-20T00%3A00%3A00Z&limit=2',
    ]);
  });

  it('says that there are no entries', async () => {
    await start(async () => [200, { entries: [] }]);
    expect((await target.parley(['audit-trail'])).out).toBe('The audit trail has no such entries.');
  });
});
