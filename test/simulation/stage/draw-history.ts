import { messageGroup } from '../../../lambdas/domain/contact.ts';
import type { SendRequest } from '../../../lambdas/domain/send-request.ts';
import { NOW } from '../../support/builders.ts';
import { WIRE_FORMATS, type WireFormat } from '../world/translate-event.ts';
import { ACT_WEIGHTS, drawAct, drawEdgeRequest } from './draw-acts.ts';
import { drawContacts } from './draw-contacts.ts';
import { drawFeatures } from './draw-features.ts';
import { REQUEST_CONTENTS, REQUEST_FEATURES } from './draw-request.ts';
import type { Story } from './draw-story.ts';
import { drawStoryline } from './draw-storylines.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Act, ActKind, Features, History } from './history.ts';
import { createDraw, type Draw, swarm } from './random-draw.ts';

/** The start time of every drawn history. */
export const START_MS = Date.parse(NOW);

/** Leads to about 500 events, including the deliveries, messages, and retries that follow from the acts. */
const MIN_ACTS = 100;
const MAX_ACTS = 286;

/** Only its ID tells the chat service's record of a confirmation from others, because all have the same text. */
export const CONFIRMING = { optOutConfirmation: 'You get no more messages.', clientPayload: 'all' } as const;

/** The formats of the webhook, by the seed, without a draw. A prime number of them, to meet every other feature. */
const FORMATS: readonly (readonly WireFormat[] | undefined)[] = [
  undefined,
  undefined,
  ['camelCase'],
  ['v1.1'],
  ['v1.1'],
  WIRE_FORMATS,
  ['code-action', 'v1.1'],
];
/** The place of the formats with which the chat service answers with the id of a job. */
const JOBS = 4;
const PLAIN_CHAT_SERVICE = { closesEarlyMs: 0, maxDeviceMs: MINUTE_MS, answersIntentsWithoutId: false } as const;

/** Sets the chat service's clock further ahead than events are late. The events have no publish time. */
const withClockAhead = ({ delivery }: Features): Pick<Features, 'clockAheadMs' | 'delivery'> => ({
  clockAheadMs: 10 * MINUTE_MS,
  delivery: { ...delivery, lateRate: 0.4, maxLateMs: 8 * MINUTE_MS, envelope: 'without-publish-time' },
});

/**
 * Draws a history from a seed. First draws which faults, features, and kinds of acts it has and how often each occurs,
 * then the acts.
 */
export const drawHistory = (seed: number): History => {
  const draw = createDraw(seed);
  // Without a draw, so that the other choices of a seed stay the same.
  const drawn = drawFeatures(draw);
  const hasOperators = seed % 4 === 1;
  const hasTurns = seed % 3 === 2;
  const bulkLane = seed % 4 === 2;
  const formats = FORMATS[seed % FORMATS.length];
  const answersWithJob = seed % FORMATS.length === JOBS;
  const features = {
    ...drawn,
    keywords: seed % 4 === 0,
    ...(seed % 16 === 4 && withClockAhead(drawn)),
    ...(seed % 16 < 8 && seed % 4 === 0 && { optInKeyword: true }),
    ...(bulkLane && { bulkLane }),
    ...(formats && {
      chatService: {
        ...PLAIN_CHAT_SERVICE,
        ...drawn.chatService,
        formats,
        failureRate: 0.25,
        ...(answersWithJob && { answersWithJob }),
      },
    }),
    ...(hasTurns && { turnSilenceSeconds: 8 }),
    ...(hasOperators && { rules: { ...drawn.rules, operators: { echoes: true } } }),
    ...(seed % 8 === 0 && { rules: { ...drawn.rules, ...CONFIRMING } }),
  };
  const isOnce = seed % 9 === 4;
  const isBuffered = seed % 9 === 1 || (isOnce && seed % 2 === 0);
  const delivery = {
    ...features.delivery,
    ...(seed % 5 < 2 && { batchRate: 0.2 + 0.3 * (seed % 5) }),
    ...(isOnce && { isOnce }),
  };
  const story: Story = {
    draw,
    contacts: drawContacts(draw),
    requestRates: {
      contents: atLeastOne(swarm(draw, REQUEST_CONTENTS), 'both'),
      features: swarm(draw, REQUEST_FEATURES),
    },
    requests: [],
  };
  const acts = drawActs(story, features);
  const withLanes = bulkLane ? withBulkRequests(acts) : acts;
  const withPeople = hasOperators ? withHandovers(withLanes) : withLanes;
  const withTurns = hasTurns ? withBursts(withPeople) : withPeople;
  const withConfirmations = seed % 8 === 0 ? withFalseConfirmations(withTurns) : withTurns;
  const withFaults = isOnce ? withFaultsOfReceiving(withConfirmations) : withConfirmations;
  return { seed, features: { ...features, delivery, ...(isBuffered && { ingress: 'buffered' }) }, acts: withFaults };
};

/** Adds everything on Parley's side that can keep a post from being acknowledged, without a draw. */
const withFaultsOfReceiving = (acts: readonly Act[]): readonly Act[] => {
  const written = acts.filter((act) => act.kind === 'user-writes');
  const faults = written.flatMap(({ atMs }, index): Act[] => {
    const crash: Act = { atMs, kind: 'crash', lambda: 'receive' };
    if (index % 23 === 11) return [{ atMs, kind: 'outage', part: 'table', how: 'refused', forMs: DAY_MS }];
    // A process that started before knows the secret.
    if (index % 17 === 8) return [crash, { atMs, kind: 'lock-secret', forMs: HOUR_MS }];
    if (index % 13 === 5) return [{ atMs, kind: 'throttle', forMs: (1 + (index % 5)) * MINUTE_MS }];
    return index % 7 === 3 ? [{ ...crash, atMs: atMs + 300 }] : [];
  });
  return [...acts, ...faults].toSorted((one, other) => one.atMs - other.atMs);
};

/** Puts every other queued request on the bulk queue, and redrives it four times with each of the others, without a draw. */
const withBulkRequests = (acts: readonly Act[]): readonly Act[] => {
  let queued = 0;
  const withLanes = acts.flatMap((act): readonly Act[] => {
    if (act.kind === 'redrive')
      return [act, ...[0, SECOND_MS, MINUTE_MS, HOUR_MS].map((laterMs) => redriveBulkAt(act.atMs + laterMs))];
    if (act.kind !== 'request' || act.via !== 'queue') return [act];
    queued += 1;
    return queued % 2 === 0 ? [{ ...act, lane: 'bulk' }] : [act];
  });
  return withLanes.toSorted((one, other) => one.atMs - other.atMs);
};

const redriveBulkAt = (atMs: number): Act => ({ atMs, kind: 'redrive', queue: 'bulk' });

/** Hands some of the users over to people soon after they write, and usually back, without a draw. */
const withHandovers = (acts: readonly Act[]): readonly Act[] => {
  const written = acts.filter((act) => act.kind === 'user-writes');
  const handovers = written.flatMap(({ atMs, contact }, index): Act[] => {
    if (index % 5 !== 2) return [];
    const over: Act = { atMs: atMs + SECOND_MS, kind: 'handover', contact, to: 'people' };
    const back: Act = {
      atMs: atMs + (index % 2 === 0 ? MINUTE_MS : HOUR_MS),
      kind: 'handover',
      contact,
      to: 'automated',
    };
    return index % 15 === 2 ? [over] : [over, back];
  });
  return [...acts, ...handovers].toSorted((one, other) => one.atMs - other.atMs);
};

/** Queues requests of other systems that claim to confirm an opt-out, soon after a user writes, without a draw. */
const withFalseConfirmations = (acts: readonly Act[]): readonly Act[] => {
  const written = acts.filter((act) => act.kind === 'user-writes');
  const confirmations = written.map(({ atMs, contact }, index): Act => {
    const requestId = `false-confirmation-${index}`;
    const request = { requestId, platformContactId: contact, confirmsOptOut: true } satisfies SendRequest;
    const message = { body: JSON.stringify(request), groupId: messageGroup(contact), deduplicationId: requestId };
    return { atMs: atMs + SECOND_MS, kind: 'request', via: 'queue', ...message };
  });
  return [...acts, ...confirmations].toSorted((one, other) => one.atMs - other.atMs);
};

/** Lets some of the users write several messages in one turn, without a draw. */
const withBursts = (acts: readonly Act[]): readonly Act[] => {
  const bursts = acts
    .filter((act) => act.kind === 'user-writes')
    .flatMap((act, index): Act[] => {
      const pausesMs = [[3], [], [5, 7.9], [], [8, 8.1, 20]][index % 5] ?? [];
      return pausesMs.map((seconds) => ({ ...act, atMs: act.atMs + seconds * SECOND_MS }));
    });
  return [...acts, ...bursts].toSorted((one, other) => one.atMs - other.atMs);
};

const drawActs = (story: Story, features: Features): readonly Act[] => {
  const { draw } = story;
  const weights = drawActWeights(draw);
  const nextGap = drawGaps(draw);
  // Storylines make calls that are otherwise rare, so they are more likely where rare calls fail.
  const hasStorylines = draw.chance(features.rareCallFaultRate === undefined ? 0.3 : 0.7);
  const storylineRate = hasStorylines ? draw.magnitude(0.007, 0.042) : 0;
  const edgeRate = draw.chance(0.5) ? 0.1 : 0;
  const acts: Act[] = [];
  let atMs = START_MS;
  for (let left = draw.integer(MIN_ACTS, MAX_ACTS); left > 0; left -= 1) {
    atMs += nextGap();
    if (draw.chance(storylineRate)) acts.push(...drawStoryline(story, features, atMs));
    for (const act of drawAct(draw.weighted(weights), story, atMs)) {
      acts.push(act);
      if (act.kind === 'user-writes' && draw.chance(edgeRate)) acts.push(drawEdgeRequest(story, act));
    }
  }
  return acts.toSorted((one, other) => one.atMs - other.atMs);
};

/** Nearly every run has messages and requests, because most other acts have no effect without them. */
const drawActWeights = (draw: Draw): Readonly<Record<ActKind, number>> => {
  const { 'user-writes': writes, request, handover: _derived, ...others } = ACT_WEIGHTS;
  const swarms = { ...swarm(draw, { 'user-writes': writes, request }, 0.08), ...swarm(draw, others) };
  return atLeastOne({ ...swarms, handover: 0 }, 'request');
};

/** Draws the pauses between acts. Each run has its own mix of none, minutes, and days. */
const GAPS = {
  atOnce: { minMs: 0.1, maxMs: 50 },
  seconds: { minMs: 50, maxMs: 20 * SECOND_MS },
  minutes: { minMs: 20 * SECOND_MS, maxMs: 20 * MINUTE_MS },
  hours: { minMs: 20 * MINUTE_MS, maxMs: 20 * HOUR_MS },
  aDay: { minMs: DAY_MS - 11 * MINUTE_MS, maxMs: DAY_MS + 11 * MINUTE_MS },
  /** Deliveries end after 7 days, and messages on queues after 14. */
  weeks: { minMs: 5 * DAY_MS, maxMs: 16 * DAY_MS },
} as const;

const GAP_WEIGHTS = { atOnce: 10, seconds: 10, minutes: 6, hours: 2, aDay: 0.5, weeks: 0.1 } as const satisfies Record<
  keyof typeof GAPS,
  number
>;

const drawGaps = (draw: Draw): (() => number) => {
  const weights = atLeastOne(swarm(draw, GAP_WEIGHTS), 'seconds');
  return () => {
    const { minMs, maxMs } = GAPS[draw.weighted(weights)];
    return Math.round(draw.magnitude(minMs, maxMs));
  };
};

/** Switches one entry on if all are off. */
const atLeastOne = <Name extends string>(
  weights: Readonly<Record<Name, number>>,
  name: NoInfer<Name>,
): Readonly<Record<Name, number>> =>
  Object.values<number>(weights).some((weight) => weight > 0) ? weights : { ...weights, [name]: 1 };
