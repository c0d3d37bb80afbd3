import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contactRef } from '../../../lambdas/domain/contact.ts';
import type { LawName } from '../../../lambdas/laws/check-laws.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { BrokenLawError, checkWrites, plantItem, reportLaws } from '../../support/checked-cloud.ts';
import { contactItems } from '../../support/contact-items.ts';
import { startTestCloud } from '../../support/test-cloud.ts';

// Every end-to-end test ends with the check of the table's stream. Here, the check itself is tested: this test writes
// what no function would.

const USER = '+5491155550061';
const AT = '2026-01-01T00:00:00.000Z';

let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud();
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  // The last test breaks a law of stored items on purpose.
  await cloud?.close().catch((error: unknown) => {
    if (!(error instanceof BrokenLawError)) throw error;
  });
});

const accept = async (requestId: string): Promise<string> => {
  await client.userWrites(USER, { text: 'Hi' });
  await waitFor('the window is open', async () =>
    (await client.table())['CONTACT#chat#*#541155550061 CONTACT'] ? true : undefined,
  );
  await client.enqueue({ requestId, platformContactId: USER, messageText: 'Hi' });
  return waitFor(`${requestId} is accepted`, async () => {
    const messageId = (await client.table())[`SEND#${requestId} SEND`]?.messageId;
    return typeof messageId === 'string' ? messageId : undefined;
  });
};

/** Returns the start of a line about a broken law. */
const fault = (law: LawName, what: string): string => `${law}: ${what}`;

const setState = (requestId: string, state: string) =>
  cloud.emulators.dynamodb.send(
    new UpdateItemCommand({
      TableName: cloud.tableName,
      Key: marshall({ pk: `SEND#${requestId}`, sk: 'SEND' }),
      UpdateExpression: 'SET #state = :state, waitingAt = :at',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: marshall({ ':state': state, ':at': new Date().toISOString() }),
    }),
  );

it('finds an illegal transition in the stream, once, even after the item is legal again', async () => {
  await accept('illegal');
  await setState('illegal', 'waiting');
  await setState('illegal', 'accepted');

  await expect(checkWrites()).rejects.toThrow(
    fault(
      'send-follows-its-transitions',
      'SEND#illegal SEND: The send went from accepted to waiting, which no transition allows',
    ),
  );
  await expect(checkWrites()).resolves.toBeUndefined();
});

it('finds a window that moves back, and a deleted send', async () => {
  const [window] = contactItems(contactRef('chat', '+5491155550062'), { lastInboundAt: AT });
  const put = (changes: object) =>
    cloud.emulators.dynamodb.send(
      new PutItemCommand({ TableName: cloud.tableName, Item: marshall({ ...window, ...changes }) }),
    );
  await put({});
  await put({ lastInboundAt: '2025-12-31T00:00:00.000Z' });
  const Key = marshall({ pk: 'SEND#illegal', sk: 'SEND' });
  await cloud.emulators.dynamodb.send(new DeleteItemCommand({ TableName: cloud.tableName, Key }));

  const broken = await checkWrites().catch((error: unknown) => String(error));
  expect(broken).toContain(
    fault('contact-moves-forward', 'CONTACT#chat#*#541155550062 CONTACT: lastInboundAt went from 2026'),
  );
  expect(broken).toContain(fault('item-is-deleted-only-as-documented', 'SEND#illegal SEND: The item was deleted.'));
});

it('leaves out what a test plants on purpose', async () => {
  await plantItem(cloud, { pk: 'SEND#planted', sk: 'SEND', state: 'half done' });

  await expect(checkWrites()).resolves.toBeUndefined();
});

it('finds, when the run is closed, a stored item that no law allows', async () => {
  const messageId = await accept('without-message');
  const Key = marshall({ pk: `MESSAGE#${messageId}`, sk: 'MESSAGE' });
  await cloud.emulators.dynamodb.send(new DeleteItemCommand({ TableName: cloud.tableName, Key }));
  // Until then, a retry could still write the message.
  await client.advanceClock(2 * 60 * 60);

  const closed = await cloud.close().catch((error: unknown) => String(error));
  expect(closed).toContain(fault('accepted-send-has-its-message', 'SEND#without-message SEND: Its message'));
  expect(closed).not.toContain('SEND#planted');
});

it('is closed without an error after it has reported the broken laws of its changes and stored items', async () => {
  await using reported = await startTestCloud();
  const Item = marshall({ pk: 'SEND#reported', sk: 'SEND', state: 'half done' });
  await reported.emulators.dynamodb.send(new PutItemCommand({ TableName: reported.tableName, Item }));

  const { changes, items, violations } = await reportLaws(reported);
  expect(Math.min(changes, items)).toBeGreaterThan(0);
  expect(violations.map(({ law }) => law)).toEqual(
    expect.arrayContaining(['send-follows-its-transitions', 'send-is-complete'] satisfies LawName[]),
  );
  await expect(checkWrites()).resolves.toBeUndefined();
  await expect(reported.close()).resolves.toBeUndefined();
});
