const SIDE_BY_SIDE = 16;

export const contactOf = (user: number): string => `+54911${String(60_000_000 + user)}`;

/** Lets users write: `talkative` of the messages are the first user's, who writes last; the others' go around. */
export const populate = async (
  url: string,
  { users, messages, talkative = 0 }: { users: number; messages: number; talkative?: number },
): Promise<void> => {
  const call = async (method: string, path: string, body: unknown) => {
    const response = await fetch(`${url}/sandbox${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const path = (user: number) => `/users/${encodeURIComponent(contactOf(user))}`;
  await sideBySide(users, (user) => call('PATCH', path(user), { name: `User ${user} of ${users}` }));
  await sideBySide(messages - talkative, (message) =>
    call('POST', `${path(message % users)}/messages`, { text: `Question ${message}` }),
  );
  // One after another: their order is looked at.
  for (let message = 0; message < talkative; message += 1) {
    await call('POST', `${path(0)}/messages`, { text: `Message ${message} of User 0` });
  }
};

const sideBySide = async (count: number, work: (index: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
};
