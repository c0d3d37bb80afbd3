import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { type EventFormatName, type SandboxOptions, startSandbox } from '../../../sandbox/sandbox.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

/*
 * A client that knows only the contract, and uses only `fetch`. The control API, which the client does not know, brings
 * the service into each state.
 */

const CHANNEL = '+5491100000000';
const USER = '+5491155550000';

const contractClient = (baseUrl: string, accessToken: string) => {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'access-token': accessToken,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    sendMessage: (changes: object = {}, headers?: Record<string, string>) =>
      post(
        '/api/v1.0/message/v3',
        { chatPlatform: 'chat', chatChannelNumber: CHANNEL, platformContactId: USER, messageText: 'Hi', ...changes },
        headers,
      ),
    activateRule: (changes: object = {}) =>
      post('/api/v1.0/intent/v2', {
        chatPlatform: 'chat',
        chatChannelNumber: CHANNEL,
        platformContactId: USER,
        ruleNameOrId: 'table_ready',
        params: { table: '7' },
        ...changes,
      }),
    checkContacts: (changes: object = {}) =>
      post('/api/v1.0/customer/checkChatContact', { chatChannelNumber: CHANNEL, contacts: [USER], ...changes }),
    readCredentials: async (token = accessToken) => {
      const response = await fetch(`${baseUrl}/api/v1.0/auth/credentials`, { headers: { 'access-token': token } });
      return { status: response.status, text: await response.text() };
    },
    post,
  };
};

const startWith = async (options: Partial<SandboxOptions> = {}) => {
  const sandbox = await startSandbox({
    accessTokens: ['token'],
    chatPlatform: 'chat',
    chatChannelNumbers: [CHANNEL],
    ...options,
  });
  onTestFinished(() => sandbox.close());
  const control = async (method: string, path: string, body: unknown) => {
    const response = await fetch(`${sandbox.url}/sandbox${path}`, { method, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
  };
  const user = `/users/${encodeURIComponent(USER)}`;
  return {
    url: sandbox.url,
    client: contractClient(sandbox.url, 'token'),
    userWrites: () => control('POST', `${user}/messages`, { text: 'Hello' }),
    userLeaves: () => control('PATCH', user, { onPlatform: false }),
    userReads: () => control('POST', `${user}/read`, {}),
    putRule: (changes: object = {}) =>
      control('PUT', '/rules/table_ready', {
        text: 'Table ${table}',
        status: 'approved',
        category: 'reservation',
        ...changes,
      }),
  };
};

interface Answer {
  status: number;
  text: string;
}
type Service = Awaited<ReturnType<typeof startWith>>;
/** The options of the service, what happens first, and what the client then does. */
interface Scene {
  options?: Partial<SandboxOptions>;
  before?: (service: Service) => Promise<void>;
  scene: (service: Service) => Promise<Answer>;
}

const OPERATIONS: Record<string, (service: Service, changes?: object) => Promise<Answer>> = {
  '/message/v3': ({ client }, changes) => client.sendMessage(changes),
  '/intent/v2': ({ client }, changes) => client.activateRule(changes),
  '/customer/checkChatContact': ({ client }, changes) => client.checkContacts(changes),
};

/** A scene for each answer in the document. */
const SCENES: Record<string, Scene> = {
  '/message/v3 200': { before: (service) => service.userWrites(), scene: ({ client }) => client.sendMessage() },
  '/message/v3 403 101': { options: { credit: 0 }, scene: ({ client }) => client.sendMessage() },
  '/message/v3 403 201': { scene: ({ client }) => client.sendMessage() },
  '/message/v3 422 202': { before: (service) => service.userLeaves(), scene: ({ client }) => client.sendMessage() },
  '/message/v3 422 304': { scene: ({ client }) => client.sendMessage({ chatChannelNumber: '+10000000' }) },
  '/message/v3 400 701': { scene: ({ client }) => client.sendMessage({ imageURL: 'https://media.example/cat.gif' }) },
  '/intent/v2 200': { before: (service) => service.putRule(), scene: ({ client }) => client.activateRule() },
  '/intent/v2 403 101': {
    options: { credit: 0 },
    before: (service) => service.putRule(),
    scene: ({ client }) => client.activateRule(),
  },
  '/intent/v2 422 202': {
    before: async (service) => {
      await service.putRule();
      await service.userLeaves();
    },
    scene: ({ client }) => client.activateRule(),
  },
  '/intent/v2 403 203': {
    options: { optInRequired: true },
    before: (service) => service.putRule(),
    scene: ({ client }) => client.activateRule(),
  },
  '/intent/v2 403 301': {
    options: { approved: false },
    before: (service) => service.putRule(),
    scene: ({ client }) => client.activateRule(),
  },
  '/intent/v2 422 304': { scene: ({ client }) => client.activateRule({ chatChannelNumber: '+10000000' }) },
  '/intent/v2 422 601': { scene: ({ client }) => client.activateRule() },
  '/intent/v2 403 602': {
    before: (service) => service.putRule({ status: 'pending' }),
    scene: ({ client }) => client.activateRule(),
  },
  '/intent/v2 400 603': {
    before: (service) => service.putRule(),
    scene: ({ client }) => client.activateRule({ params: {} }),
  },
  '/intent/v2 403 604': {
    before: (service) => service.putRule({ category: undefined }),
    scene: ({ client }) => client.activateRule(),
  },
  '/customer/checkChatContact 200': { scene: ({ client }) => client.checkContacts() },
  '/auth/credentials 200': { scene: ({ client }) => client.readCredentials() },
  '/auth/credentials 401': { scene: ({ client }) => client.readCredentials('wrong') },
  ...Object.fromEntries(
    Object.entries(OPERATIONS).flatMap(([path, call]) => {
      const post = (body: string, headers?: Record<string, string>): Scene => ({
        scene: ({ client }) => client.post(`/api/v1.0${path}`, body, headers),
      });
      return [
        [`${path} 400 400`, { scene: (service) => call(service, { chatChannelNumber: 7 }) } satisfies Scene],
        [`${path} 401`, post('{}', { 'access-token': 'wrong' })],
        [`${path} 413 413`, post(JSON.stringify({ messageText: 'x'.repeat(1024 * 1024) }))],
        [`${path} 415 415`, post('{}', { 'Content-Type': 'text/plain' })],
      ];
    }),
  ),
};

const jsonContent = z.object({
  schema: z.object({ $ref: z.string() }),
  examples: z.record(z.string(), z.object({ value: z.object({ error: z.object({ code: z.int() }) }) })).optional(),
});
const operation = z.object({
  responses: z.record(
    z.string(),
    z.object({
      content: z.object({ 'application/json': jsonContent.optional(), 'text/html': z.object({}).optional() }),
    }),
  ),
});
const openapi = z.object({
  openapi: z.literal('3.1.0'),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(z.string(), z.union([z.object({ post: operation }), z.object({ get: operation })])),
  webhooks: z.record(z.string(), z.unknown()),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

/** Returns the only operation of a path. */
const operationOf = (item: z.output<typeof openapi>['paths'][string] | undefined): z.output<typeof operation> => {
  if (item === undefined) throw new Error('The document does not have this path.');
  return 'post' in item ? item.post : item.get;
};

const readDocument = async (url: string) => openapi.parse(await (await fetch(`${url}/openapi.json`)).json());

/** Checks a value against a schema of the document. */
const conforms = (document: z.output<typeof openapi>, name: string, value: unknown): boolean =>
  z.fromJSONSchema(document.components.schemas[name] ?? { not: {} }).safeParse(value).success;

describe('/openapi.json', () => {
  test('documents exactly the answers that a client of the contract can get', async () => {
    const { url } = await startWith();

    const { paths, servers } = await readDocument(url);

    const documented = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(operationOf(item).responses).flatMap(([status, { content }]) => {
        const examples = Object.values(content['application/json']?.examples ?? {});
        return examples.length === 0
          ? [`${path} ${status}`]
          : examples.map(({ value }) => `${path} ${status} ${value.error.code}`);
      }),
    );
    expect(documented.toSorted()).toEqual(Object.keys(SCENES).toSorted());
    expect(servers).toEqual([{ url: `${url}/api/v1.0` }]);
  });

  test.each(Object.entries(SCENES))(
    'a client written from the contract alone gets the answer %s',
    async (name, { options, before, scene }) => {
      const service = await startWith(options);
      await before?.(service);
      const [path = '', status = '', code] = name.split(' ');

      const answer = await scene(service);

      const document = await readDocument(service.url);
      const content = operationOf(document.paths[path]).responses[status]?.content['application/json'];
      expect(answer.status).toBe(Number(status));
      if (content === undefined) return expect(answer.text).toBe('401 - Unauthorized');
      const body = JSON.parse(answer.text);
      expect(conforms(document, content.schema.$ref.replace('#/components/schemas/', ''), body)).toBe(true);
      if (code !== undefined) expect(body).toMatchObject({ error: { code: Number(code) } });
    },
  );

  test('documents the events as they are delivered', async () => {
    const receiver = await startWebhookReceiver();
    const service = await startWith({ webhook: { url: receiver.url, auth: { kind: 'none' }, wrapped: false } });
    await service.userWrites();
    await service.client.sendMessage();
    await service.userReads();
    await expect.poll(() => receiver.requests.length).toBe(3);

    const document = await readDocument(service.url);

    for (const { body } of receiver.requests) {
      const event = JSON.parse(body);
      const name = event.STATUS === undefined ? 'MessageEvent' : 'StatusEvent';
      expect([name, conforms(document, name, event)]).toEqual([name, true]);
      expect(conforms(document, name, { ...event, CREATION_TIME: 'yesterday' })).toBe(false);
    }
    expect(Object.keys(document.webhooks).slice(0, 2)).toEqual(['message', 'status']);
  });

  test.each<[EventFormatName, string, string]>([
    ['camelCase', 'CamelCaseMessageEvent', 'StatusEvent'],
    ['v1.1', 'V11MessageEvent', 'V11StatusEvent'],
  ])('documents the events of the format %s as they are delivered', async (eventFormat, message, status) => {
    const receiver = await startWebhookReceiver();
    const webhook = { url: receiver.url, auth: { kind: 'none' as const }, wrapped: false };
    const service = await startWith({ webhook, eventFormat });
    await service.userWrites();
    await expect.poll(() => receiver.requests.length).toBe(1);
    await service.client.sendMessage();
    await expect.poll(() => receiver.requests.length).toBe(2);

    const document = await readDocument(service.url);

    const [wrote, delivered] = receiver.requests.map(({ body }) => JSON.parse(body));
    expect([conforms(document, message, wrote), conforms(document, status, delivered)]).toEqual([true, true]);
    expect([conforms(document, message, delivered), conforms(document, status, wrote)]).toEqual([false, false]);
  });

  test('documents what the service requires of a message', async () => {
    const document = await readDocument((await startWith()).url);
    const message = { chatPlatform: 'chat', chatChannelNumber: CHANNEL, platformContactId: USER, messageText: 'Hi' };

    expect(document.components.schemas.MessageRequest).toMatchObject({
      required: ['chatPlatform', 'chatChannelNumber', 'platformContactId'],
      anyOf: [{ required: ['messageText'] }, {}, {}, {}],
      properties: { imageURL: { type: 'string', format: 'uri' } },
    });
    expect(conforms(document, 'MessageRequest', message)).toBe(true);
    expect(conforms(document, 'MessageRequest', { ...message, platformContactId: 7 })).toBe(false);
  });
});
