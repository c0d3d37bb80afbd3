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
  drawKeptDeadLetters,
  drawRedrivesAtMidnight,
} from './draw-erasing-storylines.ts';
import { drawLongOutage } from './draw-scheduling-storylines.ts';
import type { DrawStoryline } from './storyline-acts.ts';

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
  drawErasedConsents,
];

/** Draws acts that rarely come together by chance. */
export const drawStoryline: DrawStoryline = (story, atMs) => story.draw.pick(STORYLINES)(story, atMs);
