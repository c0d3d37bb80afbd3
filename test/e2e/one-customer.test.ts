import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage, wireStatus } from '../support/builders.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';

// One customer with two addresses, from the command line to the chat service and back: a phone number, and the ID that a
// platform shows in its place.

const PHONE = '+5491155568001';
const ID = 'AR.13491208655302741918';
const CUSTOMER_ID = 'customer-68001';

let run: CommandRun;
let client: CommandRun['client'];

beforeAll(async () => {
  run = await startCommandRun();
  ({ client } = run);
});
afterAll(() => run?.[Symbol.asyncDispose]());

const parley = async (...args: readonly string[]) => {
  const { code, out, err } = await run.parley([...args, '--json']);
  return { code, json: JSON.parse(out || err || '{}') };
};
const table = () => client.table();

it('sends to a customer ID, refuses it after an opt-out, and shows and erases the customer by that ID', async () => {
  await client.deliverEvent(wireMessage({ _id_: 'by-phone', FROM: PHONE, CUSTOMER_ID, CREATION_TIME: undefined }));
  await client.deliverEvent(wireMessage({ _id_: 'by-id', FROM: ID, CUSTOMER_ID, CREATION_TIME: undefined }));
  await client.deliverEvent(wireStatus({ _id_: 'of-phone', FROM: PHONE, CUSTOMER_ID, CREATION_TIME: undefined }));
  for (const id of ['by-phone', 'by-id', 'of-phone']) {
    await waitFor(`${id} is stored`, async () => (await table())[`MESSAGE#${id} MESSAGE`]);
  }

  await client.putRule('hello', { text: 'Hello.', category: 'similar' });
  expect(await parley('send', '--customer', CUSTOMER_ID, '--template', 'hello', '--wait')).toMatchObject({
    code: 0,
    json: { state: 'accepted', request: { customerId: CUSTOMER_ID }, platformContactId: ID },
  });
  expect((await client.outbox()).at(-1)?.body.platformContactId).toBe(ID);

  expect(await parley('opt-out', ID, '--source', 'call')).toMatchObject({ code: 0 });
  await parley('send', PHONE, '--text', 'Your parcel is here.', '--request-id', 'after-opt-out');
  const refused = await waitFor('the request is refused', async () => {
    const item = (await table())['SEND#after-opt-out SEND'];
    return item?.state === 'refused' ? item : undefined;
  });
  expect(refused).toMatchObject({
    code: 'OPTED_OUT',
    decision: expect.stringMatching(/The user opted out at \S+Z at another address/),
  });
  expect((await client.outbox()).filter(({ body }) => body.platformContactId === PHONE)).toEqual([]);

  await client.deliverEvent(wireStatus({ _id_: 'no-address', FROM: undefined, CUSTOMER_ID, CREATION_TIME: undefined }));
  // Quarantined: it has no ID, and names only the customer.
  await client.deliverEvent(wireMessage({ _id_: undefined, FROM: 'me', TO: undefined, CUSTOMER_ID }));
  await waitFor('the event is quarantined', async () =>
    (await client.queueDepth(run.cloud.inboundDeadLetterQueueUrl)) > 0 ? true : undefined,
  );
  const { json: conversation } = await parley('conversation', '--customer', CUSTOMER_ID);
  expect(conversation).toMatchObject({
    customer: { contacts: [expect.anything(), expect.anything()] },
    messages: [{ direction: 'outbound' }, { platformContactId: ID }, { platformContactId: PHONE }],
  });

  const { json: erasure } = await parley('erase', '--customer', CUSTOMER_ID, '--yes');
  expect(erasure.otherAddresses).toHaveLength(2);
  expect(erasure.deadLetters).toBeGreaterThan(0);
  await client.advanceClock(3);
  await waitFor('nothing is left of any name', async () => {
    const { code } = await parley('erasure-scan', PHONE, ID, '--customer', CUSTOMER_ID);
    return code === 0 ? true : undefined;
  });
});
