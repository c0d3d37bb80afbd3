import { messageGroup } from '../../../lambdas/domain/contact.ts';
import type { Addresses } from './draw-contacts.ts';
import { drawRequest, type RequestRates, TEMPLATES } from './draw-request.ts';
import type { Act, ActKind } from './history.ts';
import type { Draw } from './random-draw.ts';

/** What the acts of a history have in common, and what the earlier ones did. */
export interface Story {
  readonly draw: Draw;
  readonly contacts: readonly Addresses[];
  readonly requestRates: RequestRates;
  /** The requests so far, for acts that refer to one. */
  readonly requests: PastRequest[];
}

export interface PastRequest {
  readonly requestId: string;
  readonly act: Extract<Act, { kind: 'request' }>;
  readonly isScheduled: boolean;
}

/** The choices of acts that a run of many seeds must have made. */
export const CHOICES = {
  via: ['queue', 'api'],
  as: ['accepted', 'failed', 'resend'],
  consent: ['opt-in', 'opt-out'],
  origin: ['user', 'import'],
  queue: ['send', 'inbound'],
  part: ['chat-service', 'table', 'queues', 'bus', 'scheduler'],
  how: ['refused', 'bad-gateway', 'throttled', 'unanswered'],
} as const;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How often each kind of act happens, before swarm testing changes it. */
export const ACT_WEIGHTS: Readonly<Record<ActKind, number>> = {
  'user-writes': 9,
  'user-reads': 2,
  echo: 0.5,
  'unknown-event': 0.5,
  'unauthenticated-event': 0.5,
  request: 14,
  cancel: 1,
  resolve: 1.5,
  consent: 2,
  erase: 0.5,
  redrive: 0.7,
  credit: 0.4,
  'rotate-token': 0.4,
  template: 0.4,
  platform: 0.4,
  outage: 0.4,
};

/** Draws an act of a kind, and the acts that it entails. Returns none if it would have nothing to refer to. */
export const drawAct = (kind: ActKind, story: Story, atMs: number): readonly Act[] => {
  const { draw } = story;
  switch (kind) {
    case 'user-writes':
    case 'echo':
    case 'unauthenticated-event':
      return [{ atMs, kind, contact: drawAddress(story), text: draw.pick(USERS_TEXTS) }];
    case 'user-reads':
    case 'erase':
      return [{ atMs, kind, contact: drawAddress(story) }];
    case 'unknown-event':
      return [{ atMs, kind, body: draw.pick(UNKNOWN_EVENTS) }];
    case 'request':
      return [story.requests.length > 0 && draw.chance(0.12) ? repeatRequest(story, atMs) : newRequest(story, atMs)];
    case 'cancel': {
      const scheduled = story.requests.filter(({ isScheduled }) => isScheduled);
      const known = scheduled.length > 0 && draw.chance(0.8) ? scheduled : story.requests;
      return known.length === 0 ? [] : [{ atMs, kind, requestId: draw.pick(known).requestId }];
    }
    case 'resolve': {
      if (story.requests.length === 0) return [];
      const as = draw.pick(CHOICES.as);
      return [{ atMs, kind, requestId: draw.pick(story.requests).requestId, as }];
    }
    case 'consent': {
      const consent = draw.chance(0.3) ? 'opt-out' : 'opt-in';
      const agoMs = draw.chance(0.5) ? 0 : Math.round(draw.magnitude(1, 30 * DAY_MS));
      return [{ atMs, kind, contact: drawAddress(story), consent, origin: draw.pick(CHOICES.origin), agoMs }];
    }
    case 'redrive':
      return [{ atMs, kind, queue: draw.pick(CHOICES.queue) }];
    case 'credit':
      return [{ atMs, kind, hasCredit: false }, ...usuallyLater(draw, atMs, { kind, hasCredit: true })];
    case 'rotate-token':
      return [{ atMs, kind, secretFollowsMs: draw.chance(0.3) ? 0 : Math.round(draw.magnitude(10, 2 * HOUR_MS)) }];
    case 'template': {
      const name = draw.pick(TEMPLATES);
      return name === 'parcel_update'
        ? [{ atMs, kind, name, isApproved: false }, ...usuallyLater(draw, atMs, { kind, name, isApproved: true })]
        : [{ atMs, kind, name, isApproved: draw.chance(0.7) }];
    }
    case 'platform': {
      const contact = drawAddress(story);
      const back = usuallyLater(draw, atMs, { kind, contact, isOnPlatform: true });
      return [{ atMs, kind, contact, isOnPlatform: false }, ...back];
    }
    case 'outage':
      if (draw.chance(0.1)) return drawLongOutage(story, atMs);
      if (draw.chance(0.3)) return drawUnknownOutcomes(story, atMs);
      return [{ atMs, kind, ...drawOutage(draw) }];
  }
};

/** Draws a request to a contact around the end of the window that a message of the contact opened. */
export const drawEdgeRequest = (
  story: Story,
  { atMs, contact }: { readonly atMs: number; readonly contact: string },
): Act => newRequest(story, atMs + DAY_MS - story.draw.pick(WINDOW_EDGES_MS), contact);

/** How much earlier than 24 hours after a message: around the margins of the stages, and around the end itself. */
const WINDOW_EDGES_MS = [2 * HOUR_MS, HOUR_MS, 600_001, 599_000, 60_001, 60_000, 59_999, 1_000, 1, 0, -1, -1_000];

const newRequest = (story: Story, atMs: number, platformContactId = drawAddress(story)): Act => {
  const requestId = `request-${story.requests.length + 1}`;
  const drawn = drawRequest(story.draw, story.requestRates, { requestId, platformContactId, atMs });
  const groupId = messageGroup(platformContactId);
  const act = { atMs, kind: 'request' as const, via: drawn.via, body: drawn.body, groupId, deduplicationId: requestId };
  story.requests.push({ requestId, act, isScheduled: drawn.isScheduled });
  return act;
};

/** The same request again, by another route, in another group, or with another body. */
const repeatRequest = ({ draw, requests }: Story, atMs: number): Act => {
  const { act, requestId } = draw.pick(requests);
  const again = { ...act, atMs, via: draw.chance(0.7) ? act.via : draw.pick(CHOICES.via) };
  switch (draw.pick(['same', 'other-group', 'other-id', 'other-body'] as const)) {
    case 'same':
      return again;
    case 'other-group':
      return { ...again, groupId: `producer-${draw.integer(2, 3)}` };
    case 'other-id':
      return { ...again, deduplicationId: `${requestId}-again-${draw.integer(1, 3)}` };
    case 'other-body': {
      const body = act.body.replaceAll(`${requestId}:`, `${requestId}: changed.`);
      return { ...again, body, deduplicationId: `${requestId}-changed` };
    }
  }
};

type ActLater = { [Kind in ActKind]: Omit<Extract<Act, { kind: Kind }>, 'atMs'> }[ActKind];

/** Adds an act that ends a condition. A few conditions last, which can mean retries for days. */
const usuallyLater = (draw: Draw, atMs: number, act: ActLater): readonly Act[] =>
  // An act without its time, and a time, are an act.
  draw.chance(LASTING_RATE) ? [] : [{ ...act, atMs: atMs + Math.round(draw.magnitude(SECOND_MS, 6 * HOUR_MS)) } as Act];

const LASTING_RATE = 0.03;

type Outage = Pick<Extract<Act, { kind: 'outage' }>, 'part' | 'how' | 'forMs'>;

/**
 * How long each part can be unavailable. The stream is read again at once, so a long outage of the bus would only be the
 * same thousands of times. Requests that cannot be scheduled are given up after a day.
 */
const MAX_OUTAGE_MS = {
  'chat-service': 30 * HOUR_MS,
  table: 2 * HOUR_MS,
  queues: 2 * HOUR_MS,
  bus: 10 * 60 * SECOND_MS,
  scheduler: 30 * HOUR_MS,
} as const satisfies Record<Outage['part'], number>;

const drawOutage = (draw: Draw): Outage => {
  const part = draw.pick(CHOICES.part);
  return { part, how: draw.pick(CHOICES.how), forMs: Math.round(draw.magnitude(100, MAX_OUTAGE_MS[part])) };
};

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
    { atMs, kind: 'outage', part: 'scheduler', how: draw.pick(CHOICES.how), forMs },
    ...requests,
    ...(obstacle === 'opt-out' ? requests.map((request) => optOut(contactIn(request), before.atMs)) : []),
    ...(obstacle === 'no-credit' ? drawNoCredit(story, before.atMs) : []),
    { atMs: redriveAtMs, kind: 'redrive', queue: 'send' },
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

/** Any address of a contact, but usually the first. */
const drawAddress = ({ draw, contacts }: Story): string => {
  const addresses = draw.pick(contacts);
  const [first] = addresses;
  return draw.chance(0.6) && first !== undefined ? first : draw.pick(addresses);
};

const USERS_TEXTS = ['Where is my parcel?', '', '{"button":"yes"}', 'STOP', '¿Dónde está? 🙂\n'];

const UNKNOWN_EVENTS = ['{"FROM":"5491155550000"}', '{"_id_":7}', 'ping', '[]', '{"_id_":"event-1","MESSAGE":{"a":1}}'];
