import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../local/demo/wait-for.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';

// A bot must be silent while a person answers: from the operator's message in the console of the chat service to the
// refusal of what the bot has queued, the events, and the handback.

const CONTACT = '+5491155550502';
let run: CommandRun;

beforeAll(async () => {
  run = await startCommandRun({ settings: { operators: { echoField: 'OPERATOR_ID', handoverMinutes: 30 } } });
});
afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const enqueue = (requestId: string, automated: boolean) =>
  run.client.enqueue({ requestId, platformContactId: CONTACT, messageText: `${requestId} says hello.`, automated });

const decided = (requestId: string) =>
  waitFor(`${requestId} is decided`, async () => {
    const send = (await run.client.table())[`SEND#${requestId} SEND`];
    return send?.state === 'refused' || send?.state === 'accepted' ? send : undefined;
  });

const published = (name: string) =>
  waitFor(`${name} is published`, async () =>
    run.cloud.emulators.buses.events(run.cloud.eventBusName).find((event) => event['detail-type'] === name),
  );

it('refuses automated requests from the message of an operator until the contact is handed back', async () => {
  await run.client.userWrites(CONTACT, { text: 'I want to talk to a person.' });
  await run.client.control('POST', `/users/${encodeURIComponent(CONTACT)}/operator-messages`, {
    text: 'This is Ana.',
    fields: { OPERATOR_ID: 'ana' },
  });
  expect((await published('ContactHandedOver')).detail).toMatchObject({ until: expect.any(String) });

  await enqueue('bot-1', true);
  await enqueue('person-1', false);
  const canSend = ['can-send', CONTACT, '--text', 'Hello.'];
  expect(await run.parley([...canSend, '--automated'])).toMatchObject({
    code: 4,
    out: expect.stringContaining('would be refused (HANDED_OVER)'),
  });
  expect(await run.parley(canSend)).toMatchObject({ code: 0 });
  expect(await decided('bot-1')).toMatchObject({ state: 'refused', code: 'HANDED_OVER' });
  expect(await decided('person-1')).toMatchObject({ state: 'accepted' });

  expect(await run.parley(['handback', CONTACT])).toMatchObject({
    code: 0,
    out: `${CONTACT}: automated systems answer.`,
  });
  await published('ContactHandedBack');
  await enqueue('bot-2', true);
  expect(await decided('bot-2')).toMatchObject({ state: 'accepted' });
});
