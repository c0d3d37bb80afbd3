import type { Contact } from './contact.ts';
import { type ContactCheckMode, isKnownAbsent } from './contact-check.ts';
import type { Instant } from './instant.ts';
import { hasFreeForm, MEDIA_FIELDS, notAfterOf, type SendRequest, type TemplateReference } from './send-request.ts';
import { isWindowOpen } from './window.ts';
import { type NumberFormat, wireNumber } from './wire-number.ts';

/** The chat service's two sending endpoints. */
export type SendEndpoint = 'message/v3' | 'intent/v2';

/** A call to the chat service: an endpoint and its body. */
export interface SendCall {
  readonly endpoint: SendEndpoint;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Why a request is not sent, by our own judgement. */
export type RefusalCode =
  | 'WINDOW_CLOSED'
  | 'REASON_MISSING'
  | 'NO_OPT_IN'
  | 'OPTED_OUT'
  | 'MEDIA_UNSUPPORTED'
  | 'NOT_ON_PLATFORM';

/** What to do with a request now, and why, in a sentence for the person who asks later. */
export type SendDecision =
  | { readonly kind: 'call'; readonly call: SendCall; readonly why: string }
  | { readonly kind: 'refuse'; readonly code: RefusalCode; readonly why: string }
  | { readonly kind: 'expire'; readonly why: string };

/** The stage's part in a decision. */
export interface SendRules {
  readonly chatPlatform: string;
  readonly chatChannelNumber: string;
  readonly windowMarginMs: number;
  readonly defaultTemplate?: TemplateReference;
  /** @default verbatim */
  readonly numberFormat?: NumberFormat;
  /** Which calls carry the request's id as the client's own reference. @default intent */
  readonly clientPayload?: ClientPayloadMode;
  /** @default off */
  readonly contactCheck?: ContactCheckMode;
}

/** Which calls carry `clientPayload`, which comes back in the message's statuses as `CLIENT_PAYLOAD`. */
export const CLIENT_PAYLOADS = ['off', 'intent', 'all'] as const;
export type ClientPayloadMode = (typeof CLIENT_PAYLOADS)[number];

/**
 * Decides how a request goes out: the table of design "Sending", judged at the instant of sending.
 *
 * @param contact what is known of the user; empty for somebody never heard of
 */
export const decideSend = (request: SendRequest, contact: Contact, now: Instant, rules: SendRules): SendDecision => {
  const notAfter = notAfterOf(request);
  if (notAfter !== undefined && now > notAfter) {
    return { kind: 'expire', why: `It was to be sent by ${notAfter}; it is ${now}.` };
  }
  const media = refuseMedia(request);
  if (media !== undefined) return media;
  if (!isWindowOpen(contact, now, rules.windowMarginMs)) {
    return decideOutsideWindow(request, contact, now, rules, describeClosed(contact));
  }
  const open = `The user wrote at ${contact.lastInboundAt}: the window is open.`;
  const template = requestTemplate(request);
  return template === undefined || hasFreeForm(request)
    ? { kind: 'call', call: freeFormCall(request, contact, rules), why: open }
    : {
        kind: 'call',
        call: templateCall(request, contact, rules, template),
        why: `${open} The request is a template alone.`,
      };
};

/**
 * Decides once the window is known to be closed.
 *
 * @param window how it is known, in a sentence
 */
export const decideOutsideWindow = (
  request: SendRequest,
  contact: Contact,
  now: Instant,
  rules: SendRules,
  window: string,
): SendDecision => {
  const template = requestTemplate(request) ?? rules.defaultTemplate;
  if (template === undefined) {
    return refuse('WINDOW_CLOSED', `${window} The request has no template, and the stage has no default one.`);
  }
  if (contact.optOutAt !== undefined && !(contact.optInAt !== undefined && contact.optInAt > contact.optOutAt)) {
    return refuse('OPTED_OUT', `${window} The user opted out at ${contact.optOutAt}.`);
  }
  if (contact.optInAt === undefined && contact.lastInboundAt === undefined) {
    return refuse('NO_OPT_IN', `${window} No opt-in is recorded, so the business may not write first.`);
  }
  if (request.reason === undefined) {
    return refuse('REASON_MISSING', `${window} A template that opens a conversation needs an approved reason.`);
  }
  if (rules.contactCheck === 'beforeFirstTemplate' && isKnownAbsent(contact, now)) {
    return refuse('NOT_ON_PLATFORM', `${window} At ${contact.checkedAt} the number was not on the platform.`);
  }
  return {
    kind: 'call',
    call: templateCall(request, contact, rules, template),
    why: `${window} The template opens a conversation; reason: ${request.reason}.`,
  };
};

const describeClosed = ({ lastInboundAt }: Contact): string =>
  lastInboundAt === undefined
    ? 'The user never wrote: there is no window.'
    : `The user last wrote at ${lastInboundAt}: the window is closed.`;

const refuse = (code: RefusalCode, why: string): SendDecision => ({ kind: 'refuse', code, why });

const requestTemplate = ({ ruleNameOrId, params }: SendRequest): TemplateReference | undefined =>
  ruleNameOrId === undefined ? undefined : { ruleNameOrId, params };

const UNSUPPORTED_MEDIA = /\.(gif|mp4|m4v|mov|avi|mkv|webm|mpe?g|3gp|wmv|flv)$/i;

/** The contract's Rules of use, 9: "Video and GIF are not supported." */
const refuseMedia = (request: SendRequest): SendDecision | undefined => {
  for (const field of MEDIA_FIELDS) {
    const address = request[field];
    if (address === undefined) continue;
    const { protocol, pathname } = new URL(address);
    if (protocol !== 'https:') return refuse('MEDIA_UNSUPPORTED', `${field} is not an https address.`);
    if (UNSUPPORTED_MEDIA.test(pathname)) {
      return refuse('MEDIA_UNSUPPORTED', `${field} is a video or a GIF, which the service does not take.`);
    }
  }
  return undefined;
};

const addressee = (request: SendRequest, contact: Contact, rules: SendRules) => {
  const format = rules.numberFormat ?? 'verbatim';
  return {
    chatPlatform: request.chatPlatform ?? rules.chatPlatform,
    chatChannelNumber: wireNumber(request.chatChannelNumber ?? rules.chatChannelNumber, format),
    platformContactId: wireNumber(addressOf(request, contact), format),
  };
};

/**
 * The contact check's proper format wins; then the verbatim id last seen, which the platform knows; the number that was
 * asked for may be a variant of either.
 */
const addressOf = (request: SendRequest, { checkedAddress, address }: Contact): string =>
  // The check answers with digits; the contract has numbers with their leading plus.
  checkedAddress === undefined ? (address ?? request.platformContactId) : wireNumber(checkedAddress, 'plus');

const freeFormCall = (request: SendRequest, contact: Contact, rules: SendRules): SendCall => {
  const { messageText, audioURL, imageURL, fileURL } = request;
  const reference = rules.clientPayload === 'all' && { clientPayload: request.requestId };
  return {
    endpoint: 'message/v3',
    body: { ...addressee(request, contact, rules), messageText, audioURL, imageURL, fileURL, ...reference },
  };
};

const templateCall = (
  request: SendRequest,
  contact: Contact,
  rules: SendRules,
  template: TemplateReference,
): SendCall => {
  const reference = rules.clientPayload !== 'off' && { clientPayload: request.requestId };
  return { endpoint: 'intent/v2', body: { ...addressee(request, contact, rules), ...template, ...reference } };
};
