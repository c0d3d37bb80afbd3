import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settingsForSandbox, settingsForService, synthesizeOnce, withSandboxOrigin } from '../../../local/synthesis.ts';

describe("a run's settings", () => {
  const given = { retentionDays: { messages: 30 }, webhook: { auth: { audience: 'mine' } } };

  it("are the given settings with the sandbox's URLs, which the template gets when the sandbox runs", () => {
    const settings = settingsForSandbox(given, { jwksPath: '/keys' });
    const synthesized = withSandboxOrigin(JSON.stringify(settings), 'http://127.0.0.1:4000');

    expect(JSON.parse(synthesized)).toEqual({
      retentionDays: { messages: 30 },
      chatService: { baseUrl: 'http://127.0.0.1:4000' },
      webhook: { auth: { audience: 'mine', jwksUrl: 'http://127.0.0.1:4000/keys' } },
    });
  });

  it('keep the webhook as it is when its verification needs no keys', () => {
    const settings = settingsForSandbox(given, { jwksPath: undefined });

    expect(settings).toEqual({ ...given, chatService: { baseUrl: expect.any(String) } });
  });

  it("name another chat service, and keep the stage's own key URL", () => {
    const settings = settingsForService(given, 'https://chat.example');

    expect(settings).toEqual({ ...given, chatService: { baseUrl: 'https://chat.example' } });
    expect(withSandboxOrigin(JSON.stringify(settings), undefined)).toBe(JSON.stringify(settings));
  });
});

describe('a synthesized app', () => {
  // The app rejects the unknown stage, which shows that it was synthesized again.
  it('is used again only with the same stage and settings', async () => {
    const outdir = await mkdtemp(join(tmpdir(), 'parley-synthesis-'));
    onTestFinished(() => rm(outdir, { recursive: true }));
    const context = { stages: { dev: {} }, stage: 'nope' };
    await writeFile(join(outdir, 'synthesized-from.json'), JSON.stringify(context));

    await expect(synthesizeOnce(outdir, context)).resolves.toBeUndefined();
    await expect(synthesizeOnce(outdir, { ...context, settings: {} })).rejects.toThrow('unknown stage "nope"');
  });
});
