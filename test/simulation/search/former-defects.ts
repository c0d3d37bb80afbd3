import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { addMs } from '../../../lambdas/domain/instant.ts';
import { isWindowOpen } from '../../../lambdas/domain/window.ts';
import { isClaim, type Mutant, updating } from './mutant.ts';

/** Defects that Parley had. */
export const FORMER_DEFECTS = {
  forgottenOutcome: {
    breaks: 'After a failed write, a process gives up what it knows: a known outcome ends as uncertain.',
    scenario: 'plain',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'knownOutcomeKept',
    create: () => ({ table: givingUp }),
  },
  forgottenClaim: {
    breaks:
      'After a claim whose answer was lost, a process gives up, and the request ends as uncertain without a call.',
    scenario: 'plain',
    maxFaults: 1,
    allowedFaults: ['fails-after'],
    invariant: 'uncertainOnlyAfterCall',
    create: () => ({ table: givingUp }),
  },
  forgottenOutcomeResent: {
    breaks: 'The same, for a request that says resend: it is sent twice, although the outcome was known.',
    scenario: 'resend',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'sentOnce',
    create: () => ({ table: givingUp }),
  },
  ignoredOptOut: {
    breaks: 'An opt-out is ignored while the window is open.',
    scenario: 'optOut',
    maxFaults: 0,
    invariant: 'optOutObeyed',
    create: () => ({
      ports: ({ contacts }, { now }) => {
        const withoutOptOut = <C extends Parameters<typeof isWindowOpen>[0]>(contact: C): C =>
          isWindowOpen(contact, now(), 0) ? { ...contact, optOutAt: undefined } : contact;
        return {
          contacts: {
            ...contacts,
            async read(ref) {
              const contact = await contacts.read(ref);
              return contact && withoutOptOut(contact);
            },
            async readWithCircuit(...refs) {
              const { contact, circuit } = await contacts.readWithCircuit(...refs);
              return { contact: withoutOptOut(contact), circuit };
            },
          },
        };
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
      updating((update) => {
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
      'A window is denied as of the answer, which comes a millisecond later and hides a message that the user wrote during the call.',
    scenario: 'userWrites',
    maxFaults: 0,
    invariant: 'writtenMessageOpensWindow',
    create: () => ({
      ports: ({ contacts }, { now }) => ({
        contacts: { ...contacts, denyWindow: (contact) => contacts.denyWindow(contact, addMs(now(), 1)) },
      }),
    }),
  },
} as const satisfies Record<string, Mutant>;

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
