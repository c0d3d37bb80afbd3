import { beforeEach, describe, expect, it } from 'vitest';
import { startTrace, traceIdOf } from '../../../../../lambdas/domain/trace-context.ts';
import { conversationResponse } from '../../../../../lambdas/manage/api/conversations.ts';
import { USER, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { outbound } from '../../adapters/dynamodb/message-builders.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const minute = (index: number) => `2026-11-20T10:${String(index).padStart(2, '0')}:00.000Z`;

describe('a conversation', () => {
  it('is listed newest first, page by page, each message once, without the sends in between', async () => {
    for (let index = 0; index < 12; index += 1) {
      await stage.receive(wireMessage({ _id_: `m-${index}`, CREATION_TIME: minute(2 * index) }));
      await putSendInState(stage.sends, 'refused', { requestId: `refused-${index}`, at: minute(2 * index + 1) });
    }
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: '5', ...(cursor !== undefined && { cursor }) };
      const page = conversationResponse.parse((await stage.call('getConversation', { id: USER, query })).body);
      expect(page.messages.length).toBeLessThanOrEqual(5);
      listed.push(...page.messages.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);

    expect(listed).toEqual(Array.from({ length: 12 }, (_, index) => `m-${11 - index}`));
  });

  it('shows text, media, and template of each message, whoever wrote it', async () => {
    const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'parcel_update', params: { name: 'Ana' } } };
    await stage.receive(wireMessage({ IMAGES_URLS: ['https://media.example/a.jpg'], CREATION_TIME: minute(0) }));
    await stage.receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: USER, MESSAGE: 'Hi', CREATION_TIME: minute(1) }));
    await stage.messages.recordOutbound(outbound({ id: 'out', call, claimedAt: minute(2) }));

    const traceOf = (id: string) => traceIdOf(startTrace('message', id));
    expect(await stage.call('getConversation', { id: USER })).toEqual({
      status: 200,
      body: {
        messages: [
          {
            id: 'out',
            direction: 'outbound',
            createdAt: minute(2),
            requestId: 'request-1',
            endpoint: 'intent/v2',
            ruleNameOrId: 'parcel_update',
            params: { name: 'Ana' },
          },
          {
            id: 'echo',
            direction: 'echo',
            sender: 'business',
            createdAt: minute(1),
            traceId: traceOf('echo'),
            text: 'Hi',
          },
          {
            id: 'message-1',
            direction: 'inbound',
            createdAt: minute(0),
            traceId: traceOf('message-1'),
            text: 'Where is my parcel?',
            media: { images: ['https://media.example/a.jpg'] },
          },
        ],
      },
    });
  });

  it.each(['0', '501', '-1', 'many', '1.5'])('returns 400 for the limit %s', async (limit) => {
    expect(await stage.call('getConversation', { id: USER, query: { limit } })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
  });

  it('is not taken for unknown when a page has nothing but an echo whose message is on the next one', async () => {
    await stage.messages.recordOutbound(outbound({ id: 'out', claimedAt: minute(0) }));
    await stage.receive(wireMessage({ _id_: 'out', FROM: 'me', TO: USER, MESSAGE: 'Hi', CREATION_TIME: minute(1) }));

    const first = await stage.call('getConversation', { id: USER, query: { limit: '1' } });
    const { messages, cursor = '' } = conversationResponse.parse(first.body);
    expect([first.status, messages]).toEqual([200, []]);
    const second = await stage.call('getConversation', { id: USER, query: { limit: '1', cursor } });
    expect(second.body).toMatchObject({ messages: [{ id: 'out', direction: 'outbound' }] });
  });

  it('is 404 for an unknown contact, and empty for one who never wrote', async () => {
    expect(await stage.call('getConversation', { id: USER })).toMatchObject({ status: 404 });
    await stage.call('optIn', { body: { platformContactId: USER, source: 'form' } });
    expect(await stage.call('getConversation', { id: USER })).toEqual({ status: 200, body: { messages: [] } });
  });
});

describe('a message', () => {
  it('has its statuses, and the event as received', async () => {
    await stage.receive(wireMessage());
    await stage.receive(wireStatus({ STATUS: 'read' }));
    expect(await stage.call('getMessage', { id: 'message-1' })).toEqual({
      status: 200,
      body: {
        id: 'message-1',
        direction: 'inbound',
        createdAt: '2026-11-20T11:00:00.000Z',
        traceId: traceIdOf(startTrace('message', 'message-1')),
        text: 'Where is my parcel?',
        readAt: '2026-11-20T11:00:05.000Z',
        body: JSON.stringify(wireMessage()),
        statusBodies: [JSON.stringify(wireStatus({ STATUS: 'read' }))],
      },
    });
  });

  it('returns 404 if it does not exist', async () => {
    expect(await stage.call('getMessage', { id: 'unknown' })).toMatchObject({
      status: 404,
      body: { code: 'MESSAGE_NOT_FOUND' },
    });
  });
});
