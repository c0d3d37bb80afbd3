import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../local/demo/wait-for.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';

// What the webhook missed is imported from the chat service's history: through the command, the management API, the table,
// and the event bus.

const ROOT = join(import.meta.dirname, '../..');
const HOUR_MS = 60 * 60 * 1000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

let run: CommandRun;
beforeAll(async () => {
  run = await startCommandRun({
    settings: {
      keywords: { languages: ['es'], optIn: ['ALTA'], confirmation: 'Listo.' },
    },
  });
});
afterAll(() => run?.[Symbol.asyncDispose]());

const parley = (...args: string[]) => run.parley(args, { root: ROOT });
const entry = (id: string, contactId: string, changes: Record<string, unknown> = {}) => ({
  id,
  creationTime: ago(30),
  from: 'user',
  chat: { contactId },
  content: { type: 'text', text: 'Where is my order?' },
  ...changes,
});
const file = (name: string, value: unknown): string => {
  const path = join(run.folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
};
const eventsOf = (name: string, messageId: string) =>
  run.cloud.emulators.buses
    .events(run.cloud.eventBusName)
    .filter((event) => event['detail-type'] === name && Object(event.detail).messageId === messageId);
const consentOf = async (contact: string) => {
  const items = Object.values(await run.client.table());
  return items.find(({ pk, sk }) => sk === 'CONSENT' && String(pk).endsWith(contact.replace('+549', '54'))) ?? {};
};

it('stores and publishes what is missing, and nothing twice', async () => {
  const contact = '+5491155550601';
  const delivered = await run.client.userWrites(contact, { text: 'Hola' });
  await waitFor('the message is published', async () =>
    eventsOf('MessageReceived', delivered).length > 0 ? true : undefined,
  );
  const history = file('history.json', {
    items: [
      entry('history-1', contact),
      entry('history-2', contact, { from: 'agent', creationTime: ago(29), content: { type: 'text', text: 'Soy Eva' } }),
      entry(delivered, contact, { creationTime: ago(0) }),
      entry('history-3', contact, { creationTime: 'ayer' }),
    ],
    nextPage: null,
  });

  const forecast = await parley('import', history, '--dry-run');
  const imported = await parley('import', history, '--yes');
  const repeated = await parley('import', history, '--yes');

  expect(forecast).toMatchObject({
    code: 6,
    out: expect.stringContaining('2 would be stored, 1 stored already, 1 unread'),
  });
  expect(imported).toMatchObject({ code: 6, out: expect.stringContaining('2 stored, 1 stored already, 1 unreadable') });
  expect(repeated.out).toContain('0 stored, 3 stored already, 1 unreadable.\nNo event is missing.');
  const { messages } = JSON.parse((await parley('conversation', contact, '--json')).out);
  expect(messages.map(({ id, direction, text }: Record<string, unknown>) => [id, direction, text])).toEqual([
    [delivered, 'inbound', 'Hola'],
    ['history-2', 'echo', 'Soy Eva'],
    ['history-1', 'inbound', 'Where is my order?'],
  ]);
  const [received] = await waitFor('the imported messages are published', async () => {
    const [message, echo] = [eventsOf('MessageReceived', 'history-1'), eventsOf('MessageEchoed', 'history-2')];
    return message.length > 0 && echo.length > 0 ? message : undefined;
  });
  expect(received?.detail).toMatchObject({ imported: true });
  expect(eventsOf('MessageReceived', delivered)[0]?.detail).not.toHaveProperty('imported');
  // The command does not send what it cannot read.
  const trail = await parley('audit-trail', '--limit', '5');
  expect(trail.out).toContain('events 3, missing 2, existing 1, unreadable 0');
});

it('opens no window that has closed, and lifts no later opt-out', async () => {
  const contact = '+5491155550602';
  await run.client.userWrites(contact, { text: 'BAJA' });
  await waitFor('the opt-out is confirmed', async () => ((await run.client.outbox()).length > 0 ? true : undefined));
  const sent = (await run.client.outbox()).length;
  const another = '+5491155550603';
  const keyword = (text: string) => ({ content: { type: 'text', text } });

  const { code } = await parley(
    'import',
    file('keywords.json', [
      entry('keyword-1', contact, keyword('ALTA')),
      entry('keyword-2', another, keyword('BAJA')),
      entry('keyword-3', another, { ...keyword('Hola'), creationTime: ago(25) }),
    ]),
    '--yes',
  );

  expect(code).toBe(0);
  const { userOptInAt, userOptOutAt = '' } = await consentOf(contact);
  expect(String(userOptInAt) < String(userOptOutAt)).toBe(true);
  expect(await consentOf(another)).toMatchObject({ userOptOutMessageId: 'keyword-2' });
  expect(await parley('can-send', another, '--text', 'Hi')).toMatchObject({
    code: 4,
    out: expect.stringContaining('would be refused'),
  });
  // Only the opt-out that was delivered was confirmed.
  await run.client.advanceClock(60);
  expect((await run.client.outbox()).length).toBe(sent);
});

it('continues after the command was killed', async () => {
  const contact = '+5491155550604';
  const entries = Array.from({ length: 600 }, (_, index) => entry(`killed-${index}`, contact));
  const history = file('killed.json', entries);
  const stored = async () => Object.keys(await run.client.table()).filter((name) => name.startsWith('MESSAGE#killed-'));
  const command = spawn(process.execPath, [join(ROOT, 'cli/parley.ts'), 'import', history, '--yes', '--local'], {
    env: { ...process.env, PARLEY_STATE_FOLDER: run.folder },
    stdio: 'ignore',
  });
  const ended = once(command, 'exit');
  await waitFor('something is imported', async () => ((await stored()).length > 0 ? true : undefined));
  command.kill('SIGKILL');
  await ended;
  expect(existsSync(`${history}.local.import.json`)).toBe(true);
  expect((await stored()).length).toBeLessThan(600);

  const { code, err } = await parley('import', history, '--yes');

  expect(err).toContain('readable entries');
  expect(code).toBe(0);
  expect(await stored()).toHaveLength(600);
});

it('reads the history from the chat service, and stores what it posted once and in vain', async () => {
  const contact = '+5491155550605';
  // From here on, nothing reaches the webhook.
  await run.client.control('PATCH', '/redelivery', { redelivers: false });
  await run.client.control('PUT', '/webhook', { url: 'http://127.0.0.1:9/webhook', auth: { kind: 'none' } });
  const missed = await run.client.userWrites(contact, { text: 'Hola' });

  const { code, err, out } = await parley('import', '--from-service', '--since', ago(1), '--yes');

  expect(err).toContain("entries of the chat service's history.");
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/history: [1-9]\d* stored/) });
  const { messages } = JSON.parse((await parley('conversation', contact, '--json')).out);
  expect(messages).toMatchObject([{ id: missed, direction: 'inbound', text: 'Hola' }]);
});
