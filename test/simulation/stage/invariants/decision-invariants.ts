import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { contactKey } from '../../../../lambdas/domain/contact.ts';
import { parseInstant } from '../../../../lambdas/domain/instant.ts';
import type { SendRequest } from '../../../../lambdas/domain/send-request.ts';
import type { Item } from '../../../../lambdas/table/item.ts';
import { ACCOUNT, sendRules } from '../../../support/builders.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { isSendLane } from '../ledger.ts';
import { effectiveConsent, isOptedOutByUser } from './effective-consent.ts';
import { peopleSince } from './people-since.ts';
import { windowEventsOf } from './receiving-invariants.ts';
import type { CallFact, StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

/** From the last look at the clock to the call: the time that the network takes. */
const LATEST_CALL_MS = 1_000;

export const DECISION_INVARIANTS = {
  sentAsRequested: {
    sentence: 'A call has the content of its request, and goes to its contact.',
    check(facts, { checked, violated }) {
      const rules = sendRules(facts.run.history.features.rules);
      for (const { request, body, endpoint, index, requestId } of facts.calls) {
        if (request === undefined) continue;
        checked();
        const template = request.ruleNameOrId === undefined ? rules.defaultTemplate : request;
        const { audioURL, imageURL, fileURL } = request;
        const messageText = request.confirmsOptOut ? rules.optOutConfirmation : request.messageText;
        const content =
          endpoint === 'message/v3'
            ? { messageText, audioURL, imageURL, fileURL }
            : { ruleNameOrId: template?.ruleNameOrId, params: template?.params };
        const isNamed = rules.clientPayload === 'all' || (rules.clientPayload !== 'off' && endpoint === 'intent/v2');
        const expected = {
          ...content,
          chatPlatform: request.chatPlatform ?? ACCOUNT.platform,
          clientPayload: isNamed ? request.requestId : undefined,
        };
        for (const [name, value] of Object.entries(expected)) {
          if (!isDeepStrictEqual(body[name], value))
            violated(`${name} of ${requestId} is ${String(body[name])}.`, index);
        }
        if (contactKey(String(body.platformContactId)) !== contactKey(request.platformContactId ?? '')) {
          violated(`${requestId} went to ${String(body.platformContactId)}.`, index);
        }
      }
    },
  },

  windowObeyed: {
    sentence:
      'A free-form message is sent only if the window, minus the margin, was open according to what was stored ' +
      'when the function read the contact, and according to what the chat service had delivered by then.',
    check(facts, { checked, violated }) {
      const { windowMarginMs } = sendRules(facts.run.history.features.rules);
      const reported = Map.groupBy(windowEventsOf(facts), ({ contact }) => contact);
      for (const call of facts.calls) {
        if (call.endpoint !== 'message/v3' || call.claim === undefined) continue;
        checked();
        const { atMs, contact: name } = call.claim;
        const isOpen = contactsRead(facts, call).some((contact) => isWindowOpen(contact, atMs, windowMarginMs));
        const isReported = reported
          .get(name)
          ?.some(
            ({ index, times }) =>
              index < call.index &&
              times
                .map((time) => Date.parse(time))
                .some((ms) => ms <= call.atMs && atMs < ms + DAY_MS - windowMarginMs),
          );
        if (!isOpen || !isReported)
          violated(`${call.requestId} was sent as a free-form message, but its window was closed.`, call.index);
      }
    },
  },

  optOutObeyed: {
    sentence:
      'If an opt-out was stored when the send was claimed, or when the function read the consents after that, no ' +
      'template is sent until the user opts in, and no free-form message until the user writes again. Only the ' +
      'confirmation of the opt-out is sent before that, if the user has not written before the opt-out only.',
    check(facts, { checked, violated }) {
      const { optOutExemptReasons = [] } = sendRules(facts.run.history.features.rules);
      for (const call of facts.calls) {
        const { claim, request } = call;
        if (claim === undefined || request === undefined) continue;
        checked();
        if (request.reason !== undefined && optOutExemptReasons.includes(request.reason)) continue;
        // Before the template that replaces a free-form call, the function looks again after that call.
        const first = facts
          .callsOf(call.requestId)
          .findLast(({ claimId, index }) => claimId === claim.claimId && index < call.index);
        const since = first?.index ?? claim.index;
        const contacts = [
          contactAt(facts, claim.contact, since),
          contactAt(facts, claim.contact, call.index),
          contactKnown(facts, call),
        ];
        const optedOut = contacts.map((contact) => blockingOptOut(contact, call.endpoint, request));
        if (optedOut.every((at) => at !== undefined)) {
          violated(
            `${call.endpoint} was called for ${call.requestId}, although the user opted out at ${optedOut[0]}.`,
            call.index,
          );
        }
      }
    },
  },

  writtenFirstOnlyWithConsent: {
    sentence:
      'A template opens a conversation only with an approved reason, after an opt-in or a message from the user.',
    check(facts, { checked, violated }) {
      const { windowMarginMs } = sendRules(facts.run.history.features.rules);
      for (const call of facts.calls) {
        if (call.endpoint !== 'intent/v2' || call.claim === undefined || call.request === undefined) continue;
        const reads = contactsRead(facts, call);
        if (reads.some((contact) => isWindowOpen(contact, call.atMs, windowMarginMs))) continue;
        checked();
        if (call.request.reason === undefined) violated(`${call.requestId} has no reason.`, call.index);
        const isAllowed = reads.some((contact) => contact?.lastInboundAt !== undefined || hasConsent(contact));
        if (!isAllowed) violated(`${call.requestId} was sent without an opt-in.`, call.index);
      }
    },
  },

  timesObeyed: {
    sentence: 'No request is sent before its sendAt or after its notAfter.',
    check(facts, { checked, violated }) {
      for (const { request, atMs, index, requestId, invocation, claim } of facts.calls) {
        if (request === undefined) continue;
        const { sendAt } = request;
        const notAfter = deadlineOf(facts, request, index, 'latest');
        if (sendAt === undefined && notAfter === undefined) continue;
        checked();
        if (sendAt !== undefined && atMs < Date.parse(sendAt))
          violated(`${requestId} was sent before ${sendAt}.`, index);
        const read = facts.readsOf(claim?.contact ?? '').findLast((one) => one.index < index);
        const hindrance = { until: index, about: [`SEND#${requestId} `, 'call ', 'access token'] };
        const isHindered = facts.isHindered(invocation, read?.index ?? claim?.index ?? index, hindrance);
        if (notAfter !== undefined && atMs > Date.parse(notAfter) + LATEST_CALL_MS && !isHindered) {
          violated(`${requestId} was sent after ${notAfter}.`, index);
        }
      }
    },
  },

  conditionsObeyed: {
    sentence:
      'A request that says unless userWroteSince or operatorWroteSince is not sent if the stored contact had a later ' +
      'message of the user or the operator when the send was claimed, or when the function read the contact before its ' +
      'latest call.',
    check(facts, { checked, violated }) {
      for (const call of facts.calls) {
        const { claim, request } = call;
        if (claim === undefined || request?.unless === undefined) continue;
        checked();
        const sinceAt = sinceOf(facts, request, claim.contact, call.index);
        const contacts = [contactAt(facts, claim.contact, claim.index), ...contactsRead(facts, call).slice(-1)];
        for (const condition of request.unless) {
          const { writer, name } = WRITERS[condition];
          const wrote = contacts.map((contact) => String(contact?.[name] ?? '')).find((at) => at > sinceAt);
          if (wrote === undefined) continue;
          violated(
            `${call.requestId} was sent, although the ${writer} wrote at ${wrote}, after ${sinceAt}.`,
            call.index,
          );
        }
      }
    },
  },

  handoversObeyed: {
    sentence:
      'An automated request is not sent if the contact was handed over to people when the send was claimed, and still ' +
      'when it was called, or when the function read the contact before its latest call.',
    check(facts, { checked, violated }) {
      if (sendRules(facts.run.history.features.rules).operators === undefined) return;
      for (const call of facts.calls) {
        const { claim, request } = call;
        if (claim === undefined || request?.automated !== true) continue;
        checked();
        const calledAt = new Date(call.atMs).toISOString();
        const over = (contact: Item | undefined) => peopleSince(contact, calledAt)?.since;
        const claimed = over(contactAt(facts, claim.contact, claim.index));
        const since = claimed === undefined ? undefined : over(contactAt(facts, claim.contact, call.index));
        const read = contactsRead(facts, call).slice(-1).map(over)[0];
        const handedOver = read ?? since;
        if (handedOver !== undefined) {
          violated(`${call.requestId} was sent, although the contact was handed over at ${handedOver}.`, call.index);
        }
      }
    },
  },

  refusedForAReason: {
    sentence: 'A send is refused or expires only if the rule that it names forbids it according to the stored data.',
    check(facts, { checked, violated }) {
      const rules = sendRules(facts.run.history.features.rules);
      for (const change of facts.changesOfSends()) {
        const { after, index, atMs, requestId } = change;
        if (after.state !== 'refused' && after.state !== 'expired') continue;
        const invocation = facts.invocationAt(change);
        const request = facts.requestIn(after.body);
        if (invocation === undefined || request === undefined) continue;
        checked();
        const name = String(after.contact);
        const contacts = [
          contactAt(facts, name, index),
          contactAt(facts, name, invocation.start),
          ...readsIn(facts, name, invocation.start, index),
        ];
        const isOpen = (contact: Item | undefined) => isWindowOpen(contact, atMs, rules.windowMarginMs);
        const forbids: Readonly<Record<string, () => boolean>> = {
          WINDOW_CLOSED: () =>
            request.ruleNameOrId === undefined &&
            (rules.defaultTemplate === undefined || request.confirmsOptOut === true) &&
            !contacts.every(isOpen),
          OPTED_OUT: () => {
            const endpoint = request.confirmsOptOut ? 'message/v3' : 'intent/v2';
            return contacts.some((contact) => blockingOptOut(contact, endpoint, request) !== undefined);
          },
          NO_OPT_IN: () => contacts.some((contact) => contact?.lastInboundAt === undefined && !hasConsent(contact)),
          REASON_MISSING: () => request.reason === undefined,
          MEDIA_UNSUPPORTED: () =>
            [request.audioURL, request.imageURL, request.fileURL].some((url) => url !== undefined && !isSupported(url)),
          PROCESSING_FAILED: () => isQueuedFor(facts, request.requestId, change, DAY_MS),
          NOT_ON_PLATFORM: () =>
            contacts.some((contact) => contact?.checkedAt !== undefined && contact.checkedAddress === undefined),
          PARAMS_INVALID: () => request.ruleNameOrId === 'invoice_ready' && request.params?.other !== undefined,
          SUPERSEDED: () =>
            (request.confirmsOptOut === true &&
              contacts.some((contact) => effectiveConsent(contact)?.state !== 'opted-out')) ||
            contacts.some((contact) => String(contact?.lastInboundAt ?? '') > sinceOf(facts, request, name, index)),
          HUMAN_TOOK_OVER: () =>
            contacts.some((contact) => String(contact?.operatorWroteAt ?? '') > sinceOf(facts, request, name, index)),
          HANDED_OVER: () => {
            const startMs = facts.run.ledger.entries[invocation.start]?.atMs ?? atMs;
            return contacts.some((contact) => peopleSince(contact, new Date(startMs).toISOString()) !== undefined);
          },
          CONDITION_UNKNOWN: () =>
            rules.operators === undefined && request.unless?.includes('operatorWroteSince') === true,
          SINCE_UNKNOWN: () => sinceOf(facts, request, name, invocation.start) === '',
        };
        const isTrue =
          after.state === 'expired' ? isOver(facts, request, change) : (forbids[String(after.code)]?.() ?? false);
        // Error 201 closes a window that was open according to the stored data.
        const isDenied = facts.callsOf(requestId).some((call) => call.end === 'window-closed' && call.index < index);
        if (!isTrue && !isDenied) violated(`${requestId} is ${after.state}: ${String(after.decision)}`, index);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

const WRITERS = {
  userWroteSince: { writer: 'user', name: 'lastInboundAt' },
  operatorWroteSince: { writer: 'operator', name: 'operatorWroteAt' },
} as const;

/** The time that a request names as `since`; empty if it names a message that is not stored, or another user's. */
const sinceOf = (facts: StageFacts, { since = '' }: SendRequest, contact: string, index: number): string => {
  const named = facts.itemBefore(`MESSAGE#${since} MESSAGE`, index);
  const isOfUser = !String(named?.contact).startsWith('CONTACT#') || userOf(named?.contact) === userOf(contact);
  return parseInstant(since) ?? (isOfUser ? String(named?.createdAt ?? '') : '');
};

/** Returns a contact's name without the business number. */
const userOf = (name: unknown): string => String(name).replace(/^(CONTACT#[^#]*)#[^#]*/, '$1');

/**
 * A request may use up its queue's receives only in ten days, after which it expires, as it does after 13 days. If the
 * function dies in half of its attempts, the last waits, of an hour at most, cannot make up for all of them.
 */
const MIN_QUEUED_MS = 10 * DAY_MS - 12 * HOUR_MS;

const isOver = (
  facts: StageFacts,
  request: SendRequest,
  { atMs, index }: { readonly atMs: number; readonly index: number },
): boolean => {
  const { requestId } = request;
  const notAfter = deadlineOf(facts, request, index, 'earliest');
  if (notAfter !== undefined && atMs >= Date.parse(notAfter)) return true;
  return isQueuedFor(facts, requestId, { atMs, index }, MIN_QUEUED_MS);
};

/**
 * The time of a request's `notAfter`. A relative one counts from the sendAt, or from when a system first queued the
 * request; the same request can be queued more than once. What operators do later does not count.
 */
const deadlineOf = (
  facts: StageFacts,
  { requestId, sendAt, notAfter }: SendRequest,
  index: number,
  which: 'earliest' | 'latest',
): string | undefined => {
  const [, count, unit] = /^PT(\d+)([HM])$/.exec(notAfter ?? '') ?? [];
  if (count === undefined) return notAfter;
  const later = (ms: number) => new Date(ms + Number(count) * (unit === 'H' ? HOUR_MS : MINUTE_MS)).toISOString();
  if (sendAt !== undefined) return later(Date.parse(sendAt));
  const queued = facts
    .entries('queued')
    .filter(({ queue, body }) => isSendLane(queue) && body.includes(`"${requestId}"`));
  const times = facts
    .acts('request')
    .filter((act) => act.index < index && facts.requestIn(act.body)?.requestId === requestId)
    .flatMap((act) => queued.find((entry) => entry.index > act.index)?.atMs ?? []);
  return times.length === 0 ? undefined : later(which === 'latest' ? Math.max(...times) : Math.min(...times));
};

/** Whether a request was put on its queue at least this long before an entry. */
const isQueuedFor = (
  facts: StageFacts,
  requestId: string,
  { atMs, index }: { readonly atMs: number; readonly index: number },
  ms: number,
): boolean =>
  facts
    .entries('queued')
    .some(
      ({ queue, body, ...entry }) =>
        isSendLane(queue) && entry.index < index && entry.atMs <= atMs - ms && body.includes(`"${requestId}"`),
    );

/** The contract's Rules of use, 9: "Video and GIF are not supported." Parley refuses addresses that are not https. */
const isSupported = (url: string): boolean => url.startsWith('https:') && !/\.(gif|mp4|mov|webm)$/i.test(url);

/** What a call's process has read about the contact during its invocation, oldest first. */
const contactsRead = (facts: StageFacts, { claim, invocation, index }: CallFact): readonly (Item | undefined)[] =>
  readsIn(facts, claim?.contact ?? '', invocation?.start ?? 0, index, invocation?.process);

/**
 * What a call's process knew about the contact: what it read last, and when the user wrote last. An erasure during the
 * invocation can have removed the user's message since.
 */
const contactKnown = (facts: StageFacts, call: CallFact): Item | undefined => {
  const reads = contactsRead(facts, call);
  const writtenAt = reads.flatMap((contact) => contact?.lastInboundAt ?? []).map(String);
  return writtenAt.length === 0 ? reads.at(-1) : { ...reads.at(-1), lastInboundAt: writtenAt.toSorted().at(-1) };
};

const readsIn = (facts: StageFacts, name: string, from: number, until: number, process?: string) =>
  facts
    .readsOf(name)
    .filter((one) => one.index > from && one.index < until && (process ?? one.process) === one.process)
    .map(({ contact }) => contact);

/** Everything that was stored about a contact just before an entry, and had not expired. */
const contactAt = (facts: StageFacts, name: string, index: number): Item => {
  const atMs = facts.run.ledger.entries[index]?.atMs ?? 0;
  const items = ['CONTACT', 'CONSENT', 'CHECK', 'DENIAL', 'HANDOVER'].map((sk) =>
    facts.itemBefore(`${name} ${sk}`, index),
  );
  return Object.assign({}, ...items.filter((item) => item !== undefined && !isOutdated(item, atMs)));
};

/** DynamoDB removes an expired item only later, if at all in a run. */
const isOutdated = ({ expiresAt }: Item, atMs: number): boolean =>
  typeof expiresAt === 'number' && expiresAt * 1000 <= atMs;

/** The contract's Limits: "24 hours since the user's last message". After an error 201, only a later message counts. */
const isWindowOpen = (contact: Item | undefined, atMs: number, marginMs: number): boolean => {
  const { lastInboundAt, windowDeniedAt } = contact ?? {};
  if (typeof lastInboundAt !== 'string') return false;
  if (typeof windowDeniedAt === 'string' && windowDeniedAt > lastInboundAt) return false;
  return atMs < Date.parse(lastInboundAt) + DAY_MS - marginMs;
};

/** The opt-out that forbids a call to an endpoint, if one does. */
const blockingOptOut = (
  contact: Item | undefined,
  endpoint: string,
  { confirmsOptOut, requestId }: SendRequest,
): string | undefined => {
  const consent = effectiveConsent(contact);
  if (consent?.state !== 'opted-out') return undefined;
  const writtenAt = String(contact?.lastInboundAt ?? '');
  // An import may have opted the user out as well; only the user's own opt-in overrides the keyword.
  const isStanding = isOptedOutByUser(contact);
  const ownAt = String(contact?.lastInboundOwnAt ?? writtenAt);
  const isLaterThanKeyword = !isStanding || ownAt > String(contact?.userOptOutOwnAt ?? '');
  const isAnswer = confirmsOptOut
    ? isStanding && requestId === confirmationIdOf(contact?.userOptOutMessageId)
    : writtenAt > consent.at && isLaterThanKeyword;
  return endpoint === 'message/v3' && isAnswer ? undefined : consent.at;
};

/** The ID of the request that confirms the opt-out of a message, as docs/receiving.md promises it. */
const confirmationIdOf = (messageId: unknown): string =>
  `opt-out-${createHash('sha256').update(String(messageId)).digest('hex')}`;

const hasConsent = (contact: Item | undefined): boolean =>
  contact?.userOptInAt !== undefined || contact?.importOptInAt !== undefined;
