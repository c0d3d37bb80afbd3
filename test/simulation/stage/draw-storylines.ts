import {
  drawAbsentContact,
  drawClaimsGivenBack,
  drawConcurrentDeliveries,
  drawFailuresOfSeveralCalls,
  drawStatusesInReverse,
  drawTightDeadlines,
  drawUnknownOutcomes,
} from './draw-calling-storylines.ts';
import { drawChangesOfMind, drawTakeover } from './draw-conversation-storylines.ts';
import {
  drawErasedClaim,
  drawErasedConsents,
  drawErasedDeadLetters,
  drawErasedSchedule,
  drawErasuresAtMidnight,
  drawHiddenDeadLetters,
  drawKeptDeadLetters,
  drawRedrivesAtMidnight,
} from './draw-erasing-storylines.ts';
import { drawLongOutage } from './draw-scheduling-storylines.ts';
import { drawAddress, type Story } from './draw-story.ts';
import { DAY_MS, MINUTE_MS } from './durations.ts';
import type { Act, Features } from './history.ts';
import { namesOf, type Weights } from './random-draw.ts';
import { type DrawStoryline, writesAt } from './storyline-acts.ts';

/** Each storyline, and how often it is drawn in relation to the others. */
export const STORYLINES = {
  longOutage: { draw: drawLongOutage, weight: 2 },
  unknownOutcomes: { draw: drawUnknownOutcomes, weight: 3 },
  statusesInReverse: { draw: drawStatusesInReverse, weight: 1 },
  failuresOfSeveralCalls: { draw: drawFailuresOfSeveralCalls, weight: 4 },
  tightDeadlines: { draw: drawTightDeadlines, weight: 1 },
  absentContact: { draw: drawAbsentContact, weight: 1 },
  concurrentDeliveries: { draw: drawConcurrentDeliveries, weight: 1 },
  claimsGivenBack: { draw: drawClaimsGivenBack, weight: 1 },
  erasedDeadLetters: { draw: drawErasedDeadLetters, weight: 1 },
  hiddenDeadLetters: { draw: drawHiddenDeadLetters, weight: 2 },
  keptDeadLetters: { draw: drawKeptDeadLetters, weight: 1 },
  redrivesAtMidnight: { draw: drawRedrivesAtMidnight, weight: 1 },
  erasedClaim: { draw: drawErasedClaim, weight: 4 },
  erasedSchedule: { draw: drawErasedSchedule, weight: 2 },
  erasedConsents: { draw: drawErasedConsents, weight: 1 },
  erasuresAtMidnight: { draw: drawErasuresAtMidnight, weight: 2 },
  changesOfMind: { draw: drawChangesOfMind, weight: 10 },
  takeover: { draw: drawTakeover, weight: 4 },
} as const satisfies Record<string, { readonly draw: DrawStoryline; readonly weight: number }>;

type StorylineFeatures = Pick<Features, 'windowPer' | 'keywords' | 'rules' | 'chatService'>;

const weightOf = (
  name: keyof typeof STORYLINES,
  { windowPer, keywords, rules, chatService }: StorylineFeatures,
): number => {
  if (name === 'changesOfMind' && keywords !== true) return 0;
  if (name === 'takeover' && rules.operators === undefined) return 0;
  if (name === 'failuresOfSeveralCalls' && chatService?.failureRate === undefined) return 0;
  // If windows are per user, there are no business numbers to register.
  return name === 'erasedConsents' && windowPer === 'channel' ? 7 : STORYLINES[name].weight;
};

/**
 * Draws acts that rarely come together by chance, and a later act, because faults happen only until the last act of a
 * history.
 */
export const drawStoryline = (story: Story, features: StorylineFeatures, atMs: number): readonly Act[] => {
  const { draw } = story;
  const weights = Object.fromEntries(namesOf(STORYLINES).map((name) => [name, weightOf(name, features)]));
  // The names are those of the storylines.
  const name = draw.weighted(weights as Weights<keyof typeof STORYLINES>);
  const acts = STORYLINES[name].draw(story, atMs);
  const endsAtMs = Math.max(...acts.map((act) => act.atMs));
  return [...acts, writesAt(drawAddress(story), endsAtMs + Math.round(draw.magnitude(MINUTE_MS, DAY_MS)))];
};
