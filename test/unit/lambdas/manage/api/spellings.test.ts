import { beforeEach, describe, expect, it } from 'vitest';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { NOW, sendRequest, templateRequest, wireMessage } from '../../../../support/builders.ts';
import { NOT_ADDRESSES, PARTIAL_NUMBERS, SPELLINGS } from '../../../../support/spellings.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

/** The number of every spelling, as the chat service writes it. */
const FROM = '5491150000001';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables, { rules: { operators: { echoes: true } } });
});

const dryRun = async (body: object) => (await stage.call('enqueueSend', { query: { dryRun: 'true' }, body })).body;
const read = async () => (await stage.call('getContact', { id: FROM })).body;

describe('a contact in any spelling of its number', () => {
  it('is answered, handed over, opted out, and erased', async () => {
    let index = 0;
    for (const typed of SPELLINGS) {
      index += 1;
      stage.setNow(addMs(NOW, index * 60_000));
      const body = { platformContactId: typed };
      await stage.receive(wireMessage({ _id_: `in-${index}`, FROM, CREATION_TIME: stage.now() }));

      expect([typed, await dryRun(sendRequest(body))]).toMatchObject([typed, { decision: 'free-form' }]);
      await stage.call('handOver', { body });
      expect([typed, await read()]).toMatchObject([typed, { handover: { state: 'people' } }]);
      await stage.call('optOut', { body: { ...body, source: 'call' } });
      expect([typed, await dryRun(templateRequest({ platformContactId: FROM }))]).toMatchObject([
        typed,
        { decision: 'refused', code: 'OPTED_OUT' },
      ]);
      expect([typed, await stage.call('eraseContact', { id: typed })]).toMatchObject([typed, { status: 202 }]);
      stage.setNow(addMs(stage.now(), 30_000));
      await stage.erase();
      expect([typed, (await stage.call('getConversation', { id: FROM })).status]).toEqual([typed, 404]);
    }
    expect(JSON.stringify(await stage.items())).not.toContain(FROM.slice(3));
  });

  it('is refused if it looks like a number and is none', async () => {
    for (const [typed, fault] of NOT_ADDRESSES) {
      const body = { platformContactId: typed };
      const answers = await Promise.all([
        stage.call('handOver', { body }),
        stage.call('handBack', { body }),
        stage.call('optIn', { body: { ...body, source: 'form' } }),
        stage.call('optOut', { body: { ...body, source: 'form' } }),
        stage.call('enqueueSend', { body: sendRequest(body) }),
        stage.call('forecastSends', { body: { contacts: [typed], messageText: 'Hi' } }),
        stage.call('checkContacts', { body: { contacts: [typed] } }),
        stage.call('eraseContact', { id: typed }),
      ]);
      for (const { status, body: answer } of answers) {
        expect([typed, status, answer]).toEqual([
          typed,
          400,
          expect.objectContaining({ message: expect.stringContaining(fault) }),
        ]);
      }
    }
    expect([stage.queued, stage.queuedErasures]).toEqual([[], []]);
  });

  it('is refused as a part of a number, unless the chat service has named such a user', async () => {
    for (const [typed, fault] of PARTIAL_NUMBERS) {
      stage = await createManagedStage(tables, { rules: { operators: { echoes: true } } });
      const acts = () =>
        Promise.all([
          stage.call('handOver', { body: { platformContactId: typed } }),
          stage.call('optOut', { body: { platformContactId: typed, source: 'form' } }),
        ]);
      for (const answer of await acts()) {
        expect([typed, answer]).toMatchObject([
          typed,
          { status: 400, body: { message: expect.stringContaining(fault) } },
        ]);
      }
      await stage.receive(wireMessage({ _id_: `in-${typed}`, FROM: typed }));
      expect([typed, (await acts()).map(({ status }) => status)]).toEqual([typed, [200, 200]]);
      expect(await dryRun(templateRequest({ platformContactId: typed }))).toMatchObject({ code: 'OPTED_OUT' });
    }
  });
});
