import { USER } from '../../../support/builders.ts';
import type { BreakableManagePorts } from '../../world/manage-process.ts';
import { HOUR_MS, MINUTE_MS } from '../durations.ts';
import {
  consent,
  freeForm,
  historyOf,
  isOf,
  outage,
  type StageDefect,
  template,
  updating,
  writes,
} from './stage-defect.ts';

const ports = (change: (ports: BreakableManagePorts) => Partial<BreakableManagePorts>) => ({
  manage: { ports: change },
});

const erase = { kind: 'erase' as const, contact: USER, afterMs: HOUR_MS };
const OPT_OUT = historyOf([consent('opt-out')]);
const ERASED = historyOf([writes(), freeForm(), erase]);
const MALFORMED_ERASED = historyOf([freeForm(1, { fields: { mesageText: 'misspelled' } }), erase]);

/** A schedule whose message the queue refuses for some seconds, and requeues before the schedule tries again. */
const OVERDUE = historyOf([
  writes(),
  freeForm(1, { fields: { sendAt: '2026-11-20T14:00:00.000Z' } }),
  outage('queues', { afterMs: 2 * HOUR_MS - 1, forMs: 65_000 }),
  ...[1, 2].map((count) => ({
    kind: 'requeue' as const,
    requestId: 'request-1',
    afterMs: 2 * HOUR_MS + 60_000 + count * 10_000,
  })),
]);

export const MANAGING_DEFECTS = {
  expiryMissing: {
    breaks: 'Audit trail entries never expire.',
    invariant: 'lawsHold',
    create: () => ({
      manage: {
        table: updating((update) =>
          isOf(update, 'AUDIT#') ? { ...update, set: { ...update.set, expiresAt: undefined } } : update,
        ),
      },
    }),
    history: OPT_OUT,
  },
  actWithoutRecord: {
    breaks: 'An action of an operator has no audit trail entry.',
    invariant: 'recordedBeforeAct',
    create: () => ports(({ audit }) => ({ audit: { ...audit, record: async (act) => ({ ...act, id: 'none' }) } })),
    history: OPT_OUT,
  },
  consentOfRecording: {
    breaks: 'A consent has the time at which it is recorded, not the time at which the user gave it.',
    invariant: 'consentsAreTrue',
    create: () =>
      ports(({ contacts }) => ({
        contacts: {
          ...contacts,
          recordConsent: (contact, given) =>
            contacts.recordConsent(contact, { ...given, at: given.recordedAt ?? given.at }),
        },
      })),
    history: historyOf([writes(), { ...consent('opt-out', HOUR_MS), agoMs: MINUTE_MS } as ReturnType<typeof consent>]),
  },
  consentNotStored: {
    breaks: 'A consent is answered with 200 and not stored.',
    invariant: 'answersAreTrue',
    create: () => ports(({ contacts }) => ({ contacts: { ...contacts, recordConsent: async () => undefined } })),
    history: historyOf([writes(), consent('opt-out', 1_000)]),
  },
  stoppedInNameOnly: {
    breaks: 'A stop is answered with 200 and changes nothing.',
    invariant: 'answersAreTrue',
    create: () =>
      ports(({ stops }) => ({ stops: { ...stops, stop: async (stop) => ({ state: 'stopped' as const, ...stop }) } })),
    history: historyOf([{ kind: 'stop', note: 'Wrong template', afterMs: 1_000 }]),
  },
  cancelledInNameOnly: {
    breaks: 'A cancellation is answered with 200 and changes nothing.',
    invariant: 'answersAreTrue',
    create: () => ports(({ sends }) => ({ sends: { ...sends, cancel: async () => ({ kind: 'applied' }) } })),
    history: historyOf([
      writes(),
      freeForm(1, { fields: { sendAt: '2026-11-20T14:00:00.000Z' } }),
      { kind: 'cancel', requestId: 'request-1', afterMs: MINUTE_MS },
    ]),
  },
  requeuedInNameOnly: {
    breaks: 'A requeue is answered with 200 and queues nothing.',
    invariant: 'answersAreTrue',
    create: () => ports(() => ({ queue: { put: async () => undefined } })),
    history: OVERDUE,
  },
  requeuedWithoutRecord: {
    breaks: 'A requeue has no audit trail entry.',
    invariant: 'recordedBeforeAct',
    create: () =>
      ports(({ audit }) => ({
        audit: {
          ...audit,
          record: async (act) => (act.action === 'requeue' ? { ...act, id: 'none' } : audit.record(act)),
        },
      })),
    history: OVERDUE,
  },
  sendsNotErased: {
    breaks: 'An erasure leaves the sends of the contact.',
    invariant: 'erasureComplete',
    create: () =>
      ports(({ erasures }) => ({
        erasures: {
          ...erasures,
          erase: async (subject, item, at) => (item.kind === 'send' ? 'gone' : erasures.erase(subject, item, at)),
        },
      })),
    history: ERASED,
  },
  deadLettersNotErased: {
    breaks: 'An erasure leaves the dead letters about the contact.',
    invariant: 'erasureComplete',
    create: () => ports(() => ({ queuedDeadLetters: { remove: async () => ({ removed: 0, isComplete: true }) } })),
    history: MALFORMED_ERASED,
  },
  variantNotErased: {
    breaks: 'An erasure searches only for the number exactly as it was given.',
    invariant: 'erasureComplete',
    create: () =>
      ports(({ erasures }) => {
        const asGiven = <Contact extends { readonly key: string }>(contact: Contact): Contact => ({
          ...contact,
          key: USER.slice(1),
        });
        return {
          erasures: {
            ...erasures,
            contactsOf: async (contact) => (await erasures.contactsOf(contact)).map(asGiven),
          },
        };
      }),
    history: ERASED,
  },
  othersErased: {
    breaks: 'An erasure also removes another contact.',
    invariant: 'othersKept',
    create: () =>
      ports(({ erasures }) => ({
        erasures: {
          ...erasures,
          contactsOf: async (contact) => [
            ...(await erasures.contactsOf(contact)),
            { ...contact, channel: '*', key: '4915123000000' },
          ],
        },
      })),
    history: historyOf([writes(), writes(1_000, '+4915123000000'), erase]),
  },
  erasureNeverDone: {
    breaks: 'The last pass of an erasure is not recorded.',
    invariant: 'erasuresEnd',
    create: () =>
      ports(({ erasures }) => ({
        erasures: {
          ...erasures,
          recordPass: (before, { finishedAt, ...pass }) => erasures.recordPass(before, pass),
        },
      })),
    history: ERASED,
  },
  registeredButNotQueued: {
    breaks: 'A request is answered with 202 and not queued.',
    invariant: 'answersAreTrue',
    create: () => ports(() => ({ queue: { put: async () => undefined } })),
    history: historyOf([consent('opt-in'), { ...template(1), via: 'api' } as ReturnType<typeof template>]),
  },
} as const satisfies Record<string, StageDefect>;
