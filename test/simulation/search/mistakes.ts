import { TRACEPARENT } from '../../support/builders.ts';
import { isClaim, type Mutant, updating } from './mutant.ts';

/** The search itself: each of these is a mistake that it must not miss. */
export const MISTAKES = {
  unconditionalClaim: {
    breaks: 'The claim is not conditional.',
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'sentOnce',
    create: () =>
      updating(({ condition, names, values, ...update }) =>
        isClaim(update)
          ? update
          : { ...update, ...(condition && { condition }), ...(names && { names }), ...(values && { values }) },
      ),
  },
  callBeforeClaim: {
    breaks: 'The chat service is called before the send is claimed.',
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'sentOnce',
    create: () => ({
      ports({ sends, chatService }) {
        let claim = async (): Promise<unknown> => undefined;
        return {
          sends: {
            ...sends,
            async claim(...parameters) {
              claim = () => sends.claim(...parameters);
              return { kind: 'claimed', attempt: 1, unknownOutcomes: 0, traceparent: TRACEPARENT };
            },
          },
          chatService: {
            ...chatService,
            async send(call) {
              const answer = await chatService.send(call);
              await claim();
              return answer;
            },
          },
        };
      },
    }),
  },
  ignoredLease: {
    breaks: 'A claim is treated as abandoned at once, although its lease has not expired.',
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'uncertainOnlyAfterCall',
    create: () =>
      updating((update) =>
        isClaim(update) ? { ...update, set: { ...update.set, leaseUntil: update.set?.claimedAt } } : update,
      ),
  },
  resentAlways: {
    breaks: 'An uncertain request is sent again, although its onUncertain is not resend.',
    scenario: 'plain',
    maxFaults: 1,
    allowedFaults: ['fails-after'],
    invariant: 'sentOnce',
    create: () => ({
      ports: ({ sends }) => ({
        sends: { ...sends, claim: (send, claim) => sends.claim(send, claim, { resend: true }) },
      }),
    }),
  },
  unrecordedResult: {
    breaks: 'The result of a call is not recorded.',
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'stateIsTrue',
    create: () => ({
      ports: ({ sends }) => ({ sends: { ...sends, recordResult: async () => ({ kind: 'applied' }) } }),
    }),
  },
  unrecordedMessage: {
    breaks: "An accepted send's message is not recorded.",
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'nothingWithoutRecord',
    create: () => updating((update) => (update.key.pk.startsWith('MESSAGE#') ? undefined : update)),
  },
  deletedTooEarly: {
    breaks: 'A message that must be retried is deleted.',
    scenario: 'plain',
    maxFaults: 1,
    allowedFaults: ['refused'],
    invariant: 'everythingEnds',
    create: () => ({ response: () => ({ batchItemFailures: [] }) }),
  },
  lostDeadLetter: {
    breaks: 'A malformed request is deleted without a dead letter.',
    scenario: 'malformed',
    maxFaults: 0,
    invariant: 'nothingWithoutRecord',
    create: () => ({ ports: () => ({ deadLetters: { put: async () => undefined } }) }),
  },
  concurrentGroup: {
    breaks: 'The messages of a group are handled concurrently.',
    scenario: 'order',
    maxFaults: 1,
    allowedFaults: ['refused'],
    invariant: 'ordered',
    create: () => ({
      records: (records) =>
        records.map((record) => ({
          ...record,
          attributes: { ...record.attributes, MessageGroupId: record.messageId },
        })),
    }),
  },
  probeNeverSent: {
    breaks: 'While the circuit breaker is open, no request is used as a probe.',
    scenario: 'noCredit',
    maxFaults: 0,
    invariant: 'everythingEnds',
    create: () => ({
      table: (table) => ({
        async update(update, options) {
          if (update.set?.probeId === undefined) return table.update(update, options);
          return { kind: 'conflict', item: await table.get(update.key) };
        },
      }),
    }),
  },
} as const satisfies Record<string, Mutant>;
