import { describe, expect, it } from 'vitest';
import { SENDING_DEFECTS } from './defects/sending-defects.ts';
import { addressesOf } from './draw-contacts.ts';
import { REQUEST_CONTENTS, REQUEST_FEATURES } from './draw-request.ts';
import { STORYLINES } from './draw-storylines.ts';
import { playHistory } from './play-history.ts';
import { createDraw, namesOf } from './random-draw.ts';
import { features, START_MS } from './small-histories.ts';
import { checkRun, examineRun } from './stage-invariants.ts';
import type { PlayOptions } from './stage-run.ts';
import { countWitnesses, createWitnesses } from './witnesses.ts';

const MAX_SEEDS = 500;
const START_OF_STORY_MS = START_MS + 60_000;

type StorylineName = keyof typeof STORYLINES;

/** Some defects are found only with these storylines, but they have no witnesses of their own. */
type Unwitnessed = 'concurrentDeliveries' | 'claimsGivenBack' | 'redrivesAtMidnight' | 'erasuresAtMidnight';

/** The witnesses that would be rare without each storyline. */
const WITNESSES: Readonly<Record<Exclude<StorylineName, Unwitnessed>, readonly string[]>> = {
  longOutage: ['schedule', 'claim', 'wait', 'refuse', 'expire'].map((name) => `transition ${name} from refused`),
  unknownOutcomes: [
    'transition confirm from waiting',
    ...['refused', 'rejected', 'expired', 'cancelled'].map((from) => `transition confirmEarlier from ${from}`),
  ],
  statusesInReverse: ['transition confirm from accepted'],
  failuresOfSeveralCalls: ['transition accept from failed', 'transition identifyOther from failed'],
  tightDeadlines: ['transition expire from claimed'],
  absentContact: ['refusal NOT_ON_PLATFORM'],
  erasedDeadLetters: ['port call erase delete DEADLETTER'],
  hiddenDeadLetters: ['port call erase write DEADLETTER', 'port call erase write DEADLETTER PART'],
  keptDeadLetters: ['port call manage delete DEADLETTER'],
  erasedClaim: ['transition loseTrackErased from claimed', 'transition cancelErased from queued'],
  erasedSchedule: ['port call send unschedule'],
  changesOfMind: ['opt-out by keyword', 'opt-in by keyword'],
  takeover: ['refusal HUMAN_TOOK_OVER', 'refusal HANDED_OVER'],
  erasedConsents: ['port call erase write CONTACT', 'port call erase write CHANNELS'],
};

const playStoryline = (name: StorylineName, seed: number, options: PlayOptions = {}) => {
  const story = {
    draw: createDraw(seed),
    contacts: [addressesOf('elsewhere', 1)],
    requestRates: { contents: REQUEST_CONTENTS, features: REQUEST_FEATURES },
    requests: [],
  };
  const acts = STORYLINES[name].draw(story, START_OF_STORY_MS).toSorted((one, other) => one.atMs - other.atMs);
  const operators = { echoes: true };
  const rules = { clientPayload: 'all', contactCheck: 'beforeFirstTemplate', operators } as const;
  const keywords = { keywords: true, optInKeyword: true };
  const answersIntentsWithoutId = seed % 4 < 2;
  const chatService = { closesEarlyMs: 0, maxDeviceMs: 60_000, answersIntentsWithoutId, failureRate: 0.5 };
  const others = name === 'failuresOfSeveralCalls' ? { chatService, maxAnswerMs: 5_000 } : {};
  const windowPer = seed % 2 === 0 ? 'user' : 'channel';
  return playHistory({ seed, features: features({ rules, windowPer, ...keywords, ...others }), acts }, options);
};

describe('a storyline', () => {
  it.each(namesOf(WITNESSES))('produces its witnesses: %s', async (storyline) => {
    const witnesses = createWitnesses();
    const missing = () => WITNESSES[storyline].filter((name) => (witnesses.get(name) ?? 0) === 0);
    for (let seed = 1; seed <= MAX_SEEDS && missing().length > 0; seed += 1) {
      const run = await playStoryline(storyline, seed);
      const { violations, checks } = examineRun(run);
      expect([seed, violations]).toEqual([seed, []]);
      countWitnesses(run, checks, witnesses);
    }
    expect(missing()).toEqual([]);
  });

  it('shows a claim that is not given back: claimsGivenBack', async () => {
    const { create: createMutation, invariant } = SENDING_DEFECTS.claimKept;
    let isFound = false;
    for (let seed = 1; seed <= MAX_SEEDS && !isFound; seed += 1) {
      expect([seed, checkRun(await playStoryline('claimsGivenBack', seed))]).toEqual([seed, []]);
      const broken = checkRun(await playStoryline('claimsGivenBack', seed, { createMutation }));
      isFound = broken.some((violation) => violation.invariant === invariant);
    }
    expect(isFound).toBe(true);
  });
});
