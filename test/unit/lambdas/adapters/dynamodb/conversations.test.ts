import { describe, expect, it } from 'vitest';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import type { ListPosition } from '../../../../../lambdas/ports.ts';
import { messageKey } from '../../../../../lambdas/table/keys.ts';
import {
  NOW,
  queuedSend,
  sendRequest,
  TRACEPARENT,
  USER,
  wireMessage,
  wireStatus,
} from '../../../../support/builders.ts';
import { contact, outbound, wireEcho } from './message-builders.ts';
import { createRepositoriesForEach, repositoriesOf } from './repositories.ts';

const stored = createRepositoriesForEach();

const { receive } = stored;

describe('reading a conversation', () => {
  const readPages = async (limit: number) => {
    const pages: string[][] = [];
    let after: ListPosition | undefined;
    do {
      const page = await stored.messages.readConversation([{ subject: contact }], {
        limit,
        ...(after && { after }),
      });
      pages.push(page.messages.map(({ id }) => id));
      after = page.next;
    } while (after);
    return pages;
  };

  const storeMessages = async (count: number, timeOf: (index: number) => string) => {
    const ids = Array.from({ length: count }, (_, index) => `message-${String(index).padStart(3, '0')}`);
    await Promise.all(
      ids.map((_id_, index) =>
        receive(wireMessage({ _id_, CREATION_TIME: timeOf(index), MESSAGE: `text of ${_id_}` })),
      ),
    );
    return ids;
  };

  it('omits a message that the index still lists although it was erased a moment ago', async () => {
    await stored.messages.recordOutbound(outbound());
    const [{ pk, sk, contact: name, contactSort: sort } = {}] = Object.values(await stored.items()).filter(
      (item) => item.requestId === 'request-1',
    );
    const emptied = { pk, sk, erasedAt: NOW, expiresAt: 1 };
    const table = stored.table;
    const { messages } = repositoriesOf({
      ...table,
      async query(query) {
        await stored.put(emptied);
        return { ...(await table.query(query)), items: [{ pk, sk, contact: name, contactSort: sort }] };
      },
    });

    expect(await messages.readConversation([{ subject: contact }], { limit: 10 })).toEqual({ messages: [] });
  });

  const remove = (id: string) => stored.remove(messageKey(id));

  it('returns 250 complete messages on one page, newest first', async () => {
    const ids = await storeMessages(250, (index) => addMs('2026-11-20T11:00:00.000Z', index));

    const { messages, next } = await stored.messages.readConversation([{ subject: contact }], { limit: 1_000 });

    expect(messages.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(messages.every(({ id, text, direction }) => text === `text of ${id}` && direction === 'inbound')).toBe(true);
    expect(next).toBeUndefined();
  });

  it('returns every message once, newest first, on pages of any size', async () => {
    const ids = await storeMessages(23, (index) => addMs('2026-11-20T11:00:00.000Z', index));

    for (const limit of [1, 2, 7, 22, 23, 24, 100]) {
      const pages = await readPages(limit);
      expect(pages.flat()).toEqual(ids.toReversed());
      expect(pages.every((page) => page.length <= limit)).toBe(true);
    }
  });

  it('returns every message once if all have the same time', async () => {
    const ids = await storeMessages(23, () => '2026-11-20T11:00:00.000Z');

    for (const limit of [1, 2, 7, 22, 23, 24, 100]) {
      expect((await readPages(limit)).flat().toSorted()).toEqual(ids);
    }
  });

  it('returns every message in pages of less than 1 MB and in few reads, even behind refused sends', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `message-${String(index).padStart(3, '0')}`);
    for (const [index, _id_] of ids.entries()) {
      const CREATION_TIME = addMs('2026-11-20T11:00:00.000Z', index);
      // Each character takes six bytes of JSON.
      await receive(wireMessage({ _id_, MESSAGE: '\u0001'.repeat(24_000), CREATION_TIME }));
      const request = sendRequest({ requestId: `refused-${index}` });
      const refusal = { state: 'refused', at: NOW, code: 'NO_OPT_IN', decision: 'No.' } as const;
      await stored.sends.recordWithoutCall(queuedSend(request), refusal);
    }
    const table = stored.table;
    let reads = 0;
    const { messages } = repositoriesOf({
      ...table,
      query(query) {
        reads += 1;
        return table.query(query);
      },
      getAll(keys) {
        reads += 1;
        return table.getAll(keys);
      },
    });

    const pages: { readonly bytes: number; readonly reads: number }[] = [];
    const found: string[] = [];
    let after: ListPosition | undefined;
    do {
      reads = 0;
      const page = await messages.readConversation([{ subject: contact }], { limit: 500, ...(after && { after }) });
      pages.push({ bytes: Buffer.byteLength(JSON.stringify(page)), reads });
      found.push(...page.messages.map(({ id }) => id));
      after = page.next;
    } while (after);

    expect(found).toEqual(ids.toReversed());
    expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThan(1_000_000);
    expect(pages.map((page) => page.reads)).toEqual([2, 2, 2, 2]);
  });

  it('shows an echo with its statuses, even if they arrived first and name the contact', async () => {
    await receive(wireStatus({ _id_: 'echo', STATUS: 'read' }));
    await receive(wireEcho({ _id_: 'echo' }));

    const { messages } = await stored.messages.readConversation([{ subject: contact }], { limit: 10 });

    expect(messages).toMatchObject([{ id: 'echo', direction: 'echo', readAt: '2026-11-20T11:00:05.000Z' }]);
  });

  it('continues after a message that was deleted since', async () => {
    const ids = await storeMessages(10, (index) => addMs('2026-11-20T11:00:00.000Z', index));
    const first = await stored.messages.readConversation([{ subject: contact }], { limit: 4 });
    await remove('message-006');

    const rest = await stored.messages.readConversation([{ subject: contact }], { limit: 10, after: first.next });

    expect([...first.messages, ...rest.messages].map(({ id }) => id)).toEqual(ids.toReversed());
  });

  it('leaves out messages that the index lists and that were deleted', async () => {
    const ids = await storeMessages(10, (index) => addMs('2026-11-20T11:00:00.000Z', index));
    const deleted = ['message-009', 'message-005', 'message-000'];
    const table = stored.table;
    const { messages } = repositoriesOf({
      ...table,
      async query(query) {
        const found = await table.query(query);
        await Promise.all(deleted.map(remove));
        return found;
      },
    });

    const page = await messages.readConversation([{ subject: contact }], { limit: 6 });

    expect(page.messages.map(({ id }) => id)).toEqual(['message-008', 'message-007', 'message-006', 'message-004']);
    const rest = await stored.messages.readConversation([{ subject: contact }], { limit: 6, after: page.next });
    expect(rest.messages.map(({ id }) => id)).toEqual(ids.slice(1, 4).toReversed());
  });

  it('shows outbound messages and echoes at their own times, and neither sends nor statuses', async () => {
    await receive(wireMessage({ _id_: 'question', CREATION_TIME: '2026-11-20T11:00:00.000Z' }));
    await receive(wireEcho({ _id_: 'echo', CREATION_TIME: '2026-11-20T11:00:01.000Z' }));
    await receive(wireStatus({ _id_: 'unknown' }));
    await stored.messages.recordOutbound(outbound({ id: 'answer', claimedAt: '2026-11-20T11:00:02.000Z' }));
    await receive(wireEcho({ _id_: 'answer', CREATION_TIME: '2026-11-20T10:00:00.000Z' }));
    const request = { requestId: 'request-1', platformContactId: USER, messageText: 'On its way.' };
    const send = {
      request,
      body: '{}',
      contact,
      groupId: USER,
      deduplicationId: 'request-1',
      traceparent: TRACEPARENT,
    };
    await stored.sends.register(send, NOW);

    // A page of exactly as many messages: sends must not take their place.
    const { messages } = await stored.messages.readConversation([{ subject: contact }], { limit: 3 });

    expect(messages.map(({ id, direction, createdAt }) => [id, direction, createdAt])).toEqual([
      ['answer', 'outbound', '2026-11-20T11:00:02.000Z'],
      ['echo', 'echo', '2026-11-20T11:00:01.000Z'],
      ['question', 'inbound', '2026-11-20T11:00:00.000Z'],
    ]);
  });

  it("returns no other contact's messages", async () => {
    await receive(wireMessage({ FROM: '5491155550001' }));
    expect(await stored.messages.readConversation([{ subject: contact }], { limit: 10 })).toEqual({
      messages: [],
    });
  });
});
