import { APPROVED_REASONS, type SendRequest } from '../../../lambdas/domain/send-request.ts';
import { HOUR_MS, SECOND_MS } from './durations.ts';
import type { Draw, Weights } from './random-draw.ts';

/** The basic contents of a request. The other parts are added to one of these. */
export const REQUEST_CONTENTS = { 'free-form': 4, template: 3, both: 2, media: 1 } as const;

/** The probability of each. */
export const REQUEST_FEATURES = {
  sendAt: 0.15,
  notAfter: 0.15,
  resend: 0.25,
  withoutReason: 0.1,
  unknownTemplate: 0.05,
  unsupportedMedia: 0.05,
  malformed: 0.05,
  viaApi: 0.3,
} as const;

export type RequestContent = keyof typeof REQUEST_CONTENTS;
export type RequestFeature = keyof typeof REQUEST_FEATURES;

/** The probability of each content and feature in the requests of a run. */
export interface RequestRates {
  readonly contents: Weights<RequestContent>;
  readonly features: Weights<RequestFeature>;
}

export interface DrawnRequest {
  readonly body: string;
  readonly via: 'queue' | 'api';
  readonly isMalformed: boolean;
  readonly isScheduled: boolean;
}

/** The template that the chat service approved before the run, and one that it approves or withdraws during the run. */
export const TEMPLATES = ['parcel_update', 'invoice_ready'] as const;

/** The variables of the templates that the stage lists. */
export const TEMPLATE_VARIABLES = { invoice_ready: ['name'] } as const;

/** The contact of a request, and its times unless they are drawn. */
export interface DrawnFor {
  readonly requestId: string;
  readonly platformContactId: string;
  readonly atMs: number;
  readonly sendAtMs?: number;
  readonly notAfterMs?: number;
  /** Other fields that the request has. @default those derived from its ID */
  readonly fields?: Partial<SendRequest>;
}

/**
 * Draws a request. Its texts, parameters, and media addresses contain its ID, so that each call can be traced to its
 * request.
 */
export const drawRequest = (
  draw: Draw,
  { contents, features }: RequestRates,
  { requestId, platformContactId, atMs, fields, ...times }: DrawnFor,
): DrawnRequest => {
  const has = (feature: RequestFeature) => draw.chance(features[feature]);
  const content = draw.weighted(contents);
  const drawnSendAtMs = has('sendAt') ? atMs + draw.magnitude(SECOND_MS, 3 * 24 * HOUR_MS) : undefined;
  const sendAtMs = times.sendAtMs ?? drawnSendAtMs;
  const drawnNotAfterMs = has('notAfter')
    ? (sendAtMs ?? atMs) + draw.magnitude(SECOND_MS, 2 * 24 * HOUR_MS)
    : undefined;
  const notAfterMs = times.notAfterMs ?? drawnNotAfterMs;
  const isMalformed = has('malformed');
  const request = {
    requestId,
    platformContactId,
    // Every other request, without a draw.
    ...(/[02468]$/.test(requestId) && { broadcastId: 'broadcast-1' }),
    ...conditionOf(requestId, atMs),
    ...(/[38]$/.test(requestId) && { automated: true }),
    ...fields,
    ...(content !== 'template' && content !== 'media' && { messageText: `${requestId}: ${draw.pick(TEXTS)}` }),
    ...((content === 'template' || content === 'both') && {
      ruleNameOrId: has('unknownTemplate') ? 'no_such_template' : draw.pick(TEMPLATES),
      // Some requests, without a draw, have a variable that the template lacks.
      params: { name: requestId, ...(requestId.endsWith('31') && { other: 'x' }) },
    }),
    ...(content === 'media' && drawMedia(draw, requestId, has('unsupportedMedia'))),
    ...(!has('withoutReason') && { reason: draw.pick(APPROVED_REASONS) }),
    ...(sendAtMs !== undefined && { sendAt: instantOf(sendAtMs) }),
    // Some, without a draw, have a relative one.
    ...(requestId.endsWith('6') && notAfterMs === undefined && { notAfter: 'PT2H' }),
    ...(notAfterMs !== undefined && { notAfter: instantOf(notAfterMs) }),
    ...(has('resend') && { onUncertain: 'resend' }),
  };
  return {
    body: isMalformed ? draw.pick(MALFORMED)(request) : JSON.stringify(request),
    via: has('viaApi') ? 'api' : 'queue',
    isMalformed,
    isScheduled: sendAtMs !== undefined,
  };
};

/** Some requests, without a draw, are not to be sent if the user or an operator writes after they were queued. */
const conditionOf = (requestId: string, atMs: number): Partial<SendRequest> => {
  const unless = ['userWroteSince' as const];
  const sinceQueued = { since: instantOf(atMs) };
  if (requestId.endsWith('17')) return { unless: [...unless, 'operatorWroteSince'], ...sinceQueued };
  if (requestId.endsWith('27')) return { unless: ['operatorWroteSince'], ...sinceQueued };
  if (requestId.endsWith('7')) return { unless, ...sinceQueued };
  if (/[14]9$/.test(requestId)) return { unless, since: 'no-such-message' };
  return {};
};

/** The chat service rejects a text that contains this. */
export const REJECTED_TEXT = 'not allowed here';

const TEXTS = [
  'Your parcel is on its way.',
  'Your parcel is on its way.',
  `This is ${REJECTED_TEXT}.`,
  'Hasta mañana 👋',
  'It arrives "soon".\nReally.',
];

type Media = Pick<SendRequest, 'audioURL' | 'imageURL' | 'fileURL' | 'messageText'>;

const drawMedia = (draw: Draw, requestId: string, isUnsupported: boolean): Media => {
  if (isUnsupported) {
    return draw.pick<Media>([
      { imageURL: `https://media.example/${requestId}.gif` },
      { fileURL: `http://media.example/${requestId}.pdf` },
    ]);
  }
  return draw.pick<Media>([
    { imageURL: `https://media.example/${requestId}.jpg`, messageText: `${requestId}: a picture` },
    { audioURL: `https://media.example/${requestId}.ogg` },
    { fileURL: `https://media.example/${requestId}.pdf`, imageURL: `https://media.example/${requestId}.png` },
  ]);
};

type Breaker = (request: { readonly requestId: string; readonly platformContactId: string }) => string;

const MALFORMED: readonly Breaker[] = [
  (request) => JSON.stringify(request).slice(0, -1),
  ({ requestId, platformContactId }) => JSON.stringify({ requestId, platformContactId }),
  ({ platformContactId: _, ...request }) => JSON.stringify(request),
  (request) => JSON.stringify({ ...request, mesageText: 'misspelled' }),
  (request) => JSON.stringify({ ...request, sendAt: '2026-12-02T00:00:00Z', notAfter: '2026-12-01T00:00:00Z' }),
  (request) => JSON.stringify({ ...request, reason: 'advertising' }),
];

export const instantOf = (ms: number): string => new Date(Math.round(ms)).toISOString();
