import { describe, expect, it } from 'vitest';
import { createHttpChatService } from '../../../lambdas/adapters/chat-service/http-chat-service.ts';
import { createHttpPost } from '../../../lambdas/adapters/chat-service/http-post.ts';
import { contactCheckOutcome } from '../../../lambdas/domain/contact-check.ts';
import { ms } from '../../../lambdas/domain/duration.ts';
import type { SendCall } from '../../../lambdas/domain/send-call.ts';
import { sendOutcome } from '../../../lambdas/domain/send-outcome.ts';
import type { ChatService } from '../../../lambdas/ports.ts';
import { ACCOUNT, NOW, USER } from '../../support/builders.ts';
import { aRule, startTestSandbox, TOKEN, userPath } from '../../support/running-sandbox.ts';
import { createSimulatedChatService } from './chat-service.ts';
import { createVirtualClock } from './virtual-clock.ts';

interface TestedService {
  /** Calls the service with this token, as the function does. */
  connect(token?: string): ChatService;
  userWrites(): Promise<void>;
  pass(seconds: number): Promise<void>;
  setCredit(hasCredit: boolean): Promise<void>;
  leave(): Promise<void>;
  /** The messages that reached users: endpoint and text or template. */
  effects(): Promise<readonly unknown[]>;
}

const TEMPLATE = 'parcel_update';

const simulated = async (): Promise<TestedService> => {
  const clock = createVirtualClock(NOW);
  const absentContacts: string[] = [];
  const service = createSimulatedChatService({
    clock,
    accessToken: TOKEN,
    approvedTemplates: [TEMPLATE],
    absentContacts,
  });
  return {
    connect: (token = TOKEN) =>
      createHttpChatService({
        baseUrl: 'https://chat.example',
        contactCheckPath: 'customer/checkChatContact',
        accessToken: { read: async () => token, refresh: async () => token },
        async post(url, headers, body) {
          const path = url.pathname.replace('/api/v1.0/', '');
          const answer = service.post(path, headers['access-token'] ?? '', JSON.parse(body));
          return { kind: 'answered', httpStatus: answer.httpStatus, bodyText: JSON.stringify(answer.body) ?? '' };
        },
      }),
    userWrites: async () => service.userWrites(USER),
    pass: async (seconds) => clock.moveTo(clock.ms + seconds * 1000),
    setCredit: async (hasCredit) => service.setCredit(hasCredit),
    leave: async () => service.setOnPlatform(USER, false),
    effects: async () => service.effects.map(({ endpoint, body }) => [endpoint, body.messageText ?? body.ruleNameOrId]),
  };
};

const sandboxed = async (): Promise<TestedService> => {
  const sandbox = await startTestSandbox();
  await sandbox.control(`PUT /rules/${TEMPLATE}`, aRule({ text: 'On its way, ${name}.', category: 'shipping-status' }));
  await sandbox.control(`PATCH ${userPath(USER)}`, { optIn: true });
  const post = createHttpPost({
    connectTimeoutMs: ms(10_000),
    answerTimeoutMs: ms(30_000),
    maxAnswerBytes: 1024 * 1024,
    maxConnections: 1,
  });
  return {
    connect: (token = TOKEN) =>
      createHttpChatService({
        baseUrl: sandbox.url,
        contactCheckPath: 'customer/checkChatContact',
        accessToken: { read: async () => token, refresh: async () => token },
        post,
      }),
    async userWrites() {
      await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    },
    async pass(seconds) {
      await sandbox.control('POST /clock', { advanceSeconds: seconds });
    },
    async setCredit(hasCredit) {
      await sandbox.control('PATCH /account', { credit: hasCredit ? 100 : 0 });
    },
    async leave() {
      await sandbox.control(`PATCH ${userPath(USER)}`, { onPlatform: false });
    },
    async effects() {
      const { messages } = Object((await sandbox.control('GET /outbox')).body);
      return messages.map(({ endpoint, body }: { endpoint: string; body: Record<string, unknown> }) => [
        endpoint.replace('/api/v1.0/', ''),
        body.messageText ?? body.ruleNameOrId,
      ]);
    },
  };
};

const DIGITS = USER.replace('+', '');

const addressee = { chatPlatform: 'chat', chatChannelNumber: ACCOUNT.channel, platformContactId: USER };
const freeForm: SendCall = { endpoint: 'message/v3', body: { ...addressee, messageText: 'On its way.' } };
const template = (ruleNameOrId = TEMPLATE): SendCall => ({
  endpoint: 'intent/v2',
  body: { ...addressee, ruleNameOrId, params: { name: 'Ana' } },
});

const outcomeOf = async (service: ChatService, call: SendCall) => sendOutcome(call.endpoint, await service.send(call));

describe.each([
  ['simulated', simulated],
  ['as the sandbox reads the contract', sandboxed],
] as const)('the chat service, %s', (_, create) => {
  it('accepts a free-form message within 24 hours of the last message of the user', async () => {
    const service = await create();
    await service.userWrites();
    await service.pass(24 * 60 * 60 - 60);

    const outcome = await outcomeOf(service.connect(), freeForm);

    expect(outcome).toEqual({ kind: 'accepted', messageId: expect.any(String) });
    expect(await service.effects()).toEqual([['message/v3', 'On its way.']]);
  });

  it('answers error 201 after that, and before the user has written, without effect', async () => {
    const service = await create();
    const before = await outcomeOf(service.connect(), freeForm);
    await service.userWrites();
    await service.pass(24 * 60 * 60);
    const after = await outcomeOf(service.connect(), freeForm);

    expect([before, after].map(({ kind }) => kind)).toEqual(['window-closed', 'window-closed']);
    expect(await service.effects()).toEqual([]);
  });

  it('accepts an approved template in any window', async () => {
    const service = await create();
    const outcome = await outcomeOf(service.connect(), template());

    expect(outcome).toEqual({ kind: 'accepted', messageId: expect.any(String) });
    expect(await service.effects()).toEqual([['intent/v2', TEMPLATE]]);
  });

  it('rejects an unknown template', async () => {
    const service = await create();
    expect((await outcomeOf(service.connect(), template('unknown'))).kind).toBe('rejected');
    expect(await service.effects()).toEqual([]);
  });

  it('answers error 101 while the account has no credit', async () => {
    const service = await create();
    await service.userWrites();
    await service.setCredit(false);
    const without = await outcomeOf(service.connect(), freeForm);
    await service.setCredit(true);

    expect(without).toMatchObject({ kind: 'not-done', cause: 'no-credit' });
    expect((await outcomeOf(service.connect(), freeForm)).kind).toBe('accepted');
    expect(await service.effects()).toHaveLength(1);
  });

  it('answers 401 to another token', async () => {
    const service = await create();
    await service.userWrites();
    const outcome = await outcomeOf(service.connect('another'), freeForm);

    expect(outcome).toMatchObject({ kind: 'not-done', cause: 'token' });
    expect(await service.effects()).toEqual([]);
  });

  it('checks which numbers are on the platform, and returns their digits', async () => {
    const service = await create();
    const present = contactCheckOutcome(await service.connect().checkContacts(ACCOUNT.channel, [USER]), [USER]);
    await service.leave();
    const absent = contactCheckOutcome(await service.connect().checkContacts(ACCOUNT.channel, [USER]), [USER]);

    expect(present).toEqual({ kind: 'checked', result: new Map([[DIGITS, DIGITS]]), isComplete: true });
    expect(absent).toEqual({ kind: 'checked', result: new Map(), isComplete: true });
  });
});
