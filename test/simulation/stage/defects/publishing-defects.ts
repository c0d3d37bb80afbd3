import type { SerializedEvent } from '../../../../lambdas/domain/events/serialize-event.ts';
import type { ChangeRecord } from '../../../../lambdas/publish/publish-changes.ts';
import type { StreamRecord } from '../../../../lambdas/table/item-changes.ts';
import { HOUR_MS } from '../durations.ts';
import type { StageMutation } from '../stage-mutation.ts';
import { ANSWERED, freeForm, historyOf, outage, reads, type StageDefect, writes } from './stage-defect.ts';

const BUS_OUTAGE = historyOf([outage('bus', { forMs: HOUR_MS }), writes(1_000)]);

/** Changes what is put on the bus. */
const publishing = (change: (event: SerializedEvent, count: number) => object): StageMutation => {
  let count = 0;
  return {
    publish: {
      bus: (bus) => ({
        publish: (events) =>
          bus.publish(
            events.map((event) => {
              count += 1;
              return { ...event, detail: JSON.stringify({ ...JSON.parse(event.detail), ...change(event, count) }) };
            }),
          ),
      }),
    },
  };
};

const BURST = historyOf([writes(), writes(3_000), writes(6_000)], { features: { turnSilenceSeconds: 8 } });

/** Whether a record of the stream is about a turn's item. */
const isOfTurn = ({ record }: ChangeRecord, eventName: string): boolean => {
  const { eventName: name, dynamodb } = record as StreamRecord;
  return dynamodb?.Keys?.sk?.S === 'TURN' && name === eventName;
};

export const PUBLISHING_DEFECTS = {
  failedEntriesSwallowed: {
    breaks: 'Changes that could not be published are not retried.',
    invariant: 'everyChangePublished',
    create: () => ({ publish: { failures: () => [] } }),
    history: BUS_OUTAGE,
  },
  readNeverPublished: {
    breaks: 'MessageRead events are dropped, while other changes become dead letters.',
    invariant: 'everyChangePublished',
    create: () => ({
      publish: {
        bus: (bus) => ({
          publish(events) {
            const isDropped = events.map(({ name }) => name === 'MessageRead');
            const published = bus.publish(events.filter((_, index) => !isDropped[index]));
            return published.then((results) => {
              const rest = [...results];
              return isDropped.map((dropped) => (dropped ? undefined : rest.shift()) ?? { kind: 'published' as const });
            });
          },
        }),
      },
    }),
    history: historyOf([
      outage('bus', { forMs: 13 * HOUR_MS }),
      writes(),
      freeForm(1, { afterMs: 14 * HOUR_MS }),
      reads(15 * HOUR_MS),
    ]),
  },
  publishedTooEarly: {
    breaks: 'Every event has the time at which it is published.',
    invariant: 'nothingElsePublished',
    create: () => publishing(() => ({ at: '2026-11-20T13:00:00.000Z' })),
    history: ANSWERED,
  },
  idPerAttempt: {
    breaks: 'Every attempt to publish an event uses a new ID.',
    invariant: 'oneIdPerChange',
    create: () => publishing((event, count) => ({ id: `${event.id}-${count}` })),
    history: historyOf([writes()], { faults: ['publish publish MessageReceived 1 fails-after'] }),
  },
  idPerName: {
    breaks: 'All events with the same name have the same ID.',
    invariant: 'oneChangePerId',
    create: () => publishing(({ name }) => ({ id: name })),
    history: historyOf([writes(), writes(1_000)]),
  },
  turnEndedWhileTheUserWrites: {
    breaks: 'A turn ends although a message was added to it meanwhile.',
    invariant: 'turnsEndAfterSilence',
    create: () => ({
      publish: {
        turns: (turns) => ({
          async end(turn) {
            for (let added = 0; added < 3; added += 1) {
              if (await turns.end({ ...turn, messageCount: turn.messageCount + added })) return true;
            }
            return false;
          },
        }),
      },
    }),
    history: BURST,
  },
  turnNotQueued: {
    breaks: 'Only the first message of a turn puts it on the queue.',
    invariant: 'everyTurnEnds',
    create: () => ({ publish: { changes: (changes) => changes.filter((one) => !isOfTurn(one, 'MODIFY')) } }),
    history: BURST,
  },
  turnEndsSilently: {
    breaks: 'The end of a turn is not published.',
    invariant: 'everyChangePublished',
    create: () => ({ publish: { changes: (changes) => changes.filter((one) => !isOfTurn(one, 'REMOVE')) } }),
    history: BURST,
  },
  messageLeftOutOfTurn: {
    breaks: 'A published turn lacks its latest message.',
    invariant: 'turnsAreTrue',
    create: () => ({
      publish: {
        turns: (turns) => ({
          readMessages: ({ contact, messageIds: [first = '', ...others] }) =>
            turns.readMessages({ contact, messageIds: [first, ...others.slice(1)] }),
        }),
      },
    }),
    history: BURST,
  },
  contentAlways: {
    breaks: 'Events have content, although the stage excludes it.',
    invariant: 'contentOnlyIfAllowed',
    create: () => publishing(() => ({ content: { text: 'Where is it?' } })),
    history: historyOf([writes()], { features: { content: false } }),
  },
} as const satisfies Record<string, StageDefect>;
