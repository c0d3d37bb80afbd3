import { describe, expect, it } from 'vitest';
import {
  drawAbsentContact,
  drawStatusesInReverse,
  drawTightDeadlines,
  drawUnknownOutcomes,
} from './draw-calling-storylines.ts';
import { addressesOf } from './draw-contacts.ts';
import {
  drawErasedClaim,
  drawErasedConsents,
  drawErasedDeadLetters,
  drawErasedSchedule,
  drawErasuresAtMidnight,
  drawKeptDeadLetters,
  drawRedrivesAtMidnight,
} from './draw-erasing-storylines.ts';
import { REQUEST_CONTENTS, REQUEST_FEATURES } from './draw-request.ts';
import { drawLongOutage } from './draw-scheduling-storylines.ts';
import { playHistory } from './play-history.ts';
import { createDraw } from './random-draw.ts';
import { features, START_MS } from './small-histories.ts';
import { examineRun } from './stage-invariants.ts';
import type { DrawStoryline } from './storyline-acts.ts';
import { countWitnesses, createWitnesses } from './witnesses.ts';

const MAX_SEEDS = 100;
const START_OF_STORY_MS = START_MS + 60_000;

/** Each storyline, and the witnesses that would be rare without it. */
const CASES: readonly (readonly [string, DrawStoryline, readonly string[]])[] = [
  [
    'a long outage of the scheduler',
    drawLongOutage,
    ['schedule', 'claim', 'wait', 'refuse', 'expire'].map((name) => `transition ${name} from refused`),
  ],
  [
    'unknown outcomes',
    drawUnknownOutcomes,
    [
      'transition confirm from waiting',
      ...['refused', 'rejected', 'expired'].map((from) => `transition confirmEarlier from ${from}`),
    ],
  ],
  ['statuses in reverse', drawStatusesInReverse, ['transition confirm from accepted']],
  ['tight deadlines', drawTightDeadlines, ['transition expire from claimed']],
  ['an absent contact', drawAbsentContact, ['refusal NOT_ON_PLATFORM']],
  ['erased dead letters', drawErasedDeadLetters, ['port call erase delete DEADLETTER']],
  ['kept dead letters', drawKeptDeadLetters, ['port call manage delete DEADLETTER']],
  ['redrives at midnight', drawRedrivesAtMidnight, ['port call keep delete DEADLETTER']],
  [
    'an erased claim',
    drawErasedClaim,
    ['transition loseTrackErased from claimed', 'transition cancelErased from queued'],
  ],
  ['an erased schedule', drawErasedSchedule, ['port call send unschedule']],
  ['erased consents', drawErasedConsents, ['port call erase write CONTACT', 'port call erase write CHANNELS']],
  ['erasures at midnight', drawErasuresAtMidnight, ['port call erase write DEADLETTER']],
];

const playStoryline = (drawStoryline: DrawStoryline, seed: number) => {
  const story = {
    draw: createDraw(seed),
    contacts: [addressesOf('elsewhere', 1)],
    requestRates: { contents: REQUEST_CONTENTS, features: REQUEST_FEATURES },
    requests: [],
  };
  const acts = drawStoryline(story, START_OF_STORY_MS).toSorted((one, other) => one.atMs - other.atMs);
  const rules = { clientPayload: 'all', contactCheck: 'beforeFirstTemplate' } as const;
  const windowPer = seed % 2 === 0 ? 'user' : 'channel';
  return playHistory({ seed, features: features({ rules, windowPer }), acts });
};

describe('a storyline', () => {
  it.each(CASES)('produces its witnesses: %s', async (_, drawStoryline, names) => {
    const witnesses = createWitnesses();
    const missing = () => names.filter((name) => (witnesses.get(name) ?? 0) === 0);
    for (let seed = 1; seed <= MAX_SEEDS && missing().length > 0; seed += 1) {
      const run = await playStoryline(drawStoryline, seed);
      const { violations, checks } = examineRun(run);
      expect([seed, violations]).toEqual([seed, []]);
      countWitnesses(run, checks, witnesses);
    }
    expect(missing()).toEqual([]);
  });
});
