import { TRACEPARENT } from '../../support/builders.ts';
import { isClaim, type SceneMutant, updating, withoutCondition } from './scene-mutant.ts';

/** Mistakes that the search must not miss. */
export const SENDING_MISTAKES = {
  unconditionalClaim: {
    breaks: 'The claim is not conditional.',
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'sentOnce',
    create: () => updating('send', (update) => (isClaim(update) ? withoutCondition(update) : update)),
  },
  callBeforeClaim: {
    breaks: 'The chat service is called before the send is claimed.',
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'sentOnce',
    create: () => ({
      send: {
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
      },
    }),
  },
  ignoredLease: {
    breaks: 'A claim is treated as abandoned at once, although its lease has not expired.',
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'uncertainOnlyAfterCall',
    create: () =>
      updating('send', (update) =>
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
      send: {
        ports: ({ sends }) => ({
          sends: { ...sends, claim: (send, claim) => sends.claim(send, claim, { resend: true }) },
        }),
      },
    }),
  },
  unrecordedResult: {
    breaks: 'The result of a call is not recorded.',
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'stateIsTrue',
    create: () => ({
      send: {
        ports: ({ sends }) => ({ sends: { ...sends, recordResult: async () => ({ kind: 'applied' }) } }),
      },
    }),
  },
  unrecordedMessage: {
    breaks: "An accepted send's message is not recorded.",
    scenario: 'plain',
    maxFaults: 0,
    invariant: 'nothingWithoutRecord',
    create: () => updating('send', (update) => (update.key.pk.startsWith('MESSAGE#') ? undefined : update)),
  },
  deletedTooEarly: {
    breaks: 'A message that must be retried is deleted.',
    scenario: 'plain',
    maxFaults: 1,
    allowedFaults: ['refused'],
    invariant: 'everyRequestEnds',
    create: () => ({ send: { response: () => ({ batchItemFailures: [] }) } }),
  },
  lostDeadLetter: {
    breaks: 'A malformed request is deleted without a dead letter.',
    scenario: 'malformed',
    maxFaults: 0,
    invariant: 'nothingWithoutRecord',
    create: () => ({ send: { ports: () => ({ deadLetters: { put: async () => undefined } }) } }),
  },
  concurrentGroup: {
    breaks: 'The messages of a group are handled concurrently.',
    scenario: 'order',
    maxFaults: 1,
    allowedFaults: ['refused'],
    invariant: 'ordered',
    create: () => ({
      send: {
        records: (records) =>
          records.map((record) => ({
            ...record,
            attributes: { ...record.attributes, MessageGroupId: record.messageId },
          })),
      },
    }),
  },
  probeNeverSent: {
    breaks: 'While the circuit breaker is open, no request is used as a probe.',
    scenario: 'noCredit',
    maxFaults: 0,
    invariant: 'everyRequestEnds',
    create: () => ({
      send: {
        table: (table) => ({
          async update(update, options) {
            if (update.set?.probeId === undefined) return table.update(update, options);
            return { kind: 'conflict', item: await table.get(update.key) };
          },
        }),
      },
    }),
  },
} as const satisfies Record<string, SceneMutant>;
