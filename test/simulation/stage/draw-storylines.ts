import {
  drawAbsentContact,
  drawConcurrentDeliveries,
  drawStatusesInReverse,
  drawTightDeadlines,
  drawUnknownOutcomes,
} from './draw-calling-storylines.ts';
import {
  drawErasedClaim,
  drawErasedConsents,
  drawErasedDeadLetters,
  drawErasedSchedule,
  drawErasuresAtMidnight,
  drawKeptDeadLetters,
  drawRedrivesAtMidnight,
} from './draw-erasing-storylines.ts';
import { drawLongOutage } from './draw-scheduling-storylines.ts';
import { drawAddress, type Story } from './draw-story.ts';
import { DAY_MS, MINUTE_MS } from './durations.ts';
import type { Act, Features } from './history.ts';
import { type DrawStoryline, writesAt } from './storyline-acts.ts';

const STORYLINES: readonly DrawStoryline[] = [
  drawLongOutage,
  drawLongOutage,
  drawUnknownOutcomes,
  drawUnknownOutcomes,
  drawUnknownOutcomes,
  drawStatusesInReverse,
  drawTightDeadlines,
  drawAbsentContact,
  drawConcurrentDeliveries,
  drawErasedDeadLetters,
  drawKeptDeadLetters,
  drawRedrivesAtMidnight,
  drawErasedClaim,
  drawErasedSchedule,
  drawErasedConsents,
  drawErasuresAtMidnight,
  drawErasuresAtMidnight,
  drawErasuresAtMidnight,
  drawErasuresAtMidnight,
  drawErasuresAtMidnight,
];

/** If windows are per user, there are no business numbers to register. */
const STORYLINES_PER_CHANNEL: readonly DrawStoryline[] = [
  ...STORYLINES,
  ...Array.from({ length: 6 }, () => drawErasedConsents),
];

/**
 * Draws acts that rarely come together by chance, and a later act, because faults happen only until the last act of a
 * history.
 */
export const drawStoryline = (
  story: Story,
  { windowPer }: Pick<Features, 'windowPer'>,
  atMs: number,
): readonly Act[] => {
  const { draw } = story;
  const acts = draw.pick(windowPer === 'channel' ? STORYLINES_PER_CHANNEL : STORYLINES)(story, atMs);
  const endsAtMs = Math.max(...acts.map((act) => act.atMs));
  return [...acts, writesAt(drawAddress(story), endsAtMs + Math.round(draw.magnitude(MINUTE_MS, DAY_MS)))];
};
