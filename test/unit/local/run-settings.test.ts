import { describe, expect, it } from 'vitest';
import { runSettings } from '../../../local/run-settings.ts';

describe("a run's settings", () => {
  const given = { retentionDays: 30, webhook: { auth: { audience: 'mine' } } };

  it("are those given with the run's addresses over them", () => {
    const settings = runSettings(given, { chatServiceUrl: 'http://127.0.0.1:1', jwksUrl: 'http://127.0.0.1:1/keys' });

    expect(settings).toEqual({
      retentionDays: 30,
      chatService: { baseUrl: 'http://127.0.0.1:1' },
      webhook: { auth: { audience: 'mine', jwksUrl: 'http://127.0.0.1:1/keys' } },
    });
  });

  it("leave the stage's own keys in place without a sandbox", () => {
    const settings = runSettings(given, { chatServiceUrl: 'https://chat.example', jwksUrl: undefined });

    expect(settings).toEqual({ ...given, chatService: { baseUrl: 'https://chat.example' } });
  });
});
