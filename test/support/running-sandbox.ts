import { expect, onTestFinished, vi } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox, type WebhookSettings } from '../../sandbox/sandbox.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

export const TOKEN = 'token-of-the-test';
export const CHANNEL = '+5491100000000';
export const OTHER_CHANNEL = '+551130000000';
export const USER = '+5491155550000';
export const DAY_SECONDS = 24 * 60 * 60;

/** An HTTP answer, with its body as JSON if it is JSON. */
export interface Answer {
  status: number;
  body: unknown;
  text: string;
  headers: Headers;
}

export type RunningSandbox = Sandbox & {
  /** POSTs to an endpoint of the contract; `headers` are added to those that the contract requires. */
  api(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls the control API, for example `control('POST /reset')`. */
  control(call: string, body?: unknown): Promise<Answer>;
};

export const webhookTo = (url: string): WebhookSettings => ({
  url,
  auth: { kind: 'pubsub-jwt', audience: 'audience-of-the-test', serviceAccountEmail: 'events@test.example' },
});

/** Starts a sandbox that retries quickly and closes when the test ends. */
export const startTestSandbox = async (options: Partial<SandboxOptions> = {}): Promise<RunningSandbox> => {
  const sandbox = await startSandbox({
    accessTokens: [TOKEN],
    chatPlatform: 'chat',
    chatChannelNumbers: [CHANNEL, OTHER_CHANNEL],
    deliveryBackoff: { minimumMs: 1, maximumMs: 20 },
    ...options,
  });
  onTestFinished(() => sandbox.close());

  const call = async (
    method: string,
    url: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Answer> => {
    const response = await fetch(url, {
      method,
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: jsonOrUndefined(text), text, headers: response.headers };
  };
  return {
    ...sandbox,
    api: (path, body, headers) => {
      const contract = { 'content-type': 'application/json', accept: 'application/json', 'access-token': TOKEN };
      return call('POST', `${sandbox.url}/api/v1.0${path}`, { ...contract, ...headers }, body);
    },
    control: (operation, body) => {
      const [method = '', path = ''] = operation.split(' ');
      return call(method, `${sandbox.url}/sandbox${path}`, { 'content-type': 'application/json' }, body);
    },
  };
};

/** A body for the message endpoint that is accepted while the window is open. */
export const aMessage = (changes: Record<string, unknown> = {}) => ({
  chatPlatform: 'chat',
  chatChannelNumber: CHANNEL,
  platformContactId: USER,
  messageText: 'Your table is ready.',
  ...changes,
});

/** A body for the rule-activation endpoint that activates {@link aRule}. */
export const anIntent = (changes: Record<string, unknown> = {}) => ({
  chatPlatform: 'chat',
  chatChannelNumber: CHANNEL,
  platformContactId: USER,
  ruleNameOrId: 'table_ready',
  params: { name: 'Ana', table: '7' },
  ...changes,
});

/** An approved template with the variables of {@link anIntent}. */
export const aRule = (changes: Record<string, unknown> = {}) => ({
  text: 'Hello ${name}, table ${table} is ready.',
  status: 'approved',
  category: 'reservation',
  ...changes,
});

/** Starts a webhook receiver, and a sandbox that delivers to it. */
export const startWithReceiver = async (
  options: Partial<SandboxOptions> = {},
  settings: Partial<WebhookSettings> = {},
) => {
  const receiver = await startWebhookReceiver();
  const webhook = { ...webhookTo(receiver.url), ...settings };
  return { receiver, sandbox: await startTestSandbox({ webhook, ...options }) };
};

export const userPath = (contact: string): string => `/users/${encodeURIComponent(contact)}`;

/** Returns the event in a wrapped webhook request's body. */
export const eventIn = (body: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(JSON.parse(body).message.data, 'base64').toString());

/** Waits until `check` no longer fails, with a timeout for busy machines. */
export const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 20_000, interval: 5 });

/** Waits until every event is acknowledged or expired. */
export const untilDelivered = (sandbox: RunningSandbox): Promise<void> =>
  eventually(async () => {
    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ pending: 0 });
  });

const jsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
