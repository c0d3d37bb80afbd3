import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChannelHistory,
  historyDays,
  judgeChannel,
  SLOT_MS,
  slotOf,
} from '../../../../../lambdas/domain/watch/channel-rhythm.ts';

// Channels with realistic daily and weekly rhythms: Poisson traffic whose rate depends on the hour and the weekday, with
// days that are busier than others, and the shift of daylight saving time.

const DAY_MS = 24 * 60 * 60_000;
const SLOTS_PER_DAY = DAY_MS / SLOT_MS;
/** A Monday. */
const START = Date.parse('2026-03-02T00:00:00.000Z');

/** A small seeded generator (mulberry32), so that a failure can be repeated. */
const generator = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

interface Rhythm {
  /** The relative rate in an hour of the day, from 0 to 1. */
  readonly hour: (hour: number) => number;
  /** The relative rate on a Saturday or a Sunday. */
  readonly weekend: number;
}

const RHYTHMS = {
  office: { hour: (hour) => (hour >= 8 && hour < 19 ? 1 : hour >= 7 && hour < 22 ? 0.25 : 0.01), weekend: 0.05 },
  'office, closed at night and on weekends': { hour: (hour) => (hour >= 9 && hour < 17 ? 1 : 0), weekend: 0 },
  consumers: { hour: (hour) => (hour >= 9 && hour < 23 ? 1 : hour >= 7 ? 0.4 : 0.03), weekend: 0.8 },
  'around the clock': { hour: () => 1, weekend: 1 },
} as const satisfies Readonly<Record<string, Rhythm>>;

interface Traffic {
  readonly rhythm: Rhythm;
  readonly messagesPerWorkday: number;
  readonly seed: number;
  readonly weeks: number;
  /** The slot, from the start, in which messages end. @default never */
  readonly outageFrom?: number;
  /** The slot in which they come back. @default never */
  readonly outageTo?: number;
}

/** Generates a channel's history: the slots with messages, by day. */
const generate = ({ rhythm, messagesPerWorkday, seed, weeks, outageFrom, outageTo }: Traffic) => {
  const random = generator(seed);
  const hours = Array.from({ length: 24 }, (_, hour) => rhythm.hour(hour));
  const total = hours.reduce((sum, weight) => sum + weight, 0);
  const days = new Map<string, Set<number>>();
  for (let day = 0; day < weeks * 7; day += 1) {
    // The rate of a day varies by about 20 %.
    const level = Math.exp(0.4 * (random() + random() + random() - 1.5));
    const weekday = day % 7 >= 5 ? rhythm.weekend : 1;
    const summerTime = day >= 27 ? 1 : 0;
    const slots = new Set<number>();
    for (let slot = 0; slot < SLOTS_PER_DAY; slot += 1) {
      const at = day * SLOTS_PER_DAY + slot;
      const weight = hours[(Math.floor(slot / 12) + summerTime) % 24] ?? 0;
      const rate = (messagesPerWorkday * level * weekday * weight) / total / 12;
      const isOut = outageFrom !== undefined && at >= outageFrom && at < (outageTo ?? Number.POSITIVE_INFINITY);
      if (random() < 1 - Math.exp(-rate) && !isOut) slots.add(slot);
    }
    days.set(new Date(START + day * DAY_MS).toISOString().slice(0, 10), slots);
  }
  return days;
};

type Days = ReadonlyMap<string, ReadonlySet<number>>;

const slotsBetween = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

/** Returns the slots in which a pause of at least ten minutes ends. Earlier in the pause, it is less improbable. */
const endsOfPauses = (days: Days, from: number, to: number): readonly number[] => {
  const hasMessage = (at: number) =>
    days.get(new Date(START + at * SLOT_MS).toISOString().slice(0, 10))?.has(at % SLOTS_PER_DAY) === true;
  return slotsBetween(from, to).filter((at) => hasMessage(at) && !hasMessage(at - 1) && !hasMessage(at - 2));
};

/** Judges the channel at the start of each of these slots, as the schedule does. Returns those in which it is silent. */
const silentSlots = (days: Days, slots: readonly number[]): readonly number[] => {
  const silent: number[] = [];
  let history: ChannelHistory = { firstSeenAt: new Date(START).toISOString(), days: new Map() };
  for (const at of slots) {
    const now = new Date(START + at * SLOT_MS).toISOString();
    const today = now.slice(0, 10);
    const seen = new Set([...(days.get(today) ?? [])].filter((slot) => slot < at % SLOTS_PER_DAY));
    const known = historyDays(now).flatMap((day): [string, ReadonlySet<number>][] => {
      const slots = day === today ? seen : days.get(day);
      return slots === undefined ? [] : [[day, slots]];
    });
    const state = judgeChannel({ ...history, days: new Map(known) }, now);
    history = { ...history, silentSince: state.state === 'silent' ? state.since : undefined };
    if (state.state === 'silent') silent.push(at);
  }
  return silent;
};

const WEEKS = 8;
const WEEK_SLOTS = 7 * SLOTS_PER_DAY;

describe('a channel with its usual traffic', () => {
  const channels = Object.entries(RHYTHMS).flatMap(([name, rhythm]) =>
    [10, 100, 1_000, 10_000].map((messagesPerWorkday) => ({ name, rhythm, messagesPerWorkday })),
  );

  it.each(channels)('is never silent in eight weeks: $name, $messagesPerWorkday messages', (channel) => {
    const days = generate({ ...channel, seed: channel.messagesPerWorkday, weeks: 2 + WEEKS });
    const pauses = endsOfPauses(days, 2 * WEEK_SLOTS, (2 + WEEKS) * WEEK_SLOTS);

    expect(silentSlots(days, pauses)).toEqual([]);
  });
});

describe('a channel that falls silent at noon on a Wednesday', () => {
  const NOON = 6 * WEEK_SLOTS + 2 * SLOTS_PER_DAY + SLOTS_PER_DAY / 2;

  /** Within how many minutes the outage is noticed. docs/receiving.md states them. */
  it.each([
    { name: 'office' as const, messagesPerWorkday: 5_000, minutes: 35 },
    { name: 'office' as const, messagesPerWorkday: 1_000, minutes: 40 },
    { name: 'consumers' as const, messagesPerWorkday: 1_000, minutes: 45 },
    { name: 'office' as const, messagesPerWorkday: 200, minutes: 150 },
    { name: 'consumers' as const, messagesPerWorkday: 200, minutes: 210 },
    { name: 'office' as const, messagesPerWorkday: 60, minutes: 24 * 60 },
  ])(
    'is noticed within $minutes minutes: $name, $messagesPerWorkday messages',
    ({ name, minutes, messagesPerWorkday }) => {
      for (const seed of [1, 2, 3, 4, 5]) {
        const traffic = { rhythm: RHYTHMS[name], messagesPerWorkday, seed, weeks: 8 };
        const days = generate({ ...traffic, outageFrom: NOON });
        const [first = Number.POSITIVE_INFINITY] = silentSlots(days, slotsBetween(NOON - 12, NOON + 2 * SLOTS_PER_DAY));

        expect((first - NOON) * (SLOT_MS / 60_000)).toBeLessThanOrEqual(minutes);
        expect(first).toBeGreaterThan(NOON);
      }
    },
  );

  it('stays silent until a user writes again, and is then judged as before', () => {
    const days = generate({
      rhythm: RHYTHMS.consumers,
      messagesPerWorkday: 2_000,
      seed: 7,
      weeks: 8,
      outageFrom: NOON,
      outageTo: NOON + SLOTS_PER_DAY,
    });
    const silent = silentSlots(days, slotsBetween(NOON - 12, NOON + 2 * SLOTS_PER_DAY));

    const [first = 0] = silent;
    expect(silent).toEqual(Array.from({ length: silent.length }, (_, index) => first + index));
    expect(silent.at(-1)).toBeGreaterThanOrEqual(NOON + SLOTS_PER_DAY - 1);
    expect(silent.at(-1)).toBeLessThanOrEqual(NOON + SLOTS_PER_DAY + 1);
  });
});

describe('the judgement', () => {
  const busy = generate({ rhythm: RHYTHMS['around the clock'], messagesPerWorkday: 5_000, seed: 3, weeks: 6 });
  const at = (slot: number) => new Date(START + slot * SLOT_MS).toISOString();

  it('is withheld until users have written for two weeks', () => {
    const days = new Map([...busy].slice(0, 10));
    const judge = (firstSeenAt: string) => judgeChannel({ firstSeenAt, days }, at(13 * SLOTS_PER_DAY)).state;

    expect(judge(at(0))).toBe('learning');
    expect(judge(at(-2 * SLOTS_PER_DAY))).toBe('silent');
  });

  it('is inactive after four weeks without a message', () => {
    const days = new Map([...busy].slice(0, 20));
    const judge = (slot: number) =>
      judgeChannel({ firstSeenAt: at(0), days, silentSince: at(20 * SLOTS_PER_DAY) }, at(slot));

    expect(judge(47 * SLOTS_PER_DAY)).toMatchObject({ state: 'silent', since: at(20 * SLOTS_PER_DAY) });
    expect(judge(48 * SLOTS_PER_DAY)).toEqual({ state: 'inactive' });
  });

  it('does not depend on messages that came after now, and only grows with a silence', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * SLOTS_PER_DAY }), (slots) => {
        const days = new Map([...busy].slice(0, 30));
        const judge = (extra: number) =>
          judgeChannel({ firstSeenAt: at(0), days }, at(30 * SLOTS_PER_DAY + extra)).state === 'silent';
        return !judge(slots) || judge(slots + 1);
      }),
    );
  });

  it('names the slot of a time in UTC', () => {
    expect(slotOf('2026-11-27T00:00:00.000Z')).toEqual({ day: '2026-11-27', slot: 0 });
    expect(slotOf('2026-11-27T23:59:59.999Z')).toEqual({ day: '2026-11-27', slot: 287 });
  });
});
