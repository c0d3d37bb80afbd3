import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { Contact } from '../../../lambdas/domain/contact.ts';
import { addMs } from '../../../lambdas/domain/instant.ts';
import { isWindowOpen } from '../../../lambdas/domain/window.ts';
import type { ContactRepository } from '../../../lambdas/ports.ts';
import { isClaim, type SceneMutant, updating } from './scene-mutant.ts';

/** Defects that Parley had. */
export const FORMER_SENDING_DEFECTS = {
  forgottenOutcome: {
    breaks: 'A process does not retry a failed write, so a known outcome ends as uncertain.',
    scenario: 'plain',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'knownOutcomeKept',
    create: () => ({ send: { table: givingUp } }),
  },
  forgottenClaim: {
    breaks: 'A process does not retry a claim whose answer was lost, so the request ends as uncertain without a call.',
    scenario: 'plain',
    maxFaults: 1,
    allowedFaults: ['fails-after'],
    invariant: 'uncertainOnlyAfterCall',
    create: () => ({ send: { table: givingUp } }),
  },
  forgottenOutcomeResent: {
    breaks:
      'A process does not retry a failed write, so a request with onUncertain resend is sent twice, although the ' +
      'outcome was known.',
    scenario: 'resend',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'sentOnce',
    create: () => ({ send: { table: givingUp } }),
  },
  ignoredOptOut: {
    breaks: 'An opt-out is ignored while the window is open.',
    scenario: 'optOut',
    maxFaults: 0,
    invariant: 'optOutObeyed',
    create: () => ({
      send: {
        ports: ({ contacts }, { now }) => {
          const withoutOptOut = (contact: Contact): Contact =>
            isWindowOpen(contact, now(), 0) ? { ...contact, consents: undefined } : contact;
          return { contacts: readingAs(contacts, withoutOptOut) };
        },
      },
    }),
  },
  importOutranksUser: {
    breaks: "An imported opt-in that is a few milliseconds later overrides the user's own opt-out.",
    scenario: 'importedOptIn',
    maxFaults: 0,
    invariant: 'optOutObeyed',
    create: () => ({
      send: {
        ports: ({ contacts }) => {
          const withoutOrigins = (contact: Contact): Contact => ({
            ...contact,
            consents: contact.consents?.map((consent) => ({ ...consent, origin: 'user' as const })),
          });
          return { contacts: readingAs(contacts, withoutOrigins) };
        },
      },
    }),
  },
  trailOfFirstCall: {
    breaks: 'After error 201 and a template with an unknown outcome, the send still names the free-form call.',
    scenario: 'windowClosed',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'trailNamesLastCall',
    create: () =>
      updating('send', (update) => {
        const { set = {} } = update;
        if (set.call === undefined || set.state === 'accepted' || (isClaim(update) && set.claimedAt !== undefined)) {
          return update;
        }
        const { call, ...others } = set;
        return { ...update, set: others };
      }),
  },
  windowDeniedAtAnswer: {
    breaks:
      'A window is denied as of the answer, a millisecond later, which hides a message that the user wrote ' +
      'during the call.',
    scenario: 'userWrites',
    maxFaults: 0,
    invariant: 'writtenMessageOpensWindow',
    create: () => ({
      send: {
        ports: ({ contacts }, { now }) => ({
          contacts: { ...contacts, denyWindow: (contact) => contacts.denyWindow(contact, addMs(now(), 1)) },
        }),
      },
    }),
  },
} as const satisfies Record<string, SceneMutant>;

/** Every read returns another contact than the one that is stored. */
const readingAs = (contacts: ContactRepository, change: (contact: Contact) => Contact): ContactRepository => {
  let latest: Contact = {};
  return {
    ...contacts,
    async read(...parameters) {
      const contact = await contacts.read(...parameters);
      latest = contact ?? {};
      return contact && change(contact);
    },
    async readWithAccount(...parameters) {
      const { contact, ...account } = await contacts.readWithAccount(...parameters);
      latest = contact;
      return { contact: change(contact), ...account };
    },
    async readConsents(...parameters) {
      return change({ ...latest, consents: await contacts.readConsents(...parameters) }).consents ?? [];
    },
  };
};

/** Once a write has failed, every later write of the process fails, too. */
const givingUp = (table: ConversationTable): Partial<ConversationTable> => {
  let hasFailed = false;
  return {
    async update(...parameters) {
      if (hasFailed) throw new Error('The process has given up.');
      try {
        return await table.update(...parameters);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    },
  };
};
