import { describe, expect, it } from 'vitest';
import { withLocalChatService } from '../../../../lib/settings/local-chat-service.ts';
import { stageSettings } from '../../../../lib/settings/stage-settings.ts';

const settingsWith = (auth: object) =>
  stageSettings.parse({
    chatService: { baseUrl: 'https://chat-service.example', contactCheckPath: 'check' },
    chatPlatform: 'chat',
    chatChannelNumber: '+5491100000000',
    webhook: { auth },
  });
const PUBSUB = {
  kind: 'pubsub-jwt',
  audience: 'mine',
  serviceAccountEmail: 'a@example-project.iam.gserviceaccount.com',
};
const LOCAL = { baseUrl: 'http://127.0.0.1:4000', jwksUrl: 'http://127.0.0.1:4000/keys' };

describe('the chat service of a local run', () => {
  it("replaces the stage's, and signs webhook requests with its own keys", () => {
    const given = settingsWith(PUBSUB);

    const { chatService, webhook, ...others } = given;
    expect(withLocalChatService(given, 'Parley-dev', LOCAL)).toEqual({
      ...others,
      chatService: { ...chatService, baseUrl: LOCAL.baseUrl },
      webhook: { ...webhook, auth: { ...webhook.auth, jwksUrl: LOCAL.jwksUrl } },
    });
  });

  it.each([
    ['the authentication needs none', { kind: 'shared-token', header: 'x-token' }, LOCAL],
    ['it has none', PUBSUB, { baseUrl: LOCAL.baseUrl }],
  ])('changes no keys if %s', (_, auth, local) => {
    const given = settingsWith(auth);

    expect(withLocalChatService(given, 'Parley-dev', local)?.webhook).toEqual(given.webhook);
  });

  it('is checked as a setting is', () => {
    expect(() => withLocalChatService(settingsWith(PUBSUB), 'Parley-dev', { baseUrl: 'http://elsewhere' })).toThrow(
      'Parley-dev.chatService.baseUrl: got "http://elsewhere"',
    );
  });

  it('is undefined when the stack is deployed', () => {
    expect(withLocalChatService(settingsWith(PUBSUB), 'Parley-dev', undefined)).toBeUndefined();
  });
});
