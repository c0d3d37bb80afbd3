const CONCURRENCY = 16;

export const contactOf = (user: number): string => `+54911${String(60_000_000 + user)}`;

/**
 * Adds users and their messages. The last `talkative` messages come from the first user; the rest are spread evenly over
 * all users.
 */
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
  await concurrently(users, (user) => call('PATCH', path(user), { name: `User ${user} of ${users}` }));
  await concurrently(messages - talkative, (message) =>
    call('POST', `${path(message % users)}/messages`, { text: `Question ${message}` }),
  );
  // Sequential, because tests check the order of these messages.
  for (let message = 0; message < talkative; message += 1) {
    await call('POST', `${path(0)}/messages`, { text: `Message ${message} of User 0` });
  }
};

const concurrently = async (count: number, work: (index: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
};
