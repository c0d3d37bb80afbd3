import type { Item } from '../../../lambdas/table/item.ts';
import { idOf, parseContactName } from '../../../lambdas/table/keys.ts';
import { EVENT_OF_STATE, EVENT_OF_STATUS_TIME } from '../../support/event-names.ts';
import type { PublishedEvent } from '../world/bus.ts';
import type { ItemWrite } from '../world/table.ts';
import type { Scene } from './scene.ts';
import type { SceneInvariant } from './scene-invariants.ts';
import { recordOf } from './scene-view.ts';

/** An event that a change must cause according to docs/events.md, independent of the function's own rules. */
interface ExpectedEvent {
  readonly pk: string;
  readonly name: string;
  readonly subject: string;
}

export const PUBLISHING_INVARIANTS = {
  everyChangePublished: {
    sentence: 'Every change is published at least once, or it is in the dead-letter queue.',
    atEnd(scene) {
      if (!scene.options.publishes) return undefined;
      for (const [name, expected] of byNameAndSubject(scene)) {
        const ids = idsOf(scene, name);
        const { pk = '' } = expected[0] ?? {};
        if (ids.length < expected.length && !isDeadLettered(scene, pk)) {
          return `${expected.length} times ${name} happened, and ${ids.length} were published.`;
        }
      }
      const lost = scene.stream.unreadable.find((pk) => !isDeadLettered(scene, pk));
      return lost && `The unreadable change of ${lost} is in no dead-letter queue.`;
    },
  },

  oneIdPerChange: {
    sentence: 'A change keeps the same ID whenever it is published, and no other change has that ID.',
    atEnd(scene) {
      if (!scene.options.publishes) return undefined;
      for (const [name, expected] of byNameAndSubject(scene)) {
        const ids = idsOf(scene, name);
        if (ids.length > expected.length) return `${name} happened ${expected.length} times and has the ids ${ids}.`;
      }
      const byId = Map.groupBy(scene.bus.published, ({ id }) => id);
      const differing = [...byId.values()].find(
        (events) => new Set(events.map(({ detail }) => JSON.stringify(detail))).size > 1,
      );
      return differing && `Two events have the id ${differing[0]?.id}.`;
    },
  },

  onlyChangesPublished: {
    sentence: 'Only changes that were written are published.',
    atEnd(scene) {
      if (!scene.options.publishes) return undefined;
      const expected = byNameAndSubject(scene);
      const invented = scene.bus.published.find((event) => !expected.has(nameAndSubject(event)));
      return invented && `${nameAndSubject(invented)} was published, and did not happen.`;
    },
  },

  publishedInOrder: {
    sentence: "An item's changes are published for the first time in the order in which they were written.",
    atEnd(scene) {
      if (!scene.options.publishes) return undefined;
      for (const [pk, expected] of Map.groupBy(scene.stream.changes.flatMap(expectedEvents), (one) => one.pk)) {
        const names = expected.map(({ name, subject }) => `${name} ${subject}`);
        const first = new Map<string, string>();
        for (const event of scene.bus.published) {
          const name = nameAndSubject(event);
          if (names.includes(name) && !first.has(event.id)) first.set(event.id, name);
        }
        const published = [...first.values()];
        const wanted = names.filter((name) => published.includes(name));
        if (published.join() !== wanted.join() && published.length === wanted.length) {
          return `${pk} was published as ${published}, and was written as ${wanted}.`;
        }
      }
      return undefined;
    },
  },

  deadLetteredForAReason: {
    sentence:
      'Only a change that cannot be read, or that the bus refuses, is in the dead-letter queue, with the reason.',
    atEnd({ queues, options: { publishes, refusedByBus }, stream }) {
      if (!publishes) return undefined;
      for (const { body, reason = '' } of queues.publishFailures.messages()) {
        const isRefused = refusedByBus !== undefined && reason.startsWith(`REFUSED: ${refusedByBus} `);
        const isUnreadable = reason.startsWith('UNREADABLE: ') && stream.unreadable.some((pk) => body.includes(pk));
        if (!isRefused && !isUnreadable) return `It is in the dead-letter queue, for "${reason}": ${body}`;
      }
      return undefined;
    },
  },

  streamEnds: {
    sentence: 'No record stays in the stream. One that cannot be published does not block the others.',
    atEnd({ stream }, how) {
      if (stream.depth === 0) return undefined;
      return `${stream.depth} records stay in the stream${how === 'endless' ? ', retried for ever' : ''}.`;
    },
  },
} as const satisfies Record<string, SceneInvariant>;

const expectedEvents = ({ before = {}, after = {} }: ItemWrite): readonly ExpectedEvent[] => {
  const pk = String(after.pk);
  const id = idOf(pk);
  const event = (name: string | undefined, subject = id): readonly ExpectedEvent[] =>
    name === undefined ? [] : [{ pk, name, subject }];
  const updated = after.versions !== undefined && before.body !== after.body ? event('MessageUpdated') : [];
  switch (after.sk) {
    case 'SEND':
      return before.state === after.state ? [] : event(EVENT_OF_STATE[String(after.state)]);
    case 'ECHO':
      return [...(before.createdAt === undefined ? event('MessageEchoed') : []), ...updated];
    case 'MESSAGE': {
      const isNew = before.createdAt === undefined && after.createdAt !== undefined && after.direction === 'inbound';
      const times = Object.keys(EVENT_OF_STATUS_TIME).filter(
        (name) => before[name] === undefined && after[name] !== undefined,
      );
      return [
        ...(isNew ? event('MessageReceived') : []),
        ...updated,
        ...times.flatMap((name) => event(EVENT_OF_STATUS_TIME[name])),
      ];
    }
    case 'CONSENT': {
      const name = isOptedOut(after) ? 'ContactOptedOut' : 'ContactOptedIn';
      return event(name, parseContactName(pk)?.key);
    }
    case 'ACCOUNT': {
      const isOpen = after.circuit === 'open';
      if ((before.circuit === 'open') === isOpen) return [];
      return event(isOpen ? 'AccountHeld' : 'AccountResumed', pk.split('#').at(-1));
    }
    default:
      return [];
  }
};

/** The scenes have the user's own consents only, each later than the one before. */
const isOptedOut = ({ userOptOutAt = '', userOptInAt = '' }: Item): boolean =>
  String(userOptOutAt) > String(userOptInAt);

const byNameAndSubject = ({ stream }: Scene): ReadonlyMap<string, readonly ExpectedEvent[]> =>
  Map.groupBy(stream.changes.flatMap(expectedEvents), ({ name, subject }) => `${name} ${subject}`);

const nameAndSubject = ({ detailType, detail }: PublishedEvent): string => {
  const { requestId, messageId, contact, account } = detail;
  const subject = detailType.startsWith('Send') ? requestId : (messageId ?? recordOf(contact).key);
  return `${detailType} ${String(subject ?? recordOf(account).channel)}`;
};

const idsOf = ({ bus }: Scene, name: string): readonly string[] => [
  ...new Set(bus.published.filter((event) => nameAndSubject(event) === name).map(({ id }) => id)),
];

const isDeadLettered = ({ queues }: Scene, pk: string): boolean =>
  queues.publishFailures.messages().some(({ body }) => body.includes(pk));
