import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../local/demo/wait-for.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';

// What holds all requests of a stage, an operator's stop or an open circuit breaker, from the command line to the chat
// service and back. Time passes on the run's clock.

let run: CommandRun;
let cloud: CommandRun['cloud'];
let client: CommandRun['client'];

beforeAll(async () => {
  run = await startCommandRun();
  ({ cloud, client } = run);
});
afterAll(() => run?.[Symbol.asyncDispose]());

const parley = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await run.parley(args);
  if (code !== 0) throw new Error(`parley ${args.join(' ')} failed with ${code}: ${err}`);
  return out;
};
const parleyJson = async (...args: readonly string[]) => JSON.parse(await parley(...args, '--json'));
const becomes = (requestId: string, state: string) =>
  waitFor(`${requestId} is ${state}`, async () => {
    const item = (await client.table())[`SEND#${requestId} SEND`];
    return item?.state === state ? item : undefined;
  });
const openWindow = async (contact: string) => {
  const id = await client.userWrites(contact, { text: 'Hi' });
  await waitFor('the window is open', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
};
const textsTo = async (...contacts: readonly string[]) =>
  (await client.outbox())
    .filter(({ body }) => contacts.includes(String(body.platformContactId)))
    .map(({ body }) => body.messageText);
const eventsNamed = (...names: readonly string[]) =>
  cloud.emulators.buses.events(cloud.eventBusName).filter((event) => names.includes(event['detail-type']));

/** What a function has read of the account is trusted for five seconds. */
const forgetAccount = () => client.advanceClock(6);

describe('an operator', () => {
  it('stops sending: requests wait with the reason, can be cancelled, and are sent in order, once, after a resumption', async () => {
    const [ana, bruno] = ['+5491155550401', '+5491155550402'];
    await openWindow(ana);
    await openWindow(bruno);
    expect(await parley('sending', 'stop', '--note', 'Wrong price')).toMatch(/^Sending has been stopped .*Wrong price/);
    await forgetAccount();

    await parley('send', ana, '--text', 'One', '--request-id', 'stopped-1');
    await parley('send', ana, '--text', 'Two', '--request-id', 'stopped-2');
    await parley('send', bruno, '--text', 'Three', '--request-id', 'stopped-3');
    await becomes('stopped-1', 'waiting');
    await becomes('stopped-3', 'waiting');

    const { sends } = await parleyJson('sends', 'list', '--state', 'waiting');
    const waiting = Object.fromEntries(
      sends.map(({ requestId, decision, outcome }: Record<string, string>) => [requestId, outcome ?? decision]),
    );
    expect(waiting).toMatchObject({
      'stopped-1': expect.stringMatching(/^An operator stopped sending at /),
      'stopped-3': expect.stringMatching(/^An operator stopped sending at /),
    });
    expect(await parley('status', 'stopped-1')).toMatch(/waiting[\s\S]*An operator stopped sending at /);
    expect(await parley('status', 'stopped-2')).not.toContain('accepted');
    expect(await parley('cancel', 'stopped-3')).toContain('cancelled');
    await client.advanceClock(10 * 60);
    expect(await textsTo(ana, bruno)).toEqual([]);

    expect(await parley('sending', 'resume')).toContain('Sending is not stopped.');
    // Longer than any of them waits before it asks again.
    await client.advanceClock(15 * 60);
    await becomes('stopped-2', 'accepted');

    await client.enqueue({ requestId: 'behind', platformContactId: bruno, messageText: 'Four' });
    await becomes('behind', 'accepted');
    expect(await textsTo(ana)).toEqual(['One', 'Two']);
    expect(await textsTo(bruno)).toEqual(['Four']);
    expect((await parleyJson('status', 'stopped-3')).state).toBe('cancelled');
    const published = await waitFor('both events are published', async () => {
      const events = eventsNamed('SendingStopped', 'SendingResumed');
      return events.length >= 2 ? events : undefined;
    });
    expect(published.map((event) => event['detail-type'])).toEqual(['SendingStopped', 'SendingResumed']);
    expect(published[0]?.detail).toMatchObject({ content: { note: 'Wrong price' } });
  });

  it('makes the next probe of an open circuit breaker due, and does not wait for minutes after the credit is paid', async () => {
    const [carla, diego] = ['+5491155550403', '+5491155550404'];
    await openWindow(carla);
    await openWindow(diego);
    await client.control('PATCH', '/account', { credit: 0 });
    await client.enqueue({ requestId: 'unpaid', platformContactId: carla, messageText: 'One' });
    await becomes('unpaid', 'waiting');
    const nextProbeAt = await waitFor('the next probe is due in minutes, and none is in flight', async () => {
      await client.advanceClock(20);
      const circuit = Object.values(await client.table()).find((item) => item.nextProbeAt !== undefined);
      if (circuit === undefined || circuit.probeId !== undefined) return undefined;
      const at = String(circuit.nextProbeAt);
      return Date.parse(at) - cloud.clock.now().getTime() > 120_000 ? at : undefined;
    });

    await client.control('PATCH', '/account', { credit: 1000 });
    expect(await parley('sending', 'retry-now', '--note', 'Paid')).toContain('The next request that Parley receives');
    await client.enqueue({ requestId: 'paid', platformContactId: diego, messageText: 'Two' });
    // Either request can be the probe. A request asks again a few seconds later at the earliest.
    await waitFor('a request is accepted', async () => {
      if (cloud.clock.now().getTime() + 10_000 < Date.parse(nextProbeAt)) await forgetAccount();
      const items = Object.values(await client.table());
      return items.some(({ body, state }) => state === 'accepted' && /"(un)?paid"/.test(String(body))) || undefined;
    });
    expect(cloud.clock.now().toISOString() < nextProbeAt).toBe(true);
    expect(await parley('sending', 'status')).toContain('The circuit breaker is closed.');

    await client.advanceClock(5 * 60);
    await becomes('unpaid', 'accepted');
    await becomes('paid', 'accepted');
    expect((await textsTo(carla, diego)).toSorted()).toEqual(['One', 'Two']);
  });
});
