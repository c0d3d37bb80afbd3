import type { SerializedEvent } from '../../../lambdas/domain/events/serialize-event.ts';
import type { EventBus } from '../../../lambdas/ports.ts';
import type { SceneMutant } from './scene-mutant.ts';

let ids = 0;

const publishing = (change: (events: readonly SerializedEvent[]) => readonly SerializedEvent[]) => ({
  publish: {
    bus: (bus: EventBus) => ({
      publish: async (events: readonly SerializedEvent[]) =>
        (await bus.publish(change(events))).slice(0, events.length),
    }),
  },
});

export const PUBLISHING_MISTAKES = {
  partialFailureIgnored: {
    breaks: 'A call to the bus that does not throw counts as a success for all of its entries.',
    scenario: 'publishBatch',
    maxFaults: 1,
    allowedFaults: ['partial'],
    invariant: 'everyChangePublished',
    create: () => ({
      publish: {
        bus: (bus) => ({
          async publish(events) {
            const results = await bus.publish(events);
            return results.map(() => ({ kind: 'published' }));
          },
        }),
      },
    }),
  },
  failedRecordNotRetried: {
    breaks: 'The function does not report the records that Lambda must retry.',
    scenario: 'publishRefused',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'everyChangePublished',
    create: () => ({ publish: { failures: () => [] } }),
  },
  unreadableDropped: {
    breaks: 'A record that cannot be read is dropped.',
    scenario: 'publishUnreadable',
    maxFaults: 0,
    invariant: 'everyChangePublished',
    create: () => ({ publish: { deadLetters: () => ({ put: async () => undefined }) } }),
  },
  drawnIds: {
    breaks: 'An event gets a new random ID whenever it is published.',
    scenario: 'publishInParts',
    maxFaults: 1,
    allowedFaults: ['fails-after'],
    invariant: 'oneIdPerChange',
    create: () =>
      publishing((events) =>
        events.map((event) => {
          ids += 1;
          const id = `${event.id}-${ids}`;
          return { ...event, id, detail: JSON.stringify({ ...JSON.parse(event.detail), id }) };
        }),
      ),
  },
  invented: {
    breaks: 'A message that arrives is published as read.',
    scenario: 'publishUnreadable',
    maxFaults: 0,
    invariant: 'onlyChangesPublished',
    create: () =>
      publishing((events) =>
        events.map((event) => (event.name === 'MessageReceived' ? { ...event, name: 'MessageRead' } : event)),
      ),
  },
  reversed: {
    breaks: 'The changes of a batch are published in reverse order.',
    scenario: 'publishInParts',
    maxFaults: 0,
    invariant: 'publishedInOrder',
    create: () => ({ publish: { changes: (changes) => changes.toReversed() } }),
  },
  deadLetteredTooEarly: {
    breaks: 'A change is dead-lettered as soon as the bus fails.',
    scenario: 'publishInParts',
    maxFaults: 1,
    allowedFaults: ['fails-before'],
    invariant: 'deadLetteredForAReason',
    create: () => ({
      publish: {
        bus: (bus) => ({
          async publish(events) {
            const results = await bus.publish(events);
            return results.map((result) => (result.kind === 'failed' ? { ...result, kind: 'refused' } : result));
          },
        }),
      },
    }),
  },
  refusedRetried: {
    breaks: 'An event that the bus always refuses is retried forever.',
    scenario: 'publishRefused',
    maxFaults: 0,
    invariant: 'streamEnds',
    create: () => ({
      publish: {
        bus: (bus) => ({
          async publish(events) {
            const results = await bus.publish(events);
            return results.map((result) => (result.kind === 'refused' ? { ...result, kind: 'failed' } : result));
          },
        }),
      },
    }),
  },
} as const satisfies Record<string, SceneMutant>;
