import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { AUDIT_ACTIONS } from '../../../../../lambdas/domain/audit.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import type { RouteName } from '../../../../../lambdas/manage/api/route-name.ts';
import { NOW, USER } from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type GivenCall, type ManagedStage, OPERATOR } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const CONTACT = { chatPlatform: 'chat', chatChannelNumber: '*', key: '541155550000' };
const OTHER = { arn: 'arn:aws:iam::111122223333:user/import' };
const consent = { platformContactId: USER, source: 'form', at: '2026-11-19T08:00:00Z' };

interface ListedEntry {
  readonly auditId: string;
  readonly at: string;
  readonly action: string;
  readonly requestId?: string;
}
const none = async () => undefined;
const list = async (query: Record<string, string> = {}) => {
  const { status, body } = await stage.call('listAudit', { query });
  expect(status).toBe(200);
  return body as { entries: ListedEntry[]; cursor?: string };
};
const entries = async (query?: Record<string, string>) => (await list(query)).entries;

/** Each act with what its entry says. */
const ACTS: readonly (readonly [
  name: RouteName,
  prepare: () => Promise<unknown>,
  call: GivenCall,
  entry: Readonly<Record<string, unknown>>,
])[] = [
  [
    'optIn',
    async () => undefined,
    { body: consent },
    {
      action: 'opt-in',
      contact: CONTACT,
      platformContactId: USER,
      source: 'form',
      origin: 'import',
      consentAt: '2026-11-19T08:00:00.000Z',
    },
  ],
  [
    'optOut',
    async () => undefined,
    { body: { platformContactId: USER, source: 'call' } },
    { action: 'opt-out', contact: CONTACT, platformContactId: USER, source: 'call', origin: 'user', consentAt: NOW },
  ],
  ['eraseContact', async () => undefined, { id: USER }, { action: 'erasure', erasureId: 'id-1' }],
  [
    'cancelSend',
    () => putSendInState(stage.sends, 'scheduled'),
    { body: { requestId: 'request-1' } },
    { action: 'cancellation', contact: CONTACT, platformContactId: USER, requestId: 'request-1' },
  ],
  [
    'cancelSendById',
    () => putSendInState(stage.sends, 'scheduled'),
    { id: 'request-1' },
    { action: 'cancellation', contact: CONTACT, platformContactId: USER, requestId: 'request-1' },
  ],
  [
    'requeueSend',
    async () => {
      await putSendInState(stage.sends, 'scheduled');
      await stage.table.update({ key: { pk: 'SEND#request-1', sk: 'SEND' }, set: { sendAt: NOW } });
    },
    { body: { requestId: 'request-1' } },
    { action: 'requeue', contact: CONTACT, platformContactId: USER, requestId: 'request-1' },
  ],
  [
    'resolveSend',
    () => putSendInState(stage.sends, 'uncertain'),
    { body: { requestId: 'request-1', outcome: 'accepted', messageId: 'm-1', note: 'seen' } },
    {
      action: 'resolution',
      contact: CONTACT,
      platformContactId: USER,
      requestId: 'request-1',
      outcome: 'accepted',
      messageId: 'm-1',
      note: 'seen',
    },
  ],
  [
    'deleteDeadLetter',
    () =>
      stage.deadLetters.keep({ id: 'd-1', queue: 'send', reason: 'X', body: '{}', since: NOW }, [], {
        at: addMs(NOW, -90_000),
        keepId: 'keep-1',
      }),
    { id: 'd-1' },
    { action: 'dead-letter-deletion', deadLetterId: 'd-1', queue: 'send' },
  ],
  [
    'recordAudit',
    async () => undefined,
    { body: { action: 'access-token-change' } },
    { action: 'access-token-change' },
  ],
  [
    'recordAudit',
    async () => undefined,
    { body: { action: 'redrive', queue: 'send', reason: 'to +5491155550000' } },
    { action: 'redrive', queue: 'send', reason: 'to ***00' },
  ],
];

describe('the audit trail', () => {
  it.each(ACTS)('records the caller and the details of %s', async (name, prepare, call, entry) => {
    await prepare();

    expect((await stage.call(name, call)).status).toBeLessThan(300);

    expect(await entries()).toEqual([
      { auditId: expect.any(String), at: NOW, caller: OPERATOR.arn, callerId: OPERATOR.id, ...entry },
    ]);
  });

  it.each(ACTS)(
    'has the entry of %s even if the action fails, and no action lacks an entry',
    async (name, prepare, call) => {
      await prepare();
      const before = await stage.items();
      const { audit } = stage.ports;
      stage.ports.audit = { ...audit, record: () => Promise.reject(new Error('throttled')) };
      await expect(stage.call(name, call)).rejects.toThrow('throttled');
      expect(await stage.items()).toEqual(before);
      expect([stage.queuedErasures, stage.queued, stage.cancelledSchedules]).toEqual([[], [], []]);

      stage.ports.audit = {
        ...audit,
        async record(entry) {
          await audit.record(entry);
          throw new Error('killed');
        },
      };
      await expect(stage.call(name, call)).rejects.toThrow('killed');
      stage.ports.audit = audit;
      expect(await entries()).toHaveLength(1);
    },
  );

  it('has no entry for an action that cannot be carried out', async () => {
    await putSendInState(stage.sends, 'accepted');
    for (const requestId of ['request-1', 'unknown']) {
      await stage.call('cancelSend', { body: { requestId } });
      await stage.call('resolveSend', { body: { requestId, outcome: 'failed' } });
    }
    await stage.call('optIn', { body: { ...consent, source: '' } });

    expect(await entries()).toEqual([]);
  });

  it('has an entry for each call, so no action hides behind another entry', async () => {
    await stage.call('optIn', { body: consent });
    await stage.call('optIn', { body: consent, caller: OTHER });
    await stage.call('optOut', { body: consent });
    await stage.call('optIn', { body: { ...consent, source: 'import' } });
    stage.setNow('2026-11-20T12:01:00.000Z');
    await stage.call('optIn', { body: consent });

    expect((await entries()).map(({ action, at }) => [at.slice(14, 16), action])).toEqual([
      ['01', 'opt-in'],
      ...Array.from({ length: 4 }, () => ['00', expect.stringMatching(/^opt-/)]),
    ]);
  });

  it('has an entry of each change of the access token, and of each redrive, however soon after another', async () => {
    stage.redrivenSources = { inbound: { receive: async () => [], remove: none, release: none } };
    stage.redriveQueues = { inbound: { url: 'https://queues.example/inbound', put: none } };
    for (const at of ['2026-11-20T12:00:10.000Z', '2026-11-20T12:00:40.000Z']) {
      stage.setNow(at);
      await stage.call('recordAudit', { body: { action: 'access-token-change' } });
      await stage.deadLetters.keep({ id: at, queue: 'inbound', reason: 'X', body: '{}', since: NOW }, [], {
        at: addMs(NOW, -90_000),
        keepId: 'keep-1',
      });
      await stage.call('redriveDeadLetters', { body: { queue: 'inbound' } });
    }

    expect((await entries()).map(({ action, at }) => [at.slice(17, 19), action]).toSorted()).toEqual([
      ['10', 'access-token-change'],
      ['10', 'redrive'],
      ['40', 'access-token-change'],
      ['40', 'redrive'],
    ]);
  });

  it('has an entry of a cancellation that succeeds because the send was scheduled during the call', async () => {
    await putSendInState(stage.sends, 'queued');
    const { read } = stage.ports.sends;
    stage.ports.sends = {
      ...stage.ports.sends,
      async read(requestId) {
        const send = await read(requestId);
        if (send?.state === 'queued') await putSendInState(stage.sends, 'scheduled');
        return send;
      },
    };

    const { status } = await stage.call('cancelSend', { body: { requestId: 'request-1' } });

    const isCancelled = (await stage.sendItem())?.state === 'cancelled';
    expect([isCancelled, (await entries()).length]).toEqual(status === 200 ? [true, 1] : [false, 0]);
  });

  it('never changes an entry', async () => {
    await stage.call('optIn', { body: consent });
    const before = await entries();
    stage.setNow('2026-11-20T12:00:59.999Z');
    await stage.call('optIn', { body: consent });

    expect(await entries()).toEqual(expect.arrayContaining([...before]));
  });

  it('takes the caller from the signature and never from the call', async () => {
    const body = { action: 'access-token-change', caller: 'arn:aws:iam::111122223333:user/somebody-else' };
    expect(await stage.call('recordAudit', { body })).toMatchObject({ status: 400 });
    expect(await stage.call('recordAudit', { body: { action: 'opt-in' } })).toMatchObject({
      status: 400,
      body: {
        message: expect.stringContaining(
          'access-token-change, webhook-secret-change, redrive, or dead-letter-deletion',
        ),
      },
    });
    expect(await entries()).toEqual([]);
  });

  it('expires', async () => {
    await stage.call('optIn', { body: consent });
    const [item] = Object.entries(await stage.items()).flatMap(([key, one]) => (key.startsWith('AUDIT') ? [one] : []));
    expect(Object(item).expiresAt).toBe(stage.table.expiryOf('audit', NOW));
  });
});

describe('the list of the audit trail', () => {
  const at = (index: number) => `2026-11-20T12:${String(index).padStart(2, '0')}:00.000Z`;
  const putMany = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      stage.setNow(at(index));
      await stage.call('optIn', { body: { ...consent, platformContactId: index % 3 === 0 ? USER : '+5491155559999' } });
    }
  };
  const pages = async (query: Record<string, string>) => {
    const found: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ ...query, ...(cursor !== undefined && { cursor }) });
      found.push(page.entries.map((entry) => entry.at));
      cursor = page.cursor;
    } while (cursor !== undefined);
    return found;
  };

  it('has pages, newest first, for a period, with or without a contact', async () => {
    await putMany(12);
    const newestFirst = Array.from({ length: 12 }, (_, index) => at(11 - index));

    const all = await pages({ limit: '5' });
    expect(all.flat()).toEqual(newestFirst);
    expect(all.slice(0, 2).map(({ length }) => length)).toEqual([5, 5]);
    expect((await pages({ limit: '2', since: at(3), until: at(8) })).flat()).toEqual(newestFirst.slice(3, 9));
    const ofContact = { platformContactId: '5491155550000', limit: '2' };
    expect((await pages(ofContact)).flat()).toEqual([at(9), at(6), at(3), at(0)]);
    expect((await pages({ ...ofContact, since: at(1), until: at(6) })).flat()).toEqual([at(6), at(3)]);
  });

  it.each([
    [{ since: 'yesterday' }, 'since: must be an ISO 8601 time'],
    [{ since: at(2), until: at(1) }, 'since: must not be later than `until`'],
    [{ platformContactId: 'x'.repeat(2_048) }, 'platformContactId: must not be longer'],
    [{ limit: '501' }, 'limit: must be at most 500'],
    [{ cursor: 'x' }, 'The cursor is not one that this API returned'],
  ])('refuses the query %j', async (query, message) => {
    expect(await stage.call('listAudit', { query: query as Record<string, string> })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(message) },
    });
  });
});

describe('an erasure', () => {
  it('removes the contact from its entries, but not the caller, the action, and the time', async () => {
    await stage.call('optIn', { body: { ...consent, source: 'form of Ana' } });
    await stage.call('eraseContact', { id: USER, caller: OTHER });
    await stage.erase();

    expect(await entries()).toEqual(
      expect.arrayContaining([
        {
          auditId: expect.any(String),
          at: NOW,
          action: 'opt-in',
          caller: OPERATOR.arn,
          callerId: OPERATOR.id,
          consentAt: '2026-11-19T08:00:00.000Z',
          origin: 'import',
          erasedAt: NOW,
        },
        { auditId: expect.any(String), at: NOW, action: 'erasure', caller: OTHER.arn, erasureId: 'id-1' },
      ]),
    );
    expect(await entries({ platformContactId: USER })).toEqual([]);
  });
});

it.each(AUDIT_ACTIONS)('%s is in the table of actions in docs/management-api.md', (action) => {
  const page = readFileSync(new URL('../../../../../docs/management-api.md', import.meta.url), 'utf8');
  const [, table = ''] = /\| action \| additional fields \|\n(.*?)\n\n/s.exec(page) ?? [];
  expect(table.split('\n').map((row) => row.split('|')[1])).toContainEqual(expect.stringContaining(`\`${action}\``));
});
