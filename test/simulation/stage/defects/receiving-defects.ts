import { contactKey } from '../../../../lambdas/domain/contact.ts';
import { optOutConfirmationId } from '../../../../lambdas/domain/keywords/opt-out-confirmation.ts';
import { ACCOUNT, USER } from '../../../support/builders.ts';
import { PLAIN_FEATURES } from '../draw-features.ts';
import { CONFIRMING } from '../draw-history.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../durations.ts';
import { mapEvents } from './map-events.ts';
import {
  ANSWERED,
  freeForm,
  historyOf,
  isOf,
  outage,
  reads,
  type StageDefect,
  updating,
  withoutCondition,
  writes,
} from './stage-defect.ts';

/** The start of the name of every item about the contact of `writes`. */
const CONTACT_NAME = `CONTACT#${ACCOUNT.platform}#*#${contactKey(USER)}`;
const UNAVAILABLE = historyOf([outage('table', { forMs: 2 * MINUTE_MS }), writes(SECOND_MS)]);
const UNKNOWN = historyOf([{ kind: 'unknown-event', body: 'ping', afterMs: 0 }, writes(SECOND_MS)]);
const UNAUTHENTICATED = historyOf([
  { kind: 'unauthenticated-event', contact: USER, text: 'Let me in.', afterMs: 0 },
  writes(SECOND_MS),
]);
const ECHOED = historyOf([{ kind: 'echo', contact: USER, text: 'It is on its way.', afterMs: 0 }]);

const STOPPED = historyOf([{ kind: 'user-writes', contact: USER, text: 'STOP', afterMs: 0 }], {
  features: { keywords: true },
});

/**
 * A user writes while neither the table nor the queues can be reached, so that the events arrive after the last STOP.
 * The chat service's clock is ahead, and the events have no publish time, so they count as of their arrival.
 */
const arrivingLate = (...texts: readonly string[]) =>
  historyOf(
    [
      outage('table', { forMs: MINUTE_MS }),
      outage('queues', { forMs: MINUTE_MS }),
      ...texts.map((text, index) => ({ kind: 'user-writes' as const, contact: USER, text, afterMs: 1 + index * 100 })),
      { kind: 'user-writes', contact: USER, text: 'STOP', afterMs: MINUTE_MS + SECOND_MS },
    ],
    {
      features: {
        keywords: true,
        optInKeyword: true,
        clockAheadMs: 10 * MINUTE_MS,
        delivery: { ...PLAIN_FEATURES.delivery, envelope: 'without-publish-time' },
      },
    },
  );

const IN_CONFIRMING_STAGE = { keywords: true, rules: CONFIRMING };
/** The first answer to the confirmation is lost, so that the event is deferred, and the confirmation queued again. */
const CONFIRMED_TWICE = historyOf([{ kind: 'user-writes', contact: USER, text: 'STOP', afterMs: 0 }], {
  features: IN_CONFIRMING_STAGE,
  faults: ['receive queue the confirmation 1 fails-after'],
});

const OPERATOR_WROTE = historyOf([{ kind: 'echo', contact: USER, text: 'Let me look.', afterMs: 0 }], {
  features: { rules: { operators: { echoes: true } } },
});

const BURST = historyOf([writes(), writes(3 * SECOND_MS), writes(6 * SECOND_MS)], {
  features: { turnSilenceSeconds: 8, delivery: { ...PLAIN_FEATURES.delivery, duplicateRate: 1 } },
});

const BUFFERED = { ingress: 'buffered' } as const;
const BUFFERED_STRANGER = historyOf(
  [{ kind: 'unauthenticated-event', contact: USER, text: 'Let me in.', afterMs: 0 }, writes(SECOND_MS)],
  { features: BUFFERED },
);
const BUFFERED_WITHOUT_SECRET = historyOf([{ kind: 'lock-secret', forMs: HOUR_MS, afterMs: 0 }, writes(SECOND_MS)], {
  features: BUFFERED,
});
/** The event has no time of its own, and waits while Lambda throttles the function. */
const BUFFERED_WITHOUT_TIME = historyOf([{ kind: 'throttle', forMs: MINUTE_MS, afterMs: 0 }, writes(SECOND_MS)], {
  features: { ...BUFFERED, delivery: { ...PLAIN_FEATURES.delivery, withoutTimeRate: 1, envelope: 'none' } },
});

export const RECEIVING_DEFECTS = {
  bufferedStrangerStored: {
    breaks: 'A post that API Gateway put on the inbound queue is not verified.',
    invariant: 'unauthenticatedLeavesNothing',
    create: () => ({ receive: { verifier: () => ({ verify: async () => ({ kind: 'authentic' }) }) } }),
    history: BUFFERED_STRANGER,
  },
  bufferedDroppedWithoutSecret: {
    breaks: 'A post of the inbound queue is dropped while the secret cannot be read.',
    invariant: 'everyEventKept',
    create: () => ({
      receive: {
        verifier: ({ verify }) => ({
          async verify(request) {
            const verdict = await verify(request);
            return verdict.kind === 'unavailable' ? { kind: 'unauthenticated', reason: verdict.reason } : verdict;
          },
        }),
      },
    }),
    history: BUFFERED_WITHOUT_SECRET,
  },
  bufferedDatedByPoll: {
    breaks: 'An event without a time has that of the invocation that takes it from the queue.',
    invariant: 'messagesAreTrue',
    create: () => ({
      receive: {
        storeEvents: (storeEvents, clock) => (request, budgetMs) =>
          storeEvents({ ...request, receivedAt: clock.now() }, budgetMs),
      },
    }),
    history: BUFFERED_WITHOUT_TIME,
  },
  messageWithoutTurn: {
    breaks: 'A message is stored and not added to a turn.',
    invariant: 'everyMessageInOneTurn',
    create: () => ({
      receive: {
        table: (table) => ({
          async updateBoth(first) {
            return (await table.update(first)).kind === 'written' ? 'written' : 'first-conflicts';
          },
        }),
      },
    }),
    history: BURST,
  },
  repetitionInAnotherTurn: {
    breaks: 'A message is added to a turn whenever its event arrives.',
    invariant: 'everyMessageInOneTurn',
    create: () => ({
      receive: {
        table: (table) => ({
          updateBoth: (first, second) => table.updateBoth(withoutCondition(first), second),
        }),
      },
    }),
    history: historyOf([writes(), reads(60 * MINUTE_MS)], {
      features: { turnSilenceSeconds: 1, delivery: { ...PLAIN_FEATURES.delivery, duplicateRate: 1 } },
    }),
  },
  unknownDropped: {
    breaks: 'An event that cannot be parsed is dropped.',
    invariant: 'everyEventKept',
    create: () => ({ receive: { inboundQueue: () => ({ quarantine: async () => ({ kind: 'written' }) }) } }),
    history: UNKNOWN,
  },
  statusWithoutMessageDropped: {
    breaks: 'A status of a message that is not stored is dropped.',
    invariant: 'everyEventKept',
    create: () => ({
      receive: {
        table: (table) => ({
          async update(update, options) {
            const isStatus = isOf(update, 'MESSAGE#') && update.add?.statusBodies !== undefined;
            const item = isStatus ? await table.get(update.key) : undefined;
            return isStatus && item === undefined ? { kind: 'written', item } : table.update(update, options);
          },
        }),
      },
    }),
    history: historyOf([writes(), freeForm()], {
      features: { rules: { clientPayload: 'off' } },
      faults: ['send call message/v3 1 fails-after'],
    }),
  },
  acknowledgedTooEarly: {
    breaks: 'An event is acknowledged although it was neither stored nor deferred.',
    invariant: 'keptBeforeAcknowledged',
    create: () => ({ receive: { inboundQueue: () => ({ defer: async () => ({ kind: 'written' }) }) } }),
    history: UNAVAILABLE,
  },
  drainedTooEarly: {
    breaks: 'A deferred event is deleted before it is stored.',
    invariant: 'drainedOnlyWhenKept',
    create: () => ({ receive: { response: () => ({ batchItemFailures: [] }) } }),
    history: UNAVAILABLE,
  },
  keywordForgotten: {
    breaks: 'A keyword is stored as a message, but not as an opt-out.',
    invariant: 'keywordsHold',
    create: () => ({
      receive: { table: updating((update) => (update.key.sk === 'CONSENT' ? undefined : update)) },
    }),
    history: STOPPED,
  },
  optInForgotten: {
    breaks: 'A START is stored as a message, but not as an opt-in.',
    invariant: 'keywordsHold',
    create: () => ({
      receive: { table: updating((update) => (update.set?.userOptInAt === undefined ? update : undefined)) },
    }),
    history: historyOf([{ kind: 'user-writes', contact: USER, text: 'START', afterMs: 0 }], {
      features: { keywords: true, optInKeyword: true },
    }),
  },
  startWithoutOwnTime: {
    breaks: 'A START that arrives after a STOP overrides it, although the user wrote the START first.',
    invariant: 'latestKeywordCounts',
    create: () => ({
      receive: {
        table: updating((update) =>
          update.set?.userOptInAt === undefined
            ? update
            : { ...update, set: { ...update.set, userOptInOwnAt: undefined } },
        ),
      },
    }),
    history: arrivingLate('START'),
  },
  ownTimeReplaced: {
    breaks:
      'A late STOP replaces the own time of a later STOP, so a START that the user wrote between them overrides both.',
    invariant: 'latestKeywordCounts',
    create: () => ({
      receive: {
        table: updating(({ condition = '', ...update }) => {
          if (update.set?.userOptOutOwnAt === undefined) return { ...update, condition };
          if (update.set.userOptOutAt === undefined) return undefined;
          return { ...update, condition: condition.slice(0, condition.lastIndexOf(' AND (')) };
        }),
      },
    }),
    history: arrivingLate('STOP', 'START'),
  },
  confirmationForgotten: {
    breaks: 'An opt-out by a keyword is acknowledged without its confirmation.',
    invariant: 'optOutsConfirmed',
    create: () => ({ receive: { confirmations: () => ({ put: async () => undefined }) } }),
    history: CONFIRMED_TWICE,
  },
  confirmedAgain: {
    breaks: 'Each delivery of a keyword is another opt-out, with a confirmation of its own.',
    invariant: 'confirmedOnce',
    create() {
      const messageIds: string[] = [];
      return {
        receive: {
          table: updating((update) => {
            if (update.key.sk !== 'CONSENT') return update;
            const userOptOutMessageId = `${update.set?.userOptOutMessageId}-${messageIds.length}`;
            messageIds.push(userOptOutMessageId);
            return { ...withoutCondition(update), set: { ...update.set, userOptOutMessageId } };
          }),
          confirmations: (queue) => ({
            async put(message) {
              const deduplicationId = optOutConfirmationId(messageIds.at(-1) ?? '');
              const body = message.body.replace(message.deduplicationId, deduplicationId);
              await queue.put({ ...message, body, deduplicationId });
            },
          }),
        },
      };
    },
    history: historyOf([{ kind: 'user-writes', contact: USER, text: 'STOP', afterMs: 0 }, writes(HOUR_MS)], {
      features: {
        ...IN_CONFIRMING_STAGE,
        delivery: { ...PLAIN_FEATURES.delivery, duplicateRate: 1, maxLateMs: MINUTE_MS },
      },
    }),
  },
  operatorForgotten: {
    breaks: 'An echo of an operator is stored as a message, but not that an operator wrote.',
    invariant: 'operatorsNoticed',
    create: () => ({
      receive: { table: updating((update) => (update.key.sk === 'HANDOVER' ? undefined : update)) },
    }),
    history: OPERATOR_WROTE,
  },
  keywordAsOfLater: {
    breaks: 'An opt-out by a keyword has another time than the message.',
    invariant: 'consentsAreTrue',
    create: () => ({
      receive: {
        table: updating((update) =>
          update.key.sk === 'CONSENT'
            ? { ...update, set: { ...update.set, userOptOutAt: '2026-11-30T00:00:00.000Z' } }
            : update,
        ),
      },
    }),
    history: STOPPED,
  },
  everythingUnauthorized: {
    breaks: 'Every webhook request is answered with 401.',
    invariant: 'authenticIsNotRefused',
    create: () => ({
      receive: { verifier: () => ({ verify: async () => ({ kind: 'unauthenticated', reason: 'broken' }) }) },
    }),
    history: historyOf([writes()]),
  },
  everythingAuthentic: {
    breaks: 'The signature of a webhook request is not verified.',
    invariant: 'unauthenticatedLeavesNothing',
    create: () => ({ receive: { verifier: () => ({ verify: async () => ({ kind: 'authentic' }) }) } }),
    history: UNAUTHENTICATED,
  },
  quarantinedBeforeRetry: {
    breaks: 'An event is put in quarantine as soon as the table fails.',
    invariant: 'quarantinedOnlyIfUnknown',
    create: () => ({
      receive: {
        storeEvents: (storeEvents) => async (request) => {
          const results = await storeEvents(request);
          return results.map((stored) => (stored.kind === 'unavailable' ? { ...stored, kind: 'unstorable' } : stored));
        },
      },
    }),
    history: UNAVAILABLE,
  },
  timeOfArrival: {
    breaks: 'A message is stored with the time of its arrival.',
    invariant: 'messagesAreTrue',
    create: () => ({
      receive: mapEvents(({ CREATION_TIME, ...event }) => event),
    }),
    history: historyOf([writes()], { features: { clockAheadMs: -5_000 } }),
  },
  echoOpensWindow: {
    breaks: 'An echo opens a window.',
    invariant: 'windowsAreTrue',
    create: () => ({
      receive: mapEvents((event) => (event.FROM === 'me' ? { ...event, FROM: event.TO, TO: 'me' } : event)),
    }),
    history: ECHOED,
  },
  windowNotOpened: {
    breaks: 'A message does not open a window.',
    invariant: 'windowsStayOpen',
    create: () => ({
      receive: { table: updating((update) => (update.set?.lastInboundAt === undefined ? update : undefined)) },
    }),
    history: historyOf([writes()]),
  },
  windowOpensLate: {
    breaks: 'A message is acknowledged although its window could not be opened, so only the next message opens it.',
    invariant: 'windowsStayOpen',
    create: () => ({
      receive: {
        table: (table) => ({
          async update(update, options) {
            const updated = table.update(update, options);
            return isOf(update, 'CONTACT#') ? updated.catch(() => ({ kind: 'written', item: undefined })) : updated;
          },
        }),
      },
    }),
    history: historyOf([writes(), writes(MINUTE_MS)], {
      faults: [`receive write ${CONTACT_NAME} 1 fails-before`],
    }),
  },
  windowOfArrival: {
    breaks: 'A message opens the window as of its arrival, not as of its own time.',
    invariant: 'windowsAreTrue',
    create() {
      let receivedAt = '';
      return {
        receive: {
          storeEvents: (storeEvents) => (request) => {
            receivedAt = request.receivedAt;
            return storeEvents(request);
          },
          table: updating((update) =>
            update.set?.lastInboundAt === undefined
              ? update
              : { ...update, set: { ...update.set, lastInboundAt: receivedAt } },
          ),
        },
      };
    },
    history: historyOf([writes()]),
  },
  dedupeOnIdAlone: {
    breaks: 'A second status of a message is treated as a duplicate, because it has the same ID.',
    invariant: 'everyEventKept',
    create: () => ({
      receive: {
        table: (table) => ({
          async update(update, options) {
            const item = isOf(update, 'MESSAGE#') ? await table.get(update.key) : undefined;
            return item === undefined ? table.update(update, options) : { kind: 'written', item };
          },
        }),
      },
    }),
    history: ANSWERED,
  },
  readOverwritten: {
    breaks: 'A report that a message was delivered removes the time at which it was read.',
    invariant: 'statusesAreTrue',
    create: () => ({
      receive: {
        table: updating((update) =>
          update.set?.deliveredAt === undefined ? update : { ...update, set: { ...update.set, readAt: undefined } },
        ),
      },
    }),
    history: historyOf([writes(), freeForm(), reads(11 * SECOND_MS)]),
  },
  statusOverwritten: {
    breaks: 'A later report of the same status overwrites its time.',
    invariant: 'statusesAreTrue',
    create: () => ({
      receive: {
        table: updating((update) => (update.set?.deliveredAt === undefined ? update : withoutCondition(update))),
      },
    }),
    history: historyOf([writes(), freeForm()], {
      features: {
        chatService: {
          closesEarlyMs: 0,
          maxDeviceMs: MINUTE_MS,
          answersIntentsWithoutId: false,
          repeatedStatusRate: 1,
        },
      },
    }),
  },
  neverAcknowledged: {
    breaks: 'The webhook fails for every event.',
    invariant: 'everyEventAcknowledged',
    create: () => ({ receive: { storeEvents: () => () => Promise.reject(new Error('broken')) } }),
    history: historyOf([writes()]),
  },
} as const satisfies Record<string, StageDefect>;
