import type { Clock, ErasureQueue, ErasureStore, Randomness } from '../ports.ts';
import { type Answer, accepted, ok, problem } from './answer.ts';
import { type ContactNaming, contactOf } from './contact-of.ts';
import { type ManagementCall, readQuery } from './input.ts';
import { contactQuery, noQuery } from './requests.ts';

export interface RequestErasurePorts extends ContactNaming {
  readonly store: ErasureStore;
  readonly queue: ErasureQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Takes on the erasure of a contact, which may take longer than a call. Asking again begins another one, which finds
 * what came since.
 */
export const createRequestErasure =
  (ports: RequestErasurePorts) =>
  async ({ id, query: raw }: ManagementCall): Promise<Answer> => {
    const query = readQuery(contactQuery, raw);
    if (query.kind === 'faulty') return query.answer;
    const { store, queue, clock, randomness } = ports;
    const contact = contactOf(ports, { ...query.value, platformContactId: id });
    const erasureId = randomness.newId();
    const requestedAt = clock.now();
    await store.begin(erasureId, requestedAt);
    await queue.put({ erasureId, requestedAt, contact });
    return accepted({ erasureId, state: 'running', requestedAt, messages: 0, sends: 0, turns: 0 });
  };

/** How an erasure stands. */
export const createGetErasure =
  ({ store }: { readonly store: ErasureStore }) =>
  async ({ id, query: raw }: ManagementCall): Promise<Answer> => {
    const query = readQuery(noQuery, raw);
    if (query.kind === 'faulty') return query.answer;
    const erasure = await store.readErasure(id);
    return erasure ? ok(erasure) : problem(404, 'ERASURE_NOT_FOUND', `No erasure has the id ${id}.`);
  };
