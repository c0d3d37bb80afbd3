import { managing, type SceneMutant, updating } from './scene-mutant.ts';

export const ERASING_MISTAKES = {
  turnNotRetried: {
    breaks: 'The message of an erasure is deleted after its first pass.',
    scenario: 'erase',
    maxFaults: 0,
    invariant: 'erasureEnds',
    create: () => ({ manage: { response: () => ({ batchItemFailures: [] }) } }),
  },
  deadLettersForgotten: {
    breaks: 'An erasure does not search the dead-letter queues.',
    scenario: 'erase',
    maxFaults: 0,
    invariant: 'nothingOfBeforeRemains',
    create: () => managing(() => ({ queuedDeadLetters: { remove: async () => ({ removed: 0, isComplete: true }) } })),
  },
  keptSearchedOnce: {
    breaks: 'An erasure does not search the stored dead letters again after the queues.',
    scenario: 'eraseWhileKeeping',
    maxFaults: 0,
    invariant: 'nothingOfBeforeRemains',
    create: () => {
      let isSearched = false;
      return managing(({ erasures }) => ({
        erasures: {
          ...erasures,
          async eraseKeptDeadLetters(...parameters) {
            const isAgain = isSearched;
            isSearched = true;
            return isAgain ? { erased: 0, isComplete: true } : erasures.eraseKeptDeadLetters(...parameters);
          },
        },
      }));
    },
  },
  sendsLeftPending: {
    breaks: 'An erasure keeps a pending send as it is.',
    scenario: 'eraseScheduled',
    maxFaults: 0,
    invariant: 'erasedIsNotSent',
    create: () =>
      managing(({ erasures }) => ({
        erasures: {
          ...erasures,
          async listItems(...parameters) {
            const page = await erasures.listItems(...parameters);
            return { ...page, items: page.items.filter(({ kind }) => kind !== 'send') };
          },
        },
      })),
  },
  laterErased: {
    breaks: 'An erasure removes consents that were recorded after it was requested.',
    scenario: 'eraseWhileConsenting',
    maxFaults: 0,
    invariant: 'nothingLaterErased',
    create: () =>
      managing(({ erasures }) => ({
        erasures: { ...erasures, removeContact: (contact) => erasures.removeContact(contact, '9999') },
      })),
  },
  everybodyErased: {
    breaks: 'An erasure removes the items of all contacts.',
    scenario: 'erase',
    maxFaults: 0,
    invariant: 'othersUntouched',
    create: () => ({
      manage: {
        table: (table) => ({
          async delete(key, ...rest) {
            if (key.pk.startsWith('MESSAGE#')) {
              await table.delete({ pk: 'MESSAGE#other-1', sk: 'MESSAGE' }, 'attribute_exists(#pk)', {});
            }
            return table.delete(key, ...rest);
          },
        }),
      },
    }),
  },
  countedTwice: {
    breaks: 'A pass adds its counts again if it is repeated.',
    scenario: 'eraseTwice',
    maxFaults: 0,
    invariant: 'countsAtMost',
    create: () =>
      managing(({ erasures }) => ({
        erasures: {
          ...erasures,
          async erase(subject, item, at) {
            await erasures.erase(subject, item, at);
            return 'erased';
          },
        },
      })),
  },
  removedBeforeStored: {
    breaks: 'A dead letter is deleted from its queue before it is stored.',
    scenario: 'keepInterrupted',
    maxFaults: 1,
    allowedFaults: ['dies-before'],
    invariant: 'deadLettersKept',
    create: () => {
      let remove = async (): Promise<void> => undefined;
      return managing(({ sources, deadLetters }) => ({
        sources: sources.map((source) => ({
          ...source,
          remove: () => remove(),
          async receive() {
            const received = await source.receive();
            remove = async () => undefined;
            for (const one of received) await source.remove(one);
            return received;
          },
        })),
        deadLetters,
      }));
    },
  },
  listedFirst: {
    breaks: 'The item of a stored dead letter is deleted, but not its parts.',
    scenario: 'keepInterrupted',
    maxFaults: 0,
    invariant: 'keptDeadLetterIsWhole',
    create: () => updating('manage', (update) => (update.key.sk === 'DEADLETTER' ? undefined : update)),
  },
  redrivenNowhere: {
    breaks: 'A redrive deletes dead letters without putting them back.',
    scenario: 'redrive',
    maxFaults: 0,
    invariant: 'redriveDelivers',
    create: () =>
      managing(({ redriveQueues: { inbound } }) => ({
        redriveQueues: { ...(inbound && { inbound: { ...inbound, put: async () => undefined } }) },
      })),
  },
} as const satisfies Record<string, SceneMutant>;
