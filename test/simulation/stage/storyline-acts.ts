import type { SendRequest } from '../../../lambdas/domain/send-request.ts';
import { addressesOf } from './draw-contacts.ts';
import type { RequestRates } from './draw-request.ts';
import { drawAddress, newRequest, type Story } from './draw-story.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Act } from './history.ts';

/** How calls end during an outage. */
export const OUTAGES = ['refused', 'bad-gateway', 'throttled', 'unanswered'] as const;

/** Draws acts that rarely come together by chance. */
export type DrawStoryline = (story: Story, atMs: number) => readonly Act[];

type Request = ReturnType<typeof newRequest>;

/** Draws a request that can be sent at once while its contact's window is open, apart from the given features. */
export const answerable = (
  story: Story,
  {
    atMs,
    contact = drawAddress(story),
    features = {},
    contents,
    ...given
  }: {
    readonly atMs: number;
    readonly contact?: string;
    readonly features?: Partial<RequestRates['features']>;
    readonly contents?: RequestRates['contents'];
    readonly sendAtMs?: number;
    readonly notAfterMs?: number;
    readonly fields?: Partial<SendRequest>;
  },
): Request => {
  const { requestRates } = story;
  const plain = {
    ...requestRates.features,
    sendAt: 0,
    malformed: 0,
    unknownTemplate: 0,
    unsupportedMedia: 0,
    viaApi: 0,
  };
  const rates = { contents: contents ?? requestRates.contents, features: { ...plain, ...features } };
  return newRequest({ ...story, requestRates: rates }, atMs, contact, given);
};

/** Draws a template with a reason. */
export const approvedTemplate = { contents: { 'free-form': 0, template: 1, both: 0, media: 0 } } as const;

export const writesAt = (contact: string, atMs: number): Act => ({
  atMs,
  kind: 'user-writes',
  contact,
  text: 'Hello?',
});

export const consentAt = (
  contact: string,
  atMs: number,
  consent: 'opt-in' | 'opt-out',
  origin: 'user' | 'import' = 'user',
): Act => ({ atMs, kind: 'consent', contact, consent, origin, agoMs: 0 });

export const contactIn = (request: Act): string =>
  request.kind === 'request' ? String(JSON.parse(request.body).platformContactId) : '';

/** The address of a user that no other act names, so that nothing is known about the user. */
export const strangerIn = ({ requests }: Story): string => addressesOf('elsewhere', 1_000 + requests.length)[0] ?? '';

/** The account has no credit for some minutes, and a request opens the circuit breaker. */
export const drawNoCredit: DrawStoryline = (story, atMs) => {
  const contact = drawAddress(story);
  return [
    writesAt(contact, atMs - SECOND_MS),
    { atMs, kind: 'credit', hasCredit: false },
    answerable(story, { atMs: atMs + 1, contact }),
    { atMs: atMs + Math.round(story.draw.magnitude(MINUTE_MS, HOUR_MS)), kind: 'credit', hasCredit: true },
  ];
};
