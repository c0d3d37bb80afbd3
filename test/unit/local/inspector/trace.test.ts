import { describe, expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { optOutConfirmationId } from '../../../../lambdas/domain/keywords/opt-out-confirmation.ts';
import { type BusEvents, type FindBusEvents, readTrace, type TraceSubject } from '../../../../local/inspector/trace.ts';
import { NOW, USER } from '../../../support/builders.ts';
import { parseEvent } from '../../../support/single-event.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createManagedStage } from '../../lambdas/manage/managed-stage.ts';

const tables = testTables();

type Stage = Awaited<ReturnType<typeof createManagedStage>>;

const receive = async (
  stage: Stage,
  id: string,
  { startedAt, text = id, modifiedAt }: { startedAt?: string; text?: string; modifiedAt?: string } = {},
): Promise<void> => {
  const event = { _id_: id, FROM: USER, MESSAGE: text, CREATION_TIME: NOW, LAST_MODIFICATION: modifiedAt };
  const options = { times: { receivedAt: NOW }, chatPlatform: 'chat', windowPer: 'user' } as const;
  const parsed = parseEvent(JSON.stringify(event), options);
  if (parsed.kind !== 'event' || parsed.event.kind !== 'message') throw new Error('not a message');
  await stage.messages.recordInbound(parsed.event, startedAt === undefined ? undefined : { startedAt });
};

const read = (stage: Pick<Stage, 'tableName'>, subject: TraceSubject, ...busEvents: BusEvents) => {
  const findBusEvents: FindBusEvents = (isWanted) => busEvents.filter(({ detail }) => isWanted(detail));
  return readTrace({ dynamodb: tables.client, tableName: stage.tableName, findBusEvents, now: () => NOW }, subject);
};

describe('the trace of a send', () => {
  it('contains every item about its contact, such as the opt-out that it was refused for, and its own events', async () => {
    const stage = await createManagedStage(tables);
    const contact = contactRef('chat', USER);
    await stage.call('enqueueSend', { body: { requestId: 'request-1', platformContactId: USER, messageText: 'Hi' } });
    await stage.call('optOut', { body: { platformContactId: USER, source: 'call' } });
    await stage.contacts.recordCheck(contact, { checkedAt: NOW });
    await stage.contacts.denyWindow(contact, NOW);
    const event = (requestId: string) => ({ at: NOW, type: 'SendRefused', detail: { requestId } });

    const trace = await read(stage, { requestId: 'request-1' }, event('request-1'), event('request-2'));

    expect(Object.keys(trace.items)).toEqual(['send', 'consent', 'check', 'denial']);
    expect(trace.busEvents).toEqual([event('request-1')]);
  });

  it('contains the item of a request that could not be processed yet, which has no state', async () => {
    const stage = await createManagedStage(tables);
    await stage.sends.recordFailure({ requestId: 'request-1', body: '{}' }, NOW);

    const trace = await read(stage, { requestId: 'request-1' });

    expect(trace.send).toBeUndefined();
    expect(trace.items.send).toContain('"failingSince"');
  });

  it("contains an operator's echo with the handover, and the event of the same contact and time", async () => {
    const stage = await createManagedStage(tables);
    const contact = contactRef('chat', USER);
    const body = { _id_: 'by-ana', FROM: 'me', TO: USER, MESSAGE: 'This is Ana.', CREATION_TIME: NOW };
    const parsed = parseEvent(JSON.stringify(body), {
      times: { receivedAt: NOW },
      chatPlatform: 'chat',
      windowPer: 'user',
    });
    if (parsed.kind === 'event' && parsed.event.kind === 'echo') await stage.messages.recordEcho(parsed.event);
    await stage.contacts.recordHandover(contact, 'people', NOW);
    const event = (key: string, at: string) => ({
      at: NOW,
      type: 'ContactHandedOver',
      detail: { contact: { platform: 'chat', channel: '*', key }, at },
    });
    const own = event(contact.key, NOW);

    const trace = await read(
      stage,
      { messageId: 'by-ana' },
      own,
      event(contact.key, '2026-01-01T00:00:00.000Z'),
      event('541155559999', NOW),
    );

    expect(Object.keys(trace.items)).toEqual(['echo', 'handover']);
    expect(trace.busEvents).toEqual([own]);
  });

  it('contains the open turn of a message, and the event that published the turn once it has ended', async () => {
    const stage = await createManagedStage(tables);
    await receive(stage, 'hi', { startedAt: NOW });
    await receive(stage, 'where-is-it', { startedAt: NOW });
    const ended = (...messageIds: string[]) => ({
      at: NOW,
      type: 'TurnEnded',
      detail: { id: messageIds[0], at: NOW, messages: messageIds.map((messageId) => ({ messageId, at: NOW })) },
    });
    const own = ended('hi', 'where-is-it');

    const trace = await read(stage, { messageId: 'where-is-it' }, ended('other'), own);

    expect(trace.turn?.messageIds.toSorted()).toEqual(['hi', 'where-is-it']);
    expect(trace.busEvents).toEqual([own]);
  });

  it('contains every version of a message that was edited, oldest first', async () => {
    const stage = await createManagedStage(tables);
    await receive(stage, 'edited', { text: 'Maybe', modifiedAt: '2026-11-20T10:02:00.000Z' });
    expect((await read(stage, { messageId: 'edited' })).message?.versions).toBeUndefined();
    await receive(stage, 'edited', { text: 'Yes', modifiedAt: '2026-11-20T10:01:00.000Z' });
    await receive(stage, 'edited', { text: 'No', modifiedAt: '2026-11-20T10:03:00.000Z' });

    const { message } = await read(stage, { messageId: 'edited' });

    expect(message?.versions?.map(({ modifiedAt, body = '' }) => [modifiedAt, JSON.parse(body).MESSAGE])).toEqual([
      ['2026-11-20T10:01:00.000Z', 'Yes'],
      ['2026-11-20T10:02:00.000Z', 'Maybe'],
      ['2026-11-20T10:03:00.000Z', 'No'],
    ]);
  });

  it('of an opt-out contains the request that confirms it, apart from the items of the message', async () => {
    const stage = await createManagedStage(tables);
    await receive(stage, 'stop');
    const requestId = optOutConfirmationId('stop');
    await stage.call('enqueueSend', { body: { requestId, platformContactId: USER, messageText: 'Done.' } });

    expect((await read(stage, { messageId: 'stop' })).confirmation).toBeUndefined();
    await stage.call('optOut', { body: { platformContactId: USER, source: 'keyword STOP' } });

    const { confirmation, items } = await read(stage, { messageId: 'stop' });
    expect(confirmation).toMatchObject({ requestId, state: 'queued' });
    expect(Object.keys(items)).toEqual(['message', 'consent']);
  });

  it('has the members of sets in a stable order', async () => {
    const stage = await createManagedStage(tables);
    for (const status of ['read', 'delivered']) {
      const event = { _id_: 'message-1', STATUS: status, FROM: USER, CREATION_TIME: NOW };
      const parsed = parseEvent(JSON.stringify(event), {
        times: { receivedAt: NOW },
        chatPlatform: 'chat',
        windowPer: 'user',
      });
      if (parsed.kind === 'event' && parsed.event.kind === 'status') await stage.messages.recordStatus(parsed.event);
    }

    const { items } = await read(stage, { messageId: 'message-1' });

    expect(items.message).toMatch(/"statusBodies":\[\{.*"delivered".*"read"/);
  });

  it('is empty for an ID that is longer than a key of the table', async () => {
    const stage = await createManagedStage(tables);
    const id = 'é'.repeat(1025);

    for (const subject of [{ requestId: id }, { messageId: id }]) {
      expect((await read(stage, subject)).keys).toEqual([]);
    }
  });
});
