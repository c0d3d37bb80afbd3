import { parseSerializedRequest } from '../../../lambdas/domain/serialized-request.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { parseContactName } from '../../../lambdas/table/keys.ts';
import type { Post } from '../world/post.ts';
import { serialize } from '../world/serialize.ts';
import { type Part, partsOf, shownParts } from './expected-parts.ts';
import type { Scene } from './scene.ts';
import type { SceneInvariant } from './scene-invariants.ts';
import { containsString } from './scene-view.ts';

export const RECEIVING_INVARIANTS = {
  refusedOnlyInOutage: {
    sentence: 'An event is answered with 200, or with 503 if both the table and the queue have failed.',
    atEnd({ sender }) {
      for (const { status, faults: failed } of sender.refusals) {
        const isOutage =
          failed.some((label) => label.includes(' write ')) && failed.some((label) => label.endsWith('the request'));
        const isPoison = failed.some((label) => label.endsWith('quarantine the request'));
        if (status !== 503 || !(isOutage || isPoison)) {
          return `A post was answered ${status} after ${failed.join(' and ') || 'no fault'}.`;
        }
      }
      return undefined;
    },
  },

  nothingLost: {
    sentence: 'Every acknowledged event ends in the table or in quarantine.',
    atWrite(scene, { after = {} }) {
      if (!isErasing(scene)) return undefined;
      const values = Object.values(after).flatMap((value) => (value instanceof Set ? [...value] : [value]));
      for (const value of values) if (isEventBody(value)) scene.facts.add(wasStored(value));
      return undefined;
    },
    atEnd(scene) {
      const lost = acknowledged(scene)
        .flatMap(partsOf)
        .find((part) => !isKept(scene, part.body) && !(part.kind === 'status' && hasStatusTime(scene, part)));
      const poison = acknowledged(scene).find((post) => partsOf(post).length < 1 + (post.others?.length ?? 0));
      if (poison && quarantined(scene).length === 0) return `It is not in quarantine: ${serialize(poison.event)}`;
      return lost && `The ${lost.literal ?? lost.kind} of ${lost.id} is lost: ${lost.body}`;
    },
  },

  storedAsItCame: {
    sentence: 'Every message, echo, and status is stored with its body exactly as it came.',
    atEnd(scene) {
      const missing = acknowledged(scene)
        .flatMap(partsOf)
        .find(({ body }) => !isKept(scene, body));
      return missing && `The body of the ${missing.literal ?? missing.kind} of ${missing.id} is stored nowhere.`;
    },
  },

  statusKept: {
    sentence: 'Every status is recorded with the earliest reported time.',
    atEnd(scene) {
      if (isErasing(scene)) return undefined;
      const parts = shownParts(acknowledged(scene)).filter(({ kind }) => kind === 'status');
      const missing = parts.find((part) => !hasStatusTime(scene, part));
      return missing && `The status ${missing.literal} of ${missing.id} at ${missing.time} is not recorded.`;
    },
  },

  contentShown: {
    sentence:
      'A message shows its text and media, even if it came in the same event as a status, and an echo is shown ' +
      'with its message.',
    atEnd(scene) {
      const { view } = scene;
      for (const { kind, id, content } of shownParts(acknowledged(scene))) {
        if (kind === 'status' || isErasing(scene)) continue;
        const shown = view.messages.get(id);
        // The answer and the status of a message that Parley sent have its text themselves.
        if (kind === 'message' && shown?.direction === 'outbound') continue;
        if (!content.every((one) => JSON.stringify(shown ?? {}).includes(JSON.stringify(one)))) {
          return `The ${kind} ${id} is shown as ${JSON.stringify(shown)}.`;
        }
      }
      return undefined;
    },
  },

  shownOnce: {
    sentence: 'A conversation shows a message and its echo only once.',
    atEnd({ view }) {
      const listed = [...view.conversations].flatMap(([name, messages]) => messages.map(({ id }) => ({ id, name })));
      // Parley cannot know that two ids name the same user.
      const perUser = Map.groupBy(listed, ({ id, name }) => `${id} ${parseContactName(name)?.key}`);
      for (const [id, places] of perUser) {
        if (places.length > 1) return `${id} is listed in ${places.map(({ name }) => name).join(' and in ')}.`;
      }
      return undefined;
    },
  },

  whole: {
    sentence: "The stored body and time of a user's message or an echo come from versions of it.",
    atWrite({ options: { posts = [], callers } }, { before, after }) {
      // An operator can import a message.
      if (posts.length === 0 || callers) return undefined;
      if (after?.sk !== 'MESSAGE' && after?.sk !== 'ECHO') return undefined;
      if (after.direction !== 'inbound' && after.direction !== 'echo') return undefined;
      const parts = posts.flatMap(partsOf).filter(({ kind }) => kind !== 'status');
      const part = parts.find(({ body }) => body === after.body);
      const isOlder = part === undefined && before?.body === after.body;
      const isWhole =
        isOlder ||
        (part !== undefined &&
          timesOf(parts, part).has(after.createdAt) &&
          after.contactSort === (after.contact === undefined ? undefined : `MESSAGE#${String(after.createdAt)}`));
      return isWhole ? undefined : `${String(after.pk)} is ${serialize(after)}.`;
    },
  },

  timeNeverLater: {
    sentence:
      'The time of a message and the time from which it opened a window never become later, ' +
      'if every event gives the message the same time.',
    atWrite({ options: { posts = [] } }, { before, after }) {
      if (before === undefined || after === undefined) return undefined;
      // A message that came beside a status gives way to the message itself, whatever their times.
      const isReplaced = before.body !== after.body && isBesideStatus(posts, before.body);
      if (isReplaced) return undefined;
      if (isLater(before.createdAt, after.createdAt) && before.direction === after.direction) {
        return `${String(after.pk)} moved from ${String(before.createdAt)} to ${String(after.createdAt)}.`;
      }
      if (hasSeveralTimes(posts, after.lastInboundId)) return undefined;
      return before.lastInboundId === after.lastInboundId && isLater(before.lastInboundAt, after.lastInboundAt)
        ? `The window of ${String(after.lastInboundId)} moved from ${String(before.lastInboundAt)} to ${String(after.lastInboundAt)}.`
        : undefined;
    },
  },

  windowOnTime: {
    sentence: "A contact's window opens only as of the latest time that an event gives to any of its messages.",
    atEnd(scene) {
      // In other scenes, the user has written before.
      if (!scene.options.hasOneEnd) return undefined;
      const parts = acknowledged(scene)
        .flatMap(partsOf)
        .filter(({ kind }) => kind === 'message');
      for (const [contact, messages] of Map.groupBy(parts, (part) => part.contact)) {
        if (messages.some(({ isBesideStatus }) => isBesideStatus)) continue;
        const times = messages.map(({ id, time }) => time ?? scene.table.items.get(`MESSAGE#${id} MESSAGE`)?.createdAt);
        const opened = scene.table.items.get(`CONTACT#chat#*#${contact} CONTACT`)?.lastInboundAt;
        const latest = times.map(String).toSorted().at(-1);
        if (opened !== latest) return `The window of ${contact} opened as of ${String(opened)}, not ${latest}.`;
      }
      const echoed = [...scene.table.items.values()].find(({ lastInboundId }) => isOnlyEcho(parts, lastInboundId));
      return echoed && `${String(echoed.lastInboundId)}, which no user wrote, opened a window.`;
    },
  },

  quarantinedForAReason: {
    sentence: 'Only an event that cannot be stored is in quarantine, with the reason.',
    atEnd(scene) {
      const bodies = new Set((scene.options.posts ?? []).flatMap(partsOf).map(({ body }) => body));
      for (const { body, reason } of quarantined(scene)) {
        if (reason === undefined || reason === '') return `It is in quarantine without a reason: ${body}`;
        if (bodies.has(body)) return `It is in quarantine, although it can be stored: ${body}`;
      }
      return undefined;
    },
  },

  sameInAnyOrder: {
    sentence: 'Every schedule of the same events results in the same table, unless an erasure removes some of them.',
    atEnd(scene) {
      const { reference } = scene.options;
      if (reference === undefined) return undefined;
      const end = describeEnd(scene);
      return end === reference ? undefined : `The table is\n${end}\nand after the first schedule\n${reference}`;
    },
  },
} as const satisfies Record<string, SceneInvariant>;

/** What every schedule must leave in the table. */
export const describeEnd = ({ table, options: { isTimeOfArrival = false } }: Scene): string =>
  [...table.items.values()]
    .map((item) => {
      // Of an item that has only statuses, the first one decides when it expires.
      const ignored = isTimeOfArrival ? TIMES : item.createdAt === undefined ? ['expiresAt'] : [];
      return serialize(Object.fromEntries(Object.entries(item).filter(([name]) => !ignored.includes(name))));
    })
    .toSorted()
    .join('\n');

const TIMES = ['createdAt', 'contactSort', 'expiresAt', 'lastInboundAt'];

/**
 * The acknowledged posts in the contract's own format, which others are translated from. There are none in a scene where
 * nothing works on the inbound queue, because any of them can stay there.
 */
const acknowledged = ({ options: { posts = [], consumes }, sender }: Scene): readonly Post[] =>
  (consumes?.includes('inbound') ? posts : []).filter(
    ({ event }, place) => sender.acknowledged.has(place) && (typeof event === 'string' || !('v' in event)),
  );

/** The bodies of the quarantined webhook requests. */
const quarantined = ({ queues }: Scene) =>
  queues.inboundDeadLetters
    .messages()
    .map(({ body, reason }) => ({ body: parseSerializedRequest(body)?.rawBody.toString() ?? body, reason }));

const isErasing = ({ options: { consumes = [] } }: Scene): boolean => consumes.includes('erasures');

const isEventBody = (value: unknown): value is string => typeof value === 'string' && value.startsWith('{');

const wasStored = (body: string): string => `stored ${body}`;

/** Whether a body is in the table or in quarantine, exactly as it came, or was erased. */
const isKept = (scene: Scene, body: string): boolean =>
  [...scene.table.items.values()].some((item) => containsString(item, (text) => text === body)) ||
  quarantined(scene).some((message) => message.body === body) ||
  scene.facts.has(wasStored(body));

const TIME_OF: Readonly<Record<string, string>> = {
  sent: 'sentAt',
  delivered: 'deliveredAt',
  read: 'readAt',
  failed: 'failedAt',
  error: 'failedAt',
};

const hasStatusTime = ({ table }: Scene, { id, literal = '', time }: Part): boolean => {
  const item: Item = table.items.get(`MESSAGE#${id} MESSAGE`) ?? {};
  const name = TIME_OF[literal];
  if (name !== undefined) return item[name] === time;
  return item.otherStatuses instanceof Set && item.otherStatuses.has(`${literal} ${time}`);
};

/** The times that a message can have: those of its versions. A time of arrival can be any. */
const timesOf = (parts: readonly Part[], { kind, id }: Part): { has(time: unknown): boolean } => {
  const times = parts.filter((part) => part.kind === kind && part.id === id).map(({ time }) => time);
  return times.includes(undefined) ? { has: () => true } : new Set<unknown>(times);
};

const isBesideStatus = (posts: readonly Post[], body: unknown): boolean =>
  posts.flatMap(partsOf).some((part) => part.isBesideStatus && part.body === body);

const isLater = (before: unknown, after: unknown): boolean =>
  typeof before === 'string' && typeof after === 'string' && after > before;

/** The contract gives a message one time. A write knows only its own event, so it could not correct a later time. */
const hasSeveralTimes = (posts: readonly Post[], id: unknown): boolean => {
  const parts = posts.flatMap(partsOf).filter((part) => part.kind === 'message' && part.id === id);
  return new Set(parts.map(({ time }) => time)).size > 1;
};

const isOnlyEcho = (messages: readonly Part[], id: unknown): boolean =>
  id !== undefined && !messages.some((message) => message.id === id);
