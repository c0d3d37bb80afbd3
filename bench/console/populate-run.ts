import { setTimeout as pause } from 'node:timers/promises';
import { contactOf, populate } from '../../test/browser/populate.ts';

const POLL_MS = 500;
const LIMIT_MS = 600_000;
/** As many as a developer's system would have in flight. More would not make the local run faster. */
const CONCURRENCY = 8;
/** Users to whom one send ends without an answer. Others are sent to in between: in a row, they would open the circuit breaker. */
const UNLUCKY_USERS = [15, 115, 215, 315] as const;

/** The seconds until all events were received, and until all requests had their states. */
export interface Populated {
  readonly receivedSeconds: number;
  readonly sentSeconds: number;
  /** How many requests there are by state. */
  readonly states: Readonly<Record<string, number>>;
}

/** The amounts. User 0 wrote a tenth of the events. */
export interface Amounts {
  readonly users: number;
  readonly events: number;
  readonly requests: number;
}

/** A request of a few kinds, so that the list of all requests has several states. */
const requestOf = (index: number, users: number) => {
  const request = { requestId: `order-${index}`, platformContactId: contactOf(index % users) };
  // Nobody with this number has written, so the window is closed.
  if (index % 5 === 1) return { ...request, platformContactId: `+54922${70_000_000 + index}`, messageText: 'Hello?' };
  if (index % 10 === 2) return { ...request, messageText: 'Later', sendAt: new Date(Date.now() + 864e5).toISOString() };
  if (index % 20 === 3) return { ...request, ruleNameOrId: 'unknown_template', reason: 'similar' };
  if (index % 20 === 4) return { ...request, messageText: 'Too late', notAfter: '2020-01-01T00:00:00Z' };
  return { ...request, messageText: `Order ${index} is on its way.` };
};

/** Fills a local run through its webhook and its send queue, and waits until the functions are done. */
export const populateRun = async (url: string, { users, events, requests }: Amounts): Promise<Populated> => {
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return Object(await response.json());
  };
  const until = async (what: string, isDone: () => Promise<boolean>) => {
    const start = Date.now();
    while (!(await isDone())) {
      if (Date.now() - start > LIMIT_MS) throw new Error(`Expected within ${LIMIT_MS / 1000} seconds: ${what}.`);
      await pause(POLL_MS);
    }
  };
  const states = async (): Promise<Record<string, number>> => (await call('GET', '/inspector/sends')).states;

  const start = Date.now();
  await populate(url, { users, messages: events, talkative: Math.floor(events / 10) });
  await until('every event is acknowledged', async () => (await call('GET', '/sandbox/state')).pending === 0);
  const received = Date.now();

  // The inspector lists the requests that it has seen since it was first asked.
  await states();
  for (const user of UNLUCKY_USERS) {
    await call('POST', '/sandbox/faults', { answers: { status: 502, contact: contactOf(user) } });
  }
  let next = 0;
  const enqueueSome = async () => {
    while (next < requests) {
      const body = requestOf(next++, users);
      const { platformContactId: groupId, requestId: deduplicationId } = body;
      await call('POST', '/inspector/requests', { body, groupId, deduplicationId });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, enqueueSome));
  const count = async () => Object.values(await states()).reduce((total, each) => total + each, 0);
  const unfinished = async () => {
    const { queued = 0, claimed = 0, waiting = 0 } = await states();
    return queued + claimed + waiting;
  };
  const isDone = async () => (await count()) >= requests && (await unfinished()) === 0;
  await until('every request has its state', isDone);
  return {
    receivedSeconds: (received - start) / 1000,
    sentSeconds: (Date.now() - received) / 1000,
    states: await states(),
  };
};
