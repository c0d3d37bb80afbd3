import type { Draw } from './draw.ts';
import type { EventStep, PlannedContact } from './plan.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STATUSES = ['sent', 'delivered', 'read', 'failed', 'error', 'DELIVERED', 'typing', 'opened'] as const;

/** Creates a function that draws what a user or the chat service does. */
export const drawEvent =
  (seed: number) =>
  (draw: Draw, contact: PlannedContact, atMs: number, index: number): { readonly atMs: number } & EventStep => {
    const id = `chaos-${seed}-event-${index}`;
    const { address, profile } = contact;
    const kind = draw.random();
    const writes = profile === 'ordinary' || profile === 'changing';
    if (kind < 0.62 && profile !== 'opted-in' && profile !== 'unknown') {
      const isLate = !writes || draw.isLikely(0.1);
      // A silent user wrote one to six days ago. Other messages can be late because the chat service delays them.
      const ageMs = isLate ? draw.between(writes ? MINUTE_MS : 25 * HOUR_MS, 144 * HOUR_MS) : 0;
      return { atMs, kind: 'write', contact: address, text: id, ageMs };
    }
    if (kind < 0.82) return { atMs, kind: 'read', contact: address };
    const common = { atMs, kind: 'event' as const, contact: address, id, ageMs: draw.between(0, HOUR_MS) };
    const times = draw.isLikely(0.3) ? 2 : 1;
    if (kind < 0.88) {
      return { ...common, times, expected: 'echo', fields: { _id_: id, FROM: 'me', TO: address, MESSAGE: id } };
    }
    if (kind < 0.95 || !writes) {
      return { ...common, times, expected: 'status', fields: { _id_: id, FROM: address, STATUS: draw.pick(STATUSES) } };
    }
    if (kind < 0.98) {
      // Media without a text, and a button press.
      const MESSAGE = draw.isLikely(0.3) ? undefined : draw.pick(['', JSON.stringify({ button: id })]);
      const IMAGES_URLS = [`https://media.example/${id}.jpg`];
      return { ...common, times, expected: 'message', fields: { _id_: id, FROM: address, MESSAGE, IMAGES_URLS } };
    }
    // Has neither an id nor a status, so Parley cannot tell what it is.
    return { ...common, times: 1, expected: 'unreadable', fields: { FROM: address, MARK: id } };
  };
