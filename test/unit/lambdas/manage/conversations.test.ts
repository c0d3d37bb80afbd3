import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { conversationResponse } from '../../../../lambdas/manage/responses.ts';
import { NOW, sendRequest, USER, wireMessage, wireStatus } from '../../../support/builders.ts';
import { type EmulatedTables, startEmulatedTables } from '../aws/emulated-table.ts';
import { createManagedStage, type ManagedStage } from './managed-stage.ts';

let tables: EmulatedTables;
let stage: ManagedStage;
beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const receive = (event: unknown) => stage.storeEvent({ rawBody: Buffer.from(JSON.stringify(event)), receivedAt: NOW });
const minute = (index: number) => `2026-11-20T10:${String(index).padStart(2, '0')}:00.000Z`;

describe('a conversation', () => {
  it('comes newest first, page by page, each message once, without the sends between', async () => {
    for (let index = 0; index < 12; index += 1) {
      await receive(wireMessage({ _id_: `m-${index}`, CREATION_TIME: minute(2 * index) }));
      const request = sendRequest({ requestId: `refused-${index}` });
      const send = { request, body: '{}', contact: contactRef('chat', USER), groupId: USER, deduplicationId: 'x' };
      await stage.sendStore.settle(send, { state: 'refused', code: 'NO_OPT_IN', at: minute(2 * index + 1), why: 'x' });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: '5', ...(cursor !== undefined && { cursor }) };
      const page = conversationResponse.parse((await stage.getConversation({ id: USER, query })).body);
      expect(page.messages.length).toBeLessThanOrEqual(5);
      seen.push(...page.messages.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);

    expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => `m-${11 - index}`));
  });

  it.each(['x', Buffer.from('{"pk":1}').toString('base64url'), 'bm9uZQ'])(
    'asked for by the cursor %s is 400',
    async (cursor) => {
      expect(await stage.getConversation({ id: USER, query: { cursor } })).toMatchObject({
        status: 400,
        body: { code: 'INVALID_CURSOR' },
      });
    },
  );

  it.each(['0', '501', '-1', 'many', '1.5'])('with a limit of %s is 400', async (limit) => {
    expect(await stage.getConversation({ id: USER, query: { limit } })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
  });

  it('of nobody is 404; of a contact who never wrote it is empty', async () => {
    expect(await stage.getConversation({ id: USER })).toMatchObject({ status: 404 });
    await stage.optIn({ body: { platformContactId: USER, source: 'form' } });
    expect(await stage.getConversation({ id: USER })).toEqual({ status: 200, body: { messages: [] } });
  });
});

describe('a message', () => {
  it('has its statuses, and the event as it came', async () => {
    await receive(wireMessage());
    await receive(wireStatus({ STATUS: 'read' }));
    const { status, body } = await stage.getMessage({ id: 'message-1' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 'message-1',
      direction: 'inbound',
      text: 'Where is my parcel?',
      readAt: '2026-11-20T11:00:05.000Z',
      body: JSON.stringify(wireMessage()),
    });
  });

  it('that came back as an echo is found, too; one that is none is 404', async () => {
    await receive(wireMessage({ _id_: 'echo', FROM: 'me' }));
    expect((await stage.getMessage({ id: 'echo' })).body).toMatchObject({ direction: 'echo' });
    expect(await stage.getMessage({ id: 'nope' })).toMatchObject({ status: 404, body: { code: 'MESSAGE_NOT_FOUND' } });
  });
});
