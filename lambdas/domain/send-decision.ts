import type { AddressedRequest } from './addressed-request.ts';
import type { Contact } from './contact.ts';
import { isKnownAbsent } from './contact-check.ts';
import { isOnlyUser } from './customer-address.ts';
import { refuse, type SendDecision, type SendRules } from './decision.ts';
import { refuseAutomated } from './handovers/refuse-automated.ts';
import { type Instant, parseInstant } from './instant.ts';
import { decideConfirmation } from './keywords/decide-confirmation.ts';
import { refuseAfterOptOut } from './opt-out-rule.ts';
import { freeFormCall, templateCall } from './send-call.ts';
import {
  hasExpired,
  hasFreeForm,
  MEDIA_FIELDS,
  notAfterOf,
  type SendRequest,
  type TemplateReference,
} from './send-request.ts';
import { isWindowOpen } from './window.ts';

/**
 * Decides how to send a request at the given time.
 *
 * @param contact the contact as stored; empty for an unknown user
 */
export const decideSend = (
  request: AddressedRequest,
  contact: Contact,
  now: Instant,
  rules: SendRules,
): SendDecision => {
  const early = decideEarly(request, contact, now, rules) ?? refuseMedia(request);
  if (early !== undefined) return early;
  if (!isWindowOpen(contact, now, rules.windowMarginMs)) {
    return decideOutsideWindow(request, contact, now, rules, describeClosedWindow(contact));
  }
  const open = `The user wrote at ${contact.lastInboundAt}, so the window is open.`;
  if (request.confirmsOptOut) return decideConfirmation(request, contact, rules, open);
  const template = templateOf(request);
  if (template === undefined || hasFreeForm(request)) {
    const optedOut = refuseAfterOptOut(request, contact, rules, 'message/v3', open);
    return optedOut ?? { kind: 'call', call: freeFormCall(request, contact, rules), why: open };
  }
  const call = templateCall(request, contact, rules, template);
  const refused = refuseParams(template, rules) ?? refuseAfterOptOut(request, contact, rules, 'intent/v2', open);
  return refused ?? { kind: 'call', call, why: `${open} The request has only a template.` };
};

/**
 * Decides how to send a request while the window is closed.
 *
 * @param closed why the window is closed, as a sentence
 */
export const decideOutsideWindow = (
  request: AddressedRequest,
  contact: Contact,
  now: Instant,
  rules: SendRules,
  closed: string,
): SendDecision => {
  const early = decideEarly(request, contact, now, rules);
  if (early !== undefined) return early;
  // The user opted out of templates.
  if (request.confirmsOptOut) return refuse('WINDOW_CLOSED', `${closed} An opt-out is not confirmed by a template.`);
  const template = templateOf(request) ?? rules.defaultTemplate;
  if (template === undefined) {
    return refuse('WINDOW_CLOSED', `${closed} The request has no template, and the stage has no default template.`);
  }
  const refused = refuseParams(template, rules) ?? refuseAfterOptOut(request, contact, rules, 'intent/v2', closed);
  if (refused !== undefined) return refused;
  // An opt-out whose reason is exempt does not replace the opt-in.
  if (contact.lastInboundAt === undefined && !contact.consents?.some(({ kind }) => kind === 'opt-in')) {
    return refuse('NO_OPT_IN', `${closed} No opt-in is recorded, so the business may not write first.`);
  }
  if (request.reason === undefined) {
    return refuse('REASON_MISSING', `${closed} A template that opens a conversation needs an approved reason.`);
  }
  if (rules.contactCheck === 'beforeFirstTemplate' && isKnownAbsent(contact, now)) {
    return refuse(
      'NOT_ON_PLATFORM',
      `${closed} The contact check at ${contact.checkedAt} did not find the number on the platform.`,
    );
  }
  return {
    kind: 'call',
    call: templateCall(request, contact, rules, template),
    why: `${closed} The template opens a conversation, with the reason ${request.reason}.`,
  };
};

/** Decides what needs neither the window nor the consents. */
const decideEarly = (
  request: SendRequest,
  contact: Contact,
  now: Instant,
  rules: SendRules,
): SendDecision | undefined =>
  expire(request, now) ??
  refuseOtherUser(request, contact) ??
  judgeConditions(request, contact, rules) ??
  refuseAutomated(request, contact, now);

const expire = (request: SendRequest, now: Instant): SendDecision | undefined =>
  hasExpired(request, now)
    ? { kind: 'expire', why: `The request had to be sent by ${notAfterOf(request)} (notAfter); it is now ${now}.` }
    : undefined;

/** The address was chosen for a customer, and may have another user by now. */
const refuseOtherUser = ({ customerId }: SendRequest, contact: Contact): SendDecision | undefined =>
  customerId === undefined || isOnlyUser(contact, { customerId })
    ? undefined
    : refuse('CUSTOMER_AMBIGUOUS', 'The chosen address no longer belongs to this customer alone.');

/** A `since` that names a message of the user must have been replaced with the message's time. */
const judgeConditions = (
  { unless, since }: SendRequest,
  { lastInboundAt, operatorWroteAt }: Contact,
  { operators }: SendRules,
): SendDecision | undefined => {
  if (unless === undefined || since === undefined) return undefined;
  if (unless.includes('operatorWroteSince') && operators?.echoes !== true) {
    return refuse(
      'CONDITION_UNKNOWN',
      'The stage does not know when operators write, because its setting operators has neither echoField nor echoSenders.',
    );
  }
  const sinceAt = parseInstant(since);
  if (sinceAt === undefined) {
    return refuse(
      'SINCE_UNKNOWN',
      'The conversation with this contact has no message with the ID in since. Use the ID of one of its messages, or a ' +
        'time with Z or an offset.',
    );
  }
  if (unless.includes('userWroteSince') && lastInboundAt !== undefined && lastInboundAt > sinceAt) {
    return refuse('SUPERSEDED', `The user wrote at ${lastInboundAt}, after ${sinceAt}, so the request is superseded.`);
  }
  return unless.includes('operatorWroteSince') && operatorWroteAt !== undefined && operatorWroteAt > sinceAt
    ? refuse('HUMAN_TOOK_OVER', `An operator wrote at ${operatorWroteAt}, after ${sinceAt}.`)
    : undefined;
};

/**
 * The chat service's contract does not say what it does with a template that lacks a variable. Names only variables of
 * the stage's settings, because a decision must not quote the request.
 */
const refuseParams = (
  { ruleNameOrId, params = {} }: TemplateReference,
  { templates = {} }: SendRules,
): SendDecision | undefined => {
  const variables = Object.hasOwn(templates, ruleNameOrId) ? templates[ruleNameOrId] : undefined;
  if (variables === undefined) return undefined;
  const missing = variables.filter((name) => !Object.hasOwn(params, name));
  const hasOthers = Object.keys(params).some((name) => !variables.includes(name));
  const faults = [
    ...(missing.length > 0 ? [`are missing ${missing.join(', ')}`] : []),
    ...(hasOthers && variables.length > 0 ? [`include variables other than ${variables.join(', ')}`] : []),
    ...(hasOthers && variables.length === 0 ? ['include variables, but the template has none'] : []),
  ];
  return faults.length === 0
    ? undefined
    : refuse('PARAMS_INVALID', `The params for the template ${ruleNameOrId} ${faults.join(' and ')}.`);
};

const describeClosedWindow = ({ lastInboundAt }: Contact): string =>
  lastInboundAt === undefined
    ? 'The user has never written, so there is no window.'
    : `The user last wrote at ${lastInboundAt}, so the window is closed.`;

const templateOf = ({ ruleNameOrId, params }: SendRequest): TemplateReference | undefined =>
  ruleNameOrId === undefined ? undefined : { ruleNameOrId, params };

const UNSUPPORTED_MEDIA = /\.(gif|mp4|m4v|mov|avi|mkv|webm|mpe?g|3gp|wmv|flv)$/i;

/** Video containers that are also used for audio only. */
const AUDIO_CONTAINERS = /\.(mp4|webm|mpe?g|3gp)$/i;

/** The contract's Rules of use, 9: "Video and GIF are not supported." */
const refuseMedia = (request: SendRequest): SendDecision | undefined => {
  for (const field of MEDIA_FIELDS) {
    const address = request[field];
    if (address === undefined) continue;
    const { protocol, pathname } = new URL(address);
    if (protocol !== 'https:') return refuse('MEDIA_UNSUPPORTED', `${field} is not an https URL.`);
    const isAudio = field === 'audioURL' && AUDIO_CONTAINERS.test(pathname);
    if (UNSUPPORTED_MEDIA.test(pathname) && !isAudio) {
      return refuse('MEDIA_UNSUPPORTED', `${field} is a video or a GIF, which the chat service does not support.`);
    }
  }
  return undefined;
};
