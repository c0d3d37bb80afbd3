import type { Item } from '../../../../lambdas/table/item.ts';
import { EVENT_OF_STATE, EVENT_OF_STATUS_TIME } from '../../../support/event-names.ts';
import { parseObject } from '../../world/parse-object.ts';
import { buttonIn } from '../../world/translate-event.ts';
import { shardIdOf } from '../table-stream.ts';
import { effectiveConsent } from './effective-consent.ts';
import { peopleSince } from './people-since.ts';
import { authenticEventsOf } from './stage-events.ts';
import { idIn, isErased, type Recorded, type StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const PUBLISHING_INVARIANTS = {
  everyChangePublished: {
    sentence:
      'Every change that has a documented event is published at least once, unless a dead letter about the ' +
      'change says why it was not.',
    check(facts, { checked, violated }) {
      const isDiscarded = isDiscardedIn(facts);
      const published = publishedOf(facts);
      for (const { identity, index, isOptional } of expectedOf(facts)) {
        checked();
        if (isOptional) continue;
        const isPublished = published.get(identity)?.some((event) => event.index > index);
        if (!isPublished && !isDiscarded(index)) violated(`${identity} was not published.`, index);
      }
    },
  },

  nothingElsePublished: {
    sentence: 'Only what happened is published.',
    check(facts, { checked, violated }) {
      const expected = Map.groupBy(expectedOf(facts), ({ identity }) => identity);
      for (const [identity, events] of publishedOf(facts)) {
        for (const { index, detail } of events) {
          checked();
          const causes = expected.get(identity)?.filter((one) => one.index < index) ?? [];
          if (causes.length === 0) violated(`${identity} was published and did not happen.`, index);
          const isTrue = causes.some(({ fields }) =>
            Object.entries(fields).every(([name, value]) => fieldIn(detail, name) === value),
          );
          if (causes.length > 0 && !isTrue) violated(`${identity} was published as ${JSON.stringify(detail)}.`, index);
        }
      }
    },
  },

  oneIdPerChange: {
    sentence: 'A change keeps the same ID whenever it is published.',
    check(facts, { checked, violated }) {
      const counts = Map.groupBy(expectedOf(facts), ({ identity }) => identity);
      for (const [identity, events] of publishedOf(facts)) {
        checked();
        const ids = new Set(events.map(({ id }) => id));
        if (ids.size > (counts.get(identity)?.length ?? 0)) {
          violated(`${identity} was published as ${[...ids].join(' and as ')}.`, events.at(-1)?.index);
        }
      }
    },
  },

  oneChangePerId: {
    sentence: 'Two changes never have the same ID.',
    check(facts, { checked, violated }) {
      for (const [id, events] of Map.groupBy(facts.entries('published'), ({ id }) => id)) {
        checked();
        const details = new Set(events.map(({ detail }) => JSON.stringify(detail)));
        // What was erased and delivered again is stored again, possibly with another time.
        const isStoredAgain = events.some((event) =>
          sourcesOf(event).some((name) => isErased(facts, name, events.at(-1)?.index)),
        );
        if (details.size > 1 && !isStoredAgain)
          violated(`${id} is ${[...details].join(' and ')}.`, events.at(-1)?.index);
      }
    },
  },

  contentOnlyIfAllowed: {
    sentence: 'An event on the bus has content only if the stage includes content in events.',
    check(facts, { checked, violated }) {
      const isAllowed = facts.run.history.features.content;
      const texts = new Map(
        authenticEventsOf(facts).flatMap(({ parts }) =>
          parts.flatMap(({ id, kind, content: [text] }) => (kind === 'message' && text ? [[id, text] as const] : [])),
        ),
      );
      for (const { detail, detailType, index } of facts.entries('published')) {
        checked();
        const text = detailType === 'MessageReceived' ? texts.get(String(valueIn(detail, 'messageId'))) : undefined;
        const content = valueIn(detail, 'content');
        // Some formats have the text of a button, and others its JSON.
        const possible = [text, text && buttonIn(text)];
        if (isAllowed && text !== undefined && !possible.includes(String(valueIn(content, 'text')))) {
          violated(`${detailType} has no content: ${JSON.stringify(detail)}`, index);
        }
        const isLeaked =
          content !== undefined || (text !== undefined && JSON.stringify(detail).includes(JSON.stringify(text)));
        if (!isAllowed && isLeaked) violated(`${detailType} has content: ${JSON.stringify(detail)}`, index);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

/** A change that must be published. */
interface ExpectedEvent {
  /** The event's name, subject, and time. */
  readonly identity: string;
  readonly index: number;
  /** Other expected fields of its detail. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether an erasure may have left nothing to publish. */
  readonly isOptional?: boolean;
}

const expectations = new WeakMap<StageFacts, readonly ExpectedEvent[]>();

const expectedOf = (facts: StageFacts): readonly ExpectedEvent[] => {
  const endpointOf = createEndpointOf(facts);
  const found =
    expectations.get(facts) ??
    facts.entries('write').flatMap((write) => [...eventsOfWrite(write, endpointOf), ...eventsOfTurn(facts, write)]);
  expectations.set(facts, found);
  return found;
};

/**
 * Whether a dead letter is about the write at this index of the ledger. Each write has one record in the stream, in the
 * same order. Lambda names the range of records that it discards, and the function names one record.
 */
export const isDiscardedIn = (facts: StageFacts): ((index: number) => boolean) => {
  const discarded = new Set<number>();
  const writes = facts.entries('write');
  for (const { queue, body } of facts.entries('queued')) {
    if (queue !== 'publish-dead-letters') continue;
    const { sequenceNumber, DDBStreamBatchInfo: batch } = JSON.parse(body);
    const first = Number(batch?.startSequenceNumber ?? sequenceNumber);
    const last = Number(batch?.endSequenceNumber ?? sequenceNumber);
    for (const { index, before, after } of writes.slice(first - 1, last)) {
      if (batch === undefined || shardIdOf((after ?? before)?.pk) === batch.shardId) discarded.add(index);
    }
  }
  return (index) => discarded.has(index);
};

type EndpointOf = (accepted: Item) => unknown;

/**
 * Creates a function that returns the endpoint of an accepted call: the one that sent the message, if the latest call of
 * the send is known to have sent nothing. A status does not say to which of several calls with unknown outcomes it
 * belongs, so it counts as that of the latest one.
 */
const createEndpointOf = (facts: StageFacts): EndpointOf => {
  const endpoints = new Map(facts.calls.flatMap(({ effect, endpoint }) => (effect ? [[effect.id, endpoint]] : [])));
  return (accepted) => {
    const isUnsent = accepted.unsentClaimId !== undefined && accepted.unsentClaimId === accepted.claimId;
    const latest = valueIn(accepted.call, 'endpoint');
    const isAmbiguous = accepted.confirmedBy !== undefined && Number(accepted.unknownOutcomes) > 1;
    if (isUnsent && isAmbiguous && accepted.unknownCall !== undefined) return valueIn(accepted.unknownCall, 'endpoint');
    // An erasure removes all calls of a send.
    return isUnsent && latest !== undefined ? (endpoints.get(String(accepted.messageId)) ?? latest) : latest;
  };
};

/** The events that a write must publish according to docs/events.md. */
const eventsOfWrite = (
  { key, before, after, index }: Recorded<'write'>,
  endpointOf: EndpointOf,
): readonly ExpectedEvent[] => {
  if (after === undefined) return [];
  const event = (name: string, subject: string, at: unknown, fields: ExpectedEvent['fields'] = {}): ExpectedEvent => ({
    identity: `${name} of ${subject} at ${String(at)}`,
    index,
    fields,
  });
  const appeared = (name: string): boolean => before?.[name] === undefined && after[name] !== undefined;
  // A later version of a message takes the place of another.
  const isUpdated = after.versions !== undefined && before?.body !== after.body;
  const [kind] = key.split('#', 1);
  if (kind === 'SEND')
    return eventsOfSend(before, after, endpointOf).map(({ name, at, fields }) =>
      event(name, idIn(key), at, { ...fields, contact: contactIn(after) }),
    );
  if (kind === 'MESSAGE' && key.endsWith(' ECHO')) {
    const contact = contactIn(after);
    return [
      ...(appeared('createdAt') ? [event('MessageEchoed', idIn(key), after.createdAt, { contact })] : []),
      ...(isUpdated ? [event('MessageUpdated', idIn(key), after.modifiedAt, { contact })] : []),
    ];
  }
  if (kind === 'MESSAGE' && after.direction === 'unknown') {
    return appeared('createdAt')
      ? [event('WebhookEventUnknown', idIn(key), after.createdAt, { contact: contactIn(after) })]
      : [];
  }
  if (kind === 'MESSAGE') {
    const isReceived = appeared('createdAt') && after.direction === 'inbound';
    return [
      ...(isReceived
        ? [
            event('MessageReceived', idIn(key), after.createdAt, {
              contact: contactIn(after),
              platformContactId: addressIn(String(after.body)),
            }),
          ]
        : []),
      ...(isUpdated ? [event('MessageUpdated', idIn(key), after.modifiedAt, { contact: contactIn(after) })] : []),
      ...Object.entries(EVENT_OF_STATUS_TIME).flatMap(([attribute, name]) =>
        appeared(attribute)
          ? [event(name, idIn(key), after[attribute], { contact: contactIn(after), requestId: after.requestId })]
          : [],
      ),
      ...newMembers(before?.otherStatuses, after.otherStatuses).map((member) => {
        const [, literal = '', at] = /^(.*) (\S+)$/s.exec(member) ?? [];
        // A status of several words may quote the user, so it is content.
        const status = /^\w+$/.test(literal) ? literal : 'other';
        const fields = { contact: contactIn(after), requestId: after.requestId, status };
        return event('MessageStatusChanged', idIn(key), at, fields);
      }),
    ];
  }
  if (kind === 'CONTACT' && key.endsWith(' CONSENT')) {
    const [old, consent] = [effectiveConsent(before), effectiveConsent(after)];
    const isSame = old?.state === consent?.state && old?.at === consent?.at && old?.origin === consent?.origin;
    if (consent === undefined || isSame) return [];
    const name = consent.state === 'opted-in' ? 'ContactOptedIn' : 'ContactOptedOut';
    return [event(name, key.slice(0, -' CONSENT'.length), consent.at, { origin: consent.origin })];
  }
  if (kind === 'CONTACT' && key.endsWith(' HANDOVER')) {
    const subject = key.slice(0, -' HANDOVER'.length);
    const moved = ['handoverAt', 'handbackAt', 'operatorWroteAt'].find((name) => before?.[name] !== after[name]);
    const at = String(after[moved ?? '']);
    if (moved === undefined || after[moved] === undefined) return [];
    const [was, is] = [peopleSince(before, at), peopleSince(after, at)];
    if (is === undefined) return was === undefined ? [] : [event('ContactHandedBack', subject, at)];
    return was !== undefined && was.until === is.until
      ? []
      : [event('ContactHandedOver', subject, is.since, { until: is.until })];
  }
  if (kind !== 'ACCOUNT') return [];
  if ((before?.stoppedAt === undefined) !== (after.stoppedAt === undefined)) {
    return after.stoppedAt === undefined
      ? [event('SendingResumed', 'the account', after.resumedAt)]
      : [event('SendingStopped', 'the account', after.stoppedAt)];
  }
  if ((before?.circuit === 'open') === (after.circuit === 'open')) return [];
  return after.circuit === 'open'
    ? [event('AccountHeld', 'the account', after.openedAt, { reason: after.reason })]
    : [event('AccountResumed', 'the account', after.closedAt)];
};

/** A turn ends with its item. An erasure may have removed its messages before they are read. */
const eventsOfTurn = (facts: StageFacts, { key, before, after, atMs, index }: Recorded<'write'>): ExpectedEvent[] => {
  if (!key.endsWith(' TURN') || after !== undefined) return [];
  const subject = key.slice(0, -' TURN'.length);
  const ids: readonly string[] = before?.messageIds instanceof Set ? [...before.messageIds] : [];
  const isOptional = ids.every((id) => isErased(facts, `MESSAGE#${id} MESSAGE`));
  const identity = `TurnEnded of ${subject} at ${new Date(atMs).toISOString()}`;
  return [{ identity, index, fields: { contact: subject }, isOptional }];
};

const newMembers = (before: unknown, after: unknown): readonly string[] =>
  after instanceof Set ? [...after].filter((member) => !(before instanceof Set && before.has(member))) : [];

const eventsOfSend = (before: Item | undefined, after: Item, endpointOf: EndpointOf) => {
  const state = String(after.state);
  const name = EVENT_OF_STATE[state];
  const isRefusedAgain = state === 'refused' && before?.refusedAt !== after.refusedAt;
  if (name === undefined || (before?.state === state && !isRefusedAgain)) return [];
  const fields = {
    ...(state === 'accepted' && { messageId: after.messageId, endpoint: endpointOf(after) }),
    ...(state === 'refused' && { code: after.code }),
    ...(state === 'failed' && { messageId: after.messageId, code: after.code }),
  };
  return [{ name, at: after[`${state}At`], fields }];
};

type PublishedEvent = Recorded<'published'>;

const publishedOf = (facts: StageFacts): ReadonlyMap<string, readonly PublishedEvent[]> =>
  Map.groupBy(facts.entries('published'), ({ detailType, detail }) => {
    const subject = /^(Account|Sending)/.test(detailType)
      ? 'the account'
      : /^(Contact|Turn)/.test(detailType)
        ? nameOfContact(valueIn(detail, 'contact'))
        : String(valueIn(detail, ID_FIELDS[/^(Send|Webhook)/.exec(detailType)?.[0] ?? ''] ?? 'messageId'));
    return `${detailType} of ${subject} at ${String(valueIn(detail, 'at'))}`;
  });

/** The field that names the subject of an event, by the start of the event's name. */
const ID_FIELDS: Readonly<Record<string, string>> = { Send: 'requestId', Webhook: 'eventId' };

/** The address that a user wrote from, as the event has it, whatever its format. */
const addressIn = (body: string): unknown => {
  const { context, contactId, FROM = contactId } = parseObject(body) ?? {};
  return context === undefined ? FROM : valueIn(valueIn(context, 'message'), 'FROM');
};

/** Returns the names of the items whose changes can publish this event again after an erasure. */
const sourcesOf = ({ detailType, detail }: PublishedEvent): readonly string[] => {
  if (detailType.startsWith('Contact')) return [`${nameOfContact(valueIn(detail, 'contact'))} CONSENT`];
  if (detailType === 'TurnEnded') {
    const messages = valueIn(detail, 'messages');
    return Array.isArray(messages) ? messages.map((one) => `MESSAGE#${String(valueIn(one, 'messageId'))} MESSAGE`) : [];
  }
  const message = `MESSAGE#${String(valueIn(detail, detailType === 'WebhookEventUnknown' ? 'eventId' : 'messageId'))}`;
  return /^(Message|Webhook)/.test(detailType) ? [`${message} MESSAGE`, `${message} ECHO`] : [];
};

/** The name of an item's contact. A customer is no contact. */
const contactIn = ({ contact }: Item): string | undefined =>
  typeof contact === 'string' && contact.startsWith('CONTACT#') ? contact : undefined;

const nameOfContact = (contact: unknown): string | undefined =>
  contact === undefined
    ? undefined
    : `CONTACT#${valueIn(contact, 'platform')}#${valueIn(contact, 'channel')}#${valueIn(contact, 'key')}`;

/** A field of a detail, with a contact as its name. */
const fieldIn = (detail: unknown, name: string): unknown =>
  name === 'contact' ? nameOfContact(valueIn(detail, name)) : valueIn(detail, name);

const valueIn = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
