import { contactKey } from '../../../../lambdas/domain/contact.ts';
import { firstOf, INBOUND, keptWindowsOf, keywordsIn, queuedIn, windowEventsOf } from './receiving-invariants.ts';
import { confirmationsIn } from './stage-events.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const CONFIRMING_INVARIANTS = {
  optOutsConfirmed: {
    sentence:
      'In a stage that confirms opt-outs, when a message that is `STOP` and has a time of its own is acknowledged or ' +
      'leaves the inbound queue, the confirmation is on the send queue or was there, and not before the message and the ' +
      'opt-out were stored.',
    check(facts, { checked, violated }) {
      if (facts.run.history.features.rules.optOutConfirmation === undefined) return;
      const deferred = queuedIn(facts, INBOUND);
      const drained = firstOf(facts.entries('deleted').filter(({ queue }) => queue === 'inbound'));
      const answers = Map.groupBy(facts.entries('delivery-answer'), ({ eventId }) => eventId);
      const keywords = keywordsIn(facts, keptWindowsOf(facts));
      const confirmations = confirmationsIn(facts);
      const stopped = new Map<string, Set<string>>();
      const stored = keywords.flatMap(({ eventId, body, parts, contact, key }) => {
        const isDeferred = (index: number) => (deferred.get(body) ?? index) < index;
        const answer = answers.get(eventId)?.find(({ status, index }) => status < 300 && !isDeferred(index));
        const id = parts[0]?.id ?? '';
        return [answer?.index, drained.get(body)].flatMap((index) =>
          index === undefined ? [] : [{ index, id, contact, key }],
        );
      });
      for (const { index, id, contact, key } of stored.toSorted((one, other) => one.index - other.index)) {
        if (facts.itemBefore(`MESSAGE#${id} MESSAGE`, index)?.createdAtSource !== 'event') continue;
        checked();
        const ids = stopped.get(key) ?? new Set();
        stopped.set(key, ids.add(id));
        const queued = confirmations.filter((one) => one.index < index && contactKey(one.platformContactId) === key);
        if (new Set(queued.map(({ requestId }) => requestId)).size < ids.size) {
          violated(`${contact} wrote STOP, which is not confirmed.`, index);
        }
      }
      for (const { index, platformContactId } of confirmations) {
        const key = contactKey(platformContactId);
        const isStored = windowEventsOf(facts).some(
          (event) =>
            event.key === key &&
            keywordsIn(facts, [event]).length > 0 &&
            [`MESSAGE#${event.parts[0]?.id} MESSAGE`, `${event.contact} CONSENT`, `${event.contact} CONTACT`].every(
              (name) => facts.writesOf(name).some((write) => write.index < index),
            ),
        );
        if (!isStored)
          violated(`A confirmation for ${platformContactId} was queued before the opt-out was stored.`, index);
      }
    },
  },

  confirmedOnce: {
    sentence:
      'In a stage that confirms opt-outs, a user gets the text only as a confirmation, and at most as many as the user ' +
      'wrote different messages that are `STOP`.',
    check(facts, { checked, violated }) {
      const text = facts.run.history.features.rules.optOutConfirmation;
      if (text === undefined) return;
      const keywords = keywordsIn(facts, windowEventsOf(facts));
      const confirmed = new Map<string, Set<string>>();
      for (const { body, effect, requestId, index } of facts.calls) {
        if (effect === undefined || body.messageText !== text) continue;
        checked();
        const key = contactKey(String(body.platformContactId));
        const ids = confirmed.get(key) ?? new Set();
        confirmed.set(key, ids.add(requestId));
        const written = keywords.filter((event) => event.key === key && event.index < index);
        if (ids.size > new Set(written.map(({ parts }) => parts[0]?.id)).size) {
          violated(`${requestId} confirms an opt-out that was already confirmed.`, index);
        }
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;
