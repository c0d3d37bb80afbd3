import { type ContactDefaults, resolveContact } from '../../domain/contact.ts';
import type { SendDecision, SendRules } from '../../domain/decision.ts';
import { type Instant, parseInstant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import { decideSend } from '../../domain/send-decision.ts';
import { countFromSendAt, parseSendRequest, sendRequest } from '../../domain/send-request.ts';
import { faultsOfSendRequest } from '../../domain/send-request-faults.ts';
import { tooFarAhead } from '../../domain/too-far-ahead.ts';
import { isWindowOpen, windowClosesAt } from '../../domain/window.ts';
import type { Clock, ContactRepository, MessageRepository, StoredContact } from '../../ports.ts';
import type { Addressed } from '../../runtime/address-request.ts';
import { onFirstUse } from '../../runtime/on-first-use.ts';
import { readSince } from '../../runtime/read-since.ts';
import { invalidRequest, ok, problemResponse } from './answer.ts';
import { defineRoute, ignoredQuery, NOT_JSON, type Parsed, parse } from './define-route.ts';

export interface ForecastPorts {
  readonly contacts: Pick<ContactRepository, 'readMany'>;
  readonly messages: Pick<MessageRepository, 'readOrigin'>;
  readonly clock: Clock;
  readonly contactDefaults: ContactDefaults;
  /** The rules by which the function `send` decides. */
  readonly rules: SendRules;
  /** The `notAfter` of requests without one, as a duration. @default none */
  readonly defaultNotAfter: string | undefined;
}

/** Each contact is four items, or five with handovers, which DynamoDB reads in batches of 100. */
export const MAX_FORECAST_CONTACTS = 500;

export const FORECAST_DECISIONS = ['free-form', 'template', 'refused', 'expired'] as const;

export const forecastFields = {
  /** What Parley would do now: send the free-form message, send the template, or refuse the request or let it expire. */
  decision: z.enum(FORECAST_DECISIONS),
  /** The rule that forbids sending, if the decision is refused. */
  code: z.optional(z.string()),
  why: z.string(),
  /** When the conversation window closes, less the stage's margin; absent if it is closed. */
  windowClosesAt: z.optional(z.string()),
  /** Whether anything is stored about the contact: a message of the user, a consent, or a contact check. */
  known: z.boolean(),
};

export const forecastResponse = z.object({
  /** When the forecast was made. */
  at: z.string(),
  /** In the order of the call. */
  forecasts: z.array(
    z.object({
      /** As requested, a phone number in its plain form. */
      contact: z.string(),
      ...forecastFields,
    }),
  ),
});

const contactList = z
  .array(z.typedAddress(z.MAX_NAME_LENGTH), 'must be a list of contact IDs')
  .check(
    z.minLength(1, 'must have at least one contact'),
    z.maxLength(MAX_FORECAST_CONTACTS, `must not have more than ${MAX_FORECAST_CONTACTS} contacts`),
  );

const { requestId: _id, platformContactId: _contact, customerId: _customer, ...messageFields } = sendRequest.shape;

/** A send request for several contacts, without an ID. */
const forecastRequest = z.strictObject({ contacts: contactList, ...messageFields });

const listed = z.looseObject({ contacts: contactList }, 'must be a JSON object');

/** Parses the message like a send request, so that both accept the same. */
const parseForecast = (bodyText: string): Parsed<z.output<typeof forecastRequest>> => {
  const json = z.parseJson(bodyText);
  if (json === undefined) return NOT_JSON;
  const list = parse(listed, json, 'the body');
  if (list.kind === 'invalid') return list;
  const { contacts, ...message } = list.value;
  const given = ['requestId', 'platformContactId', 'customerId'].find((field) => Object.hasOwn(message, field));
  if (given !== undefined) {
    const fault = `has ${given}, which belongs to one send; remove it, and list contacts`;
    return { kind: 'invalid', faults: [{ field: 'the body', fault }] };
  }
  const requestText = JSON.stringify({ ...message, requestId: 'forecast', platformContactId: contacts[0] });
  const parsed = parseSendRequest(requestText);
  if (parsed.kind === 'malformed') return { kind: 'invalid', faults: faultsOfSendRequest(requestText) };
  const { requestId: _id, platformContactId: _contact, customerId: _customer, ...fields } = parsed.request;
  return { kind: 'parsed', value: { contacts, ...fields } };
};

export const forecastSends = defineRoute({
  route: 'POST /v1/forecasts',
  summary: 'Forecast how a message would be sent to each of up to 500 contacts, without sending it',
  description:
    'The body is a send request with a list of contacts in place of its ID and its contact. Parley decides as it does ' +
    'when it sends, from what is stored now; a user may still write or opt out before the request is sent. For a ' +
    'request with a sendAt, it decides as of that time. It does not check contacts on the platform, but uses earlier ' +
    'checks. GET /v1/stage returns whether sending is stopped or the circuit breaker is open.',
  query: ignoredQuery,
  body: forecastRequest,
  parseBody: parseForecast,
  responses: { 200: forecastResponse, 400: problemResponse },
  async handle(ports: ForecastPorts, { body: { contacts: ids, ...message } }) {
    const { contacts, messages, clock, contactDefaults } = ports;
    const now = clock.now();
    const sendAt = parseInstant(message.sendAt);
    const fault = sendAt === undefined ? undefined : tooFarAhead(sendAt, now);
    if (fault !== undefined) return invalidRequest([fault]);
    const at = sendAt !== undefined && sendAt > now ? sendAt : now;
    const sends = ids.map((platformContactId) => {
      const request = { ...message, requestId: 'forecast', platformContactId };
      return { request, ref: resolveContact(contactDefaults, request) };
    });
    const refs = sends.map(({ ref }) => ref);
    const stored = await contacts.readMany(refs, now);
    // All requests have the same `since`.
    const readOrigin = onFirstUse(async () => messages.readOrigin(message.since ?? ''));
    const shared = { ...ports, messages: { readOrigin } };
    const forecasts = await Promise.all(
      sends.map(async ({ request, ref }, index) => ({
        contact: request.platformContactId,
        ...(await forecastOf(shared, { request, contact: ref }, stored[index], at)),
      })),
    );
    return ok({ at: now, forecasts } satisfies z.output<typeof forecastResponse>);
  },
});

type ContactForecast = Omit<z.output<typeof forecastResponse>['forecasts'][number], 'contact'>;

/** Returns what Parley would decide at a time. A relative `notAfter` that does not count from a `sendAt` counts from now. */
export const forecastOf = async (
  { messages, rules, defaultNotAfter }: Pick<ForecastPorts, 'messages' | 'rules' | 'defaultNotAfter'>,
  { request, contact: ref }: Pick<Addressed, 'contact' | 'request'>,
  stored: StoredContact | undefined,
  at: Instant,
): Promise<ContactForecast> => {
  if (stored === 'damaged') {
    const why = 'The stored contact cannot be read, so its requests cannot be processed.';
    return { decision: 'refused', code: 'PROCESSING_FAILED', why, known: true };
  }
  const contact = stored ?? {};
  const judged = await readSince(messages, request, ref, contact);
  const isOpen = isWindowOpen(contact, at, rules.windowMarginMs);
  return {
    ...viewDecision(decideSend(countFromSendAt(judged, defaultNotAfter), contact, at, rules)),
    windowClosesAt: isOpen ? windowClosesAt(contact, rules.windowMarginMs) : undefined,
    known: stored !== undefined,
  };
};

export const viewDecision = (decided: SendDecision): Omit<ContactForecast, 'known'> => {
  const { why } = decided;
  switch (decided.kind) {
    case 'call':
      return { decision: decided.call.endpoint === 'message/v3' ? 'free-form' : 'template', why };
    case 'refuse':
      return { decision: 'refused', code: decided.code, why };
    case 'expire':
      return { decision: 'expired', why };
  }
};
