import { drawAddress, type Story } from './draw-story.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Act } from './history.ts';
import {
  answerable,
  approvedTemplate,
  consentAt,
  type DrawStoryline,
  OUTAGES,
  strangerIn,
  writesAt,
} from './storyline-acts.ts';

/**
 * Draws requests whose calls are not answered, an operator's decisions about them, obstacles to those that are resent,
 * sometimes their cancellations, and statuses that show too late that the first call was accepted.
 */
export const drawUnknownOutcomes: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contacts = [drawAddress(story), drawAddress(story)];
  const forMs = Math.round(draw.magnitude(20 * SECOND_MS, 2 * MINUTE_MS));
  const decidedAtMs = atMs + forMs + Math.round(draw.magnitude(MINUTE_MS, HOUR_MS));
  const requests = [1, 2, 3, 4, 5, 6].map((place) => {
    const queuedAtMs = atMs + place * 200;
    // Leaves time for the first call, and often not for another.
    const notAfterMs = draw.chance(0.4) ? draw.integer(queuedAtMs + 20 * SECOND_MS, decidedAtMs) : undefined;
    return answerable(story, {
      atMs: queuedAtMs,
      contact: contacts[place % 2],
      features: { resend: draw.pick([0, 0, 0, 1]) },
      ...(notAfterMs !== undefined && { notAfterMs }),
    });
  });
  const obstacle = draw.pick(['none', 'opt-out', 'outage'] as const);
  const isCancelled = draw.chance(0.3);
  const isOff = draw.chance(0.9);
  const isOnAtMs = decidedAtMs + Math.round(draw.magnitude(SECOND_MS, HOUR_MS));
  const ofEach = (act: (contact: string) => Act): readonly Act[] => contacts.map(act);
  return [
    ...ofEach((contact) => writesAt(contact, atMs - SECOND_MS)),
    ...(isOff ? ofEach((contact) => ({ atMs, kind: 'device', contact, isOn: false })) : []),
    { atMs, kind: 'outage', part: 'chat-service', how: 'unanswered', forMs },
    ...requests,
    ...(obstacle === 'opt-out' ? ofEach((contact) => consentAt(contact, decidedAtMs - SECOND_MS, 'opt-out')) : []),
    ...(obstacle === 'outage' ? [refusing(decidedAtMs - 1)] : []),
    ...story.requests.slice(-requests.length).map(({ requestId }) => ({
      atMs: decidedAtMs,
      kind: 'resolve' as const,
      requestId,
      as: draw.pick(['resend', 'resend', 'failed', 'accepted'] as const),
    })),
    ...(isCancelled ? cancelled(story.requests.slice(-requests.length), decidedAtMs) : []),
    ...(isOff ? ofEach((contact) => ({ atMs: isOnAtMs, kind: 'device', contact, isOn: true })) : []),
    ...[MINUTE_MS, DAY_MS].flatMap((laterMs) =>
      ofEach((contact) => ({ atMs: decidedAtMs + laterMs, kind: 'user-reads', contact })),
    ),
  ];
};

const cancelled = (requests: Story['requests'], atMs: number): readonly Act[] =>
  requests.map(({ requestId }) => ({ atMs: atMs + SECOND_MS, kind: 'cancel', requestId }));

const refusing = (atMs: number): Act => ({
  atMs,
  kind: 'outage',
  part: 'chat-service',
  how: 'refused',
  forMs: HOUR_MS,
});

/** Draws a request that two producers queue, each in its own message group, while calls are answered late or never. */
export const drawConcurrentDeliveries: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  const request = answerable(story, { atMs: atMs + SECOND_MS, contact });
  const isUnanswered = draw.chance(0.7);
  return [
    writesAt(contact, atMs - SECOND_MS),
    ...(isUnanswered
      ? [{ atMs, kind: 'outage' as const, part: 'chat-service' as const, how: 'unanswered' as const, forMs: MINUTE_MS }]
      : []),
    request,
    ...[1, 2].map((copy) => ({
      ...request,
      atMs: request.atMs + draw.integer(0, 3 * SECOND_MS),
      via: 'queue' as const,
      groupId: `another-producer-${copy}`,
      deduplicationId: `${request.deduplicationId}-${copy}`,
    })),
  ];
};

/**
 * Draws requests of several producers, and an outage of the table that starts while they are claimed. It ends when it is
 * too late for the calls of these claims, but before their functions end, so that the claims can be given back.
 */
export const drawClaimsGivenBack: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  return [
    writesAt(contact, atMs - SECOND_MS),
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((producer) => ({
      ...answerable(story, { atMs: atMs + producer * 40, contact }),
      groupId: `producer-${producer}`,
    })),
    {
      atMs: atMs + draw.integer(250, 600),
      kind: 'outage',
      part: 'table',
      how: draw.pick(OUTAGES),
      forMs: draw.integer(50 * SECOND_MS, 90 * SECOND_MS),
    },
  ];
};

/**
 * Draws calls that are not answered. The function cannot store their Delivered but can store their Read, so the later
 * status confirms them first.
 */
export const drawStatusesInReverse: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  const onAtMs = atMs + MINUTE_MS;
  const forMs = Math.round(draw.magnitude(5 * SECOND_MS, 2 * MINUTE_MS));
  const requests = [1, 2, 3].map((place) =>
    answerable(story, { atMs: atMs + place * 500, contact, features: { resend: 0 } }),
  );
  return [
    writesAt(contact, atMs - SECOND_MS),
    { atMs, kind: 'device', contact, isOn: false },
    { atMs, kind: 'outage', part: 'chat-service', how: 'unanswered', forMs: 30 * SECOND_MS },
    ...requests,
    { atMs: onAtMs, kind: 'outage', part: 'table', how: 'throttled', forMs },
    { atMs: onAtMs + 1, kind: 'device', contact, isOn: true },
    ...[1, 100, 2_000].map((laterMs) => ({
      atMs: onAtMs + forMs + laterMs,
      kind: 'user-reads' as const,
      contact,
    })),
  ];
};

/**
 * Draws templates whose first call is not answered, and whose second call is made about when the statuses of the first
 * arrive. If the chat service answers such calls without a message ID, only statuses tell the messages apart. Others are
 * called once, and an operator finds that they were accepted, perhaps after their messages have failed.
 */
export const drawFailuresOfSeveralCalls: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  // A call times out after ten seconds, and the next one follows.
  const onAtMs = atMs + draw.integer(10, 17) * SECOND_MS;
  const requests = [1, 2, 3, 4, 5, 6].map((place) =>
    answerable(story, {
      atMs: atMs + place * 300,
      contact,
      features: { withoutReason: 0, resend: place % 2 },
      ...approvedTemplate,
    }),
  );
  const resolvedAtMs = onAtMs + Math.round(draw.magnitude(MINUTE_MS, HOUR_MS));
  return [
    writesAt(contact, atMs - SECOND_MS),
    { atMs, kind: 'device', contact, isOn: false },
    { atMs, kind: 'outage', part: 'chat-service', how: 'unanswered', forMs: draw.integer(2, 15) * SECOND_MS },
    ...requests.map((request, place) => ({ ...request, groupId: `producer-${place}` })),
    { atMs: onAtMs, kind: 'device', contact, isOn: true },
    ...story.requests.slice(-requests.length).map(({ requestId }) => ({
      atMs: resolvedAtMs,
      kind: 'resolve' as const,
      requestId,
      as: 'accepted' as const,
    })),
  ];
};

/** Draws requests whose notAfter passes while a function handles them. */
export const drawTightDeadlines: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  // The first one starts a process, so that the others take little time.
  const first = answerable(story, { atMs: atMs + SECOND_MS, contact });
  const requests = [1, 2, 3, 4, 5, 6].map((place) => {
    const queuedAtMs = atMs + (2 + 2 * place) * SECOND_MS;
    return answerable(story, { atMs: queuedAtMs, contact, notAfterMs: queuedAtMs + draw.integer(20, 140) });
  });
  return [writesAt(contact, atMs), first, ...requests];
};

/** Draws a template for a user who has never written and is not on the platform. */
export const drawAbsentContact: DrawStoryline = (story, atMs) => {
  const contact = strangerIn(story);
  const joinsAtMs = atMs + Math.round(story.draw.magnitude(MINUTE_MS, 3 * DAY_MS));
  return [
    { atMs, kind: 'platform', contact, isOnPlatform: false },
    consentAt(contact, atMs + 1, 'opt-in'),
    ...[1, 2].map((place) =>
      answerable(story, {
        atMs: atMs + 10 * place * SECOND_MS,
        contact,
        features: { withoutReason: 0 },
        ...approvedTemplate,
      }),
    ),
    { atMs: joinsAtMs, kind: 'platform', contact, isOnPlatform: true },
    answerable(story, { atMs: joinsAtMs + SECOND_MS, contact, features: { withoutReason: 0 }, ...approvedTemplate }),
  ];
};
