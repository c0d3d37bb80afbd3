import { Hono } from 'hono';
import { contractApi } from './api/contract-api.ts';
import { createCarrier } from './carrier/carrier.ts';
import { type CarrierBackoff, PUBSUB_BACKOFF } from './carrier/push-backoff.ts';
import { createSigningKeys } from './carrier/signing-keys.ts';
import type { WebhookSettings } from './carrier/webhook-settings.ts';
import { createClock, type SandboxClock } from './clock.ts';
import { clickToChat } from './control/click-to-chat-api.ts';
import { controlApi } from './control/control-api.ts';
import { createFaults } from './faults/faults.ts';
import { errorForm } from './http/error-form.ts';
import { startLocalServer } from './http/local-server.ts';
import { createRunningService } from './running-service.ts';

export type { CarrierBackoff } from './carrier/push-backoff.ts';
export type { WebhookSettings } from './carrier/webhook-settings.ts';
export type { SandboxClock } from './clock.ts';

export type SandboxOptions = {
  /** @default 0, a free one */
  port?: number;
  /** The tokens that the API accepts. */
  accessTokens: readonly string[];
  chatPlatform: string;
  /** The business's own numbers; a user who is said to write to none in particular writes to the first. */
  chatChannelNumbers: readonly string[];
  /** @default an offset on the machine's clock */
  clock?: SandboxClock;
  /** Without one, events wait until it is set. */
  webhook?: WebhookSettings;
  /** @default 100 ms to 60 s */
  carrierBackoff?: CarrierBackoff;
  /** How long the carrier waits for the webhook's answer, in milliseconds. @default 10,000 */
  carrierAnswerTimeoutMs?: number;
  /** How many messages the account can pay for. @default 10,000 */
  credit?: number;
  /** False: the account starts in sandbox mode, and approval is asked for by the control API. @default true */
  approved?: boolean;
  /** Whether the service itself refuses to write first to a user who gave no opt-in and never wrote. @default false */
  optInRequired?: boolean;
};

export type Sandbox = {
  /** The base address of the contract's endpoints and of the control API. */
  url: string;
  /** Where the public keys of the carrier's signatures are. */
  jwksUrl: string;
  setWebhook(webhook: WebhookSettings): void;
  /** Ends deliveries, timers and connections. */
  close(): Promise<void>;
};

const JWKS_PATH = '/carrier/certs';

/**
 * Starts the chat service of the contract on 127.0.0.1.
 *
 * @throws Error with a sentence when the port is taken.
 */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const clock = options.clock ?? createClock();
  const keys = createSigningKeys();
  const faults = createFaults();
  let webhook = options.webhook;
  const { chatPlatform, chatChannelNumbers, accessTokens, credit = 10_000 } = options;
  const { approved = true, optInRequired = false } = options;
  const settings = { chatPlatform, chatChannelNumbers, accessTokens, credit, approved, optInRequired };
  const service = createRunningService(clock, settings, (told) =>
    createCarrier({
      ...told,
      clock,
      keys,
      faults,
      webhook,
      backoff: options.carrierBackoff ?? PUBSUB_BACKOFF,
      answerTimeoutMs: options.carrierAnswerTimeoutMs ?? 10_000,
    }),
  );

  const app = new Hono()
    .route('/api/v1.0', contractApi(service, faults))
    .route('/sandbox', controlApi(service, keys, faults))
    .route('/chat', clickToChat(service))
    .get(JWKS_PATH, async (context) =>
      context.json(await keys.jwks(), 200, { 'Cache-Control': 'public, max-age=3600' }),
    )
    // Field notes, "The API's answers": 404 comes with an empty body.
    .notFound((context) => context.body(null, 404))
    .onError((error, context) => {
      // A client that hangs up in the middle of its request is nobody's fault to report.
      if (!context.req.raw.signal.aborted) console.error(error);
      return context.json(errorForm(500, 'The sandbox failed at this request; its own output says why.'), 500);
    });

  const server = await startLocalServer(app, options.port ?? 0);
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    jwksUrl: url + JWKS_PATH,
    setWebhook: (settings) => {
      webhook = settings;
      service.carrier.setWebhook(settings);
    },
    close: async () => {
      faults.clear();
      await Promise.all([service.carrier.close(), server.close()]);
    },
  };
};
