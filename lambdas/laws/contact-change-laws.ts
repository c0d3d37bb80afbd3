import { compare } from '../domain/compare.ts';
import type { ChangeLaw } from './law.ts';
import {
  CONSENTS,
  describeMove,
  has,
  includesAll,
  listNames,
  membersOf,
  type StoredItem,
  textOf,
} from './stored-item.ts';

/** The attribute that orders the writes of an item, and the one that breaks ties. */
const ORDER = {
  CONTACT: ['lastInboundAt', 'lastInboundDigest'],
  CHECK: ['checkedAt', 'checkedAt'],
  DENIAL: ['windowDeniedAt', 'windowDeniedAt'],
} as const;

const orderOf = ({ sk }: StoredItem) => Object.entries(ORDER).find(([kind]) => kind === sk)?.[1];

/** Compares two images by these attributes, in this order. */
const compareBy = (before: StoredItem, after: StoredItem, names: readonly string[]): number =>
  names.map((name) => compare(textOf(before, name) ?? '', textOf(after, name) ?? '')).find((order) => order !== 0) ?? 0;

const changed = (before: StoredItem | undefined, after: StoredItem, name: string): boolean =>
  before?.[name] !== after[name];

const HANDOVER_TIMES = ['handoverAt', 'handbackAt', 'operatorWroteAt'] as const;

export const CONTACT_CHANGE_LAWS = [
  {
    name: 'contact-moves-forward',
    statement:
      "A contact's window, its latest check, and the latest report of a closed window only move forward in time.",
    source: 'architecture.md',
    next: 'Do not rely on the window of this contact, and report the change as a defect.',
    kinds: ['contact', 'check', 'denial'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const order = orderOf(after);
      if (order === undefined || compareBy(before, after, order) <= 0) return undefined;
      return `${describeMove(order[0], before, after)}.`;
    },
  },
  {
    name: 'handover-moves-forward',
    statement: 'When a contact was handed over, handed back, and written to by an operator only moves forward in time.',
    source: 'architecture.md',
    next: 'Hand the contact over or back again, and report the change as a defect.',
    kinds: ['handover'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      // An erasure removes a time.
      const moved = HANDOVER_TIMES.filter((name) => has(after, name) && compareBy(before, after, [name]) > 0);
      return moved.length === 0 ? undefined : `${moved.map((name) => describeMove(name, before, after)).join('; ')}.`;
    },
  },
  {
    name: 'consent-moves-forward',
    statement: 'For each kind and origin of consent, only a later one replaces an earlier one.',
    source: 'decisions/weigh-consents-by-origin.md',
    next: 'Record the consent again with its original time, and report the change as a defect.',
    kinds: ['consent'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const moved = CONSENTS.filter(({ at, source, recordedAt }) => {
        // An erasure removes the whole register.
        if (!has(before, at) || [at, source, recordedAt].every((name) => !has(after, name))) return false;
        const order = compareBy(before, after, [at, source]);
        return order > 0 || (order === 0 && compareBy(before, after, [recordedAt]) > 0);
      });
      if (moved.length === 0) return undefined;
      return `${moved.map(({ at }) => describeMove(at, before, after)).join('; ')}.`;
    },
  },
  {
    name: 'consent-says-when-it-was-recorded',
    statement: 'A consent is written together with the time when Parley recorded it, by which an erasure judges it.',
    source: 'decisions/erase-in-passes-through-a-queue.md',
    next: 'Report the change as a defect.',
    kinds: ['consent'],
    faultIn({ before, after }) {
      if (!after) return undefined;
      const written = CONSENTS.filter(({ at }) => has(after, at) && changed(before, after, at));
      const missing = written.filter(({ recordedAt }) => textOf(after, recordedAt) === undefined);
      return missing.length === 0 ? undefined : `${missing.map(({ recordedAt }) => recordedAt).join(', ')} is missing.`;
    },
  },
  {
    name: 'turn-only-grows',
    statement: 'Until a turn ends, messages are only added to it.',
    source: 'decisions/end-turns-by-deleting-them.md',
    next: 'Report the change as a defect. Some messages may be in no turn, or in two.',
    kinds: ['turn'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const changed = ['firstMessageId', 'startedAt'].filter((name) => before[name] !== after[name]);
      if (changed.length > 0) return `Changed: ${listNames(changed)}.`;
      return includesAll(membersOf(after, 'messageIds'), membersOf(before, 'messageIds'))
        ? undefined
        : 'A message was removed from it.';
    },
  },
] as const satisfies readonly ChangeLaw[];
