import { bodyOf } from '../world/post.ts';
import type { Scene } from './scene.ts';
import type { SceneInvariant } from './scene-invariants.ts';
import { answeredCalls, containsText, placesOf, recordOf } from './scene-view.ts';

/** Texts that identify stored data: of the erased contact before and after the request, and of another contact. */
export const BEFORE = 'said before the erasure';
export const AFTER = 'said after the erasure';
export const OTHER = 'said by somebody else';

export const ERASING_INVARIANTS = {
  erasureEnds: {
    sentence: 'Every accepted erasure ends, and its record says so.',
    atEnd(scene) {
      if (!scene.options.consumes?.includes('erasures')) return undefined;
      const accepted = answeredCalls(scene).filter(
        ({ request, status }) => request.route === 'eraseContact' && status === 202,
      );
      const missing = accepted.find(({ body }) => scene.item(`ERASURE#${String(body.erasureId)}`) === undefined);
      if (missing) return `${missing.name} has no record.`;
      const running = erasures(scene).find(({ state }) => state !== 'done');
      return running && `${String(running.pk)} is ${String(running.state)}.`;
    },
  },

  nothingOfBeforeRemains: {
    sentence: 'After an erasure, nothing that was stored before the request remains, not even in a dead letter.',
    atEnd(scene) {
      if (!erasures(scene).some(({ state }) => state === 'done')) return undefined;
      const places = placesOf(scene, BEFORE);
      return places.length === 0 ? undefined : `It remains in ${places.join(', ')}.`;
    },
  },

  erasedIsNotSent: {
    sentence: 'A request that was queued before the erasure is not sent after the erasure is done.',
    atCall(scene, process, label) {
      if (!/^call (message|intent)/.test(label)) return undefined;
      const isDone = erasures(scene).some(({ state }) => state === 'done');
      return isDone ? `${process} calls after the erasure.` : undefined;
    },
  },

  nothingLaterErased: {
    sentence: 'An event with a later time, and a consent that is recorded later, survive the erasure unchanged.',
    atEnd(scene) {
      for (const [place, post] of (scene.options.posts ?? []).entries()) {
        const body = bodyOf(post);
        if (!body.includes(AFTER) || !scene.sender.acknowledged.has(place)) continue;
        const isStored = [...scene.table.items.values()].some((item) => item.body === body);
        if (!isStored && placesOf(scene, AFTER).length === 0) return `It was erased: ${body}`;
      }
      const consents = answeredCalls(scene).filter(
        ({ request, status }) =>
          /^opt/.test(request.route) && status === 200 && recordOf(request.body).source === AFTER,
      );
      const lost = consents.find(
        () => ![...scene.table.items.values()].some((item) => item.sk === 'CONSENT' && containsText(item, AFTER)),
      );
      return lost && `The consent of ${lost.name} was erased.`;
    },
  },

  othersUntouched: {
    sentence: 'No data of another contact is erased.',
    atEnd(scene) {
      const { table } = scene;
      if (!scene.facts.has(OTHER)) return undefined;
      const isThere = [...table.items.values()].some((item) => containsText(item, OTHER));
      return isThere || placesOf(scene, OTHER).length > 0 ? undefined : 'What somebody else said was erased.';
    },
  },

  countsAtMost: {
    sentence:
      'Each message and each send is counted at most once, by one erasure, even if passes are repeated. A dead ' +
      'letter is counted at most once per erasure, so two concurrent erasures can both count it.',
    atEnd(scene) {
      const { erasable } = scene.options;
      if (erasable === undefined) return undefined;
      const numbers = (name: keyof typeof erasable) => erasures(scene).map((erasure) => Number(erasure[name]));
      const sum = (name: keyof typeof erasable) => numbers(name).reduce((total, count) => total + count, 0);
      const counts = {
        messages: sum('messages'),
        sends: sum('sends'),
        deadLetters: Math.max(0, ...numbers('deadLetters')),
      };
      const name = NAMES.find((one) => counts[one] > erasable[one]);
      return name && `${counts[name]} ${name} were counted, and there were ${erasable[name]}.`;
    },
  },

  deadLettersKept: {
    sentence:
      'A dead letter is in its queue, or can be read, until it is redriven, deleted, or erased with its contact.',
    atEnd(scene) {
      const { deadLetters = [] } = scene.options;
      const isErased = erasures(scene).some(({ state }) => state === 'done');
      const isDeleted = answeredCalls(scene).some(
        ({ request, status }) => request.route === 'deleteDeadLetter' && status === 200,
      );
      if (isErased || isDeleted) return undefined;
      const lost = deadLetters.find((text) => !placesOf(scene, text).some((place) => isReadable(scene, place)));
      return lost && `"${lost}" is nowhere but in ${placesOf(scene, lost).join(', ') || 'the past'}.`;
    },
  },

  keptDeadLetterIsWhole: {
    sentence:
      'A dead letter that is listed can be read, unless it is being deleted. One that is stored is listed, unless its ' +
      'move to the table was interrupted: then it is still in its queue, or was redriven from there, and an erasure ' +
      'finds the rest by its contact.',
    atEnd(scene) {
      const parts = [...scene.table.items.keys()].filter((name) => /^DEADLETTER#.* PART#/.test(name));
      const queued = Object.values(scene.queues).flatMap((queue) => queue.messages().map(({ body }) => body));
      const isQueued = (name: string) => queued.some((body) => containsText(scene.table.items.get(name), body));
      const isStored = (name: string, kind: string) => scene.table.items.has(`${name.split(' ')[0]} ${kind}`);
      const { callers = [], consumes = [] } = scene.options;
      const isInterrupted =
        scene.facts.has('a fault') && callers.some(({ request }) => request.route === 'redriveDeadLetters');
      const unlisted = parts.find(
        (name) => !isStored(name, 'DEADLETTER') && !isQueued(name) && !(isInterrupted && isStored(name, 'CONTACT#0')),
      );
      if (unlisted) return `${unlisted} is not listed.`;
      const listed = [...scene.table.items.values()].filter(({ sk }) => sk === 'DEADLETTER');
      const isDeleting = callers.length > 0 || consumes.includes('erasures');
      const unreadable = listed.find(
        ({ pk, parts: count }) => parts.filter((name) => name.startsWith(`${pk} `)).length < Number(count),
      );
      if (unreadable && !isDeleting) return `${unreadable.pk} is listed and cannot be read.`;
      // A process that dies during a deletion leaves them to an erasure.
      if (scene.facts.has('a fault')) return undefined;
      const contacts = [...scene.table.items.keys()].filter((name) => /^DEADLETTER#.* CONTACT#/.test(name));
      const lonely = contacts.find((name) => !parts.some((part) => part.startsWith(name.split(' ')[0] ?? '')));
      return lonely && `${lonely} names a contact, and its dead letter is gone.`;
    },
  },

  redriveDelivers: {
    sentence:
      'After a redrive that reports that it is complete, every quarantined event is stored, unless a failed call ' +
      'had received it. Such an event stays in its queue.',
    atEnd(scene) {
      const isRedriven = answeredCalls(scene).some(
        ({ request, status, body }) =>
          request.route === 'redriveDeadLetters' && status === 200 && body.isComplete === true,
      );
      const { deadLetters = [], keeps = 0 } = scene.options;
      // While dead letters move to the table, a redrive may see one in neither place.
      const isDeleted = scene.options.callers?.some(({ request }) => request.route === 'deleteDeadLetter') === true;
      if (!isRedriven || isDeleted || keeps > 0 || erasures(scene).length > 0) return undefined;
      const isDelivered = (place: string): boolean =>
        place.startsWith('MESSAGE#') || (place === 'inboundDeadLetters' && scene.facts.has('a fault'));
      const missing = deadLetters.find((text) => !placesOf(scene, text).some(isDelivered));
      return missing && `"${missing}" was redriven, and is not stored.`;
    },
  },
} as const satisfies Record<string, SceneInvariant>;

const NAMES = ['messages', 'sends', 'deadLetters'] as const;

export const erasures = ({ table }: Scene) =>
  [...table.items.values()].filter(({ pk }) => String(pk).startsWith('ERASURE#'));

/** Whether a place shows a dead letter to an operator, or contains its redriven message. */
const isReadable = ({ table }: Scene, place: string): boolean => {
  const [, pk] = /^(DEADLETTER#\S+) PART#/.exec(place) ?? [];
  return pk === undefined ? !place.startsWith('DEADLETTER#') : table.items.has(`${pk} DEADLETTER`);
};
