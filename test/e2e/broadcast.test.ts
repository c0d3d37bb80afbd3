import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManagementClient, type ManagementClient } from '../../cli/operations/management-client.ts';
import { countSends, totalOf } from '../../cli/operations/send-counts.ts';
import { createSignedFetch } from '../../cli/operations/signed-fetch.ts';
import { contactRef } from '../../lambdas/domain/contact.ts';
import { forecastResponse } from '../../lambdas/manage/api/forecasts.ts';
import { forEachConcurrently } from '../../lambdas/runtime/concurrency.ts';
import { checkKeyOf, consentKeyOf, contactKeyOf } from '../../lambdas/table/keys.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';
import { eventually } from '../support/eventually.ts';

// A broadcast of 500 rows, of which 200 may not be sent: in the command and by API.

const ROWS = 500;

/** What is stored about a contact. Of every 25 rows, 3 contacts wrote, 12 opted in, 4 opted out, 4 never did, 2 are unknown. */
const situationOf = (row: number): 'wrote' | 'opted in' | 'opted out' | 'known' | 'unknown' => {
  const place = row % 25;
  if (place >= 1 && place <= 3) return 'wrote';
  if (place >= 4 && place <= 7) return 'opted out';
  if (place >= 8 && place <= 11) return 'known';
  return place === 12 || place === 13 ? 'unknown' : 'opted in';
};
const rows = Array.from({ length: ROWS }, (_, index) => index + 1);
const contactOf = (row: number): string => `+54911${60_000_000 + row}`;

let run: CommandRun;
let cloud: CommandRun['cloud'];
let client: CommandRun['client'];
let api: ManagementClient;

beforeAll(async () => {
  run = await startCommandRun();
  ({ cloud, client } = run);
  const {
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
    AWS_REGION = '',
  } = cloud.env;
  const credentials = async () => ({ accessKeyId, secretAccessKey });
  api = createManagementClient(cloud.managementUrl, createSignedFetch({ region: AWS_REGION, credentials }, 60_000));
  await client.putRule('opening', { text: 'Hi ${name}, we open at nine.', category: 'similar' });
  await client.control('PATCH', '/account', { credit: 10 * ROWS });
  await storeContacts();
});
afterAll(() => run?.[Symbol.asyncDispose]());

/** Stores the contacts as an import would, except for the open windows, which the chat service must know too. */
const storeContacts = async (): Promise<void> => {
  const now = cloud.clock.now().toISOString();
  const expiresAt = Math.floor(Date.parse(now) / 1000) + 30 * 24 * 60 * 60;
  const items = rows.flatMap((row) => {
    const ref = contactRef('chat', contactOf(row));
    const consent = (name: string) => ({
      ...consentKeyOf(ref),
      [`${name}At`]: '2026-01-01T00:00:00.000Z',
      [`${name}Source`]: 'list',
      [`${name}RecordedAt`]: '2026-01-01T00:00:00.000Z',
    });
    switch (situationOf(row)) {
      case 'opted in':
        return [consent('importOptIn')];
      case 'opted out':
        return [consent('userOptOut')];
      case 'known':
        return [{ ...checkKeyOf(ref), checkedAt: now, checkedAddress: contactOf(row), expiresAt }];
      default:
        return [];
    }
  });
  const dynamodb = new DynamoDBClient({
    region: cloud.env.AWS_REGION ?? '',
    endpoint: cloud.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  for (let start = 0; start < items.length; start += 25) {
    const requests = items.slice(start, start + 25).map((item) => ({ PutRequest: { Item: marshall(item) } }));
    await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [cloud.tableName]: requests } }));
  }
  dynamodb.destroy();
  const writers = rows.filter((row) => situationOf(row) === 'wrote');
  for (const row of writers) await client.userWrites(contactOf(row), { text: 'Hi' });
  await eventually(async () => {
    const table = await client.table();
    const areOpen = writers.every((row) => {
      const { pk, sk } = contactKeyOf(contactRef('chat', contactOf(row)));
      return table[`${pk} ${sk}`]?.lastInboundAt !== undefined;
    });
    return areOpen ? true : undefined;
  });
};

const writeCsv = (): string => {
  const lines = rows.map((row) => `${contactOf(row)},Ana ${row}`);
  const file = join(run.folder, 'customers.csv');
  writeFileSync(file, `phone,name\n${lines.join('\n')}\n`);
  return file;
};
const messageArgs = (file: string) => [
  ...['broadcast', file, '--contact-column', 'phone', '--text', 'Hi {{name}}, we open at nine.'],
  ...['--template', 'opening', '--param', 'name={{name}}', '--reason', 'similar'],
];
/** Runs the command on a terminal, on which this is typed. */
const onTerminal = (typed: string, args: readonly string[]) =>
  run.parley(args, { stdin: Object.assign(Readable.from([typed]), { isTTY: true }) });

/** Counts what the chat service accepted since an earlier count. */
const accepted = async (since = 0) => {
  const sent = (await client.outbox()).slice(since);
  const of = (endpoint: string) => sent.filter((message) => message.endpoint.includes(endpoint)).length;
  return { freeForm: of('message'), template: of('intent') };
};
const outboxSize = async () => (await client.outbox()).length;

/** Queues requests and waits for their outcome, as a system that uses only the API would. */
const broadcastByApi = async (broadcastId: string) => {
  await forEachConcurrently(8, rows, async (row) => {
    const params = { name: `Ana ${row}` };
    const message = { messageText: 'Hi, we open at nine.', ruleNameOrId: 'opening', params, reason: 'similar' };
    await api('POST', '/v1/sends', {
      requestId: `${broadcastId}-${row}`,
      broadcastId,
      platformContactId: contactOf(row),
      ...message,
    });
  });
  return eventually(async () => {
    await pause(300);
    const counts = await countSends(api, { broadcast: broadcastId });
    const isEnded = counts.every(({ state }) => !['queued', 'claimed', 'waiting'].includes(state));
    return isEnded && totalOf(counts) === ROWS ? counts : undefined;
  });
};
const forecastByApi = async () => {
  const message = { messageText: 'Hi', ruleNameOrId: 'opening', reason: 'similar' };
  const answer = await api('POST', '/v1/forecasts', { contacts: rows.map(contactOf), ...message });
  const { forecasts } = forecastResponse.parse(answer);
  const groups = Map.groupBy(forecasts, ({ decision, code = decision, known }) => `${code}${known ? '' : ', unknown'}`);
  return Object.fromEntries([...groups].map(([group, { length }]) => [group, length]));
};

const TIMEOUT = { timeout: 900_000 };

const OUTCOME = [
  { state: 'accepted', count: 300 },
  { state: 'refused', code: 'NO_OPT_IN', count: 120 },
  { state: 'refused', code: 'OPTED_OUT', count: 80 },
];

describe('a broadcast of 500 rows, of which 200 may not be sent', () => {
  it('by the command: a forecast, a question, and the outcome by code', TIMEOUT, async () => {
    const args = messageArgs(writeCsv());
    const before = await outboxSize();

    const refused = await onTerminal('n\n', args);

    expect(refused).toMatchObject({ code: 130, out: '' });
    expect(refused.err.split('\n')).toEqual([
      `${args[1]}: 500 rows, 500 contacts. Encoding: utf-8. Delimiter: ,`,
      ...[1, 2, 100].map(
        (row) =>
          `  row ${row + 1}${row === 100 ? ' (longest)' : ''}, ${contactOf(row)}: Hi Ana ${row}, we open at nine.; ` +
          `outside the window, template opening (name: Ana ${row})`,
      ),
      expect.stringMatching(/^Broadcast b-[0-9a-f]{20}: no contact in the file has a request in it yet/),
      'Forecast: 60 free-form, 240 as template, 200 may not be sent: ' +
        '120 NO_OPT_IN (80 never opted in, 40 unknown numbers), 80 OPTED_OUT.',
      expect.stringMatching(/^Messages expire 24 hours after they are queued/),
      'Send 500 messages through the local run? [y/N]',
      'parley: Nothing was queued.',
    ]);
    expect([await outboxSize(), await client.queueDepth(cloud.sendQueueUrl)]).toEqual([before, 0]);

    const { code, out } = await onTerminal('y\n', [...args, '--wait', '--id', 'by-command', '--json']);

    expect([code, JSON.parse(out)]).toMatchObject([
      6,
      { queued: 500, invalidRows: 0, broadcastId: 'by-command', outcome: OUTCOME },
    ]);
    expect(await accepted(before)).toEqual({ freeForm: 60, template: 240 });

    const repeated = await run.parley([...args, '--yes', '--wait', '--id', 'by-command']);

    expect(repeated.out).toContain('Outcome: 300 accepted, 120 refused (NO_OPT_IN), 80 refused (OPTED_OUT).');
    expect(await outboxSize()).toBe(before + 300);
  });

  it('by API: the same forecast, and the same outcome by code', TIMEOUT, async () => {
    const before = await outboxSize();

    expect(await forecastByApi()).toEqual({
      'free-form': 60,
      template: 240,
      OPTED_OUT: 80,
      NO_OPT_IN: 80,
      'NO_OPT_IN, unknown': 40,
    });
    expect(await broadcastByApi('by-api')).toEqual(OUTCOME);
    expect(await accepted(before)).toEqual({ freeForm: 60, template: 240 });
  });
});
