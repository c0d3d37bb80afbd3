import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbChannels } from '../../../../../lambdas/adapters/dynamodb/channels.ts';
import { createDynamodbErasures } from '../../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbGaps } from '../../../../../lambdas/adapters/dynamodb/gaps.ts';
import { createDynamodbMessages } from '../../../../../lambdas/adapters/dynamodb/messages.ts';
import type { ConversationTable } from '../../../../../lambdas/adapters/dynamodb/table.ts';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { parseEvents } from '../../../../../lambdas/domain/parse-events.ts';
import { listChannels } from '../../../../../lambdas/manage/api/watch/channels.ts';
import { listGaps } from '../../../../../lambdas/manage/api/watch/gaps.ts';
import { createWatchArrivals } from '../../../../../lambdas/manage/watch/watch-arrivals.ts';
import type { GapRepository } from '../../../../../lambdas/ports.ts';
import { messageKey } from '../../../../../lambdas/table/keys.ts';
import { queuedSend, USER, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { recordingLog, recordingMetrics } from '../../../../support/telemetry.ts';
import { testTables } from '../../../../support/test-tables.ts';

const LINE = { platform: 'chat', line: '5491100000000' };
const OTHER = { platform: 'chat', line: '*' };
const CALL = { caller: { arn: 'arn' }, id: '', query: {}, bodyText: '' };
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.parse('2026-10-05T00:00:00.000Z');

const tables = testTables();
let table: ConversationTable;
let nowMs: number;
let metrics: ReturnType<typeof recordingMetrics>;
let log: ReturnType<typeof recordingLog>;
const at = (ms: number): string => new Date(ms).toISOString();
const clock = { now: () => at(nowMs) };

beforeEach(async () => {
  const tableName = await tables.createTable();
  table = tables.tableOf(tableName);
  nowMs = START + 28 * DAY_MS + 12 * 60 * MINUTE_MS;
  metrics = recordingMetrics();
  log = recordingLog();
});

const ports = () => ({
  channels: createDynamodbChannels(table),
  gaps: createDynamodbGaps(table),
  clock,
  log,
  metrics,
  watches: true,
});
const run = (hasTime = () => true) => createWatchArrivals(ports())(hasTime);
const channelsNow = async () => (await listChannels.respond(ports(), CALL)).body;
const gapsNow = async () => (await listGaps.respond(ports(), CALL)).body;

/** Users write in every slot of five minutes around noon, until then. */
const write = async (channel: typeof LINE, untilMs: number): Promise<void> => {
  const { register, noteMessage } = createDynamodbChannels(table);
  await register(channel, at(START));
  for (let dayMs = START; dayMs < untilMs; dayMs += DAY_MS) {
    const slots = Array.from({ length: (16 - 9) * 12 }, (_, slot) => dayMs + (9 * 60 + slot * 5) * MINUTE_MS);
    await Promise.all(slots.filter((slotMs) => slotMs < untilMs).map((slotMs) => noteMessage(channel, at(slotMs))));
  }
};

describe('a channel', () => {
  it('is silent when users stop writing at noon, once, and resumes when they write again', async () => {
    await write(LINE, nowMs);
    await run();
    expect(metrics.counted).toEqual([]);

    nowMs += 50 * MINUTE_MS;
    await run();
    await run();
    expect(metrics.counted).toEqual(['ChannelSilent', 'ChannelSilent']);
    expect(log.logged.map(([level, message]) => `${level}: ${message}`)).toEqual(['error: channel silent']);
    expect(await channelsNow()).toEqual({
      watches: true,
      echoes: false,
      channels: [
        {
          chatPlatform: 'chat',
          chatChannelNumber: '+5491100000000',
          state: 'silent',
          firstSeenAt: at(START),
          lastMessageAt: at(nowMs - 55 * MINUTE_MS),
          silentSince: at(nowMs - 50 * MINUTE_MS),
        },
      ],
    });

    await createDynamodbChannels(table).noteMessage(LINE, at(nowMs));
    nowMs += 6 * MINUTE_MS;
    await run();
    expect(metrics.counted).toHaveLength(2);
    expect(log.logged.at(-1)?.slice(0, 2)).toEqual(['info', 'channel no longer silent']);
    expect(await channelsNow()).toMatchObject({ channels: [{ state: 'active' }] });
  });

  it('is not silent for the time in which the stage did not watch, but for what follows', async () => {
    await write(LINE, nowMs);
    await run();
    nowMs += 14 * DAY_MS;
    await run();
    expect(metrics.counted).toEqual([]);
    expect(await channelsNow()).toMatchObject({ channels: [{ state: 'active' }] });

    const watchedMs = nowMs;
    for (let minutes = 0; minutes < 180; minutes += 5) {
      nowMs += 5 * MINUTE_MS;
      await run();
    }
    expect(metrics.counted).toContain('ChannelSilent');
    expect(await channelsNow()).toMatchObject({ channels: [{ state: 'silent', silentSince: at(watchedMs) }] });
  });

  it('is judged on its own, and a new one is not judged', async () => {
    await write(LINE, nowMs);
    await createDynamodbChannels(table).register(OTHER, at(nowMs - 3 * DAY_MS));
    await createDynamodbChannels(table).noteMessage(OTHER, at(nowMs - 2 * DAY_MS));
    nowMs += 50 * MINUTE_MS;
    await run();

    expect(metrics.counted).toEqual(['ChannelSilent']);
    expect(await channelsNow()).toMatchObject({
      channels: [{ state: 'silent' }, { chatPlatform: 'chat', state: 'learning' }],
    });
  });

  it('keeps the earliest time and every slot, in whatever order its messages arrive', async () => {
    const { register, noteMessage, readDays, list } = createDynamodbChannels(table);
    for (const minutes of [10, 0, 5, 10]) {
      await register(LINE, at(START + minutes * MINUTE_MS));
      await noteMessage(LINE, at(START + minutes * MINUTE_MS));
    }

    expect((await list()).map(({ firstSeenAt }) => firstSeenAt)).toEqual([at(START)]);
    expect(await readDays(LINE, ['2026-10-05', '2026-10-06'])).toEqual(new Map([['2026-10-05', new Set([0, 1, 2])]]));
  });
});

/** Stores an event as `receive` does in a stage that watches what arrives. */
const store = async (fields: Record<string, unknown>, receivedMs = nowMs): Promise<void> => {
  const messages = createDynamodbMessages(table, { gapClock: clock });
  const [parsed] = parseEvents(JSON.stringify(fields), {
    times: { receivedAt: at(receivedMs) },
    chatPlatform: 'chat',
    windowPer: 'user',
    namesChannels: true,
  });
  if (parsed?.kind !== 'event') throw new Error('The event cannot be read.');
  const { event } = parsed;
  if (event.kind === 'status') await messages.recordStatus(event);
  if (event.kind === 'message') await messages.recordInbound(event);
  if (event.kind === 'echo') await messages.recordEcho(event);
};
const status = (id: string, changes: Record<string, unknown> = {}) =>
  store(wireStatus({ _id_: id, CREATION_TIME: at(nowMs), ...changes }));
const message = (id: string, changes: Record<string, unknown> = {}) =>
  store(wireMessage({ _id_: id, CREATION_TIME: at(nowMs), ...changes }));
const echo = (id: string) => message(id, { FROM: 'me', TO: USER });
const withEchoes = async (channel = OTHER) => {
  await createDynamodbChannels(table).register(channel, at(nowMs));
  await createDynamodbChannels(table).noteEcho(channel, at(nowMs));
};
const missing = (...ids: readonly string[]) =>
  expect.objectContaining({ gaps: ids.map((messageId) => expect.objectContaining({ messageId })) });

describe('a message of which only statuses arrived', () => {
  it('is missing 15 minutes after its first status, once, and is listed with its user', async () => {
    await withEchoes();
    await status('m-1');
    const first = at(nowMs);
    nowMs += 14 * MINUTE_MS;
    await status('m-1', { STATUS: 'read' });
    await run();
    expect(metrics.counted).toEqual([]);

    nowMs += 2 * MINUTE_MS;
    await run();
    await run();
    expect(metrics.counted).toEqual(['MessageMissing']);
    expect(await gapsNow()).toEqual({
      watches: true,
      echoes: true,
      gaps: [{ messageId: 'm-1', firstStatusAt: first, contact: contactRef('chat', USER).key }],
    });
    expect(JSON.stringify(log.logged)).not.toContain('m-1');
  });

  it.each<[string, (id: string) => Promise<void>]>([
    ['the user writes it', message],
    ['the chat service reports it as an echo', echo],
    [
      'Parley sent it',
      async (id) => {
        const call = { endpoint: 'message/v3' as const, body: {} };
        const sent = { id, requestId: queuedSend().request.requestId, contact: contactRef('chat', USER), call };
        await createDynamodbMessages(table, { gapClock: undefined }).recordOutbound({
          ...sent,
          claimedAt: at(nowMs),
          attempt: 1,
        });
      },
    ],
  ])('is no gap if %s, before or after its statuses', async (_case, arrive) => {
    await withEchoes();
    await arrive('before');
    await status('before');
    await status('after');
    await arrive('after');
    // An echo is another item; the schedule finds it.
    if (arrive !== echo) expect((await table.get(messageKey('after')))?.stateShard).toBeUndefined();
    nowMs += 20 * MINUTE_MS;
    await run();
    // A late status does not list it again.
    await status('before', { STATUS: 'read' });
    nowMs += 20 * MINUTE_MS;
    await run();

    expect(metrics.counted).toEqual([]);
    expect(await gapsNow()).toEqual(missing());
    expect((await table.get(messageKey('after')))?.stateShard).toBeUndefined();
  });

  it.each<[string, (id: string) => Promise<void>]>([
    ['the message', message],
    ['its echo', echo],
  ])('is no longer listed once %s arrives late', async (_case, arrive) => {
    await withEchoes();
    await status('m-1');
    await status('m-2');
    nowMs += 20 * MINUTE_MS;
    await run();
    expect(await gapsNow()).toEqual(missing('m-1', 'm-2'));

    await arrive('m-1');
    expect(await gapsNow()).toEqual(missing('m-2'));
  });

  it('is no gap while its echo waits behind it on a queue', async () => {
    await withEchoes();
    const sent = { CREATION_TIME: at(nowMs - 60 * MINUTE_MS) };
    await store(wireStatus({ _id_: 'm-1', ...sent }), nowMs - 59 * MINUTE_MS);
    await run();
    nowMs += 10 * MINUTE_MS;
    await run();
    expect(metrics.counted).toEqual([]);

    await store(wireMessage({ _id_: 'm-1', FROM: 'me', TO: USER, ...sent }), nowMs - 59 * MINUTE_MS);
    await status('m-2', sent);
    nowMs += 16 * MINUTE_MS;
    await run();
    expect(metrics.counted).toEqual(['MessageMissing']);
    expect(await gapsNow()).toMatchObject({ gaps: [{ messageId: 'm-2', firstStatusAt: sent.CREATION_TIME }] });
  });

  it('is counted only if the chat service reports the echoes of its business number', async () => {
    await withEchoes(LINE);
    await createDynamodbChannels(table).register({ ...LINE, line: '5491100000001' }, at(nowMs));
    const from = (line: string) => ({ CHAT_CHANNEL_ID: `acme-chat-${line}` });
    await status('m-1', from(LINE.line));
    await status('m-2', from('5491100000001'));
    await status('m-3', { CHAT_CHANNEL_ID: undefined });
    nowMs += 20 * MINUTE_MS;
    await run();
    expect(metrics.counted).toEqual(['MessageMissing', 'MessageMissing']);
    expect(await gapsNow()).toMatchObject({
      gaps: expect.toSatisfy((gaps: { messageId: string }[]) =>
        ['m-1', 'm-3'].every((id) => gaps.some(({ messageId }) => messageId === id)),
      ),
    });

    await withEchoes();
    await status('m-4', from('5491100000001'));
    nowMs += 20 * MINUTE_MS;
    await run();
    expect(metrics.counted).toHaveLength(3);
  });

  it('is found in one run, however many there are, if there is time', async () => {
    const seen: string[] = [];
    const many = Array.from({ length: 1200 }, (_, index) => ({
      ...{ messageId: `m-${index}`, firstStatusAt: at(nowMs), hasArrived: false },
    }));
    const gaps: GapRepository = {
      ...createDynamodbGaps(table),
      async listCandidates({ limit, after }) {
        const from = Number(after?.from ?? 0);
        const next = from + limit < many.length ? { next: { from: String(from + limit) } } : {};
        return { candidates: many.slice(from, from + limit), ...next };
      },
      async confirm({ messageId }) {
        seen.push(messageId);
        return true;
      },
    };
    await withEchoes();
    const watch = createWatchArrivals({ ...ports(), gaps });
    await watch(() => true);
    expect(seen.toSorted()).toEqual(many.map(({ messageId }) => messageId).toSorted());

    seen.length = 0;
    await watch(() => false);
    expect(seen).toHaveLength(500);
  });

  it('is not counted if the chat service reports no echoes at all, which the list says', async () => {
    await status('m-1');
    nowMs += 20 * MINUTE_MS;
    await run();

    expect(metrics.counted).toEqual([]);
    expect(await gapsNow()).toMatchObject({ echoes: false, gaps: [] });
  });

  it('is not listed in a stage that does not watch what arrives', async () => {
    const [parsed] = parseEvents(JSON.stringify(wireStatus()), {
      times: { receivedAt: at(nowMs) },
      chatPlatform: 'chat',
      windowPer: 'user',
    });
    if (parsed?.kind !== 'event' || parsed.event.kind !== 'status') throw new Error('It is no status.');
    await createDynamodbMessages(table, { gapClock: undefined }).recordStatus(parsed.event);

    expect((await table.get(messageKey('message-1')))?.stateShard).toBeUndefined();
  });

  it('is erased with its user, and does not come back by being listed', async () => {
    await withEchoes();
    await status('m-1');
    nowMs += 20 * MINUTE_MS;
    await run();
    const erasures = createDynamodbErasures(table);
    await erasures.erase(contactRef('chat', USER), { kind: 'status', id: 'm-1' }, at(nowMs));

    expect(await table.get(messageKey('m-1'))).toBeUndefined();
    await createDynamodbGaps(table).close('m-1', at(nowMs));
    expect(await createDynamodbGaps(table).confirm({ messageId: 'm-1', firstStatusAt: at(nowMs) })).toBe(false);
    expect(await table.get(messageKey('m-1'))).toBeUndefined();
    expect(await gapsNow()).toEqual(missing());
  });

  it('is listed page by page', async () => {
    await withEchoes();
    const ids = Array.from({ length: 25 }, (_, index) => `with a space ${index}`);
    for (const id of ids) await status(id);
    nowMs += 20 * MINUTE_MS;
    await run();

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: '4', ...(cursor !== undefined && { cursor }) };
      const { body } = await listGaps.respond(ports(), { ...CALL, query });
      const page = body as { gaps: { messageId: string }[]; cursor?: string };
      seen.push(...page.gaps.map(({ messageId }) => messageId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });
});
