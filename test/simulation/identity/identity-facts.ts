import type { Consent, ConsentKind } from '../../../lambdas/domain/consent.ts';
import { contactKey } from '../../../lambdas/domain/contact.ts';
import type { Delivered } from './identity-history.ts';

/** An event from or about a user, as Parley received it. */
export interface KnownEvent extends Delivered {
  /** The key of the address, if the event names one. */
  readonly key: string | undefined;
  /** It was quarantined, because another user's message has its ID, so that only its window and its consent count. */
  readonly isQuarantined?: boolean;
}

/** A consent that Parley has recorded. */
export interface KnownConsent extends Pick<Consent, 'kind' | 'origin'> {
  readonly key: string;
  readonly saidMs: number;
  /** The customer that the event with the keyword named. */
  readonly customerId?: string | undefined;
}

/** What Parley can know about people: what was delivered and recorded so far, in any order, and not erased since. */
export interface IdentityFacts {
  readonly events: readonly KnownEvent[];
  readonly consents: readonly KnownConsent[];
  /** All opt-outs, and the customers named with each address, with what was erased. */
  readonly everOptedOut: readonly KnownConsent[];
  readonly everNamed: ReadonlyMap<string, ReadonlySet<string>>;
  deliver(event: Delivered & Pick<KnownEvent, 'isQuarantined'>): void;
  consent(consent: KnownConsent): void;
  /** The messages that the user of an address wrote, oldest first, also in other versions. */
  messagesFrom(key: string): readonly KnownEvent[];
  /** The same, with only the latest version of each message. */
  latestFrom(key: string): readonly KnownEvent[];
  /** Every customer that an event has named with an address. */
  namedWith(key: string): ReadonlySet<string>;
  /** The customer who wrote from an address last, or else those that other events named with it. */
  usersOf(key: string): ReadonlySet<string>;
  /** The addresses whose user is one of these customers. */
  addressesOf(customers: ReadonlySet<string>): readonly string[];
  /** Forgets what an erasure removes. */
  forget(keys: ReadonlySet<string>, customers: ReadonlySet<string>): void;
}

export const createIdentityFacts = (): IdentityFacts => {
  let events: readonly KnownEvent[] = [];
  let consents: readonly KnownConsent[] = [];
  const everOptedOut: KnownConsent[] = [];
  const everNamed = new Map<string, Set<string>>();

  const consent = (given: KnownConsent): void => {
    consents = [...consents, given];
    if (given.kind === 'opt-out') everOptedOut.push(given);
  };
  const messagesFrom = (key: string) =>
    events
      .filter((event) => (event.kind === 'message' || event.kind === 'edit') && event.key === key)
      .toSorted((one, other) => one.eventMs - other.eventMs);
  const namedWith = (key: string) =>
    new Set(events.flatMap((event) => (event.key === key && event.customerId ? [event.customerId] : [])));
  const usersOf = (key: string) => {
    const wrote = messagesFrom(key).findLast(({ customerId }) => customerId !== undefined);
    return wrote?.customerId === undefined ? namedWith(key) : new Set([wrote.customerId]);
  };

  return {
    get events() {
      return events;
    },
    get consents() {
      return consents;
    },
    everOptedOut,
    everNamed,
    deliver(event) {
      const { address, customerId, eventMs, editedMs: saidMs = eventMs } = event;
      const key = address === undefined ? undefined : contactKey(address);
      events = [...events, { ...event, key }];
      if (key === undefined) return;
      const named = everNamed.get(key) ?? new Set<string>();
      everNamed.set(key, named);
      if (customerId !== undefined) named.add(customerId);
      if (keywordIn(event) !== undefined)
        consent({ key, kind: keywordIn(event) ?? 'opt-out', origin: 'user', saidMs, customerId });
    },
    consent,
    messagesFrom,
    latestFrom(key) {
      const stored = messagesFrom(key).filter(({ isQuarantined }) => !isQuarantined);
      const versions = stored.toSorted((one, other) => modifiedMs(one) - modifiedMs(other));
      return [...new Map(versions.map((version) => [version.id, version])).values()];
    },
    namedWith,
    usersOf,
    addressesOf: (customers) =>
      [...new Set(events.flatMap(({ key }) => key ?? []))].filter((key) => overlap(usersOf(key), customers)),
    forget(keys, customers) {
      const isKept = ({ key, customerId }: Pick<KnownEvent, 'key' | 'customerId'>) =>
        (key === undefined || !keys.has(key)) && (customerId === undefined || !customers.has(customerId));
      events = events.filter(isKept);
      consents = consents.filter(isKept);
    },
  };
};

const modifiedMs = ({ eventMs, editedMs = eventMs }: Delivered): number => editedMs;

/** The consent that a user's message is. An edit can opt out, but never in. */
const keywordIn = ({ kind, text }: Delivered): ConsentKind | undefined => {
  if (text === 'STOP' && (kind === 'message' || kind === 'edit')) return 'opt-out';
  return text === 'START' && kind === 'message' ? 'opt-in' : undefined;
};

export const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].some((member) => other.has(member));
