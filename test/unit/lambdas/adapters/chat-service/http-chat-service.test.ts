import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpChatService } from '../../../../../lambdas/adapters/chat-service/http-chat-service.ts';
import { createHttpPost } from '../../../../../lambdas/adapters/chat-service/http-post.ts';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import type { ChatService } from '../../../../../lambdas/ports.ts';
import { TRACEPARENT } from '../../../../support/builders.ts';

let server: Server;
let calls: { readonly path: string | undefined; readonly headers: Record<string, unknown> }[];
let validToken: string;
let secret: string;
let secretReads: number;
let isSecretUnavailable: boolean;
let chatService: ChatService;
/** What the chat service answers to a call with a token that it refuses. */
let refusal: string;
/** Its header `Reason-Phrase`, if it has one. */
let reasonPhrase: string | undefined;

beforeEach(async () => {
  calls = [];
  validToken = 'token-1';
  refusal = 'Unauthorized';
  reasonPhrase = undefined;
  secret = 'token-1';
  secretReads = 0;
  isSecretUnavailable = false;
  server = createServer((request, response) => {
    calls.push({ path: request.url, headers: request.headers });
    if (request.headers['access-token'] === validToken) response.end('{"id":"message-1"}');
    else response.writeHead(401, reasonPhrase === undefined ? {} : { 'Reason-Phrase': reasonPhrase }).end(refusal);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let cached: string | undefined;
  const read = async () => {
    if (cached === undefined) {
      if (isSecretUnavailable) throw new Error('Secrets Manager is unreachable');
      cached = secret;
      secretReads += 1;
    }
    return cached;
  };
  chatService = createHttpChatService({
    baseUrl: `http://127.0.0.1:${port}/base`,
    contactCheckPath: 'customer/checkChatContact',
    accessToken: {
      read,
      refresh: async (refused) => {
        if (cached === refused) cached = undefined;
        return read();
      },
    },
    post: createHttpPost({
      connectTimeoutMs: ms(5_000),
      answerTimeoutMs: ms(5_000),
      maxAnswerBytes: 10_000,
      maxConnections: 10,
    }),
  });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const send = () => chatService.send({ endpoint: 'message/v3', body: { messageText: 'Hi' } });

describe('a call to the chat service', () => {
  it("goes to the endpoint with the contract's headers", async () => {
    expect(await send()).toMatchObject({ kind: 'answered', httpStatus: 200, body: { id: 'message-1' } });
    expect(calls).toMatchObject([
      {
        path: '/base/api/v1.0/message/v3',
        headers: { 'content-type': 'application/json', accept: 'application/json', 'access-token': 'token-1' },
      },
    ]);
  });

  it('names its trace, also when it is repeated, and none if it has none', async () => {
    validToken = secret = 'token-2';
    await chatService.send({ endpoint: 'message/v3', body: {} }, { traceparent: TRACEPARENT });
    await send();
    await chatService.checkContacts('+5491100000000', []);
    secret = 'token-3';
    validToken = 'token-3';
    await chatService.send({ endpoint: 'message/v3', body: {} }, { traceparent: TRACEPARENT });
    const traces = calls.map(({ headers }) => headers.traceparent);
    expect(traces).toEqual([TRACEPARENT, undefined, undefined, TRACEPARENT, TRACEPARENT]);
  });

  it('is repeated once with a refreshed token when the token was replaced', async () => {
    await send();
    validToken = secret = 'token-2';
    expect(await send()).toMatchObject({ httpStatus: 200 });
    await send();
    expect(calls.map(({ headers }) => headers['access-token'])).toEqual(['token-1', 'token-1', 'token-2', 'token-2']);
    expect(secretReads).toBe(2);
  });

  it('is not repeated if it is too late, and nothing was sent', async () => {
    await send();
    validToken = secret = 'token-2';
    const call = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };

    expect(await chatService.send(call, { mayRepeat: () => false })).toEqual({
      kind: 'not-sent',
      cause: 'It was too late to repeat the call with the new access token.',
    });
    expect(calls.map(({ headers }) => headers['access-token'])).toEqual(['token-1', 'token-1']);
    expect(await chatService.send(call, { mayRepeat: () => false })).toMatchObject({ httpStatus: 200 });
  });

  it('is not repeated when the secret still contains the refused token', async () => {
    validToken = 'token-2';
    expect(await send()).toMatchObject({ kind: 'answered', httpStatus: 401, body: undefined });
    expect(calls).toHaveLength(1);
  });
});

describe('an answer', () => {
  it.each([
    ['the token', 'token-2'],
    ['the token that was replaced', 'token-1'],
  ])('does not contain %s, even if the chat service repeats it', async (_name, token) => {
    await send();
    validToken = 'token-3';
    secret = 'token-2';
    refusal = JSON.stringify({ error: { message: `access-token: ${token}` }, [token]: [encodeURIComponent(token)] });

    expect(await send()).toMatchObject({
      httpStatus: 401,
      body: { error: { message: 'access-token: <access token>' }, '<access token>': ['<access token>'] },
    });
  });
});

describe('the reason for a 401', () => {
  it.each([
    ['JWT must have 3 parts', 'JWT must have 3 parts'],
    ['token-new is unknown', '<access token> is unknown'],
    ['token-ne... is unknown', '<access token>... is unknown'],
    ['dG9rZW4tbmV3 is unknown', '<access token> is unknown'],
  ])('is part of the answer, without the token or parts of it: %s', async (phrase, tokenRefusal) => {
    secret = 'token-new';
    reasonPhrase = phrase;
    expect(await send()).toMatchObject({ httpStatus: 401, tokenRefusal });
  });

  it('is missing without the header', async () => {
    secret = 'token-new';
    expect(await send()).not.toHaveProperty('tokenRefusal');
  });
});

describe('an unavailable secret', () => {
  it('means that nothing was sent', async () => {
    isSecretUnavailable = true;
    expect(await send()).toEqual({ kind: 'not-sent', cause: 'The access token could not be read.' });
    expect(calls).toEqual([]);
  });

  it('leaves the 401 as the answer when the token cannot be refreshed', async () => {
    await send();
    validToken = 'token-2';
    isSecretUnavailable = true;
    expect(await send()).toMatchObject({ kind: 'answered', httpStatus: 401 });
  });
});

describe('the contact check', () => {
  it("asks for all numbers in one call at the stage's path, with the access token", async () => {
    validToken = 'token-1';
    await chatService.checkContacts('+5491100000000', ['+5491155550000', '+5491155550001']);
    expect(calls).toMatchObject([
      { path: '/base/api/v1.0/customer/checkChatContact', headers: { 'access-token': 'token-1' } },
    ]);
  });
});
