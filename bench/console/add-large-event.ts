const ROWS = 1_000;

/** Delivers an event of about 100 KB: a user's message with an attribute that the contract does not name. Returns its id. */
export const addLargeEvent = async (url: string, contact: string): Promise<string> => {
  const json = async (path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return Object(await response.json());
  };
  const { _id_ } = await json(`/sandbox/users/${encodeURIComponent(contact)}/messages`, { text: 'As an example' });
  const eventOf = async (id: string) =>
    (await json(`/console/messages/${encodeURIComponent(id)}`)).deliveries[0]?.event;
  let example = await eventOf(_id_);
  while (example === undefined) example = await eventOf(_id_);
  const parcels = Array.from({ length: ROWS }, (_, index) => ({
    parcel: `parcel-${index}`,
    isThere: index % 2 === 0,
    weightGrams: index * 10,
    note: 'Leave it at the door.',
  }));
  const id = `${_id_}-large`;
  await json('/sandbox/events', { ...example, _id_: id, PARCELS: parcels });
  return id;
};
