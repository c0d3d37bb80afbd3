import { messageGroup } from '../../../lambdas/domain/contact.ts';
import { LIMITS } from '../world/send-process.ts';
import { drawAddress } from './draw-story.ts';
import { DAY_MS, MINUTE_MS, nextMidnight, SECOND_MS } from './durations.ts';
import type { Act } from './history.ts';
import { answerable, consentAt, type DrawStoryline, writesAt } from './storyline-acts.ts';

/** After a week, dead letters move to the table. */
const KEPT_AFTER_DAYS = { min: 8, max: 13 } as const;

/** Draws dead letters that name a contact, and the erasure of the contact before or after they move to the table. */
export const drawErasedDeadLetters: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  const afterMs = draw.chance(0.5)
    ? Math.round(draw.magnitude(MINUTE_MS, 7 * DAY_MS))
    : draw.integer(KEPT_AFTER_DAYS.min * DAY_MS, KEPT_AFTER_DAYS.max * DAY_MS);
  const erasedAtMs = atMs + afterMs;
  const redrives = (['inbound', 'send'] as const).filter(() => draw.chance(0.5));
  return [
    answerable(story, { atMs, contact, features: { malformed: 1 } }),
    answerable(story, { atMs: atMs + SECOND_MS, contact, features: { sendAt: 1 } }),
    unknownEventOf(contact, atMs + 2 * SECOND_MS),
    ...redrives.map((queue) => ({ atMs: erasedAtMs - MINUTE_MS / 2, kind: 'redrive' as const, queue })),
    { atMs: erasedAtMs, kind: 'erase', contact },
  ];
};

/** Draws dead letters that are redriven after they moved to the table. */
export const drawKeptDeadLetters: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  const redrivenAtMs = atMs + draw.integer(KEPT_AFTER_DAYS.min * DAY_MS, KEPT_AFTER_DAYS.max * DAY_MS);
  return [
    answerable(story, { atMs, contact, features: { malformed: 1 } }),
    unknownEventOf(contact, atMs + SECOND_MS),
    ...(['inbound', 'send'] as const).map((queue) => ({ atMs: redrivenAtMs, kind: 'redrive' as const, queue })),
  ];
};

/** Draws operators who redrive week-old dead letters at midnight, while these are being moved to the table. */
export const drawRedrivesAtMidnight: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const midnightMs = nextMidnight(atMs + 7 * DAY_MS);
  const contact = drawAddress(story);
  const firstMs = midnightMs + draw.integer(0, 400);
  return [
    ...Array.from({ length: 10 }, (_, index) => unknownEventOf(contact, atMs + index * SECOND_MS)),
    ...Array.from({ length: 6 }, (_, index) => ({
      atMs: firstMs + index * 50,
      kind: 'redrive' as const,
      queue: 'inbound' as const,
    })),
  ];
};

const unknownEventOf = (contact: string, atMs: number): Act => ({
  atMs,
  kind: 'unknown-event',
  body: JSON.stringify({ FROM: contact }),
});

/**
 * Draws functions that die during the calls of several producers' requests, and the erasure of the contact after the
 * leases of the claims have expired and before another function receives the requests. Other requests of the contact
 * wait behind the first.
 */
export const drawErasedClaim: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  const leaseEndsAtMs = atMs + 2 * SECOND_MS + LIMITS.leaseSeconds * SECOND_MS;
  return [
    writesAt(contact, atMs - SECOND_MS),
    { atMs, kind: 'outage', part: 'chat-service', how: 'unanswered', forMs: MINUTE_MS },
    answerable(story, { atMs: atMs + SECOND_MS, contact }),
    ...[2, 3].map((producer) => ({
      ...answerable(story, { atMs: atMs + SECOND_MS, contact }),
      groupId: `producer-${producer}`,
    })),
    ...[1, 2].map((place) =>
      answerable(story, { atMs: atMs + (1 + place) * SECOND_MS, contact, features: { viaApi: 1 } }),
    ),
    { atMs: atMs + 4 * SECOND_MS, kind: 'crash', lambda: 'send' },
    { atMs: leaseEndsAtMs + draw.integer(0, 20 * SECOND_MS), kind: 'erase', contact },
  ];
};

/** Draws the erasure of a contact with a scheduled request, which is then queued again several times. */
export const drawErasedSchedule: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  const sendAtMs = atMs + Math.round(draw.magnitude(DAY_MS, 3 * DAY_MS));
  const request = answerable(story, { atMs, contact, sendAtMs });
  return [
    request,
    { atMs: atMs + MINUTE_MS, kind: 'erase', contact },
    ...[10, 20, 30, 40].map((minutes) => ({
      ...request,
      atMs: atMs + minutes * MINUTE_MS,
      via: 'queue' as const,
      deduplicationId: `${request.deduplicationId}-again-${minutes}`,
    })),
  ];
};

/**
 * Draws consents that are recorded before an erasure, and others while it runs, in three rounds. Each starts after the
 * processes of the previous one have ended, because a process registers the business number only once.
 */
export const drawErasedConsents: DrawStoryline = (story, atMs) =>
  Array.from({ length: ERASURE_ROUNDS }, (_, round) => drawErasureOfConsents(story, atMs + round * IDLE_MS)).flat();

const ERASURE_ROUNDS = 3;
/** Longer than a process can be idle. */
const IDLE_MS = 12 * MINUTE_MS;

const drawErasureOfConsents: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  const erasedAtMs = atMs + MINUTE_MS;
  return [
    consentAt(contact, atMs, draw.pick(['opt-in', 'opt-out']), 'user'),
    ...(draw.chance(0.3) ? [writesAt(contact, atMs + SECOND_MS)] : []),
    { atMs: erasedAtMs, kind: 'erase', contact },
    ...(['opt-in', 'opt-out'] as const).map((consent, index) =>
      consentAt(contact, erasedAtMs + draw.integer(20, 120) * (index + 1), consent, 'import'),
    ),
    ...(draw.chance(0.2) ? [writesAt(contact, erasedAtMs + draw.integer(1, 300))] : []),
  ];
};

/**
 * Draws functions that die while they move the dead letters of two contacts to the table, and erasures of the contacts
 * before the next attempt, while the dead letters are still incomplete.
 */
export const drawErasuresAtMidnight: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const midnightMs = nextMidnight(atMs + 7 * DAY_MS);
  const contacts = [drawAddress(story), drawAddress(story)];
  const diesAtMs = midnightMs + draw.integer(280, 450);
  return [
    ...Array.from({ length: 5 }, (_, index) =>
      contacts.map((contact) => unknownEventOf(contact, atMs + index * SECOND_MS)),
    ).flat(),
    { atMs: diesAtMs, kind: 'crash', lambda: 'manage' },
    ...contacts.map((contact) => ({
      atMs: diesAtMs + draw.integer(0, 40 * SECOND_MS),
      kind: 'erase' as const,
      contact,
    })),
  ];
};

/**
 * Draws malformed requests of three contacts in one message group, more than SQS returns at once, and erasures of two of
 * the contacts at about the same time.
 */
export const drawHiddenDeadLetters: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contacts = [drawAddress(story), drawAddress(story)];
  const addresses = [...contacts, '+4915129999999'];
  const groupId = messageGroup(draw.pick(addresses));
  const count = draw.integer(11, 24);
  const erasedAtMs = atMs + count * 100;
  return [
    ...Array.from({ length: count }, (_, index): Act => {
      const requestId = `hidden-${atMs}-${index}`;
      const body = JSON.stringify({ requestId, platformContactId: draw.pick(addresses), messageText: 7 });
      return { atMs: atMs + index * 100, kind: 'request', via: 'queue', body, groupId, deduplicationId: requestId };
    }),
    ...contacts.map((contact) => ({
      atMs: erasedAtMs + Math.round(draw.magnitude(1, 2 * MINUTE_MS)),
      kind: 'erase' as const,
      contact,
    })),
  ];
};
