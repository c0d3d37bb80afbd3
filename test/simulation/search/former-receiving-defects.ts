import { BY_CONTACT } from '../../../lambdas/table/indexes.ts';
import { idOf, subjectName } from '../../../lambdas/table/keys.ts';
import { rewriting, type SceneMutant, updating } from './scene-mutant.ts';
import type { SceneMutation } from './scene-options.ts';

/** Defects that Parley had. */
export const FORMER_RECEIVING_DEFECTS = {
  lostBesideStatus: {
    breaks: 'The message in the same event as a status is lost.',
    scenario: 'statusBesideMessage',
    maxFaults: 0,
    invariant: 'nothingLost',
    create: () => rewriting(withoutContent),
  },
  lostMediaBesideStatus: {
    breaks: 'The media in the same event as a status are lost.',
    scenario: 'statusBesideMedia',
    maxFaults: 0,
    invariant: 'nothingLost',
    create: () => rewriting(withoutContent),
  },
  droppedStatusBody: {
    breaks: 'Only the time of a status is stored.',
    scenario: 'messageAndStatus',
    maxFaults: 0,
    invariant: 'storedAsItCame',
    create: () =>
      updating('receive', ({ add = {}, ...update }) => {
        const kept = Object.entries(add).filter(([, members]) => ![...members].some(isEvent));
        return { ...update, ...(kept.length > 0 && { add: Object.fromEntries(kept) }) };
      }),
  },
  hiddenEcho: {
    breaks: 'A message hides its echo.',
    scenario: 'messageAndEcho',
    maxFaults: 0,
    invariant: 'contentShown',
    create: () => ({
      receive: {
        reading: (messages) => ({
          async read(id) {
            const message = await messages.read(id);
            return message && Object.assign({}, message, { echo: undefined });
          },
        }),
      },
    }),
  },
  echoListedTwice: {
    breaks: 'A conversation lists a message and its echo.',
    scenario: 'echoOfOurs',
    maxFaults: 0,
    invariant: 'shownOnce',
    create: () => listingEchoes,
  },
  echoListedPerNumber: {
    breaks: 'If windows are per business number, an echo without a number is listed beside its message.',
    scenario: 'echoOfOursPerNumber',
    maxFaults: 0,
    invariant: 'shownOnce',
    create: () => listingEchoes,
  },
  windowOfArrival: {
    breaks: 'A repeated delivery of a message without a time opens the window as of its own arrival.',
    scenario: 'withoutTime',
    maxFaults: 0,
    invariant: 'timeNeverLater',
    create() {
      let receivedAt: string | undefined;
      const { receive } = updating('receive', (update) =>
        update.set?.lastInboundAt === undefined
          ? update
          : { ...update, set: { ...update.set, lastInboundAt: receivedAt } },
      );
      return {
        receive: {
          ...receive,
          storeEvents: (storeEvents) => (request) => {
            receivedAt = request.receivedAt;
            return storeEvents(request);
          },
        },
      };
    },
  },
} as const satisfies Record<string, SceneMutant>;

const isEvent = (text: string): boolean => text.startsWith('{');

const withoutContent = (event: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  event.STATUS === undefined
    ? event
    : Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'MESSAGE' && !name.endsWith('_URLS')));

/** Lists what the index lists. */
const listingEchoes: SceneMutation = {
  receive: {
    reading: (_, table) => ({
      async readConversation(parts) {
        const { items } = await table.query({
          IndexName: BY_CONTACT,
          KeyConditionExpression: '#contact = :contact AND begins_with(#contactSort, :messages)',
          ExpressionAttributeNames: { '#contact': 'contact', '#contactSort': 'contactSort' },
          values: { contact: parts.map(({ subject }) => subjectName(subject))[0], messages: 'MESSAGE#' },
        });
        return { messages: items.map(({ pk }) => ({ id: idOf(pk) })) };
      },
    }),
  },
};
