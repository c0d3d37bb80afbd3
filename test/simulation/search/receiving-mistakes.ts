import type { ItemUpdate } from '../../../lambdas/adapters/dynamodb/item-update.ts';
import { bodiesInPost } from '../world/translate-event.ts';
import { rewriting, type SceneMutant, updating, withoutCondition } from './scene-mutant.ts';

/** Mistakes that the search must not miss. */
export const RECEIVING_MISTAKES = {
  lastVersionKept: {
    breaks: 'The version of a message that arrives last is kept, and every other is lost.',
    scenario: 'edited',
    maxFaults: 0,
    invariant: 'storedAsItCame',
    create: () =>
      updating('receive', (update) => (update.set?.direction === 'inbound' ? withoutCondition(update) : update)),
  },
  firstVersionKept: {
    breaks: 'The version of a message that arrives first is kept, and every other is dropped.',
    scenario: 'edited',
    maxFaults: 0,
    invariant: 'storedAsItCame',
    create: () => updating('receive', (update) => (isOfVersion(update) ? undefined : update)),
  },
  versionWrittenLast: {
    breaks: 'A version replaces another without checking that the other is still the stored one.',
    scenario: 'edited',
    maxFaults: 0,
    invariant: 'storedAsItCame',
    create: () => ({
      receive: {
        table: (table) => ({
          async update(update, options) {
            if (update.set?.direction !== 'inbound') return table.update(update, options);
            const item = await table.get(update.key);
            const isLater = item === undefined || String(update.set.modifiedAt) > String(item.modifiedAt);
            return isLater ? table.update(withoutCondition(update), options) : { kind: 'written', item };
          },
        }),
      },
    }),
  },
  windowMovedBack: {
    breaks: 'A message that arrives late moves the window back.',
    scenario: 'twoMessages',
    maxFaults: 0,
    invariant: 'windowOnTime',
    create: () =>
      updating('receive', (update) => (update.set?.lastInboundAt === undefined ? update : withoutCondition(update))),
  },
  echoTakenForMessage: {
    breaks: 'An echo is stored as the message with its ID.',
    scenario: 'messageAndEcho',
    maxFaults: 0,
    invariant: 'whole',
    create: () => rewriting((event) => (event.FROM === 'me' ? { ...event, FROM: event.TO } : event)),
  },
  statusSwallowed: {
    breaks: 'A second status of a message is treated as a duplicate, because it has the same ID.',
    scenario: 'statusesOfUnknown',
    maxFaults: 0,
    invariant: 'statusKept',
    create: () => ({
      receive: {
        table: (table) => ({
          async update(update, options) {
            const item = await table.get(update.key);
            return item === undefined ? table.update(update, options) : { kind: 'written', item };
          },
        }),
      },
    }),
  },
  lastStatusKept: {
    breaks: 'The report of a status that arrives last is kept, not the earliest one.',
    scenario: 'statusesOfUnknown',
    maxFaults: 0,
    invariant: 'statusKept',
    create: () =>
      updating('receive', (update) => (update.set?.deliveredAt === undefined ? update : withoutCondition(update))),
  },
  acknowledgedTooEarly: {
    breaks: 'An event is acknowledged although it was neither stored nor deferred.',
    scenario: 'messageAndEcho',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'nothingLost',
    create: () => ({ receive: { inboundQueue: () => ({ defer: async () => ({ kind: 'written' }) }) } }),
  },
  quarantineSkipped: {
    breaks: 'An event that cannot be parsed is dropped.',
    scenario: 'notAnEvent',
    maxFaults: 0,
    invariant: 'nothingLost',
    create: () => ({ receive: { inboundQueue: () => ({ quarantine: async () => ({ kind: 'written' }) }) } }),
  },
  quarantinedTooEarly: {
    breaks: 'An event is quarantined as soon as the table fails.',
    scenario: 'messageAndEcho',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'quarantinedForAReason',
    create: () => ({
      receive: {
        storeEvents: (storeEvents) => async (request) => {
          const results = await storeEvents(request);
          return results.map((stored) => (stored.kind === 'unavailable' ? { ...stored, kind: 'unstorable' } : stored));
        },
      },
    }),
  },
  unstorableRetried: {
    breaks: 'An event that cannot be parsed is retried forever.',
    scenario: 'notAnEvent',
    maxFaults: 0,
    invariant: 'everyCallAnswered',
    create: () => ({
      receive: {
        storeEvents: (storeEvents) => async (request) => {
          const results = await storeEvents(request);
          return results.map((stored) => (stored.kind === 'unstorable' ? { ...stored, kind: 'unavailable' } : stored));
        },
      },
    }),
  },
  refusedAtOnce: {
    breaks: 'An event is refused as soon as the table fails.',
    scenario: 'messageAndEcho',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'refusedOnlyInOutage',
    create: () => ({
      receive: { inboundQueue: () => ({ defer: async () => ({ kind: 'unavailable', reason: 'broken' }) }) },
    }),
  },
  deferredDeleted: {
    breaks: 'A deferred event that must be retried is deleted.',
    scenario: 'unknownStatuses',
    maxFaults: 2,
    allowedFaults: ['fails-before'],
    invariant: 'nothingLost',
    create: () => ({ receive: { response: () => ({ batchItemFailures: [] }) } }),
  },
  firstOfPostStored: {
    breaks: 'A post with several events is acknowledged as soon as the first one is stored.',
    scenario: 'together',
    maxFaults: 0,
    invariant: 'nothingLost',
    create: () => ({
      receive: {
        storeEvents: (storeEvents) => (request) => {
          const [first = ''] = bodiesInPost(request.rawBody.toString());
          return storeEvents({ ...request, rawBody: Buffer.from(first) });
        },
      },
    }),
  },
  wholePostQuarantined: {
    breaks: 'A post is quarantined as a whole, with its good events, if one of its events is not known.',
    scenario: 'togetherWithUnreadable',
    maxFaults: 0,
    invariant: 'storedAsItCame',
    create: () => ({
      receive: {
        storeEvents: (storeEvents) => async (request) => {
          const results = await storeEvents({ ...request, rawBody: Buffer.from('[]') });
          return results.map((stored) => ({ ...stored, body: request.rawBody.toString() }));
        },
      },
    }),
  },
  timeOfEdit: {
    breaks: 'A message takes the time of its latest version, not of its earliest one.',
    scenario: 'otherTime',
    maxFaults: 0,
    invariant: 'sameInAnyOrder',
    create: () =>
      updating('receive', (update) =>
        update.set?.direction === 'inbound' && update.add !== undefined
          ? { ...update, set: { ...update.set, createdAt: update.set.modifiedAt } }
          : update,
      ),
  },
} as const satisfies Record<string, SceneMutant>;

/** Whether an update writes a version that is not the latest, or lists it in its message. */
const isOfVersion = ({ key, add }: ItemUpdate): boolean => key.sk.startsWith('VERSION#') || add?.versions !== undefined;
