import { DAY_MS, HOUR_MS, SECOND_MS } from './durations.ts';
import {
  answerable,
  consentAt,
  contactIn,
  type DrawStoryline,
  drawNoCredit,
  OUTAGES,
  writesAt,
} from './storyline-acts.ts';

/** A request that has failed for a day becomes a dead letter when it is next received. */
const GIVEN_UP_AFTER_MS = 27 * HOUR_MS;

/**
 * Draws requests that become dead letters because they cannot be scheduled for too long, and a redrive after that: when
 * they are not due yet, when they are due, when they are too late, or when they must not or cannot be sent.
 */
export const drawLongOutage: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const forMs = Math.round(draw.magnitude(28 * HOUR_MS, 40 * HOUR_MS));
  const endsAtMs = atMs + forMs;
  const when = draw.pick(['early', 'due', 'due', 'due', 'late'] as const);
  const dueBy = (latestMs: number) => draw.integer(atMs + GIVEN_UP_AFTER_MS, latestMs);
  const redriveAtMs = endsAtMs + Math.round(draw.magnitude(MIN_REDRIVE_MS, DAY_MS));
  const requests = [1, 2, 3].map((place) => {
    const sendAtMs = when === 'early' ? redriveAtMs + draw.integer(HOUR_MS, 2 * DAY_MS) : dueBy(endsAtMs);
    const notAfterMs = when === 'late' ? draw.integer(sendAtMs, redriveAtMs) : undefined;
    return answerable(story, {
      atMs: atMs + place * SECOND_MS,
      sendAtMs,
      ...(notAfterMs !== undefined && { notAfterMs }),
    });
  });
  const contacts = requests.map(contactIn);
  const obstacle = draw.pick(['none', 'opt-out', 'no-credit'] as const);
  return [
    { atMs, kind: 'outage', part: 'scheduler', how: draw.pick(OUTAGES), forMs },
    ...requests,
    ...(draw.chance(0.8) ? contacts.map((contact) => writesAt(contact, redriveAtMs - 15 * SECOND_MS)) : []),
    ...(obstacle === 'opt-out'
      ? contacts.map((contact) => consentAt(contact, redriveAtMs - SECOND_MS, 'opt-out'))
      : []),
    ...(obstacle === 'no-credit' ? drawNoCredit(story, redriveAtMs - 10 * SECOND_MS) : []),
    { atMs: redriveAtMs, kind: 'redrive', queue: 'send' },
  ];
};

const MIN_REDRIVE_MS = 20 * SECOND_MS;
