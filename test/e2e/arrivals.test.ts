import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../local/demo/wait-for.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';
import { seedChannel } from '../support/seed-channel.ts';

// What does not arrive, through the deployed functions: a message of which only statuses come, and a channel that falls
// silent.

const HEADER = 'auth-bm-token';
const USER = '5491155550090';

let run: CommandRun;
const published: { readonly name: string; readonly detail: Readonly<Record<string, unknown>> }[] = [];

beforeAll(async () => {
  run = await startCommandRun({
    settings: { webhook: { auth: { kind: 'shared-token', header: HEADER }, watch: true } },
  });
  run.cloud.emulators.buses.setFault(({ DetailType, Detail }) => {
    published.push({ name: DetailType ?? '', detail: JSON.parse(Detail ?? '{}') });
    return undefined;
  });
});
afterAll(() => run?.[Symbol.asyncDispose]());

const now = (): string => run.cloud.clock.now().toISOString();
const ENVELOPE = { v: '1.1', chatPlatform: 'chat', contactId: USER };
const post = async (event: unknown): Promise<void> => {
  const token = run.cloud.emulators.secrets.find(run.cloud.webhookSecretId ?? '')?.versions[0]?.secretString ?? '';
  const headers = { [HEADER]: token };
  const { status } = await fetch(run.cloud.webhookUrl, { method: 'POST', headers, body: JSON.stringify(event) });
  expect(status).toBe(200);
};
const message = (id: string, from: 'user' | 'bot', date = now()) =>
  post({ ...ENVELOPE, type: 'message', messages: [{ _id: id, date, message: 'Hi', from }] });
const status = (messageId: string, literal: string) =>
  post({ ...ENVELOPE, type: 'status', messageId, status: literal });
const parley = async (...args: readonly string[]) => {
  const { code, out } = await run.parley([...args, '--json']);
  return { code, ...JSON.parse(out) };
};
const listedGaps = async (): Promise<readonly string[]> =>
  (await parley('gaps')).gaps.map(({ messageId }: { readonly messageId: string }) => messageId);
const eventsNamed = (name: string) => published.filter((event) => event.name === name);

describe('a message of which only statuses arrived', () => {
  const sentAt = { at: '' };

  it('is listed, published once, and shown by doctor, unlike those that arrived', async () => {
    sentAt.at = now();
    await message('user-1', 'user');
    await message('bot-1', 'bot');
    for (const literal of ['delivered', 'read']) await status('bot-1', literal);
    for (const literal of ['sent', 'delivered']) await status('lost-1', literal);
    await status('lost-2', 'delivered');
    await run.client.advanceClock(10 * 60);
    expect(await listedGaps()).toEqual([]);

    await run.client.advanceClock(15 * 60);
    await waitFor('the message is missing', async () => ((await listedGaps()).length === 2 ? true : undefined));
    await run.client.advanceClock(10 * 60);

    expect(await parley('gaps')).toMatchObject({
      code: 6,
      watches: true,
      echoes: true,
      gaps: ['lost-1', 'lost-2'].map((messageId) => ({ messageId, contact: '541155550090' })),
    });
    await waitFor('it is published', async () => eventsNamed('MessageMissing')[0]);
    await waitFor('both are', async () => eventsNamed('MessageMissing')[1]);
    const missing = eventsNamed('MessageMissing').map(({ detail }) => detail.messageId);
    expect(missing.toSorted()).toEqual(['lost-1', 'lost-2']);
    expect((await run.parley(['doctor'])).out).toContain(
      '2 messages have not arrived 15 minutes after the first status.',
    );
  });

  it('is no longer listed once it arrives late, or is imported', async () => {
    await message('lost-1', 'bot', sentAt.at);
    expect(await listedGaps()).toEqual(['lost-2']);
    const messages = [{ _id: 'lost-2', date: sentAt.at, message: 'Hi', from: 'bot' }];
    const history = JSON.stringify({ ...ENVELOPE, type: 'message', messages });
    expect((await run.parley(['import', '-', '--yes'], { stdin: history })).code).toBe(0);

    expect(await listedGaps()).toEqual([]);
    expect((await run.parley(['doctor'])).out).toContain('There are no gaps.');
  });
});

describe('a channel', () => {
  const stateOf = async () => (await parley('channels')).channels[0]?.state;

  it('is recorded when a user writes, and learning while it is new', async () => {
    expect(await parley('channels')).toMatchObject({
      code: 0,
      channels: [{ chatPlatform: 'chat', state: 'learning', lastMessageAt: expect.any(String) }],
    });
  });

  it('is silent after an unusual pause, which is published once, and resumes when a user writes', async () => {
    await seedChannel(run.cloud);
    expect(await stateOf()).toBe('active');
    await run.client.advanceClock(60 * 60);
    await waitFor('it is published', async () => eventsNamed('ChannelSilent')[0]);
    expect(await parley('channels')).toMatchObject({ code: 6, channels: [{ state: 'silent' }] });
    expect((await run.parley(['doctor'])).out).toContain('is silent: users last wrote at');

    await message('user-2', 'user');
    await run.client.advanceClock(10 * 60);
    const resumed = await waitFor('it resumes', async () => eventsNamed('ChannelResumed')[0]);
    expect(resumed.detail).toMatchObject({ channel: { platform: 'chat' } });
    expect(await stateOf()).toBe('active');
    expect(eventsNamed('ChannelSilent')).toHaveLength(1);
  });
});
