import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkChannels } from '../../../../cli/commands/doctor-channels.ts';
import { ManagementError } from '../../../../cli/operations/management-client.ts';
import { NOW } from '../../../support/builders.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

const ACTIVE = {
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  state: 'active',
  firstSeenAt: '2026-10-01T08:00:00.000Z',
  lastMessageAt: '2026-11-20T11:55:00.000Z',
};
const SILENT = {
  ...ACTIVE,
  chatChannelNumber: '+5491100000001',
  state: 'silent',
  lastMessageAt: '2026-11-20T10:55:00.000Z',
  silentSince: '2026-11-20T11:00:00.000Z',
};
const LEARNING = { chatPlatform: 'chat', state: 'learning', firstSeenAt: NOW };
const gap = (index: number) => ({ messageId: `m-${index}`, firstStatusAt: NOW, contact: '541155550000' });

let target: LocalTarget;
let watches: boolean;
let echoes: boolean;
let channels: unknown[];
let pages: Record<string, unknown>[];
beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse(NOW), toFake: ['Date'] });
  watches = true;
  echoes = true;
  channels = [ACTIVE];
  pages = [{ gaps: [] }];
  target = await startLocalTarget({}, answer);
});
afterEach(async () => {
  vi.useRealTimers();
  await target?.[Symbol.asyncDispose]();
});

const answer = async (_method: string, path: string): Promise<[number, unknown]> => {
  if (path === '/v1/channels') return [200, { watches, echoes, channels }];
  const { searchParams } = new URL(path, 'http://api');
  return [200, { watches, echoes, ...pages[Number(searchParams.get('cursor') ?? 0)] }];
};
const parley = async (command: string) => {
  const { code, out } = await target.parley([command]);
  return [code, ...out.trim().split('\n')];
};

describe('parley channels', () => {
  it('lists each channel with its state, and exits with 6 if one is silent', async () => {
    channels = [ACTIVE, LEARNING];
    expect(await parley('channels')).toEqual([
      0,
      '+5491100000000 on chat: active, last message 2026-11-20T11:55:00.000Z (5 minutes ago)',
      'messages without a business number on chat: learning, because users have written for less than two weeks',
    ]);

    channels = [SILENT];
    expect(await parley('channels')).toEqual([
      6,
      '+5491100000001 on chat: silent since 2026-11-20T11:00:00.000Z (1 hour ago), last message ' +
        '2026-11-20T10:55:00.000Z (1 hour ago)',
    ]);
  });

  it('says what to set if the stage does not watch what arrives', async () => {
    watches = false;
    channels = [];

    expect(await parley('channels')).toEqual([0, expect.stringContaining('set webhook.watch to true')]);
  });
});

describe('parley gaps', () => {
  it('lists the gaps of all pages, and exits with 6', async () => {
    pages = [{ gaps: [gap(1)], cursor: '1' }, { gaps: [], cursor: '2' }, { gaps: [gap(2)] }];

    expect(await parley('gaps')).toEqual([
      6,
      '2 messages have not arrived 15 minutes after the first status.',
      '  m-1  first status 2026-11-20T12:00:00.000Z (now)  541155550000',
      '  m-2  first status 2026-11-20T12:00:00.000Z (now)  541155550000',
    ]);
  });

  it('has nothing to list if no message is missing', async () => {
    expect(await parley('gaps')).toEqual([0, '0 messages have not arrived 15 minutes after the first status.']);
  });

  it('says why gaps are not counted', async () => {
    echoes = false;
    expect(await parley('gaps')).toEqual([0, expect.stringContaining('has reported no message of a bot')]);
    watches = false;
    expect(await parley('gaps')).toEqual([0, expect.stringContaining('set webhook.watch to true')]);
  });
});

describe('doctor on channels', () => {
  const check = () =>
    checkChannels(
      async (method, path) => (await answer(method, path))[1],
      (command) => `${command} --stage prod`,
      NOW,
    );
  const findings = async () => (await check()).map(({ grade, message }) => `${grade}: ${message}`);

  it('says nothing in a stage that does not watch what arrives, or cannot list channels', async () => {
    watches = false;
    expect(await findings()).toEqual([]);
    const refuse = async () => Promise.reject(new ManagementError(403, 'X', 'No.'));
    expect(await checkChannels(refuse, (command) => command, NOW)).toEqual([]);
  });

  it('is content with active channels, and no gaps', async () => {
    expect(await findings()).toEqual([
      'ok: +5491100000000 on chat: last message 2026-11-20T11:55:00.000Z (5 minutes ago).',
      'ok: There are no gaps.',
    ]);
  });

  it('fails for a silent channel, and warns of messages that are missing', async () => {
    channels = [SILENT];
    pages = [{ gaps: [gap(1)] }];

    expect(await findings()).toEqual([
      expect.stringMatching(/^failing: \+5491100000001 on chat is silent: users last wrote at 2026-11-20T10:55/),
      'warning: 1 message has not arrived 15 minutes after the first status.',
    ]);
    expect((await check()).at(-1)?.remedy).toMatch(
      /parley gaps --stage prod.*parley import history.json --dry-run --stage prod/,
    );
  });

  it('finds gaps behind pages whose gaps have all been closed', async () => {
    pages = [{ gaps: [], cursor: '1' }, { gaps: [], cursor: '2' }, { gaps: [gap(1)] }];

    expect((await findings()).at(-1)).toBe('warning: 1 message has not arrived 15 minutes after the first status.');
  });

  it('says why gaps are not counted if there are no echoes', async () => {
    echoes = false;
    expect((await findings()).at(-1)).toContain('has reported no message of a bot');
  });
});
