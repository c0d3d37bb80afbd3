import { addMs } from '../../../lambdas/domain/instant.ts';
import { USER } from '../../support/builders.ts';
import { requestIdIn } from '../world/journal.ts';
import { createSimulatedTable } from '../world/table.ts';
import { repositoriesOf, storeEvent, wireMessage, wireStatus } from './prepared.ts';
import { type Scene, userRef } from './scene.ts';
import type { SceneEvent } from './scene-options.ts';

/**
 * The table, for a function whose writes of sends take turns with those of the function `send`. Its writes of messages
 * commute with every other: they set other attributes, or the same ones to the same values.
 */
const sharedTableOf = ({ turns, table, options: { independence } }: Scene) =>
  createSimulatedTable(table, async (label, perform, _, touches) =>
    independence && label.startsWith('write MESSAGE#')
      ? perform()
      : turns.call({ process: 'post0.1', label, perform, canEndProcess: false, ...(touches && { touches }) }),
  );

/** The contact is read and written, decides what a claim may do, and decides what the chat service answers. */
const dependsOnContact = (waiting: readonly string[]): boolean =>
  waiting.some((label) => label.includes('CONTACT#') || label.endsWith(' as claimed') || label.startsWith('call '));

const CONTACT = `CONTACT#chat#*#${userRef.key}`;

/** The user writes, and the webhook stores the message. `afterMs` is how much time passes before. */
export const userWrites = ({ afterMs = 0 } = {}): SceneEvent => ({
  label: `the user writes, ${afterMs} ms later`,
  writes: `${CONTACT} CONTACT`,
  ...(afterMs > 0 ? { movesClock: true } : { matters: dependsOnContact }),
  happen(scene) {
    scene.clock.moveTo(scene.clock.ms + afterMs);
    scene.chatService.userWrites(USER);
    return storeEvent(scene, wireMessage({ CREATION_TIME: scene.clock.now(), _id_: 'message-of-the-user' }));
  },
});

/** An operator records that the user opted out. */
export const optOut: SceneEvent = {
  label: 'the user opts out',
  writes: `${CONTACT} CONSENT`,
  matters: dependsOnContact,
  happen: (scene) =>
    repositoriesOf(scene).contacts.recordConsent(userRef, {
      kind: 'opt-out',
      origin: 'user',
      at: scene.clock.now(),
      source: 'call',
    }),
};

/** A system loads a list that says that the user opted in, later than anything else. */
export const importsOptIn: SceneEvent = {
  label: 'an import opts the user in',
  writes: `${CONTACT} CONSENT`,
  matters: dependsOnContact,
  happen: (scene) =>
    repositoriesOf(scene).contacts.recordConsent(userRef, {
      kind: 'opt-in',
      origin: 'import',
      at: addMs(scene.clock.now(), 24),
      source: 'list',
    }),
};

/** A status of the message that reached the user last. */
export const status: SceneEvent = {
  label: 'a status of the last message arrives',
  writes: 'MESSAGE#message-1 MESSAGE',
  isPossible: ({ chatService }) => chatService.effects.length > 0,
  happen(scene) {
    const effect = scene.chatService.effects.at(-1);
    const CLIENT_PAYLOAD = requestIdIn(effect?.body);
    const event = wireStatus({ _id_: effect?.id, CREATION_TIME: scene.clock.now(), CLIENT_PAYLOAD });
    return storeEvent(scene, event, sharedTableOf(scene));
  },
};

/** The account gets credit, before its second call at the latest. */
export const credit: SceneEvent = {
  label: 'the account gets credit',
  writes: 'the chat service',
  // At any other time it would have no effect before the next call.
  isPossible: ({ turns }) => turns.waitingCalls().some((label) => label.startsWith('call ')),
  isDue: ({ journal }) => journal.calls.length >= 2,
  happen: ({ chatService }) => chatService.setCredit(true),
};
