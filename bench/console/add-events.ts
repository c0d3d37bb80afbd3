import { setTimeout as pause } from 'node:timers/promises';

const ROWS = 1_000;
const DEAD_LETTERS = 5;

const call = async (url: string, path: string, body?: unknown) => {
  const response = await fetch(`${url}${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return Object(await response.json());
};

/** Delivers events that Parley cannot read, and waits until they are dead letters. */
export const addDeadLetters = async (url: string): Promise<void> => {
  for (let index = 0; index < DEAD_LETTERS; index += 1) await call(url, '/sandbox/events', { unreadable: index });
  for (;;) {
    const { inboundDeadLetters } = await call(url, '/inspector/depths');
    if (inboundDeadLetters >= DEAD_LETTERS) return;
    await pause(100);
  }
};

/** Delivers an event of about 100 KB: a user's message with an attribute that the contract does not name. Returns its id. */
export const addLargeEvent = async (url: string, contact: string): Promise<string> => {
  const { _id_ } = await call(url, `/sandbox/users/${encodeURIComponent(contact)}/messages`, { text: 'As an example' });
  const eventOf = async (id: string) =>
    (await call(url, `/console/messages/${encodeURIComponent(id)}`)).deliveries[0]?.event;
  let example = await eventOf(_id_);
  while (example === undefined) example = await eventOf(_id_);
  const parcels = Array.from({ length: ROWS }, (_, index) => ({
    parcel: `parcel-${index}`,
    isThere: index % 2 === 0,
    weightGrams: index * 10,
    note: 'Leave it at the door.',
  }));
  const id = `${_id_}-large`;
  await call(url, '/sandbox/events', { ...example, _id_: id, PARCELS: parcels });
  return id;
};
