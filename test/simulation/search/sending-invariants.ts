import { isWindowOpen } from '../../../lambdas/domain/window.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import type { JournalCall } from '../world/journal.ts';
import { requestIdIn } from '../world/journal.ts';
import { serialize } from '../world/serialize.ts';
import type { Scene } from './scene.ts';
import type { SceneInvariant } from './scene-invariants.ts';
import type { SceneOptions } from './scene-options.ts';
import { acknowledgedStatuses, effectsOf, isDeadLettered, recordOf, requestIdsOf } from './scene-view.ts';

export const SENDING_INVARIANTS = {
  sentOnce: {
    sentence:
      'No request reaches a user twice, unless an operator resent it, or its onUncertain is resend and the outcome of ' +
      'the previous call could not be known.',
    atSend(scene, call) {
      const count = effectsOf(scene, call.requestId).length;
      if (call.effect === undefined || count <= 1 + resendsOf(scene, call.requestId)) return undefined;
      const { queued = [] } = scene.options;
      const isResent = queued.some((one) => one.requestId === call.requestId && one.onUncertain === 'resend');
      const before = scene.journal.calls.filter(
        (one) => one !== call && one.requestId === call.requestId && one.effect,
      );
      const last = before.at(-1);
      return isResent && last && !isKnown(last) ? undefined : `${call.requestId} reached the user ${count} times.`;
    },
  },

  knownOutcomeKept: {
    sentence:
      'A request whose outcome a process received and could record is never recorded as uncertain or sent again.',
    atSend({ journal }, call) {
      const known = journal.calls.find(
        (one) => one !== call && one.requestId === call.requestId && isKnown(one) && isFinal(one),
      );
      return known && `${call.requestId} was called again, although it was known to be ${known.end}.`;
    },
    atWrite({ journal }, { before, after }) {
      if (!becomes('uncertain', before, after)) return undefined;
      const call = journal.calls.findLast(({ claim }) => claim !== undefined && claim.claimId === after?.claimId);
      return call && isKnown(call)
        ? `${call.requestId} is uncertain, although it was known to be ${call.end}.`
        : undefined;
    },
  },

  uncertainOnlyAfterCall: {
    sentence:
      'A request is recorded as uncertain only if a call was made, or the process that claimed it may have made one.',
    atWrite({ journal }, { before, after }) {
      if (!becomes('uncertain', before, after)) return undefined;
      const claim = journal.claims.find(({ claimId }) => claimId === after?.claimId);
      if (claim === undefined || claim.isBroken) return undefined;
      const isCalled = journal.calls.some((call) => call.claim === claim);
      return isCalled ? undefined : `${claim.requestId} is uncertain, although its living process made no call.`;
    },
  },

  trailNamesLastCall: {
    sentence: 'A send shows its last call, and its message shows the call that reached the user.',
    atEnd(scene) {
      const { chatService, journal, table } = scene;
      for (const requestId of requestIdsOf(scene)) {
        const item = scene.item(`SEND#${requestId}`);
        if (item === undefined || !['accepted', 'uncertain', 'rejected'].includes(String(item.state))) continue;
        const last = journal.calls.findLast(({ claim }) => claim !== undefined && claim.claimId === item.claimId);
        if (last === undefined) continue;
        const named = endpointOf(item);
        const isAnnounced =
          last.claim?.isBroken === true &&
          !journal.calls.some(({ claim, endpoint }) => claim === last.claim && endpoint === named);
        if (named !== last.endpoint && !isAnnounced) {
          return `${requestId} is ${String(item.state)} and names ${named}, but the last call was ${last.endpoint}.`;
        }
      }
      for (const message of table.items.values()) {
        if (message.direction !== 'outbound') continue;
        const sent = chatService.effects.find(({ id }) => `MESSAGE#${id}` === message.pk);
        // Of several messages that a rule sends, the chat service knows one here, and statuses name the others.
        if (sent === undefined && acknowledgedStatuses(scene).some(({ id }) => `MESSAGE#${id}` === message.pk))
          continue;
        if (sent === undefined) return `${String(message.pk)} was never sent.`;
        if (endpointOf(message) !== sent.endpoint) {
          return `${String(message.pk)} is shown as ${endpointOf(message)}, but was sent as ${sent.endpoint}.`;
        }
      }
      return undefined;
    },
  },

  optOutObeyed: {
    sentence:
      'After an opt-out that was stored when the function read the contact, no template is sent until the user ' +
      'opts in later, ' +
      'and no free-form message until the user writes again.',
    atSend: (scene, call) => disobeysRead(scene, call),
  },

  optOutObeyedFromClaim: {
    sentence: 'The same applies to an opt-out that was stored between that read and the claim.',
    atSend(scene, call) {
      const isSeen = disobeysRead(scene, call) !== undefined;
      return isSeen ? undefined : disobeys(call, call.claim?.contactWhenClaimed);
    },
  },

  writtenMessageOpensWindow: {
    sentence:
      'A message that a user writes at or after a claim opens the window, whatever the response to the claimed ' +
      'call is.',
    atEnd({ journal, contactItem }) {
      const contact = contactItem();
      const lastInboundAt = typeof contact?.lastInboundAt === 'string' ? contact.lastInboundAt : undefined;
      if (lastInboundAt === undefined) return undefined;
      const wroteAt = Date.parse(lastInboundAt);
      const denied = journal.calls.filter(({ end }) => end === 'window-closed');
      if (denied.length === 0 || denied.some(({ claim }) => claim === undefined || claim.at > wroteAt))
        return undefined;
      if (isWindowOpen({ ...contact, lastInboundAt }, new Date(wroteAt + 60_000).toISOString(), 0)) return undefined;
      return `The user wrote at ${lastInboundAt}, at or after every claim, and the window is closed a minute later.`;
    },
  },

  nothingWithoutRecord: {
    sentence:
      'Nothing ends without a record: neither a request nor a message that a living process knows to be accepted.',
    atEnd(scene) {
      const { queues, table, journal } = scene;
      for (const requestId of requestIdsOf(scene)) {
        const item = scene.item(`SEND#${requestId}`);
        if (item === undefined && queues.send.depth === 0 && !isDeadLettered(scene, requestId)) {
          return `${requestId} has no record.`;
        }
        if (item?.state !== 'accepted' || typeof item.messageId !== 'string' || isErased(item)) continue;
        if (journal.claims.find(({ claimId }) => claimId === item.claimId)?.isBroken) continue;
        const message = table.items.get(`MESSAGE#${item.messageId} MESSAGE`);
        if (message?.requestId !== requestId) return `${requestId} was accepted, and its message has no record.`;
      }
      return undefined;
    },
  },

  ordered: {
    sentence:
      "A contact's requests reach the user in the order of the queue, unless they have a sendAt or another message " +
      'group.',
    atSend({ chatService, options }, call) {
      if (call.effect === undefined) return undefined;
      const order = orderedRequestIds(options);
      const place = order.indexOf(call.requestId);
      const { contact } = call.effect;
      const later = chatService.effects.find(
        (effect) => effect.contact === contact && order.indexOf(requestIdIn(effect.body)) > place,
      );
      return place >= 0 && later ? `${call.requestId} reached the user after ${requestIdIn(later.body)}.` : undefined;
    },
  },

  stateIsTrue: {
    sentence: 'An accepted or rejected request is never shown as something else, except an accepted one as failed.',
    atEnd(scene) {
      for (const requestId of requestIdsOf(scene)) {
        const known = scene.journal.calls.findLast(
          (call) => call.requestId === requestId && isKnown(call) && isFinal(call),
        );
        const state = scene.item(`SEND#${requestId}`)?.state;
        if (known?.end === 'accepted' && state === 'failed') continue;
        if (known && state !== known.end) return `${requestId} is ${String(state)}, but was known to be ${known.end}.`;
      }
      return undefined;
    },
  },
} as const satisfies Record<string, SceneInvariant>;

/** Whether the process knew the end, and lived on, in time, until it could record it. */
const isKnown = ({ isAnswered, claim }: JournalCall): boolean => isAnswered && claim?.isBroken !== true;

/** A call after which the request may not be called again. */
const isFinal = ({ end }: JournalCall): boolean => end === 'accepted' || end === 'rejected';

const becomes = (state: string, before: Item | undefined, after: Item | undefined): boolean =>
  after?.state === state && before?.state !== state;

const endpointOf = ({ call }: Item): string =>
  typeof call === 'object' && call !== null && 'endpoint' in call ? String(call.endpoint) : 'no call';

/** Its message is erased, too. */
const isErased = ({ erasedAt }: Item): boolean => erasedAt !== undefined;

/** How often operators ask to send a request again. */
const resendsOf = ({ options: { callers = [] } }: Scene, requestId: string): number =>
  callers.filter(({ request: { route, body } }) => {
    const { requestId: id, outcome } = recordOf(body);
    return route === 'resolveSend' && id === requestId && outcome === 'resend';
  }).length;

/** The requests that the queue keeps in order. */
const orderedRequestIds = ({ queued = [], isQueuedTwice }: SceneOptions): readonly string[] =>
  isQueuedTwice ? [] : queued.filter(({ sendAt }) => sendAt === undefined).map(({ requestId }) => requestId);

/** A process with several messages of a contact may have decided on any of its reads; otherwise the last one counts. */
const disobeysRead = ({ options }: Scene, call: JournalCall): string | undefined => {
  const reads = call.claim?.contactsWhenRead ?? [];
  const last = disobeys(call, reads.at(-1));
  const isCertain = options.batchSize === undefined || reads.every((contact) => disobeys(call, contact) !== undefined);
  return isCertain ? last : undefined;
};

const disobeys = (call: JournalCall, contact: Item | undefined): string | undefined => {
  // Whatever an import says.
  const { userOptInAt: optInAt, userOptOutAt: optOutAt, lastInboundAt } = contact ?? {};
  if (typeof optOutAt !== 'string' || (typeof optInAt === 'string' && optInAt > optOutAt)) return undefined;
  const isAnswer = typeof lastInboundAt === 'string' && lastInboundAt >= optOutAt;
  if (call.endpoint === 'message/v3' && isAnswer) return undefined;
  return `${call.endpoint} was called for ${call.requestId}, although the user had opted out at ${optOutAt}: ${serialize(call.body)}`;
};
