import type { RequestRates } from './draw-request.ts';
import { drawAddress, newRequest, type Story } from './draw-story.ts';
import type { Act } from './history.ts';

/** How calls end during an outage. */
export const OUTAGES = ['refused', 'bad-gateway', 'throttled', 'unanswered'] as const;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Draws acts that rarely come together by chance. */
export const drawStoryline = (story: Story, atMs: number): readonly Act[] =>
  story.draw.pick([drawLongOutage, drawUnknownOutcomes, drawUnknownOutcomes, drawErasedDeadLetters])(story, atMs);

/**
 * Draws what rarely comes together by chance: requests that cannot be scheduled for so long that they are given up, and a
 * redrive once they can.
 */
const drawLongOutage = (story: Story, atMs: number): readonly Act[] => {
  const { draw, requestRates } = story;
  const forMs = Math.round(draw.magnitude(25 * HOUR_MS, 40 * HOUR_MS));
  const features = { ...requestRates.features, sendAt: 1, malformed: 0, notAfter: draw.pick([0, 0.5]) };
  const scheduling: Story = { ...story, requestRates: { ...requestRates, features } };
  const requests = [1, 2, 3].map((place) => newRequest(scheduling, atMs + place * SECOND_MS));
  const redriveAtMs = atMs + forMs + Math.round(draw.magnitude(SECOND_MS, 3 * DAY_MS));
  const before = { atMs: redriveAtMs - SECOND_MS };
  const obstacle = draw.pick(['none', 'opt-out', 'no-credit'] as const);
  return [
    { atMs, kind: 'outage', part: 'scheduler', how: draw.pick(OUTAGES), forMs },
    ...requests,
    ...(obstacle === 'opt-out' ? requests.map((request) => optOut(contactIn(request), before.atMs)) : []),
    ...(obstacle === 'no-credit' ? drawNoCredit(story, before.atMs) : []),
    { atMs: redriveAtMs, kind: 'redrive', queue: 'send' },
  ];
};

/** Draws dead letters that name a contact, and the erasure of the contact before they move to the table, or after that. */
const drawErasedDeadLetters = (story: Story, atMs: number): readonly Act[] => {
  const { draw } = story;
  const contact = drawAddress(story);
  const erasedAtMs = atMs + Math.round(draw.magnitude(MINUTE_MS, 10 * DAY_MS));
  const redrives = (['inbound', 'send'] as const).filter(() => draw.chance(0.5));
  return [
    answerable(story, { atMs, contact, features: { malformed: 1 } }),
    answerable(story, { atMs: atMs + SECOND_MS, contact, features: { sendAt: 1 } }),
    { atMs: atMs + 2 * SECOND_MS, kind: 'unknown-event', body: JSON.stringify({ FROM: contact }) },
    ...redrives.map((queue) => ({ atMs: erasedAtMs - MINUTE_MS / 2, kind: 'redrive' as const, queue })),
    { atMs: erasedAtMs, kind: 'erase', contact },
  ];
};

/** The account has no credit for some minutes, and a request opens the circuit breaker. */
const drawNoCredit = (story: Story, atMs: number): readonly Act[] => [
  { atMs, kind: 'credit', hasCredit: false },
  answerable(story, { atMs: atMs + 1, features: {} }),
  { atMs: atMs + Math.round(story.draw.magnitude(MINUTE_MS, HOUR_MS)), kind: 'credit', hasCredit: true },
];

/**
 * Draws requests whose calls are not answered, what an operator decides about them, what stops those that are sent
 * again, and statuses that show too late that the first call was accepted.
 */
const drawUnknownOutcomes = (story: Story, atMs: number): readonly Act[] => {
  const { draw } = story;
  const contact = drawAddress(story);
  const forMs = Math.round(draw.magnitude(5 * SECOND_MS, 2 * MINUTE_MS));
  const decidedAtMs = atMs + forMs + Math.round(draw.magnitude(MINUTE_MS, HOUR_MS));
  const requests = [1, 2].map((place) =>
    answerable(story, {
      atMs: atMs + place * 500,
      contact,
      features: { resend: draw.pick([0, 1]), notAfter: draw.pick([0, 1]) },
    }),
  );
  const obstacle = draw.pick(['none', 'opt-out', 'outage'] as const);
  return [
    { atMs: atMs - SECOND_MS, kind: 'user-writes', contact, text: 'Hello?' },
    { atMs, kind: 'outage', part: 'chat-service', how: 'unanswered', forMs },
    ...requests,
    ...(obstacle === 'opt-out' ? [optOut(contact, decidedAtMs - SECOND_MS)] : []),
    ...(obstacle === 'outage'
      ? [
          {
            atMs: decidedAtMs - 1,
            kind: 'outage' as const,
            part: 'chat-service' as const,
            how: 'refused' as const,
            forMs: HOUR_MS,
          },
        ]
      : []),
    ...story.requests.slice(-requests.length).map(({ requestId }) => ({
      atMs: decidedAtMs,
      kind: 'resolve' as const,
      requestId,
      as: draw.pick(['resend', 'resend', 'failed', 'accepted'] as const),
    })),
    ...[MINUTE_MS, DAY_MS].map((laterMs) => ({ atMs: decidedAtMs + laterMs, kind: 'user-reads' as const, contact })),
  ];
};

/** A request that can be sent at once while its contact's window is open. */
const answerable = (
  story: Story,
  { atMs, contact, features }: { atMs: number; contact?: string; features: Partial<RequestRates['features']> },
): Act => {
  const { requestRates } = story;
  const plain = {
    ...requestRates.features,
    sendAt: 0,
    malformed: 0,
    unknownTemplate: 0,
    unsupportedMedia: 0,
    viaApi: 0,
  };
  return newRequest(
    { ...story, requestRates: { ...requestRates, features: { ...plain, ...features } } },
    atMs,
    contact,
  );
};

const optOut = (contact: string, atMs: number): Act => ({
  atMs,
  kind: 'consent',
  contact,
  consent: 'opt-out',
  origin: 'user',
  agoMs: 0,
});

const contactIn = (request: Act): string =>
  request.kind === 'request' ? String(JSON.parse(request.body).platformContactId) : '';
