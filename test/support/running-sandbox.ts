import { onTestFinished, vi } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox, type WebhookSettings } from '../../sandbox/sandbox.ts';

export const TOKEN = 'token-of-the-test';
export const CHANNEL = '+5491100000000';
export const OTHER_CHANNEL = '+551130000000';
export const USER = '+5491155550000';
export const DAY_SECONDS = 24 * 60 * 60;

/** What a test sees of an HTTP answer. */
export type Answer = { status: number; body: unknown; text: string; headers: Headers };

export type RunningSandbox = Sandbox & {
  /** POSTs to an endpoint of the contract; `headers` are added to those that the contract asks for. */
  api(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls the control API, for example `control('POST /reset')`. */
  control(call: string, body?: unknown): Promise<Answer>;
};

export const webhookTo = (url: string): WebhookSettings => ({
  url,
  auth: { kind: 'pubsub-jwt', audience: 'audience-of-the-test', serviceAccountEmail: 'events@test.example' },
});

/** A sandbox that retries quickly and is closed when the test ends. */
export const startTestSandbox = async (options: Partial<SandboxOptions> = {}): Promise<RunningSandbox> => {
  const sandbox = await startSandbox({
    accessTokens: [TOKEN],
    chatPlatform: 'chat',
    chatChannelNumbers: [CHANNEL, OTHER_CHANNEL],
    carrierBackoff: { minimumMs: 1, maximumMs: 20 },
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
    return { status: response.status, body: jsonOr(text), text, headers: response.headers };
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

/** A body of the message endpoint that is accepted while the window is open. */
export const aMessage = (changes: Record<string, unknown> = {}) => ({
  chatPlatform: 'chat',
  chatChannelNumber: CHANNEL,
  platformContactId: USER,
  messageText: 'Your table is ready.',
  ...changes,
});

/** A body of the rule-activation endpoint for {@link aRule}. */
export const anIntent = (changes: Record<string, unknown> = {}) => ({
  chatPlatform: 'chat',
  chatChannelNumber: CHANNEL,
  platformContactId: USER,
  ruleNameOrId: 'table_ready',
  params: { name: 'Ana', table: '7' },
  ...changes,
});

/** An approved template with the variables that {@link anIntent} gives. */
export const aRule = (changes: Record<string, unknown> = {}) => ({
  text: 'Hello ${name}, table ${table} is ready.',
  status: 'approved',
  category: 'reservation',
  ...changes,
});

export const userPath = (contact: string): string => `/users/${encodeURIComponent(contact)}`;

/** The event in a wrapped push's body. */
export const eventIn = (body: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(JSON.parse(body).message.data, 'base64').toString());

/** Waits until `check` no longer fails; on a busy machine that may take long. */
export const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 20_000, interval: 5 });

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
