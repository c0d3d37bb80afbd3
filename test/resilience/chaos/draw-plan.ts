import { contactNumber } from '../sending/sending-stage.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { createDraw, type Draw } from './draw.ts';
import { drawEvent } from './draw-events.ts';
import { drawFaults } from './draw-faults.ts';
import { drawSend } from './draw-sends.ts';
import type { ChaosPlan, LoadStep, PlannedContact, Profile } from './plan.ts';

const EVENTS_PER_CONTACT = 30;
const MIN_CONTACTS = 30;
const MAX_CONTACTS = 2_000;
const CONSENTS_PER_SECOND = 0.5;
const ERASURES_PER_MINUTE = 2;
/** The contacts get these ten profiles in turn. */
const PROFILES: readonly Profile[] = [
  'ordinary',
  'ordinary',
  'ordinary',
  'silent',
  'ordinary',
  'changing',
  'ordinary',
  'opted-in',
  'ordinary',
  'unknown',
];

/** Draws the load and the timed faults of a run. The same options draw the same plan. */
export const drawPlan = (options: ChaosOptions): ChaosPlan => {
  const { minutes, eventsPerSecond, sendsPerSecond, seed } = options;
  const durationMs = Math.round(minutes * 60_000);
  const contacts = drawContacts(options, durationMs);
  const load = [
    ...drawTimes(createDraw(seed, 'events'), eventsPerSecond, durationMs).map(
      eachWith(createDraw(seed, 'event'), contacts, drawEvent(seed)),
    ),
    ...drawTimes(createDraw(seed, 'sends'), sendsPerSecond, durationMs).flatMap(
      eachWith(createDraw(seed, 'send'), contacts, drawSend(seed)),
    ),
    ...drawConsents(createDraw(seed, 'consents'), contacts, durationMs),
    ...contacts.flatMap(({ address: contact, eraseAtMs: atMs }) =>
      atMs === undefined ? [] : [{ kind: 'erase' as const, contact, atMs }],
    ),
  ]
    // What follows a request, such as its cancellation, can be later.
    .filter(({ atMs }) => atMs < durationMs)
    .toSorted((one, other) => one.atMs - other.atMs);
  return { durationMs, contacts, load, faults: drawFaults(createDraw(seed, 'faults'), durationMs) };
};

const drawContacts = ({ minutes, eventsPerSecond, seed }: ChaosOptions, durationMs: number): PlannedContact[] => {
  const draw = createDraw(seed, 'contacts');
  const wanted = Math.round((minutes * 60 * eventsPerSecond) / EVENTS_PER_CONTACT);
  const count = Math.min(MAX_CONTACTS, Math.max(MIN_CONTACTS, wanted));
  const erased = new Set(
    Array.from({ length: Math.max(1, Math.round(minutes * ERASURES_PER_MINUTE)) }, () => draw.between(0, count)),
  );
  return Array.from({ length: count }, (_, index) => ({
    address: contactNumber(index),
    profile: PROFILES[index % PROFILES.length] ?? 'ordinary',
    eraseAtMs: erased.has(index) ? draw.between(durationMs * 0.3, durationMs * 0.9) : undefined,
  }));
};

const drawTimes = ({ random }: Draw, perSecond: number, durationMs: number): readonly number[] => {
  const count = Math.max(1, Math.round((durationMs / 1000) * perSecond));
  return Array.from({ length: count }, (_, index) => Math.floor(((index + random()) / count) * durationMs));
};

/** Draws a step of a contact that has not been erased by then. */
const eachWith =
  <Step>(
    draw: Draw,
    contacts: readonly PlannedContact[],
    drawStep: (draw: Draw, contact: PlannedContact, atMs: number, index: number) => Step,
  ) =>
  (atMs: number, index: number): Step => {
    const remaining = contacts.filter(({ eraseAtMs = Number.POSITIVE_INFINITY }) => eraseAtMs > atMs);
    return drawStep(draw, draw.pick(remaining), atMs, index);
  };

const drawConsents = (draw: Draw, contacts: readonly PlannedContact[], durationMs: number): LoadStep[] => {
  const changing = contacts.filter(({ profile, eraseAtMs }) => profile === 'changing' && eraseAtMs === undefined);
  if (changing.length === 0) return [];
  return drawTimes(draw, CONSENTS_PER_SECOND, durationMs).map((atMs) => ({
    kind: 'consent',
    contact: draw.pick(changing).address,
    consent: draw.isLikely(0.5) ? 'opt-out' : 'opt-in',
    atMs,
  }));
};
