import type { LocalClient } from '../../local/cloud/local-client.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import type { Phase } from './subject.ts';

const TEMPLATE = 'parcel_update';
/** The size of the chat service's event, without the envelope that delivers it. */
const EVENT_BYTES = 600;
/** How many users warm the functions up. */
export const WARM_UP = 100;

/**
 * Returns the phases of the main job: users write, receive an answer and a template, and their devices report Delivered
 * and Read. Each user is another one. The first users warm the functions up and are not counted.
 */
export const mainJobPhases = async (client: LocalClient, events: number): Promise<readonly Phase[]> => {
  await client.putRule(TEMPLATE, { text: 'Your parcel ${n} is on its way.', category: 'shipping-status' });
  const text = await eventText(client);
  const user = (index: number) => `+54911${50_000_000 + index}`;
  const path = (index: number) => `/users/${encodeURIComponent(user(index))}`;
  const device = (state: 'on' | 'off') => (index: number) => client.control('PATCH', path(index), { device: state });
  const write = (index: number) => client.userWrites(user(index), { text });
  const read = (index: number) => client.userReads(user(index));
  const answer = (index: number) =>
    client.enqueue({
      requestId: `answer-${index}`,
      platformContactId: user(index),
      messageText: 'Your parcel is on its way and arrives tomorrow between 9 and 12.',
    });
  const notify = (index: number) =>
    client.enqueue({
      requestId: `notify-${index}`,
      platformContactId: user(index),
      reason: 'shipping-status',
      ruleNameOrId: TEMPLATE,
      params: { n: String(index) },
    });
  const phasesOf = (first: number, times: number, isCounted: boolean): readonly Phase[] => {
    const phase = (kind: Phase['kind'], invocations: number, act: (index: number) => Promise<unknown>): Phase => ({
      kind: isCounted ? kind : undefined,
      times,
      invocations,
      act: (index) => act(first + index),
    });
    return [
      phase('inbound message', 1, write),
      // A device that is off delays the statuses until the sends have been counted.
      phase(undefined, 0, device('off')),
      phase('send, free-form', 1, answer),
      phase('status', 1, device('on')),
      phase('status', 1, read),
      phase(undefined, 0, device('off')),
      phase('send, template', 1, notify),
    ];
  };
  return [...phasesOf(0, WARM_UP, false), ...phasesOf(WARM_UP, events, true)];
};

/** Returns the text of a message whose event has the size that is counted. */
export const eventText = async (client: LocalClient): Promise<string> => {
  const id = await client.userWrites('+5491149999999', { text: 'x' });
  const overhead = Buffer.byteLength(JSON.stringify(await deliveredEvent(client, id))) - 1;
  return 'Where is my parcel? '.repeat(EVENT_BYTES).slice(0, EVENT_BYTES - overhead);
};

/** Returns the event of a message once it is delivered. */
export const deliveredEvent = async (client: LocalClient, id: string): Promise<unknown> => {
  const { event } = await waitFor('the event is delivered', async () =>
    (await client.deliveries()).find(
      (delivery) => delivery.status === 200 && JSON.stringify(delivery.event).includes(id),
    ),
  );
  return event;
};
