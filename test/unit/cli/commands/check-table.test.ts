import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LAWS } from '../../../../lambdas/laws/check-laws.ts';
import type { StoredItem } from '../../../../lambdas/laws/stored-item.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';
import { STAGE } from '../../../support/answer-forecasts.ts';
import { RETENTION_DAYS } from '../../../support/builders.ts';
import { type AnswerCall, type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';
import { testTables } from '../../../support/test-tables.ts';
import { accepted, claimed, contact, erasure, inbound, outbound } from '../../lambdas/laws/stored-items.ts';

const stage = { ...STAGE, retentionDays: { ...RETENTION_DAYS, messages: 36_500 } };

/** Two days after the items were written, whatever the clock of this machine shows. */
const RUN_CLOCK = '2026-11-22T12:00:00.000Z';

const tables = testTables();
let isStageKnown = true;
const answer: AnswerCall = async () => (isStageKnown ? [200, stage] : [403, { message: 'Forbidden' }]);
let target: LocalTarget;
let services: ListeningServer;
let tableName: string;

beforeAll(async () => {
  // Stands in for the schedules, and for the sandbox, whose clock is that of the run.
  services = await listenLocally(
    createServer((request, response) =>
      response.end(JSON.stringify(request.url === '/sandbox/state' ? { now: RUN_CLOCK } : { ScheduleGroups: [] })),
    ),
  );
  target = await startLocalTarget({ chatServiceUrl: services.url }, answer);
});
afterAll(async () => {
  await target?.[Symbol.asyncDispose]();
  await services?.close();
});
beforeEach(async () => {
  isStageKnown = true;
  tableName = await tables.createTable();
  useTables(tables.url);
});

const useTables = (url: string): void => {
  const file = join(target.folder, 'local.json');
  const state = JSON.parse(readFileSync(file, 'utf8'));
  const env = { ...state.env, AWS_ENDPOINT_URL_DYNAMODB: url, AWS_ENDPOINT_URL_SCHEDULER: services.url };
  writeFileSync(file, JSON.stringify({ ...state, tableName, env }));
};
const put = async (...items: readonly StoredItem[]): Promise<void> => {
  for (const item of items) {
    await tables.client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));
  }
};
const audit = (...args: readonly string[]) => target.parley(['check-table', '--recheck', '0', ...args]);

describe('parley check-table', () => {
  it('finds nothing in a table that keeps its laws', async () => {
    await put(accepted(), outbound(), inbound(), contact());

    const { code, out, err } = await audit();

    expect([code, err]).toEqual([0, expect.stringContaining('4 of 4 items (100%)')]);
    expect(out).toMatch(/^Table \S+: 4 items read, \d+ read capacity units? used\.\nNo violations found\.$/);
  });

  it('reads an empty table', async () => {
    const { code, out, err } = await audit();

    expect([code, err]).toEqual([0, expect.stringMatching(/^0 items\s*$/)]);
    expect(out).toContain(': 0 items read, ');
  });

  it('prints each law that is broken, the items that break it, and what to do next', async () => {
    await put(claimed(), contact({ expiresAt: undefined, name: 'Ana' }), accepted({ pk: 'SEND#order-18' }));

    const { code, out } = await audit();

    expect(code).toBe(6);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^expiry-follows-retention \(1 item\): An item with personal data expires .+\.$/),
      '  CONTACT#chat#*#541155550000 CONTACT: It has no expiry.',
      expect.stringMatching(/^ {2}Next: .+\.$/),
      expect.stringMatching(/^claim-ends-with-its-lease \(1 item\): /),
      '  SEND#order-17 SEND: It is still claimed, but its lease expired at 2026-11-20T12:03:00.000Z.',
      expect.stringMatching(/^ {2}Next: .+\.$/),
      expect.stringMatching(/^accepted-send-has-its-message \(1 item\): /),
      '  SEND#order-18 SEND: Its message is missing.',
      expect.stringMatching(/^ {2}Next: .+\.$/),
      expect.stringMatching(/^Table \S+: 3 items read, /),
      'Violations found: 3.',
    ]);
    expect(out).not.toContain('Ana');
  });

  it('prints the same as JSON', async () => {
    await put(claimed());

    const { code, out } = await audit('--json');

    expect(code).toBe(6);
    expect(JSON.parse(out)).toMatchObject({
      tables: [
        {
          items: 1,
          end: 'complete',
          violations: [{ law: 'claim-ends-with-its-lease', key: { pk: 'SEND#order-17', sk: 'SEND' } }],
        },
      ],
      laws: [{ name: 'claim-ends-with-its-lease' }],
    });
  });

  it('checks only the laws that are named, with the given grace', async () => {
    await put(claimed(), contact({ expiresAt: undefined }));

    expect((await audit('--law', 'claim-ends-with-its-lease')).out).not.toContain('CONTACT');
    expect((await audit('--law', 'claim-ends-with-its-lease', '--grace', '100000000')).code).toBe(0);
    const unknown = await audit('--law', 'window-moves');
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('Use a name from parley check-table --list-laws'),
    ]);
    const ofChanges = await audit('--law', 'contact-moves-forward');
    expect([ofChanges.code, ofChanges.err]).toEqual([2, expect.stringContaining('only the stream')]);
  });

  it('lists all laws without a target', async () => {
    const { code, out } = await audit('--list-laws');

    expect(code).toBe(0);
    for (const { name, statement } of LAWS) expect(out).toContain(`  ${name}: ${statement}`);
  });

  it('says what it cannot check without the retention settings, unless they are given', async () => {
    isStageKnown = false;
    await put(accepted());

    const { code, out } = await audit();
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('Not checked: whether sends accepted more than a day ago'),
    ]);
    expect((await audit('--message-days', '36500')).code).toBe(6);
  });

  it('says which permissions are missing', async () => {
    await using denied = await listenLocally(
      createServer((_, response) => {
        const body = { __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException', Message: 'Not authorized.' };
        response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
      }),
    );
    useTables(denied.url);

    const { code, err } = await audit();

    expect(code).toBe(5);
    expect(err).toContain('dynamodb:Scan, dynamodb:BatchGetItem, and dynamodb:DescribeTable');
    expect(err).toContain('docs/policies/check-table.json');
  });

  /** A DynamoDB that answers as the tables do until it refuses everything. */
  const listenUntil = (isRefused: (operation: string, calls: number) => boolean) => {
    const calls: string[] = [];
    return listenLocally(
      createServer(async (request, response) => {
        const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
        calls.push(operation);
        if (isRefused(operation, calls.filter((each) => each === operation).length)) {
          const body = { __type: 'com.amazon.coral.service#ExpiredTokenException', message: 'Expired.' };
          response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
          return;
        }
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(Buffer.from(chunk));
        const headers = Object.entries(request.headers).flatMap(([name, value]): readonly [string, string][] =>
          typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name) ? [[name, value]] : [],
        );
        const answer = await fetch(tables.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
        response
          .writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' })
          .end(Buffer.from(await answer.arrayBuffer()));
      }),
    );
  };

  it('prints what it found when the credentials expire midway, and how far it came', async () => {
    const padding = 'x'.repeat(300 * 1024);
    await put(...Array.from({ length: 12 }, (_, index) => claimed({ pk: `SEND#${index}`, decision: padding })));
    await using expiring = await listenUntil((operation, calls) => operation === 'Scan' && calls >= 3);
    useTables(expiring.url);

    const { code, out } = await audit();
    const json = JSON.parse((await audit('--json')).out || 'null');

    expect(code).toBe(5);
    expect(out).toMatch(/^Not confirmed \(\d+ violations\), because the check ended before it read them again\./);
    expect(out).toMatch(/\n {2}SEND#\d+ SEND: claim-ends-with-its-lease: It is still claimed, but its lease/);
    expect(out).toMatch(/\nTable \S+: [1-9]\d* items read, /);
    expect(out).toContain(
      '\nFailed: Your AWS credentials are expired or invalid. Sign in again. The check is not complete.',
    );
    expect(out).toMatch(/\nViolations found: 0; not confirmed: [1-9]\d*\.$/);
    // The second run fails on its first page, so it has nothing to print.
    expect(json).toBeNull();
  });

  it('says as JSON why it failed', async () => {
    await put(claimed());
    await using expiring = await listenUntil((operation) => operation === 'BatchGetItem');
    useTables(expiring.url);

    const { code, out } = await audit('--json');

    expect(code).toBe(5);
    expect(JSON.parse(out).tables).toEqual([
      expect.objectContaining({
        items: 1,
        end: 'failed',
        reason: 'Your AWS credentials are expired or invalid. Sign in again.',
        unconfirmed: [expect.objectContaining({ law: 'claim-ends-with-its-lease', because: 'not-read-again' })],
      }),
    ]);
  });

  it('prints as not confirmed what a running erasure can explain', async () => {
    await put(accepted(), erasure({ requestedAt: '2026-11-22T11:50:00.000Z' }));

    const { code, out } = await audit();

    expect(code).toBe(6);
    expect(out.split('\n')).toEqual([
      'Not confirmed (1 violation), because an erasure that may be running can explain them. Run the check again when none is running:',
      '  SEND#order-17 SEND: accepted-send-has-its-message: Its message is missing.',
      expect.stringMatching(/^Table /),
      'Violations found: 0; not confirmed: 1.',
    ]);
  });

  it('says that the rate is an average', async () => {
    expect((await target.parley(['check-table', '--help'])).out.replace(/\s+/g, ' ')).toContain(
      'per second on average',
    );
  });

  it.each([
    ['--rate', '0'],
    ['--rate', 'fast'],
    ['--grace', '-1'],
    ['--message-days', '0'],
  ])('rejects %s %s', async (...args) => {
    expect(await audit(...args)).toMatchObject({ code: 2, out: '' });
  });
});
