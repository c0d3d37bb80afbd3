import { inspect } from 'node:util';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { createClock, type SandboxClock } from './base/clock.ts';
import type { EventFormatName } from './base/event-format-names.ts';
import type { Inspector } from './base/inspector.ts';
import { printableLines } from './base/terminal-text.ts';
import { type DeliveryBackoff, PUBSUB_BACKOFF } from './delivery/push-backoff.ts';
import type { WebhookSettings } from './delivery/subscription.ts';
import { consoleRoutes } from './http/console-routes.ts';
import { contractApi } from './http/contract-api.ts';
import { controlApi } from './http/control-api.ts';
import { JWKS_PATH, signingRoutes } from './http/deliveries-api.ts';
import { inspectorRoutes } from './http/inspector-routes.ts';
import { clickToChat } from './http/links-api.ts';
import { startLocalServer } from './http/local-server.ts';
import { openapiDocument } from './http/openapi-document.ts';
import { errorBody } from './http/read-request.ts';
import { createRunningService } from './running/running-service.ts';
import { createStoredService, NO_STORE } from './store/store.ts';

export type { SandboxClock } from './base/clock.ts';
export type { EventFormatName } from './base/event-format-names.ts';
export type { WebhookAuth, WebhookSettings } from './delivery/subscription.ts';
export { JWKS_PATH } from './http/deliveries-api.ts';

export interface SandboxOptions {
  /** @default 0, a free port */
  readonly port?: number;
  /** The tokens that the API accepts. */
  readonly accessTokens: readonly string[];
  readonly chatPlatform: string;
  /** The business's own numbers. The first is the default for users' messages. */
  readonly chatChannelNumbers: readonly string[];
  /** @default the machine's clock with an offset */
  readonly clock?: SandboxClock;
  /** @default events wait until a webhook is set */
  readonly webhook?: WebhookSettings;
  /** How long delivery pauses after a failure. @default 100 ms to 60 s */
  readonly deliveryBackoff?: DeliveryBackoff;
  /** How long to wait for the webhook's answer, in milliseconds. @default 10,000 */
  readonly deliveryTimeoutMs?: number;
  /** How many messages the account can pay for. @default 10,000 */
  readonly credit?: number;
  /** False starts the account in sandbox mode, in which the control API can request approval. @default true */
  readonly approved?: boolean;
  /** An SQLite file that keeps the state across restarts. @default none: the state is only in memory */
  readonly dataFile?: string;
  /** Whether the service itself refuses to write first to a user who gave no opt-in and never wrote. @default false */
  readonly optInRequired?: boolean;
  /**
   * Another path of the contact check, below the version. Any platform's name is served in any case.
   *
   * @default 'customer/checkChatContact'
   */
  readonly contactCheckPath?: string;
  /** How the webhook writes events. @default 'uppercase', the contract's format */
  readonly eventFormat?: EventFormatName;
  /** Shows the customer's side in the console. @default none: the console shows only the service */
  readonly inspector?: Inspector;
  /** Host names, without a port, that requests may be addressed to besides 127.0.0.1 and localhost. @default none */
  readonly allowedHosts?: readonly string[];
}

export interface Sandbox {
  /** The base address of the contract's endpoints, the control API, and the console. */
  readonly url: string;
  /** Where the public keys of the webhook signatures are. */
  readonly jwksUrl: string;
  setWebhook(webhook: WebhookSettings): void;
  setInspector(inspector: Inspector): void;
  /** Stops deliveries, timers, and connections. */
  close(): Promise<void>;
}

/**
 * Starts the contract's chat service on 127.0.0.1.
 *
 * @throws Error with a sentence for the user if the port or the data file cannot be used
 */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const { chatPlatform, chatChannelNumbers, accessTokens, dataFile } = options;
  const { credit = 10_000, approved = true, optInRequired = false, eventFormat = 'uppercase' } = options;
  let { inspector } = options;
  let url = '';

  const store = dataFile === undefined ? NO_STORE : (await import('./store/sqlite-store.ts')).openSqliteStore(dataFile);
  const stored = createStoredService(store);
  const service = createRunningService({
    clock: options.clock ?? createClock(stored.clock.loadOffsetMs(), stored.clock.putOffsetMs),
    stored,
    settings: { chatPlatform, chatChannelNumbers, accessTokens, credit, approved, optInRequired, eventFormat },
    delivery: {
      backoff: options.deliveryBackoff ?? PUBSUB_BACKOFF,
      timeoutMs: options.deliveryTimeoutMs ?? 10_000,
      origin: () => url,
    },
  });

  const app = new Hono()
    .route('/api/v1.0', contractApi(service, options.contactCheckPath ?? 'customer/checkChatContact'))
    .route('/sandbox', controlApi(service))
    .route('/chat', clickToChat(service))
    .route('/carrier', signingRoutes(service))
    .route(
      '/inspector',
      inspectorRoutes(() => inspector),
    )
    .route(
      '/',
      consoleRoutes(service, () => inspector),
    )
    .get('/openapi.json', (context) => context.json(openapiDocument(url)))
    // Field notes, "The API's answers": 404 comes with an empty body, which real services label as HTML.
    .notFound((context) => context.body(null, 404, { 'Content-Type': 'text/html' }))
    .onError((error, context) => {
      // A client that disconnects during its request is not an error.
      if (!context.req.raw.signal.aborted) console.error(printableLines(inspect(error)));
      if (error instanceof HTTPException) return context.json(errorBody(error.status, error.message), error.status);
      return context.json(errorBody(500, 'The sandbox failed to process this request. See its output.'), 500);
    });

  const server = await startLocalServer(app, {
    port: options.port ?? 0,
    allowedHosts: options.allowedHosts ?? [],
  }).catch((error: unknown) => {
    stored.close();
    throw error;
  });
  url = `http://127.0.0.1:${server.port}`;
  // Deliveries start only now, because webhooks fetch the signing keys from this server.
  if (options.webhook !== undefined) service.setWebhook(options.webhook);
  return {
    url,
    jwksUrl: url + JWKS_PATH,
    setWebhook: service.setWebhook,
    setInspector: (next) => {
      inspector = next;
    },
    close: async () => {
      await Promise.all([service.close(), server.close()]);
      stored.close();
    },
  };
};
