import { splitPost } from '../domain/webhook-formats/split-post.ts';
import { type Envelope, openEnvelope } from '../domain/webhook-request.ts';

/** Bounds the work for a refused request. An event with text has about a kilobyte. */
export const MAX_LIKELY_BYTES = 32 * 1024;

/**
 * Whether the body of a refused request looks like an event of the chat service. Internet scanners post none, so such a
 * request is probably an event that is lost. Anyone can write such a body, though, so it proves nothing, and nothing of
 * it may be stored or logged.
 *
 * @param envelope what the body of an authentic request is wrapped in
 */
export const isLikelyEvent = (unverifiedBody: Buffer, envelope: Envelope | undefined): boolean => {
  if (unverifiedBody.byteLength === 0 || unverifiedBody.byteLength > MAX_LIKELY_BYTES) return false;
  const opened = openEnvelope({ rawBody: unverifiedBody, receivedAt: NEVER, ...(envelope && { envelope }) });
  return opened.kind === 'opened' && isEvent(opened.eventBody);
};

/** The time of arrival plays no role. */
const NEVER = '1970-01-01T00:00:00.000Z';

/** Judges only the first event of a post: the others come from the same sender. */
const isEvent = (body: string): boolean => {
  const [first] = splitPost(body);
  if (first === undefined || 'reason' in first) return false;
  const { fault, unknown, id, user, status } = first.format.read(first.fields, first.entry);
  // Some of the fields by which formats are recognized, such as `messages`, are common elsewhere.
  const isIdentified = fault === undefined && unknown === undefined && id !== undefined && id !== '';
  return isIdentified && (user !== undefined || status !== undefined);
};
