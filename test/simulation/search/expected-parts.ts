import { contactKey } from '../../../lambdas/domain/contact.ts';
import { parseInstant } from '../../../lambdas/domain/instant.ts';
import { NOW } from '../../support/builders.ts';
import { bodyOf, type Post } from '../world/post.ts';

/**
 * What an event brings: a user's message, an echo, a status, or something that Parley does not know. An event can bring
 * a status beside a message.
 */
export interface Part {
  readonly kind: 'message' | 'echo' | 'status' | 'unknown';
  readonly id: string;
  /** The status in lower case. */
  readonly literal?: string;
  /** The text and the addresses of media. */
  readonly content: readonly string[];
  readonly contact?: string;
  /** Whether the event has a status, too, which makes it unclear who wrote the message. */
  readonly isBesideStatus: boolean;
  /** The event's own time, or its publish time. Undefined if it has neither. */
  readonly time: string | undefined;
  /** When the message was last modified, if the event says so. */
  readonly modified?: string | undefined;
  readonly body: string;
}

/** A longer id and its prefix do not fit into a key of the table. */
const MAX_ID_CHARACTERS = 1024;

const MEDIA = ['IMAGES_URLS', 'AUDIOS_URLS', 'FILES_URLS', 'VIDEOS_URLS'];

/**
 * Reads a post without the function under test: what the contract and the design make of it. Returns no part for a post
 * that is to be quarantined.
 */
export const partsOf = ({ event, others = [], ...post }: Post): readonly Part[] =>
  [event, ...others].flatMap((one) => partsOfEvent({ ...post, event: one }));

const partsOfEvent = (post: Post): readonly Part[] => {
  const { event, publishedAt } = post;
  if (typeof event === 'string') return [];
  const {
    _id_: id,
    FROM: from,
    TO: to,
    STATUS: status,
    MESSAGE: text,
    CREATION_TIME: creationTime,
    LAST_MODIFICATION: modification,
  } = event;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARACTERS) return [];
  if (typeof from !== 'string' && typeof status !== 'string') return [];
  const own = parseInstant(creationTime);
  const time = own !== undefined && own <= NOW ? own : publishedAt;
  const media = MEDIA.flatMap((name) => (Array.isArray(event[name]) ? event[name] : []));
  const content = [text, ...media].filter((one): one is string => typeof one === 'string' && one !== '');
  const modified = parseInstant(modification);
  const base = { id, time, modified, body: bodyOf(post), isBesideStatus: typeof status === 'string', content };
  const hasContent = typeof status !== 'string' || content.length > 0;
  const parts: Part[] = [];
  if (typeof status === 'string') parts.push({ ...base, kind: 'status', literal: status.toLowerCase() });
  if (hasContent && typeof from === 'string') {
    const kind = from === 'me' ? 'echo' : 'message';
    const user = kind === 'echo' ? to : from;
    parts.push({
      ...base,
      kind,
      ...(typeof user === 'string' && { contact: contactKey(user) }),
    });
  }
  return parts;
};

/**
 * The parts that are to be shown: the earliest report of a status, and the latest version of a message or an echo. A
 * message takes precedence over the same message beside a status.
 */
export const shownParts = (posts: readonly Post[]): readonly Part[] => {
  const versions = Map.groupBy(
    posts.flatMap(partsOf),
    ({ kind, id, literal }) => `${kind} ${id} ${literal === 'error' ? 'failed' : literal}`,
  );
  return [...versions.values()].flatMap((parts) => {
    const events = parts.filter(({ kind, isBesideStatus }) => kind !== 'status' && !isBesideStatus);
    const order = ({ modified, time = '9999', body }: Part): string =>
      `${(events.length > 0 && modified) || time} ${body}`;
    const sorted = (events.length > 0 ? events : parts).toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
    return sorted.slice(...(events.length > 0 ? [-1] : [0, 1]));
  });
};
