import { contactKey } from '../../../../lambdas/domain/contact.ts';
import type { Item } from '../../../../lambdas/table/item.ts';
import { namesOf } from '../random-draw.ts';
import { isOptedOutByUser } from './effective-consent.ts';
import {
  createStoredAt,
  keptWindowsOf,
  keywordsIn,
  ownTimeOf,
  type WindowEvent,
  windowEventsOf,
} from './receiving-invariants.ts';
import type { StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const KEYWORD_INVARIANTS = {
  keywordsHold: {
    sentence:
      'In a stage with keywords, when a message that is `STOP` or `START` and has a time of its own is acknowledged or ' +
      "leaves the inbound queue, and at the end, the user's opt-out or opt-in is stored as of that time or a later one, " +
      'unless the contact was erased.',
    check(facts, { checked, violated }) {
      const storedAt = createStoredAt(facts);
      for (const [keyword, attribute] of namesOf(STORED_AS).map((name) => [name, STORED_AS[name]] as const)) {
        for (const event of keptKeywordsOf(facts, keyword)) {
          const { time, contact } = event;
          for (const index of storedAt(event)) {
            checked();
            const consents = [facts.itemBefore(`${contact} CONSENT`, index), facts.run.items.get(`${contact} CONSENT`)];
            if (consents.some((consent) => String(consent?.[attribute] ?? '') < time)) {
              violated(`${contact} wrote ${keyword} at ${time}, which is not stored.`, index);
            }
          }
        }
      }
    },
  },

  latestKeywordCounts: {
    sentence:
      'Once a `STOP` is stored, its user is opted out, whatever the order of the events, unless the user opted in later: ' +
      'by a `START` that is later by the times in the messages, or otherwise. At the end, a `START` that is later than ' +
      'everything else by these times and by those as of which the messages count has ended the opt-out.',
    check(facts, { checked, violated }) {
      const storedAt = createStoredAt(facts);
      const stops = keptKeywordsOf(facts, 'STOP').flatMap((event) => {
        const [index] = storedAt(event).toSorted((one, other) => one - other);
        return index === undefined ? [] : [{ ...event, storedAt: index }];
      });
      const optIns = createOptIns(facts);
      for (const stop of stops) {
        for (const { item, index } of consentsSince(facts, stop.contact, stop.storedAt)) {
          checked();
          if (isOptedOutByUser(item) || optIns.after(stop, index)) continue;
          violated(`${stop.contact} wrote STOP at ${stop.time}, and nothing later ended that.`, index);
        }
      }
      for (const start of keptKeywordsOf(facts, 'START')) {
        if (storedAt(start).length === 0 || !optIns.isLatest(start)) continue;
        checked();
        if (!isOptedOutByUser(facts.run.items.get(`${start.contact} CONSENT`))) continue;
        violated(`${start.contact} wrote START at ${start.time}, after everything else, and is still opted out.`);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

const STORED_AS = { STOP: 'userOptOutAt', START: 'userOptInAt' } as const;

type Keyword = keyof typeof STORED_AS;

/** The keywords that no erasure concerns. Without a time of its own, a message may express no consent. */
const keptKeywordsOf = (facts: StageFacts, keyword: Keyword): readonly WindowEvent[] =>
  keywordsIn(facts, keptWindowsOf(facts), keyword).filter((event) => ownTimeOf(event) !== undefined);

interface PlacedConsents {
  readonly item: Item | undefined;
  readonly index: number;
}

/** What is stored about the consents of a contact at a place in the ledger, and after each later write. */
const consentsSince = (facts: StageFacts, contact: string, index: number): readonly PlacedConsents[] => {
  const name = `${contact} CONSENT`;
  const later = facts.writesOf(name).filter((write) => write.index >= index);
  return [
    { item: facts.itemBefore(name, index), index },
    ...later.map(({ after, ...write }) => ({ item: after, index: write.index })),
  ];
};

/** What the users did themselves that can end, or renew, an opt-out by keyword. */
const createOptIns = (facts: StageFacts) => {
  const written = Map.groupBy(windowEventsOf(facts), ({ contact }) => contact);
  const reported = facts
    .acts('consent')
    .filter(({ origin }) => origin === 'user')
    .map((act) => ({
      ...act,
      key: contactKey(act.contact),
      at: new Date(act.atMs - act.agoMs).toISOString(),
    }));
  const keywordsOf = ({ contact }: WindowEvent, keyword: Keyword) =>
    keywordsIn(facts, written.get(contact) ?? [], keyword);
  return {
    /** Whether the user opted in after a STOP, before a place in the ledger. */
    after: (stop: WindowEvent, index: number): boolean =>
      reported.some(
        (act) => act.key === stop.key && act.consent === 'opt-in' && act.index < index && act.at > stop.time,
      ) ||
      keywordsOf(stop, 'START').some((start) => {
        const [own, other] = [ownTimeOf(start), ownTimeOf(stop)];
        const isLater = own === undefined || other === undefined ? lastTimeOf(start) > stop.time : own > other;
        return start.index < index && isLater;
      }),
    /** Whether a START is later than all other keywords and reported consents of the user. */
    isLatest: (start: WindowEvent): boolean =>
      reported.every((act) => act.key !== start.key || act.at < start.time) &&
      [...keywordsOf(start, 'STOP'), ...keywordsOf(start, 'START')].every(
        (other) =>
          other.eventId === start.eventId ||
          (lastTimeOf(other) < start.time && (ownTimeOf(other) ?? '') < (ownTimeOf(start) ?? '')),
      ),
  };
};

const lastTimeOf = ({ times, time }: WindowEvent): string => times.at(-1) ?? time;
