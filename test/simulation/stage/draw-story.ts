import { messageGroup } from '../../../lambdas/domain/contact.ts';
import type { Addresses } from './draw-contacts.ts';
import { type DrawnFor, drawRequest, type RequestRates } from './draw-request.ts';
import type { Act } from './history.ts';
import type { Draw } from './random-draw.ts';

/** What the acts of a history have in common, and what the earlier ones did. */
export interface Story {
  readonly draw: Draw;
  readonly contacts: readonly Addresses[];
  readonly requestRates: RequestRates;
  /** The requests so far, for acts that refer to one. */
  readonly requests: PastRequest[];
}

export interface PastRequest {
  readonly requestId: string;
  readonly act: Request;
  readonly isScheduled: boolean;
}

type Request = Extract<Act, { kind: 'request' }>;

/** Draws a request that no earlier act of the history made. */
export const newRequest = (
  story: Story,
  atMs: number,
  platformContactId = drawAddress(story),
  given: Pick<DrawnFor, 'sendAtMs' | 'notAfterMs' | 'fields'> = {},
): Request => {
  const requestId = `request-${story.requests.length + 1}`;
  const drawn = drawRequest(story.draw, story.requestRates, { requestId, platformContactId, atMs, ...given });
  const groupId = messageGroup(platformContactId);
  const act = { atMs, kind: 'request' as const, via: drawn.via, body: drawn.body, groupId, deduplicationId: requestId };
  story.requests.push({ requestId, act, isScheduled: drawn.isScheduled });
  return act;
};

/** Any address of a contact, but usually the first. */
export const drawAddress = ({ draw, contacts }: Story): string => {
  const addresses = draw.pick(contacts);
  const [first] = addresses;
  return draw.chance(0.6) && first !== undefined ? first : draw.pick(addresses);
};
