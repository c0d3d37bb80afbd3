import type { ItemUpdate } from '../../../../lambdas/adapters/dynamodb/item-update.ts';
import { USER } from '../../../support/builders.ts';
import type { WireEvent } from '../../world/translate-event.ts';
import { PLAIN_FEATURES } from '../draw-features.ts';
import { MINUTE_MS, SECOND_MS } from '../durations.ts';
import type { ChatServiceFeatures, Features } from '../history.ts';
import { mapEvents, mapPosts } from './map-events.ts';
import { freeForm, historyOf, isOf, reads, type StageDefect, updating, writes } from './stage-defect.ts';

/** A chat service that sends all events in the format of today's webhooks. */
const TODAY = { closesEarlyMs: 0, maxDeviceMs: SECOND_MS, answersIntentsWithoutId: false, formats: ['v1.1'] } as const;
const inStage = (
  chatService: Partial<ChatServiceFeatures>,
  {
    delivery = {},
    ...features
  }: Partial<Omit<Features, 'delivery'>> & { delivery?: Partial<Features['delivery']> } = {},
): { readonly features: Partial<Features> } => ({
  features: {
    ...features,
    chatService: { ...TODAY, ...chatService },
    delivery: { ...PLAIN_FEATURES.delivery, ...delivery },
  },
});
const BATCHES = { delivery: { batchRate: 1, duplicateRate: 1 } } as const;
const TWO_MESSAGES = historyOf([writes(), writes(SECOND_MS), reads(2 * MINUTE_MS)], inStage({}, BATCHES));
const FAILED = historyOf([writes(), freeForm()], inStage({ failureRate: 1 }));

const echoes = (text: string) =>
  [1, 2, 3, 4, 5, 6].map((place) => ({ kind: 'echo' as const, contact: USER, text, afterMs: place * MINUTE_MS }));

/** Changes the sender of the messages that do not say that the user wrote them. */
const asUser = (isChanged: (sender: unknown) => boolean) =>
  mapEvents((event) => ({
    ...event,
    ...(Array.isArray(event.messages) && {
      messages: event.messages.map((message: WireEvent) =>
        isChanged(message.from) ? { ...message, from: 'user' } : message,
      ),
    }),
  }));

const isFailure = ({ set }: ItemUpdate): boolean => set?.failure !== undefined;

export const FORMAT_DEFECTS = {
  botOpensWindow: {
    breaks: "A bot's message in the format `v1.1` opens a window.",
    invariant: 'windowsAreTrue',
    create: () => ({ receive: asUser((sender) => sender === 'bot') }),
    history: historyOf([writes(), freeForm(1), freeForm(2), freeForm(3)], inStage({ echoRate: 1 })),
  },
  unknownSenderOptsIn: {
    breaks: 'A message of an unknown sender that is `START` ends an opt-out.',
    invariant: 'consentsAreTrue',
    create: () => ({ receive: asUser((sender) => sender === undefined) }),
    history: historyOf(
      [{ kind: 'user-writes', contact: USER, text: 'STOP', afterMs: 0 }, ...echoes('START')],
      inStage({}, { keywords: true, optInKeyword: true }),
    ),
  },
  unknownSenderOpensWindow: {
    breaks: 'A message of an unknown sender opens a window.',
    invariant: 'windowsAreTrue',
    create: () => ({ receive: asUser((sender) => sender === undefined) }),
    history: historyOf([writes(), ...echoes('It is on its way.')], inStage({})),
  },
  buttonIgnored: {
    breaks: 'A button that is a keyword is no opt-out, although the stage counts buttons.',
    invariant: 'keywordsHold',
    create: () => ({
      receive: mapEvents((event) => ({
        ...event,
        ...(Array.isArray(event.messages) && {
          messages: event.messages.map(({ message, ...others }: WireEvent) => ({
            ...others,
            message: others.buttonPayload === undefined ? message : `button ${String(message)}`,
          })),
        }),
      })),
    }),
    history: historyOf(
      [{ kind: 'user-writes', contact: USER, text: '{"button":"STOP"}', afterMs: 0 }],
      inStage({}, { keywords: true }),
    ),
  },
  firstOfPostStored: {
    breaks: 'A post with several events is acknowledged as soon as the first one is stored.',
    invariant: 'keptBeforeAcknowledged',
    create: () => ({ receive: mapPosts((bodies) => bodies.slice(0, 1)) }),
    history: TWO_MESSAGES,
  },
  postStoredAgain: {
    breaks: 'A repeated post with several events is stored as other messages.',
    invariant: 'messagesAreTrue',
    create() {
      let posts = 0;
      return {
        receive: mapPosts((bodies) => {
          posts += 1;
          return bodies.length === 1 || posts === 1
            ? bodies
            : bodies.map((body) => body.replace('"_id":"', '"_id":"again-'));
        }),
      };
    },
    history: TWO_MESSAGES,
  },
  timelessStatusDropped: {
    breaks: 'A status without a time is dropped.',
    invariant: 'keptBeforeAcknowledged',
    create: () => ({
      receive: mapEvents((event) =>
        event.type === 'status' && event.statusChangeTime === undefined ? undefined : event,
      ),
    }),
    history: historyOf([writes(), freeForm()], inStage({}, { delivery: { withoutTimeRate: 1 } })),
  },
  floatCodeLost: {
    breaks: 'The code of a failure is lost, because it looks like a float.',
    invariant: 'failuresShown',
    create: () => ({
      table: updating((update) =>
        isFailure(update)
          ? { ...update, set: { ...update.set, failure: ' ', ...(isOf(update, 'SEND#') && { code: undefined }) } }
          : update,
      ),
    }),
    history: FAILED,
  },
  earlyFailureForgotten: {
    breaks: 'A send stays accepted if the status that its message failed comes before the answer to the call.',
    invariant: 'failuresShown',
    create: () => ({ send: { table: updating((update) => (isFailure(update) ? undefined : update)) } }),
    history: historyOf([writes(), freeForm()], {
      ...inStage({ failureRate: 1, maxDeviceMs: 1 }, { rules: { clientPayload: 'off' } }),
      faults: [1, 2, 3, 4, 5].map((place) => `send write MESSAGE#message-of-request-1-1 ${place} fails-before`),
    }),
  },
  jobLinkedLate: {
    breaks: 'The job of a send is recorded only after the result, so it is lost if the function dies between them.',
    invariant: 'jobsLinked',
    create() {
      const links: ItemUpdate[] = [];
      return {
        send: {
          table: (table) => ({
            async update(update, options) {
              if (isOf(update, 'TRANSACTION#')) {
                links.push(update);
                return { kind: 'written', item: { ...update.key, ...update.setOnce } };
              }
              const updated = await table.update(update, options);
              if (isOf(update, 'SEND#')) for (const link of links.splice(0)) await table.update(link);
              return updated;
            },
          }),
        },
      };
    },
    history: historyOf([writes(), freeForm()], {
      ...inStage({ answersWithJob: true, maxDeviceMs: 5 * MINUTE_MS }, { rules: { clientPayload: 'off' } }),
      faults: ['send write SEND#request-1 as accepted 1 dies-after'],
    }),
  },
} as const satisfies Record<string, StageDefect>;
