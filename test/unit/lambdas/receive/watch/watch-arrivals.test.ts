import { describe, expect, it } from 'vitest';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import { parseEvents } from '../../../../../lambdas/domain/parse-events.ts';
import type { WebhookEvent } from '../../../../../lambdas/domain/webhook-event.ts';
import { createStoreEvents } from '../../../../../lambdas/receive/store-events.ts';
import { createWatchArrivals, type WatchWrite } from '../../../../../lambdas/receive/watch/watch-arrivals.ts';
import { NOW, PLAIN_RECEIVER, wireMessage, wireStatus } from '../../../../support/builders.ts';

const LINE = '5491100000000';
const minutesLater = (minutes: number): string => new Date(Date.parse(NOW) + minutes * 60_000).toISOString();

/** An event of a stage that watches what arrives. */
const eventOf = (
  changes: Record<string, unknown> = {},
  windowPer: 'user' | 'channel' = 'user',
  receivedAt = NOW,
): WebhookEvent => {
  const body = JSON.stringify(wireMessage({ CHAT_CHANNEL_ID: `acme-chat-${LINE}`, CREATION_TIME: NOW, ...changes }));
  const [parsed] = parseEvents(body, {
    times: { receivedAt },
    chatPlatform: 'chat',
    windowPer,
    namesChannels: true,
  });
  if (parsed?.kind !== 'event') throw new Error('The event cannot be read.');
  return parsed.event;
};
const echo = (changes: Record<string, unknown> = {}, receivedAt = NOW) =>
  eventOf({ FROM: 'me', TO: '5491155550000', ...changes }, 'user', receivedAt);

const watching = (fails = () => false) => {
  const writes: string[] = [];
  const note = (name: string) => async (what: unknown, at: string) => {
    if (fails()) throw new Error('The table is unavailable.');
    writes.push(`${name} ${JSON.stringify(what)} ${at}`);
  };
  let now = NOW;
  const watch = createWatchArrivals({
    clock: { now: () => now },
    open: () => ({
      channels: { register: note('register'), noteMessage: note('message'), noteEcho: note('echo') },
      gaps: { close: note('close') },
    }),
  });
  const see = async (event: WebhookEvent, at = NOW, storedAt = at) => {
    const before = writes.length;
    now = storedAt;
    await watch(event, at)?.(new AbortController().signal);
    return writes.slice(before).map((write) => write.split(' ')[0]);
  };
  return { writes, see, watch };
};

describe('the channel of an event', () => {
  it.each(['user', 'channel'] as const)('is its business number, with windows per %s', (windowPer) => {
    expect(eventOf({}, windowPer).channel).toEqual({ platform: 'chat', line: LINE });
  });

  it('is that of the whole webhook if the event names no number', () => {
    expect(eventOf({ CHAT_CHANNEL_ID: undefined }).channel).toEqual({ platform: 'chat', line: '*' });
  });

  it('is left out in a stage that does not watch what arrives', () => {
    const context = { times: { receivedAt: NOW }, chatPlatform: 'chat', windowPer: 'user' } as const;
    expect(parseEvents(JSON.stringify(wireMessage()), context)).toEqual([
      { kind: 'event', event: expect.not.objectContaining({ channel: expect.anything() }) },
    ]);
  });
});

describe('a channel is recorded', () => {
  it('once in five minutes, however many messages arrive', async () => {
    const { see } = watching();

    expect(await see(eventOf())).toEqual(['register', 'message']);
    for (const minutes of [0, 1, 4.9]) expect(await see(eventOf(), minutesLater(minutes))).toEqual([]);
    expect(await see(eventOf(), minutesLater(5))).toEqual(['message']);
    expect(await see(eventOf({ CHAT_CHANNEL_ID: 'acme-chat-5491100000001' }))).toEqual(['register', 'message']);
  });

  it('once for each slot of a backlog, in whatever order its messages and live ones come', async () => {
    const { see, writes } = watching();
    for (let round = 0; round < 50; round += 1) {
      for (const minutes of [-180, -61, 0]) await see(eventOf(), minutesLater(minutes), NOW);
    }

    expect(writes).toHaveLength(4);
  });

  it('again some seconds after it failed, not with each message', async () => {
    let isOut = true;
    const { see, watch } = watching(() => isOut);

    await expect(see(eventOf())).rejects.toThrow('unavailable');
    for (const minutes of [0, 0.1]) {
      expect(await see(eventOf(), NOW, minutesLater(minutes))).toEqual([]);
      expect(watch(eventOf(), NOW)).toBeUndefined();
    }
    isOut = false;
    expect(await see(eventOf(), NOW, minutesLater(0.2))).toEqual(['register', 'message']);
  });

  it('for an echo once a day, and not for a status or what it carries', async () => {
    const { see } = watching();

    expect(await see(echo())).toEqual(['register', 'echo']);
    expect(await see(echo(), minutesLater(23 * 60))).toEqual(['close']);
    const nextDay = minutesLater(25 * 60);
    expect(await see(echo({ CREATION_TIME: nextDay }, nextDay), nextDay)).toEqual(['echo']);
    expect(await see(eventOf({ ...wireStatus(), STATUS: 'delivered' }))).toEqual([]);
  });
});

it('an echo that comes late closes the gap of its statuses', async () => {
  const { see } = watching();
  await see(echo());

  expect(await see(echo({ CREATION_TIME: minutesLater(-14) }))).toEqual([]);
  expect(await see(echo({ CREATION_TIME: minutesLater(-15) }))).toEqual(['close']);
  expect(await see(echo(), NOW, minutesLater(15))).toEqual(['close']);
});

describe('what is watched never changes how an event is stored', () => {
  const storeWith = async (watch: WatchWrite, budgetMs = 60) => {
    const store = createStoreEvents({
      ...PLAIN_RECEIVER,
      chatChannelNumber: '+5491100000000',
      repositories: () => ({
        contacts: {
          openWindow: async () => [],
          linkCustomer: async () => undefined,
          recordConsent: async () => undefined,
          recordOperatorMessage: async () => undefined,
        },
        messages: {
          recordInbound: async () => ({ at: NOW }),
          recordEcho: async () => NOW,
          recordStatus: async () => ({ traceparent: 'trace' }),
          recordOutbound: async () => undefined,
          recordUnknown: async () => undefined,
          recordUnknownName: async () => NOW,
        },
        sends: {
          confirm: async () => undefined,
          fail: async () => ({ kind: 'missing' }),
          linkMessage: async () => ({}),
        },
      }),
      clock: { now: () => NOW },
      budgetMs: ms(budgetMs),
      chatPlatform: 'chat',
      windowPer: 'user',
      watch: () => watch,
    });
    return store({ rawBody: Buffer.from(JSON.stringify(wireMessage())), receivedAt: NOW });
  };

  it.each<[string, () => Promise<void>]>([
    ['succeeds', async () => undefined],
    ['fails', async () => Promise.reject(new Error('No such item.'))],
    ['hangs', () => new Promise(() => undefined)],
  ])('if its write %s', async (_case, watch) => {
    expect(await storeWith(watch)).toMatchObject([{ kind: 'stored', event: 'message' }]);
  });

  it('nor holds its answer for more than a moment, and is then aborted', async () => {
    const seen: AbortSignal[] = [];
    const startedMs = performance.now();
    const hang = (abortSignal: AbortSignal) => {
      seen.push(abortSignal);
      return new Promise<void>(() => undefined);
    };
    await storeWith(hang, 10_000);

    expect(performance.now() - startedMs).toBeLessThan(1_500);
    expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
