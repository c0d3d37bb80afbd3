import type { Contact } from '../../../lambdas/domain/contact.ts';
import { managing, type SceneMutant, updating, withoutCondition } from './scene-mutant.ts';
import type { SceneMutation } from './scene-options.ts';

/** The function `send` claims a send whatever its state is. */
const claimingInAnyState = (): SceneMutation => ({
  send: {
    table: (table) => ({
      update: (update, options) =>
        table.update(update.set?.state === 'claimed' ? withoutCondition(update) : update, options),
    }),
  },
});

export const MANAGING_MISTAKES = {
  unanswered: {
    breaks: 'A repeated cancellation fails.',
    scenario: 'cancelWhenDue',
    maxFaults: 1,
    allowedFaults: ['dies-after'],
    invariant: 'everyCallAnswered',
    create: () =>
      managing(({ sends }) => ({
        sends: {
          ...sends,
          async cancel(...parameters) {
            const result = await sends.cancel(...parameters);
            if (result.kind === 'conflict') throw new Error('broken');
            return result;
          },
        },
      })),
  },
  actBeforeEntry: {
    breaks: 'A consent is recorded before its audit trail entry.',
    scenario: 'optOutsOfTwoTimes',
    maxFaults: 0,
    invariant: 'auditedBefore',
    create: () => managing(({ audit }) => ({ audit: { ...audit, record: async (act) => ({ ...act, id: 'none' }) } })),
  },
  forecastOfNobody: {
    breaks: 'A forecast treats every contact as unknown.',
    scenario: 'readWhileSending',
    maxFaults: 0,
    invariant: 'forecastIsTheDecision',
    create: () =>
      managing(({ contacts }) => ({
        contacts: { ...contacts, readMany: async (refs) => refs.map(() => undefined) },
      })),
  },
  countedPerShard: {
    breaks: 'A count counts each send once per shard.',
    scenario: 'listWhileSending',
    maxFaults: 0,
    invariant: 'listedAsTheyWere',
    create: () =>
      managing(({ lists }) => ({
        lists: {
          ...lists,
          async count(...parameters) {
            const { counts, ...page } = await lists.count(...parameters);
            return { ...page, counts: counts.map((entry) => ({ ...entry, count: 16 * entry.count })) };
          },
        },
      })),
  },
  resendWithoutRead: {
    breaks: 'The function `send` treats a resent request as one that was never claimed.',
    scenario: 'resendAndRedelivery',
    maxFaults: 0,
    invariant: 'sentOnce',
    create: claimingInAnyState,
  },
  registeredNotQueued: {
    breaks:
      'A request whose ID is already registered is not queued, although the first call may have failed before ' +
      'queuing it.',
    scenario: 'registerTwice',
    maxFaults: 1,
    allowedFaults: ['dies-before'],
    invariant: 'everyRequestEnds',
    create: () => {
      let isKnown = false;
      return managing(({ sends, queue }) => ({
        sends: {
          ...sends,
          async register(...parameters) {
            const result = await sends.register(...parameters);
            isKnown = result.kind === 'conflict';
            return result;
          },
        },
        queue: { put: async (message) => (isKnown ? undefined : queue.put(message)) },
      }));
    },
  },
  reusedIdAccepted: {
    breaks: 'A request with a known ID and a different body is accepted.',
    scenario: 'registerOther',
    maxFaults: 0,
    invariant: 'acceptedRequestIsTheOne',
    create: () =>
      managing(({ sends }) => ({
        sends: {
          ...sends,
          async register(...parameters) {
            const result = await sends.register(...parameters);
            return result.kind === 'conflict' ? { kind: 'applied' } : result;
          },
        },
      })),
  },
  cancelledWithoutCondition: {
    breaks: 'A send is cancelled in any state.',
    scenario: 'cancelWhenDue',
    maxFaults: 0,
    invariant: 'cancelledStaysUnsent',
    create: () =>
      updating('manage', (update) => (update.set?.state === 'cancelled' ? withoutCondition(update) : update)),
  },
  queuedCancelledWithoutCondition: {
    breaks: 'A send is claimed although it was cancelled.',
    scenario: 'cancelQueued',
    maxFaults: 0,
    invariant: 'cancelledStaysUnsent',
    create: claimingInAnyState,
  },
  requeuedNotQueued: {
    breaks: 'A scheduled request that an operator requeues is not put on the queue.',
    scenario: 'requeueLost',
    maxFaults: 0,
    invariant: 'everyRequestEnds',
    create: () => managing(() => ({ queue: { put: async () => undefined } })),
  },
  requeuedSentAgain: {
    breaks: 'A due message is sent in whatever state its send is.',
    scenario: 'requeueBesideSchedule',
    maxFaults: 0,
    invariant: 'sentOnce',
    create: claimingInAnyState,
  },
  scheduleKept: {
    breaks: 'The schedule of a cancelled send is not deleted.',
    scenario: 'cancelScheduled',
    maxFaults: 0,
    invariant: 'cancelledIsUnscheduled',
    create: () => managing(({ scheduler }) => ({ scheduler: { ...scheduler, cancel: async () => undefined } })),
  },
  resolutionNotWritten: {
    breaks: 'A resolution is answered but not stored.',
    scenario: 'resolveFailed',
    maxFaults: 0,
    invariant: 'resolutionStays',
    create: () => managing(({ sends }) => ({ sends: { ...sends, resolve: async () => ({ kind: 'applied' }) } })),
  },
  failedOverStatus: {
    breaks: 'A resolution as failed replaces an acceptance that a status has shown.',
    scenario: 'resolveFailedAndStatus',
    maxFaults: 0,
    invariant: 'statusConfirms',
    create: () =>
      updating('manage', (update) => (update.set?.state === 'rejected' ? withoutCondition(update) : update)),
  },
  acceptedOverFailure: {
    breaks: 'The answer to a call replaces the failure that a status has already reported.',
    scenario: 'failedBeforeAnswer',
    maxFaults: 0,
    invariant: 'failureShown',
    create: () => ({
      send: {
        table: (table) => ({
          update: (update, options) =>
            table.update(update.set?.state === 'accepted' ? withoutCondition(update) : update, options),
        }),
      },
    }),
  },
  resentNotQueued: {
    breaks: 'A request that an operator resends is not put on the queue.',
    scenario: 'resendAndRedelivery',
    maxFaults: 0,
    invariant: 'resentIsSent',
    create: () => managing(() => ({ queue: { put: async () => undefined } })),
  },
  lastConsentKept: {
    breaks: 'The opt-out that is recorded last is kept, not the latest.',
    scenario: 'optOutsOfTwoTimes',
    maxFaults: 0,
    invariant: 'consentsCommute',
    create: () => updating('manage', (update) => (update.key.sk === 'CONSENT' ? withoutCondition(update) : update)),
  },
  optOutNotRead: {
    breaks: 'The function `send` does not read opt-outs.',
    scenario: 'optOutWhileSending',
    maxFaults: 0,
    invariant: 'optOutObeyedFromClaim',
    create: () => ({
      send: {
        ports: ({ contacts }) => {
          const withoutOptOuts = (contact: Contact): Contact => ({
            ...contact,
            consents: contact.consents?.filter(({ kind }) => kind === 'opt-in'),
          });
          return {
            contacts: {
              ...contacts,
              async read(...parameters) {
                const contact = await contacts.read(...parameters);
                return contact && withoutOptOuts(contact);
              },
              async readWithAccount(...parameters) {
                const { contact, ...account } = await contacts.readWithAccount(...parameters);
                return { contact: withoutOptOuts(contact), ...account };
              },
            },
          };
        },
      },
    }),
  },
  handoverNotRead: {
    breaks: 'The function `send` overlooks handovers.',
    scenario: 'handoverWhileSending',
    maxFaults: 0,
    invariant: 'handoverHonored',
    create: () => ({
      send: {
        ports: ({ contacts }) => ({
          contacts: {
            ...contacts,
            async read(...parameters) {
              const { handoverAt: _, ...contact } = (await contacts.read(...parameters)) ?? {};
              return contact;
            },
            async readWithAccount(...parameters) {
              const { contact, ...account } = await contacts.readWithAccount(...parameters);
              const { handoverAt: _, ...others } = contact;
              return { contact: others, ...account };
            },
          },
        }),
      },
    }),
  },
  checkNotRecorded: {
    breaks: 'A contact check that found the number absent is not recorded.',
    scenario: 'checkAbsent',
    maxFaults: 0,
    invariant: 'checkRecorded',
    create: () => updating('manage', (update) => (update.key.sk === 'CHECK' ? undefined : update)),
  },
  probeIgnored: {
    breaks: 'Every request is sent as a probe.',
    scenario: 'probesOfTwoContacts',
    maxFaults: 0,
    invariant: 'onlyProbes',
    create: () => ({
      send: {
        table: (table) => ({
          async update(update, options) {
            if (update.set?.probeId === undefined) return table.update(update, options);
            const item = await table.get(update.key);
            return { kind: 'written', item: { ...item, probeId: update.set.probeId } };
          },
        }),
      },
    }),
  },
  refusedTokenFinal: {
    breaks: 'A request that was refused because of the token is recorded as rejected.',
    scenario: 'tokenReplaced',
    maxFaults: 0,
    invariant: 'tokenIsNoFailure',
    create: () => ({
      send: {
        ports: ({ chatService }) => ({
          chatService: {
            ...chatService,
            async send(call) {
              const answer = await chatService.send(call);
              if (answer.kind !== 'answered' || answer.httpStatus !== 401) return answer;
              return { ...answer, httpStatus: 400, body: { error: { code: 401, message: 'Unauthorized' } } };
            },
          },
        }),
      },
    }),
  },
} as const satisfies Record<string, SceneMutant>;
