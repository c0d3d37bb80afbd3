import { ms } from '../../../lambdas/domain/duration.ts';
import { APPROVED_REASONS } from '../../../lambdas/domain/send-request.ts';
import { FAULTS, type Fault } from '../world/faults.ts';
import { DAY_MS, HOUR_MS } from './durations.ts';
import type { ChatServiceFeatures, Features, FlakyCall } from './history.ts';
import { DECLARED_FAULTS } from './port-calls.ts';
import { type Draw, swarm, type Weights } from './random-draw.ts';

/** The features of an ordinary stage and environment. A failing history is shrunk toward these. */
export const PLAIN_FEATURES: Features = {
  faultRates: {},
  delivery: { duplicateRate: 0, lateRate: 0, maxLateMs: 0, lostAnswerRate: 0, withoutTimeRate: 0 },
  windowPer: 'user',
  rules: {},
  content: false,
  batchSize: { send: 1, inbound: 1, stream: 1 },
  sendConcurrency: 1,
  clockAheadMs: 0,
  maxAnswerMs: 0,
};

/**
 * Only calls of the functions that work on messages: those of the others are retried a few times or once a day. Most
 * stages have no bulk queue.
 */
const FLAKY_CALLS = [...DECLARED_FAULTS].flatMap(([name, faults]) =>
  /^(receive|drain|send) /.test(name) && faults.includes('fails-before') && !name.endsWith(' bulk') ? [name] : [],
);

/** Draws which faults and features a run has, and how often they occur. */
export const drawFeatures = (draw: Draw): Features => {
  const clientPayload = draw.pick(['off', 'intent', 'all', 'all'] as const);
  // Without a client payload, the default template could not be traced to its request.
  const hasDefaultTemplate = clientPayload !== 'off' && draw.chance(0.3);
  return {
    faultRates: drawFaultRates(draw),
    delivery: {
      duplicateRate: sometimes(draw, 0.5, () => draw.magnitude(0.01, 0.5)),
      lateRate: sometimes(draw, 0.5, () => draw.magnitude(0.01, 0.5)),
      maxLateMs: Math.round(draw.magnitude(1_000, 6 * 24 * HOUR_MS)),
      lostAnswerRate: sometimes(draw, 0.5, () => draw.magnitude(0.01, 0.3)),
      withoutTimeRate: sometimes(draw, 0.3, () => draw.magnitude(0.01, 0.3)),
      ...(draw.chance(0.25) && { envelope: draw.pick(['without-publish-time', 'none'] as const) }),
    },
    windowPer: draw.chance(0.3) ? 'channel' : 'user',
    rules: {
      windowMarginMs: ms(draw.pick([0, 60_000, 60_000, 600_000])),
      numberFormat: draw.pick(['verbatim', 'plus', 'digits'] as const),
      clientPayload,
      contactCheck: draw.chance(0.3) ? 'beforeFirstTemplate' : 'off',
      ...(hasDefaultTemplate && { defaultTemplate: { ruleNameOrId: draw.pick(['parcel_update', 'gone_template']) } }),
      ...(draw.chance(0.2) && { optOutExemptReasons: [draw.pick(APPROVED_REASONS)] }),
    },
    content: draw.chance(0.5),
    batchSize: { send: draw.pick([1, 2, 10]), inbound: draw.pick([1, 10]), stream: draw.pick([1, 10, 100]) },
    sendConcurrency: draw.pick([1, 2, 3, 5, 10]),
    clockAheadMs: sometimes(draw, 0.4, () => (draw.chance(0.5) ? 1 : -1) * Math.round(draw.magnitude(50, 600_000))),
    maxAnswerMs: sometimes(draw, 0.6, () => Math.round(draw.magnitude(10, 5_000))),
    ...(draw.chance(0.5) && { rareCallFaultRate: draw.magnitude(0.1, 0.8) }),
    ...(draw.chance(0.5) && { chatService: drawChatService(draw) }),
    ...(draw.chance(0.2) && { flakyCall: drawFlakyCall(draw) }),
  };
};

const drawFlakyCall = (draw: Draw): FlakyCall => ({
  name: draw.pick(FLAKY_CALLS),
  rate: draw.pick([0.7, 1]),
  fromMs: draw.integer(0, DAY_MS - 1),
  // If a call failed all day for weeks, SQS would drop the messages.
  forMs: Math.round(draw.magnitude(HOUR_MS, 12 * HOUR_MS)),
});

const drawChatService = (draw: Draw): ChatServiceFeatures => ({
  closesEarlyMs: sometimes(draw, 0.5, () => Math.round(draw.magnitude(60_000, 6 * HOUR_MS))),
  maxDeviceMs: Math.round(draw.magnitude(60_000, 3 * 24 * HOUR_MS)),
  answersIntentsWithoutId: draw.chance(0.4),
  ...(draw.chance(0.4) && {
    statuses: {
      isUpperCase: draw.chance(0.5),
      reportsSent: draw.chance(0.6),
      failure: draw.pick(['failed', 'error'] as const),
    },
  }),
  ...(draw.chance(0.4) && { repeatedStatusRate: draw.magnitude(0.05, 0.9) }),
  ...(draw.chance(0.3) && { unknownStatusRate: draw.magnitude(0.02, 0.3) }),
  ...(draw.chance(0.3) && { echoRate: draw.magnitude(0.02, 0.5) }),
});

/** At higher rates, an operation of twenty calls would fail a thousand times in a row. An erasure's pass makes more. */
const MAX_TOTAL_RATE = 0.2;

/** One run in four has no faults, so that the other features are also checked without them. */
const drawFaultRates = (draw: Draw): Features['faultRates'] => {
  if (draw.chance(0.25)) return {};
  const rates: Weights<Fault> = swarm(draw, rateOfEach(draw.magnitude(0.001, 0.05)), 0.5);
  const total = FAULTS.reduce((sum, fault) => sum + rates[fault], 0);
  const scale = Math.min(1, MAX_TOTAL_RATE / total);
  return Object.fromEntries(FAULTS.map((fault) => [fault, rates[fault] * scale]).filter(([, rate]) => rate !== 0));
};

const rateOfEach = (rate: number): Weights<Fault> =>
  // `FAULTS` has every name of the type.
  Object.fromEntries(FAULTS.map((fault) => [fault, rate])) as Weights<Fault>;

/** Returns the value with the given probability, otherwise 0. */
const sometimes = (draw: Draw, probability: number, value: () => number): number =>
  draw.chance(probability) ? value() : 0;
