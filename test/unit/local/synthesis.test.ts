import { describe, expect, it } from 'vitest';
import { settingsWithUrls } from '../../../local/synthesis.ts';

describe("a run's settings", () => {
  const given = { retentionDays: 30, webhook: { auth: { audience: 'mine' } } };

  it("are the given settings with the run's URLs", () => {
    const settings = settingsWithUrls(given, {
      chatServiceUrl: 'http://127.0.0.1:1',
      jwksUrl: 'http://127.0.0.1:1/keys',
    });

    expect(settings).toEqual({
      retentionDays: 30,
      chatService: { baseUrl: 'http://127.0.0.1:1' },
      webhook: { auth: { audience: 'mine', jwksUrl: 'http://127.0.0.1:1/keys' } },
    });
  });

  it("keep the stage's own key URL without a sandbox", () => {
    const settings = settingsWithUrls(given, { chatServiceUrl: 'https://chat.example', jwksUrl: undefined });

    expect(settings).toEqual({ ...given, chatService: { baseUrl: 'https://chat.example' } });
  });
});
