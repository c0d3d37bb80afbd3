import { expect, test } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { NOW, sendRequest, USER, wireMessage, wireStatus } from '../../../support/builders.ts';
import type { EmulatedTables } from '../../../support/emulated-table.ts';
import { putSendInState } from '../../../support/send-states.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createClientWithHooks } from '../../lambdas/adapters/dynamodb/client-with-hooks.ts';
import { createManagedStage } from '../../lambdas/manage/managed-stage.ts';
import { ANSWERS, createSendHarness } from '../../lambdas/send/send-harness.ts';
import { statementsOf } from '../iam-statements.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

// The emulator enforces no permissions, so that a function's calls are compared with what its role allows.

const tables = testTables();

/** Returns `tables` with a client that adds each action and the kinds of its items, such as `GetItem SEND#*`, to `used`. */
const recording = (used: Set<string>): EmulatedTables => {
  const request = (operation: string, input: object) => {
    const { Key, RequestItems = {} } = { Key: undefined, RequestItems: undefined, ...input } as {
      Key?: { pk: { S: string } };
      RequestItems?: Record<string, { Keys: { pk: { S: string } }[] }>;
    };
    const keys = [...(Key ? [Key] : []), ...Object.values(RequestItems).flatMap(({ Keys }) => Keys)];
    for (const { pk } of keys) used.add(`${operation} ${pk.S.replace(/#.*$/s, '#*')}`);
  };
  return { ...tables, tableClient: createClientWithHooks(tables, { request }) };
};

/** What the role of a function allows, in the same form. */
const allowed = (role: string): readonly string[] =>
  statementsOf(synthesizedStack('prod').template).flatMap((statement) => {
    const [, actions = '', keys = ''] =
      new RegExp(`^${role}DefaultPolicy: Allow (dynamodb:.*) on Table\\.Arn if .*LeadingKeys":(\\[.*\\])\\}\\}$`).exec(
        statement,
      ) ?? [];
    if (keys === '') return [];
    return actions
      .split(', ')
      .flatMap((action) => (JSON.parse(keys) as string[]).map((key) => `${action.replace('dynamodb:', '')} ${key}`));
  });

test('receive and manage use only items that their roles allow', async () => {
  const [received, managed] = [new Set<string>(), new Set<string>()];
  let used = received;
  const collect = { add: (name: string) => used.add(name) } as Set<string>;
  const stage = await createManagedStage(recording(collect), { windowPer: 'channel' });
  await stage.receive(wireMessage({ TO: '+5491100000001' }));
  await stage.receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: USER }));
  await stage.receive(wireStatus({ CLIENT_PAYLOAD: 'request-1' }));
  const envelope = { v: '1.1', chatPlatform: 'chat', contactId: USER };
  await stage.receive({ ...envelope, type: 'status', messageId: 'm-1', intentTxId: 'transaction-1', status: 'failed' });
  await stage.receive({ ...envelope, type: 'event' });

  used = managed;
  const contact = contactRef('chat', USER);
  await stage.deadLetters.keep({ id: 'd-1', queue: 'send', reason: 'X', body: '{}', since: NOW }, [contact], {
    at: addMs(NOW, -90_000),
    keepId: 'keep-1',
  });
  await stage.deadLetters.keep({ id: 'd-2', queue: 'send', reason: 'X', body: '{}', since: NOW }, [], {
    at: addMs(NOW, -90_000),
    keepId: 'keep-1',
  });
  await putSendInState(stage.sends, 'uncertain');
  await stage.call('getStage');
  await stage.call('stopSending', { body: { note: 'Wrong template' } });
  await stage.call('resumeSending', { body: {} });
  await stage.call('closeCircuitBreaker', { body: {} });
  await stage.call('getContact', { id: USER });
  await stage.call('forecastSends', { body: { contacts: [USER], messageText: 'Hi' } });
  await stage.call('getConversation', { id: USER });
  await stage.call('optIn', { body: { platformContactId: USER, source: 'form', chatChannelNumber: '+5491100000002' } });
  await stage.call('enqueueSend', { body: sendRequest({ requestId: 'queued' }) });
  await stage.call('resolveSend', { body: { requestId: 'request-1', outcome: 'accepted', messageId: 'm-1' } });
  await stage.call('importEvents', {
    body: {
      entries: [
        wireMessage({ _id_: 'imported', TO: '+5491100000001' }),
        wireStatus({ _id_: 'imported', CLIENT_PAYLOAD: 'request-1' }),
        { ...envelope, type: 'message', txId: 'transaction-2', messages: [{ _id: 'm-2', date: NOW, from: 'bot' }] },
        { ...envelope, type: 'event', date: NOW },
      ],
    },
  });
  await stage.call('getDeadLetter', { id: 'd-2' });
  await stage.call('deleteDeadLetter', { id: 'd-2' });
  await stage.call('eraseContact', { id: USER });
  await stage.erase();
  await stage.call('listAudit');

  expect([...received].filter((use) => !allowed('ReceiverFunctionRole').includes(use))).toEqual([]);
  expect([...managed].filter((use) => !allowed('ManagementFunctionRole').includes(use))).toEqual([]);
  expect([...managed]).toEqual(
    expect.arrayContaining([
      'UpdateItem ACCOUNT#*',
      'UpdateItem AUDIT#*',
      'DeleteItem DEADLETTER#*',
      'BatchGetItem AUDIT#*',
    ]),
  );
  expect([...received]).toEqual(
    expect.arrayContaining(['CHANNELS', 'MESSAGE#*', 'TRANSACTION#*', 'UNKNOWN#*'].map((key) => `UpdateItem ${key}`)),
  );
});

test('send uses only items that its role allows', async () => {
  const used = new Set<string>();
  const harness = await createSendHarness(recording(used));
  await harness.openWindow(USER);
  const { send } = harness.startFunction();
  const { accepted, noCredit } = ANSWERS;
  const acceptedAsJob = { ...accepted, httpStatus: 202, body: { webhookNotificationId: 'transaction-1' } };
  for (const [index, answer] of [accepted, acceptedAsJob, noCredit, accepted].entries()) {
    harness.answers.push(answer);
    await send(sendRequest({ requestId: `request-${index}` }));
  }

  const forbidden = [...used].filter(
    (use) => !use.startsWith('PutItem') && !allowed('SenderFunctionRole').includes(use),
  );
  expect(forbidden).toEqual([]);
  expect([...used]).toEqual(
    expect.arrayContaining(['ACCOUNT#*', 'MESSAGE#*', 'SEND#*', 'TRANSACTION#*'].map((key) => `UpdateItem ${key}`)),
  );
});

test('no role can delete an entry of the audit trail, and only manage can write one', () => {
  const roles = ['ReceiverFunctionRole', 'SenderFunctionRole', 'PublisherFunctionRole', 'ManagementFunctionRole'];
  const audit = roles.map((role) => [role, allowed(role).filter((use) => / AUDIT/.test(use))] as const);

  expect(Object.fromEntries(audit)).toEqual({
    ReceiverFunctionRole: [],
    SenderFunctionRole: [],
    PublisherFunctionRole: [],
    ManagementFunctionRole: expect.arrayContaining(['UpdateItem AUDIT#*', 'GetItem AUDIT#*', 'BatchGetItem AUDIT#*']),
  });
  expect(audit.flatMap(([, uses]) => uses).filter((use) => use.startsWith('Delete'))).toEqual([]);
  expect(
    statementsOf(synthesizedStack('prod').template).filter((one) => /Allow dynamodb:.*Item.*Arn$/.test(one)),
  ).toEqual([]);
});
