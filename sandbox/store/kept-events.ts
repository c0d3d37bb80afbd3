import type { CarrierMessage, DeliveryAttempt } from '../carrier/carrier-message.ts';
import type { Store } from './store.ts';

/** How many attempts a data file keeps for the view of the deliveries. */
const MAX_KEPT_ATTEMPTS = 5_000;

/** The carrier's part of a store. Bodies never change, so each is written once and not with each attempt. */
export type KeptEvents = {
  load(): { messages: CarrierMessage[]; attempts: DeliveryAttempt[] };
  keepBody(message: CarrierMessage): void;
  keep(message: CarrierMessage): void;
  keepAttempt(attempt: DeliveryAttempt): void;
  forget(message: CarrierMessage): void;
  clear(): void;
};

type Meta = Omit<CarrierMessage, 'body'>;

export const createKeptEvents = (store: Store): KeptEvents => {
  let nextAttempt = 0;
  return {
    load: () => {
      const bodies = new Map(store.load<Uint8Array>('eventBodies'));
      const messages = store.load<Meta>('events').flatMap(([key, meta]) => {
        const body = bodies.get(key);
        // Who asks to confirm a subscription asks anew after a restart.
        return body === undefined || meta.confirmationToken !== undefined ? [] : { ...meta, body };
      });
      const attempts = store.load<DeliveryAttempt>('attempts');
      nextAttempt = Number(attempts.at(-1)?.[0] ?? -1) + 1;
      return { messages, attempts: attempts.map(([, attempt]) => attempt) };
    },
    keepBody: ({ messageId, body }) => store.put('eventBodies', messageId, body),
    keep: ({ body: _body, ...meta }) => store.put('events', meta.messageId, meta),
    keepAttempt: (attempt) => {
      store.put('attempts', String(nextAttempt), attempt);
      store.delete('attempts', String(nextAttempt - MAX_KEPT_ATTEMPTS));
      nextAttempt += 1;
    },
    forget: ({ messageId }) => {
      store.delete('events', messageId);
      store.delete('eventBodies', messageId);
    },
    clear: () => {
      for (const collection of ['events', 'eventBodies', 'attempts']) store.clear(collection);
    },
  };
};
