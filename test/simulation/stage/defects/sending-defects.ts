import type { SQSRecord } from 'aws-lambda';
import { type Contact, contactKey } from '../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import type { SendResult } from '../../../../lambdas/domain/send.ts';
import { ACCOUNT, NOW, USER } from '../../../support/builders.ts';
import { FORMER_SENDING_DEFECTS } from '../../search/former-sending-defects.ts';
import { isClaim } from '../../search/scene-mutant.ts';
import { SENDING_MISTAKES } from '../../search/sending-mistakes.ts';
import type { Mutation } from '../../world/send-process.ts';
import { CONFIRMING } from '../draw-history.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../durations.ts';
import {
  ANSWERED,
  consent,
  freeForm,
  historyOf,
  isOf,
  outage,
  type StageDefect,
  template,
  USERS,
  updating,
  withoutCondition,
  writes,
} from './stage-defect.ts';

/** The start of the name of every item about the contact of `freeForm`. */
const CONTACT_NAME = `CONTACT#${ACCOUNT.platform}#*#${contactKey(USER)}`;
const ACCOUNT_NAME = `ACCOUNT#${ACCOUNT.platform}#${ACCOUNT.channel}`;
/** The same request from two producers at the same time. */
const TWICE = historyOf(
  [writes(), freeForm(1), freeForm(1, { groupId: 'another-producer', deduplicationId: 'again' })],
  { features: { maxAnswerMs: 5_000 } },
);
const WITHOUT_ANSWER = historyOf([writes(), freeForm()], {
  features: { rules: { clientPayload: 'off' } },
  faults: ['send call message/v3 1 fails-after'],
});
const OPTED_OUT = historyOf([writes(), consent('opt-out', 5 * SECOND_MS), freeForm()]);
const WITHOUT_CREDIT = [
  { kind: 'credit' as const, hasCredit: false, afterMs: 0 },
  ...USERS.map((contact) => writes(SECOND_MS, contact)),
  ...USERS.map((contact, index) => freeForm(index + 1, { contact, afterMs: MINUTE_MS * (index + 1) })),
];
const CREDIT_LATER = { kind: 'credit' as const, hasCredit: true, afterMs: 2 * HOUR_MS };
/** The chat service answers 502 while many requests are due, one after another. */
const BAD_GATEWAY = historyOf([
  ...USERS.map((contact) => writes(0, contact)),
  outage('chat-service', { afterMs: SECOND_MS, forMs: HOUR_MS, how: 'bad-gateway' }),
  ...USERS.map((contact, index) => freeForm(index + 1, { contact, afterMs: (index + 1) * 2 * MINUTE_MS })),
]);

const OPERATORS = { features: { rules: { clientPayload: 'all', operators: { echoes: true } } } } as const;

const ports = (change: NonNullable<Mutation['ports']>) => ({ send: { ports: change } });

/** Every read returns another contact than the one that is stored. */
const readingAs = (change: (contact: Contact) => Contact) =>
  ports(({ contacts }) => ({
    contacts: {
      ...contacts,
      read: async (...parameters) => change((await contacts.read(...parameters)) ?? {}),
      async readWithAccount(...parameters) {
        const { contact, ...account } = await contacts.readWithAccount(...parameters);
        return { contact: change(contact), ...account };
      },
      readConsents: async (...parameters) =>
        change({ consents: await contacts.readConsents(...parameters) }).consents ?? [],
    },
  }));

const recordingAs = (change: (result: SendResult) => SendResult) =>
  ports(({ sends }) => ({
    sends: {
      ...sends,
      recordResult: (requestId, claimId, result) => sends.recordResult(requestId, claimId, change(result)),
    },
  }));

/** Every read of a contact returns what the process read first. */
const rememberingContacts = () =>
  ports(({ contacts }) => {
    const seen = new Map<string, Contact>();
    return {
      contacts: {
        ...contacts,
        async read(ref, now) {
          const contact = seen.get(ref.key) ?? (await contacts.read(ref, now)) ?? {};
          seen.set(ref.key, contact);
          return contact;
        },
        async readWithAccount(ref, account, now) {
          const { contact, ...rest } = await contacts.readWithAccount(ref, account, now);
          const first = seen.get(ref.key) ?? contact;
          seen.set(ref.key, first);
          return { contact: first, ...rest };
        },
        readConsents: async (ref) => seen.get(ref.key)?.consents ?? [],
      },
    };
  });

export const SENDING_DEFECTS = {
  acceptedQueuedAgain: {
    breaks: 'A send that the chat service accepted becomes queued again.',
    invariant: 'onlyKnownTransitions',
    create: () => ({
      send: {
        table: updating((update) =>
          update.set?.state === 'accepted' ? { ...update, set: { ...update.set, state: 'queued' } } : update,
        ),
      },
    }),
    history: ANSWERED,
  },
  claimAfterCall: {
    breaks: SENDING_MISTAKES.callBeforeClaim.breaks,
    invariant: 'claimedBeforeCall',
    create: SENDING_MISTAKES.callBeforeClaim.create,
    history: ANSWERED,
  },
  missingFromList: {
    breaks: 'A refused send is not in the list of refused sends.',
    invariant: 'listsAreTrue',
    create: () => ({
      send: {
        table: updating((update) =>
          update.set?.state === 'refused'
            ? { ...update, set: { ...update.set, stateShard: undefined, stateAt: undefined } }
            : update,
        ),
      },
    }),
    history: OPTED_OUT,
  },
  missingFromBroadcast: {
    breaks: 'An accepted send is not in the list of its broadcast.',
    invariant: 'listsAreTrue',
    create: () => ({
      send: {
        table: updating((update) =>
          update.set?.state === 'accepted' ? { ...update, set: { ...update.set, broadcastState: undefined } } : update,
        ),
      },
    }),
    history: historyOf([writes(), freeForm(1, { fields: { broadcastId: 'broadcast-1' } })]),
  },
  leaseIgnored: {
    breaks: SENDING_MISTAKES.ignoredLease.breaks,
    invariant: 'leaseRespected',
    create: () => ({
      send: {
        ports: ({ sends }, { now }) => ({
          sends: {
            ...sends,
            // Another process treats the lease of the claim as expired.
            async claim(...parameters) {
              const claimed = await sends.claim(...parameters);
              if (claimed.kind !== 'conflict') return claimed;
              return { ...claimed, send: { ...claimed.send, leaseUntil: now() } };
            },
          },
        }),
      },
    }),
    // The first call has no answer for ten seconds.
    history: {
      ...TWICE,
      features: { ...TWICE.features, batchSize: { send: 1, inbound: 1, stream: 1 } },
      acts: [...TWICE.acts, ...historyOf([outage('chat-service', { afterMs: 5 * SECOND_MS, how: 'unanswered' })]).acts],
    },
  },
  claimTakenAgain: {
    breaks:
      'If the SDK repeats the call of a claim, its first attempt can take the send again after it was given back.',
    invariant: 'lawsHold',
    create: () => ({
      send: {
        table: updating((update) => ({
          ...update,
          ...(update.condition !== undefined && {
            condition: update.condition.replaceAll(
              'NOT (#claimId = :claimId OR #claimedAt > :claimedAt)',
              '(attribute_exists(#claimId) OR NOT attribute_exists(#claimId) OR attribute_exists(#claimedAt))',
            ),
          }),
        })),
      },
    }),
    history: historyOf([writes(), outage('chat-service', { forMs: 20 * SECOND_MS }), freeForm()], {
      faults: ['send write SEND#request-1 as claimed 1 repeated'],
    }),
  },
  unconditionalClaim: {
    breaks: SENDING_MISTAKES.unconditionalClaim.breaks,
    invariant: 'sentOnce',
    create: SENDING_MISTAKES.unconditionalClaim.create,
    history: TWICE,
  },
  resentAfterAcceptance: {
    breaks: 'A known acceptance is recorded as uncertain, and the request is sent again.',
    invariant: 'knownOutcomeKept',
    create: () =>
      recordingAs((result) =>
        result.state === 'accepted'
          ? { state: 'uncertain', at: result.at, outcome: result.outcome, isAnswered: false }
          : result,
      ),
    history: historyOf([writes(), freeForm(1, { fields: { onUncertain: 'resend' } })]),
  },
  unreadableAnswerIgnored: {
    breaks: 'A request is sent again although the chat service answered 200, because the answer could not be read.',
    invariant: 'sentOnce',
    create: () =>
      ports(({ chatService }) => ({
        chatService: {
          ...chatService,
          async send(call) {
            const answer = await chatService.send(call);
            const isUnreadable = answer.kind === 'answered' && answer.httpStatus === 200 && answer.body === undefined;
            return isUnreadable ? { kind: 'unknown', cause: 'The answer could not be read.' } : answer;
          },
        },
      })),
    history: historyOf([writes(), freeForm(1, { fields: { onUncertain: 'resend' } })], {
      features: { rules: { clientPayload: 'off' } },
      faults: ['send call message/v3 1 garbage'],
    }),
  },
  resentForever: {
    breaks: 'Unknown outcomes are not counted, so a request with onUncertain resend is sent again forever.',
    invariant: 'sentOnce',
    create: () => ({
      send: {
        table: updating(({ increment = [], ...update }) => ({
          ...update,
          increment: increment.filter((name) => name !== 'unknownOutcomes'),
        })),
      },
    }),
    history: historyOf([writes(), freeForm(1, { fields: { onUncertain: 'resend' } })], {
      features: { rules: { clientPayload: 'off' } },
      faults: Array.from({ length: 8 }, (_, index) => `send call message/v3 ${index + 1} fails-before`),
    }),
  },
  uncertainWithoutCall: {
    breaks: 'A call that was not made counts as one whose outcome is unknown.',
    invariant: 'uncertainOnlyAfterCall',
    create: () =>
      ports(({ chatService }) => ({
        chatService: { ...chatService, send: async () => ({ kind: 'unknown', cause: 'broken' }) },
      })),
    history: ANSWERED,
  },
  claimKept: {
    breaks:
      'A claim is not released when the consents cannot be read after it, so the send becomes uncertain without a ' +
      'call.',
    invariant: 'uncertainOnlyAfterCall',
    create: () =>
      ports(({ contacts, sends }) => {
        let isUnread = false;
        const noting = async <Read>(reading: Promise<Read>): Promise<Read> => {
          isUnread = true;
          const read = await reading;
          isUnread = false;
          return read;
        };
        return {
          contacts: {
            ...contacts,
            readConsents: (...parameters) => noting(contacts.readConsents(...parameters)),
            readWithAccount: (...parameters) => noting(contacts.readWithAccount(...parameters)),
          },
          sends: {
            ...sends,
            recordResult: async (requestId, claimId, result) =>
              isUnread && result.state === 'waiting'
                ? { kind: 'applied' }
                : sends.recordResult(requestId, claimId, result),
          },
        };
      }),
    history: historyOf([writes(), freeForm()], {
      // More attempts than fit into an invocation. After five seconds, the account is read again with the contact.
      faults: Array.from({ length: 30 }, (_, index) => [
        `send read ${CONTACT_NAME} ${index + 1} fails-before`,
        `send read ${CONTACT_NAME} and ${ACCOUNT_NAME} ${index + 2} fails-before`,
      ]).flat(),
    }),
  },
  othersContent: {
    breaks: 'A message is sent with the text of the previous message.',
    invariant: 'sentAsRequested',
    create() {
      let before: unknown;
      return ports(({ chatService }) => ({
        chatService: {
          ...chatService,
          send(call) {
            const messageText = before ?? call.body.messageText;
            before = `${call.body.messageText}`.replace('It is', 'It was');
            return chatService.send({ ...call, body: { ...call.body, messageText } });
          },
        },
      }));
    },
    history: historyOf([writes(), freeForm(1), freeForm(2)]),
  },
  othersParameters: {
    breaks: "A template is sent with the parameters of another user's template.",
    invariant: 'sentAsRequested',
    create: () =>
      ports(({ chatService }) => ({
        chatService: {
          ...chatService,
          send: (call) =>
            chatService.send({ ...call, body: { ...call.body, params: { name: 'request-1, of another' } } }),
        },
      })),
    history: historyOf([writes(), template(1)]),
  },
  windowKeptOpen: {
    breaks: 'Every contact counts as having just written.',
    invariant: 'windowObeyed',
    create: () =>
      ports(({ contacts }, { now }) => ({
        contacts: {
          ...contacts,
          async readWithAccount(...parameters) {
            const { contact, ...account } = await contacts.readWithAccount(...parameters);
            return { contact: { ...contact, lastInboundAt: now() }, ...account };
          },
        },
      })),
    history: historyOf([writes(), freeForm(1, { afterMs: 25 * HOUR_MS })]),
  },
  optOutIgnoredInWindow: {
    breaks: 'An opt-out is ignored while the window is open.',
    invariant: 'optOutObeyed',
    create: () => readingAs((contact) => ({ ...contact, consents: undefined })),
    history: OPTED_OUT,
  },
  everythingConfirms: {
    breaks: 'An opt-out by a keyword blocks no free-form message, as if each were its confirmation.',
    invariant: 'optOutObeyed',
    create: () =>
      readingAs((contact) => ({
        ...contact,
        ...(contact.lastInboundAt !== undefined && { lastInboundAt: addMs(contact.lastInboundAt, 1) }),
      })),
    history: historyOf([{ kind: 'user-writes', contact: USER, text: 'STOP', afterMs: 0 }, freeForm()], {
      features: { keywords: true, rules: CONFIRMING },
    }),
  },
  importOverridesUser: {
    breaks: FORMER_SENDING_DEFECTS.importOutranksUser.breaks,
    invariant: 'optOutObeyed',
    create: FORMER_SENDING_DEFECTS.importOutranksUser.create,
    history: historyOf([
      writes(),
      consent('opt-out', 5 * SECOND_MS),
      consent('opt-in', 6 * SECOND_MS, 'import'),
      template(1),
    ]),
  },
  decidedOnlyOnce: {
    breaks: 'An opt-out that is recorded while a request waits for the chat service is ignored.',
    invariant: 'optOutObeyed',
    create: rememberingContacts,
    history: historyOf([
      writes(),
      outage('chat-service', { afterMs: 5 * SECOND_MS, forMs: 2 * MINUTE_MS, how: 'refused' }),
      freeForm(),
      consent('opt-out', MINUTE_MS),
    ]),
  },
  conditionJudgedOnlyOnce: {
    breaks: 'A message that the user writes while a request waits does not count for its condition.',
    invariant: 'conditionsObeyed',
    create: rememberingContacts,
    history: historyOf([
      writes(),
      outage('chat-service', { afterMs: 5 * SECOND_MS, forMs: 2 * MINUTE_MS, how: 'refused' }),
      freeForm(1, { fields: { unless: ['userWroteSince'], since: NOW } }),
      writes(MINUTE_MS),
    ]),
  },
  handoverJudgedOnlyOnce: {
    breaks: 'A handover while an automated request waits does not count.',
    invariant: 'handoversObeyed',
    create: rememberingContacts,
    history: historyOf(
      [
        writes(),
        outage('chat-service', { afterMs: 5 * SECOND_MS, forMs: 2 * MINUTE_MS, how: 'refused' }),
        freeForm(1, { fields: { automated: true } }),
        { kind: 'handover', contact: USER, to: 'people', afterMs: MINUTE_MS },
      ],
      OPERATORS,
    ),
  },
  operatorNotHeard: {
    breaks: 'A message of an operator does not count for the condition of a request.',
    invariant: 'conditionsObeyed',
    create: () => readingAs(({ operatorWroteAt: _, ...contact }) => contact),
    history: historyOf(
      [
        writes(),
        { kind: 'echo', contact: USER, text: 'Let me look.', afterMs: SECOND_MS },
        freeForm(1, { fields: { unless: ['operatorWroteSince'], since: NOW } }),
      ],
      OPERATORS,
    ),
  },
  writtenFirstWithoutConsent: {
    breaks: 'Every user counts as having opted in.',
    invariant: 'writtenFirstOnlyWithConsent',
    create: () =>
      readingAs((contact) => ({
        ...contact,
        consents: [{ kind: 'opt-in', origin: 'user', at: '2026-01-01T00:00:00.000Z', source: 'form' }],
      })),
    history: historyOf([template(1)]),
  },
  sentTooLate: {
    breaks: 'The notAfter of a request is ignored.',
    invariant: 'timesObeyed',
    create: () => ({
      send: {
        records: (records) =>
          records.map((record) => ({ ...record, body: record.body.replace(/,"notAfter":"[^"]*"/, '') })),
      },
    }),
    history: historyOf([
      writes(),
      outage('chat-service', { afterMs: 5 * SECOND_MS, forMs: 2 * MINUTE_MS, how: 'refused' }),
      freeForm(1, { fields: { notAfter: '2026-11-20T12:01:00.000Z' } }),
    ]),
  },
  deadlineRestarted: {
    breaks: 'The relative notAfter of a request counts again from each time that it is put on the queue.',
    invariant: 'timesObeyed',
    create: () => ({
      send: {
        table: updating(({ setOnce: { firstQueuedAt: _, ...setOnce } = {}, ...update }) => ({ ...update, setOnce })),
      },
    }),
    history: historyOf(
      [
        writes(),
        freeForm(1, { fields: { notAfter: 'PT30M' } }),
        { kind: 'resolve', requestId: 'request-1', as: 'resend', afterMs: 2 * HOUR_MS },
      ],
      WITHOUT_ANSWER,
    ),
  },
  openWindowTakenForClosed: {
    breaks: 'Every window counts as closed.',
    invariant: 'refusedForAReason',
    create: () => readingAs((contact) => ({ ...contact, lastInboundAt: undefined })),
    history: ANSWERED,
  },
  refusedForAnotherReason: {
    breaks: 'Every refusal gives unsupported media as its reason.',
    invariant: 'refusedForAReason',
    create: () =>
      ports(({ sends }) => ({
        sends: {
          ...sends,
          recordWithoutCall: (send, result) =>
            sends.recordWithoutCall(
              send,
              result.state === 'refused' ? { ...result, code: 'MEDIA_UNSUPPORTED' } : result,
            ),
        },
      })),
    history: historyOf([freeForm()]),
  },
  constantPause: {
    breaks:
      'Every retry waits for only ten seconds, so a request uses up the 1,000 receives of its queue in three hours.',
    invariant: 'refusedForAReason',
    create: () =>
      ports(({ changeVisibility }) => ({
        changeVisibility: (changes) =>
          changeVisibility(changes.map((change) => ({ ...change, seconds: Math.min(change.seconds, 10) }))),
      })),
    history: historyOf([
      { kind: 'credit', hasCredit: false, afterMs: 0 },
      writes(SECOND_MS),
      freeForm(),
      { kind: 'credit', hasCredit: true, afterMs: 4 * HOUR_MS },
    ]),
  },
  unrecordedResult: {
    breaks: SENDING_MISTAKES.unrecordedResult.breaks,
    invariant: 'statesAreTrue',
    create: SENDING_MISTAKES.unrecordedResult.create,
    history: historyOf([writes(), freeForm()], { features: { rules: { clientPayload: 'off' } } }),
  },
  rejectionTakenForAcceptance: {
    breaks: 'A rejected request counts as accepted.',
    invariant: 'acceptedReachedUser',
    create: () =>
      recordingAs((result) =>
        result.state === 'rejected' ? { state: 'accepted', at: result.at, outcome: result.outcome } : result,
      ),
    history: historyOf([consent('opt-in'), template(1, { fields: { ruleNameOrId: 'no_such_template' } })]),
  },
  unrecordedMessage: {
    breaks: SENDING_MISTAKES.unrecordedMessage.breaks,
    invariant: 'acceptedHasMessage',
    create: SENDING_MISTAKES.unrecordedMessage.create,
    history: historyOf([writes(), freeForm()], { features: { rules: { clientPayload: 'off' } } }),
  },
  trailOfFirstCall: {
    breaks: FORMER_SENDING_DEFECTS.trailOfFirstCall.breaks,
    invariant: 'trailNamesLastCall',
    create: FORMER_SENDING_DEFECTS.trailOfFirstCall.create,
    // The window closes between the decision and the call.
    history: historyOf(
      [
        writes(),
        freeForm(1, {
          afterMs: 24 * HOUR_MS - 440,
          fields: { ruleNameOrId: 'parcel_update', params: { name: 'request-1' }, reason: 'payment' },
        }),
      ],
      { features: { rules: { clientPayload: 'all', windowMarginMs: 0 } } },
    ),
  },
  statusConfirmsNothing: {
    breaks: 'A status with the ID of a request does not confirm its send.',
    invariant: 'statusConfirms',
    create: () => ({
      receive: { table: updating((update) => (isOf(update, 'SEND#') ? undefined : update)) },
    }),
    history: { ...WITHOUT_ANSWER, features: { ...WITHOUT_ANSWER.features, rules: { clientPayload: 'all' } } },
  },
  laneMixed: {
    breaks: 'Messages of the bulk queue are handled with the send queue, its dead-letter queue, and its schedules.',
    invariant: 'lanesKept',
    create: () => ({ send: { mixesLanes: true } }),
    history: historyOf([writes(), freeForm(1, { lane: 'bulk' })], {
      features: { bulkLane: true },
      faults: ['send call message/v3 1 refused'],
    }),
  },
  bulkGroupConcurrent: {
    breaks: "The messages of a contact's group are handled concurrently, but only those of the bulk queue.",
    invariant: 'orderKept',
    create: () => {
      const { records } = SENDING_MISTAKES.concurrentGroup.create().send;
      const isBulk = ([first]: readonly SQSRecord[]) => first?.eventSourceARN.endsWith(':bulk') === true;
      return { send: { records: (all) => (isBulk(all) ? records(all) : [...all]) } };
    },
    history: historyOf([writes(), ...[1, 2, 3].map((number) => freeForm(number, { lane: 'bulk' }))], {
      features: { bulkLane: true },
      faults: ['send call message/v3 1 refused', 'send call message/v3 2 refused'],
    }),
  },
  concurrentGroup: {
    breaks: SENDING_MISTAKES.concurrentGroup.breaks,
    invariant: 'orderKept',
    create: SENDING_MISTAKES.concurrentGroup.create,
    history: historyOf(
      [writes(), freeForm(1), freeForm(2, { afterMs: 10 * SECOND_MS }), freeForm(3, { afterMs: 10 * SECOND_MS })],
      { faults: ['send call message/v3 1 refused', 'send call message/v3 2 refused'] },
    ),
  },
  cancelledIsSent: {
    breaks: 'A cancellation does not delete the schedule, and a request that is due is sent whatever its state.',
    invariant: 'cancelledStays',
    create: () => ({
      manage: { ports: ({ scheduler }) => ({ scheduler: { ...scheduler, cancel: async () => undefined } }) },
      send: {
        ports: ({ sends }) => ({
          sends: {
            ...sends,
            async read(requestId) {
              const send = await sends.read(requestId);
              return send?.state === 'cancelled' ? { ...send, state: 'scheduled' as const } : send;
            },
          },
        }),
        table: updating((update) => (isClaim(update) ? withoutCondition(update) : update)),
      },
    }),
    history: historyOf([
      writes(),
      freeForm(1, { fields: { sendAt: '2026-11-20T14:00:00.000Z' } }),
      { kind: 'cancel', requestId: 'request-1', afterMs: HOUR_MS },
    ]),
  },
  stopNotRead: {
    breaks: 'The function `send` does not read that an operator has stopped sending.',
    invariant: 'stopObeyed',
    create: () =>
      ports(({ contacts }) => ({
        contacts: {
          ...contacts,
          async readWithAccount(...parameters) {
            const { stop: _, ...read } = await contacts.readWithAccount(...parameters);
            return read;
          },
        },
      })),
    history: historyOf([
      writes(),
      { kind: 'stop', note: 'Wrong template', afterMs: 1_000 },
      freeForm(1, { afterMs: MINUTE_MS }),
      { kind: 'resume', afterMs: HOUR_MS },
    ]),
  },
  everyoneProbes: {
    breaks: 'While the circuit breaker is open, every request counts as its probe.',
    invariant: 'onlyProbesWhileOpen',
    create: () => ({
      send: {
        table: (table) => ({
          async update(update, options) {
            if (update.set?.probeId === undefined) return table.update(update, options);
            return { kind: 'written', item: await table.get(update.key) };
          },
        }),
      },
    }),
    history: historyOf([...WITHOUT_CREDIT, CREDIT_LATER]),
  },
  blindToBadGateway: {
    breaks: 'The circuit breaker does not open, however often the chat service answers 502.',
    invariant: 'opensAfterUnknownOutcomes',
    create: () => ({
      send: { table: updating((update) => (update.set?.circuit === 'open' ? undefined : update)) },
    }),
    history: BAD_GATEWAY,
  },
  retriedRequestDeleted: {
    breaks: 'A request that must be retried is deleted from the queue.',
    invariant: 'everyRequestEnds',
    create: () => ({ send: { response: () => ({ batchItemFailures: [] }) } }),
    history: historyOf([writes(), freeForm()], { faults: ['send call message/v3 1 refused'] }),
  },
  longPause: {
    breaks: 'Every retry waits for eleven hours.',
    invariant: 'endsInTime',
    create: () =>
      ports(({ changeVisibility }) => ({
        changeVisibility: (changes) =>
          changeVisibility(changes.map((change) => ({ ...change, seconds: change.seconds && 11 * 60 * 60 }))),
      })),
    history: historyOf([writes(), freeForm()], { faults: ['send call message/v3 1 refused'] }),
  },
  neverDeleted: {
    breaks: 'A request is never deleted from the queue, so SQS moves it after 1,000 receives.',
    invariant: 'everythingEnds',
    create() {
      let received: readonly string[] = [];
      return {
        send: {
          records(records) {
            received = records.map(({ messageId }) => messageId);
            return [...records];
          },
          response: () => ({ batchItemFailures: received.map((itemIdentifier) => ({ itemIdentifier })) }),
        },
      };
    },
    history: ANSWERED,
  },
  deadLetterWithoutReason: {
    breaks: 'A malformed request becomes a dead letter without a reason.',
    invariant: 'deadLettersHaveReasons',
    create: () => ports(({ deadLetters }) => ({ deadLetters: { put: (message) => deadLetters.put(message, '') } })),
    history: historyOf([freeForm(1, { fields: { mesageText: 'misspelled' } })]),
  },
} as const satisfies Record<string, StageDefect>;
