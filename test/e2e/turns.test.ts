import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage } from '../support/builders.ts';
import { startTestCloud } from '../support/test-cloud.ts';

// The messages of a turn are one event: from the webhook through the transaction, the stream, and the delayed queue,
// with events that arrive twice, late, and during the silence.

const USERS = ['+5491155550701', '+5491155550702', '+5491155550703'];
const SILENCE_SECONDS = 300;
let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud({ settings: { turns: { silenceSeconds: SILENCE_SECONDS }, events: { content: true } } });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

interface Turn {
  readonly platformContactId: string;
  readonly messages: readonly { readonly messageId: string; readonly at: string }[];
  readonly content: { readonly messages: readonly { readonly text: string }[] };
}

const nameOf = (user: string) => `CONTACT#chat#*#${user.replace('+549', '54')} TURN`;
const turnsOf = (user: string) =>
  cloud.emulators.buses
    .events(cloud.eventBusName)
    .filter((event) => event['detail-type'] === 'TurnEnded')
    .map(({ detail }) => detail as unknown as Turn)
    .filter(({ platformContactId }) => platformContactId === user);

const untilStored = (user: string, messages: number) =>
  waitFor(`${messages} messages of ${user} are in a turn`, async () => {
    const ids = (await client.table())[nameOf(user)]?.messageIds;
    return ids instanceof Set && ids.size === messages ? true : undefined;
  });
/** Moves the clock of the run until a user's turn is published. */
const untilPublished = (user: string, turns: number) =>
  waitFor(`turn ${turns} of ${user} is published`, async () => {
    await client.advanceClock(SILENCE_SECONDS);
    return turnsOf(user).length === turns ? true : undefined;
  });
const event = (user: string, id: string, changes: Record<string, unknown> = {}) =>
  wireMessage({
    _id_: id,
    FROM: user,
    MESSAGE: `The text of ${id}`,
    CREATION_TIME: new Date().toISOString(),
    ...changes,
  });

it('publishes the messages of a turn as one event, once', async () => {
  const [user = ''] = USERS;
  const burst = ['a', 'b', 'c'].map((id, index) =>
    event(user, id, { CREATION_TIME: new Date(Date.now() + index).toISOString() }),
  );
  for (const one of [...burst, ...burst]) await client.deliverEvent(one);
  await untilStored(user, 3);
  await untilPublished(user, 1);
  expect(turnsOf(user)).toMatchObject([
    {
      messages: [{ messageId: 'a' }, { messageId: 'b' }, { messageId: 'c' }],
      content: { messages: [{ text: 'The text of a' }, { text: 'The text of b' }, { text: 'The text of c' }] },
    },
  ]);

  // A late message, and a repetition, after the turn has ended.
  const late = event(user, 'late', { CREATION_TIME: new Date(Date.now() - 5 * 24 * 3_600_000).toISOString() });
  for (const one of [burst[0], late]) await client.deliverEvent(one);
  await untilStored(user, 1);
  await untilPublished(user, 2);
  expect(turnsOf(user).map(({ messages }) => messages.length)).toEqual([3, 1]);
  expect((await client.table())[nameOf(user)]).toBeUndefined();
});

it('puts each of many concurrent messages into one turn', async () => {
  const [, user = '', other = ''] = USERS;
  const events = Array.from({ length: 24 }, (_, index) => event(index % 2 === 0 ? user : other, `n${index}`));
  await Promise.all([...events, ...events].map((one) => client.deliverEvent(one)));
  for (const contact of [user, other]) await untilStored(contact, 12);
  for (const contact of [user, other]) await untilPublished(contact, 1);
  const idsOf = (contact: string) =>
    turnsOf(contact).flatMap(({ messages }) => messages.map(({ messageId }) => messageId));
  for (const [index, contact] of [user, other].entries()) {
    const expected = Array.from({ length: 12 }, (_, place) => `n${2 * place + index}`);
    expect(idsOf(contact).toSorted()).toEqual(expected.toSorted());
  }
});
