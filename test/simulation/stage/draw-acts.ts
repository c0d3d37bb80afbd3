import { TEMPLATES } from './draw-request.ts';
import { drawAddress, newRequest, type Story } from './draw-story.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from './durations.ts';
import type { Act, ActKind } from './history.ts';
import type { Draw } from './random-draw.ts';
import { OUTAGES } from './storyline-acts.ts';

/** The choices of acts that a run of many seeds must include. */
export const CHOICES = {
  via: ['queue', 'api'],
  as: ['accepted', 'failed', 'resend'],
  consent: ['opt-in', 'opt-out'],
  origin: ['user', 'import'],
  queue: ['send', 'bulk', 'inbound'],
  lane: ['bulk'],
  part: ['chat-service', 'table', 'queues', 'bus', 'scheduler'],
  how: OUTAGES,
  lambda: ['receive', 'send', 'publish', 'manage'],
} as const;

/** A history with a bulk queue redrives it with each of these. */
const REDRIVEN = ['send', 'inbound'] as const;

/** How often each kind of act happens, before swarm testing changes it. */
export const ACT_WEIGHTS: Readonly<Record<ActKind, number>> = {
  'user-writes': 9,
  'user-reads': 2,
  echo: 0.5,
  'unknown-event': 0.5,
  'unauthenticated-event': 0.5,
  request: 14,
  cancel: 1,
  requeue: 1,
  resolve: 1.5,
  consent: 2,
  // Not drawn, but derived from what users write.
  handover: 0,
  // Not drawn, but added to histories in which each event is posted once.
  throttle: 0,
  'lock-secret': 0,
  erase: 0.5,
  redrive: 0.7,
  stop: 0.3,
  resume: 0.2,
  'retry-now': 0.3,
  credit: 0.4,
  'rotate-token': 0.4,
  template: 0.4,
  platform: 0.4,
  device: 0.4,
  crash: 0.3,
  outage: 0.4,
};

/** Draws an act of a kind, and the acts that follow from it. Returns none if there is nothing for it to refer to. */
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
      const known = scheduled.length > 0 && draw.chance(0.6) ? scheduled : story.requests;
      return known.length === 0 ? [] : [{ atMs, kind, requestId: draw.pick(known).requestId }];
    }
    case 'requeue':
      return drawRequeues(story, atMs);
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
    case 'handover':
    case 'throttle':
    case 'lock-secret':
      return [];
    case 'redrive':
      return [{ atMs, kind, queue: draw.pick(REDRIVEN) }];
    case 'stop':
      return [{ atMs, kind, note: draw.pick(NOTES) }, ...usuallyLater(draw, atMs, { kind: 'resume' })];
    case 'resume':
    case 'retry-now':
      return [{ atMs, kind }];
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
    case 'device': {
      const contact = drawAddress(story);
      return [{ atMs, kind, contact, isOn: false }, ...usuallyLater(draw, atMs, { kind, contact, isOn: true })];
    }
    case 'crash':
      return [{ atMs, kind, lambda: draw.pick(CHOICES.lambda) }];
    case 'outage':
      return [{ atMs, kind, ...drawOutage(draw) }];
  }
};

/** Draws up to two requeues of a request, usually soon after it is due, when its schedule may be late. */
const drawRequeues = ({ draw, requests }: Story, atMs: number): readonly Act[] => {
  if (requests.length === 0) return [];
  const scheduled = requests.filter(({ isScheduled }) => isScheduled);
  const { requestId, act } = draw.pick(scheduled.length > 0 && draw.chance(0.9) ? scheduled : requests);
  const dueAtMs = Date.parse(/"sendAt":"([^"]+)"/.exec(act.body)?.[1] ?? '');
  const isSoonDue = dueAtMs > atMs && dueAtMs < atMs + DAY_MS;
  const fromMs = isSoonDue ? dueAtMs : atMs;
  return Array.from({ length: draw.pick([1, 1, 2]) }, () => ({
    atMs: fromMs + Math.round(draw.magnitude(10, 30 * SECOND_MS)),
    kind: 'requeue',
    requestId,
  }));
};

/** Draws a request to a contact around the end of the window that a message of the contact opened. */
export const drawEdgeRequest = (
  story: Story,
  { atMs, contact }: { readonly atMs: number; readonly contact: string },
): Act => newRequest(story, atMs + DAY_MS - story.draw.pick(WINDOW_EDGES_MS), contact);

/** How much earlier than 24 hours after a message: around the margins of the stages, and around the end itself. */
const WINDOW_EDGES_MS = [2 * HOUR_MS, HOUR_MS, 600_001, 599_000, 60_001, 60_000, 59_999, 1_000, 1, 0, -1, -1_000];

/** Draws the same request again: through another route, in another group, or with another body. */
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

/** Adds an act that ends a condition. A few conditions are not ended, which can lead to days of retries. */
const usuallyLater = (draw: Draw, atMs: number, act: ActLater): readonly Act[] =>
  // The type system cannot see that an act without its time, plus a time, is an act.
  draw.chance(LASTING_RATE) ? [] : [{ ...act, atMs: atMs + Math.round(draw.magnitude(SECOND_MS, 6 * HOUR_MS)) } as Act];

const LASTING_RATE = 0.03;

type Outage = Pick<Extract<Act, { kind: 'outage' }>, 'part' | 'how' | 'forMs'>;

/**
 * The longest outage of each part. Requests that cannot be scheduled for a day become dead letters, and Lambda discards
 * a change that cannot be published for 12 hours.
 */
const MAX_OUTAGE_MS = {
  'chat-service': 30 * HOUR_MS,
  table: 2 * HOUR_MS,
  queues: 2 * HOUR_MS,
  bus: 9 * HOUR_MS,
  scheduler: 30 * HOUR_MS,
} as const satisfies Record<Outage['part'], number>;

const drawOutage = (draw: Draw): Outage => {
  const part = draw.pick(CHOICES.part);
  return { part, how: draw.pick(CHOICES.how), forMs: Math.round(draw.magnitude(100, MAX_OUTAGE_MS[part])) };
};

const NOTES = ['Wrong template', 'Asked by the shop'];

const USERS_TEXTS = ['Where is my parcel?', '', '{"button":"yes"}', 'STOP', 'START', '¿Dónde está? 🙂\n'];

const UNKNOWN_EVENTS = [
  '{"FROM":"5491155550000"}',
  '{"_id_":7}',
  'ping',
  '[]',
  '{"_id_":"event-1","MESSAGE":{"a":1}}',
  '{"_id_":"","FROM":"5491155550000","MESSAGE":"An empty id"}',
  '{"_id_":null,"FROM":"5491155550000","STATUS":"delivered"}',
  '{"v":"1.1","type":"event","chatPlatform":"chat","contactId":"+5491155550000","name":"typing"}',
  // Too long for a key of the table.
  `{"_id_":"${'a'.repeat(1_100)}","FROM":"5491155550000","MESSAGE":"A long id"}`,
];
