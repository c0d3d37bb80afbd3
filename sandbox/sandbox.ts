import { Hono } from 'hono';
import { contractApi } from './api/contract-api.ts';
import { createCarrier } from './carrier/carrier.ts';
import { carrierPages, JWKS_PATH } from './carrier/carrier-pages.ts';
import { type CarrierBackoff, PUBSUB_BACKOFF } from './carrier/push-backoff.ts';
import { createSigningKeys, type KeptKey } from './carrier/signing-keys.ts';
import type { WebhookSettings } from './carrier/webhook-settings.ts';
import { createClock, type SandboxClock } from './clock.ts';
import { type ConsoleParts, consoleRoutes } from './console/console-routes.ts';
import { clickToChat } from './control/click-to-chat-api.ts';
import { controlApi } from './control/control-api.ts';
import { createFaults } from './faults/faults.ts';
import { errorForm } from './http/error-form.ts';
import { startLocalServer } from './http/local-server.ts';
import type { MachineRoom } from './machine-room/machine-room.ts';
import { machineRoomRoutes } from './machine-room/machine-room-routes.ts';
import { openapiDocument } from './openapi/openapi-document.ts';
import { createRunningService } from './running-service.ts';
import { NO_STORE } from './store/store.ts';

export type { CarrierBackoff } from './carrier/push-backoff.ts';
export type { WebhookAuth, WebhookSettings } from './carrier/webhook-settings.ts';
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
  /** An SQLite file that keeps all of the state over a restart. @default none: the state is in memory alone */
  dataFile?: string;
  /** Whether the service itself refuses to write first to a user who gave no opt-in and never wrote. @default false */
  optInRequired?: boolean;
  /** What the console may see of the customer's side; without one it shows the service's own parts. */
  machineRoom?: MachineRoom;
};

export type Sandbox = {
  /** The base address of the contract's endpoints, of the control API and of the console. */
  url: string;
  /** Where the public keys of the carrier's signatures are. */
  jwksUrl: string;
  setWebhook(webhook: WebhookSettings): void;
  /** Lets the console look into the customer's side as well. */
  setMachineRoom(machineRoom: MachineRoom): void;
  /** Ends deliveries, timers and connections. */
  close(): Promise<void>;
};

/**
 * Starts the chat service of the contract on 127.0.0.1.
 *
 * @throws Error with a sentence when the port is taken.
 */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const store =
    options.dataFile === undefined
      ? NO_STORE
      : (await import('./store/sqlite-store.ts')).openSqliteStore(options.dataFile);
  const kept = new Map(store.load<unknown>('service'));
  const clock =
    options.clock ??
    createClock(Number(kept.get('clockOffsetMs') ?? 0), (offsetMs) => store.put('service', 'clockOffsetMs', offsetMs));
  const keys = createSigningKeys({
    kept: store.load<KeptKey>('keys').at(-1)?.[1],
    keep: (key) => store.put('keys', 'current', key),
  });
  const faults = createFaults();
  const { chatPlatform, chatChannelNumbers, accessTokens, credit = 10_000 } = options;
  const { approved = true, optInRequired = false } = options;
  let { machineRoom } = options;
  let url = '';
  const service = createRunningService({
    clock,
    store,
    settings: { chatPlatform, chatChannelNumbers, accessTokens, credit, approved, optInRequired },
    newCarrier: (parts) =>
      createCarrier({
        ...parts,
        clock,
        keys,
        faults,
        origin: () => url,
        backoff: options.carrierBackoff ?? PUBSUB_BACKOFF,
        answerTimeoutMs: options.carrierAnswerTimeoutMs ?? 10_000,
      }),
  });

  const parts = (): ConsoleParts => ({ machineRoom: machineRoom !== undefined });
  const app = new Hono()
    .route('/api/v1.0', contractApi(service, faults))
    .route('/sandbox', controlApi(service, keys, faults))
    .route('/chat', clickToChat(service))
    .route('/carrier', carrierPages(service, keys))
    .route(
      '/machine-room',
      machineRoomRoutes(() => machineRoom),
    )
    .route('/', consoleRoutes(service, parts))
    .get('/openapi.json', (context) => context.json(openapiDocument(url)))
    // Field notes, "The API's answers": 404 comes with an empty body.
    .notFound((context) => context.body(null, 404))
    .onError((error, context) => {
      // A client that hangs up in the middle of its request is nobody's fault to report.
      if (!context.req.raw.signal.aborted) console.error(error);
      return context.json(errorForm(500, 'The sandbox failed at this request; its own output says why.'), 500);
    });

  const server = await startLocalServer(app, options.port ?? 0).catch((error: unknown) => {
    store.close();
    throw error;
  });
  url = `http://127.0.0.1:${server.port}`;
  // Only now can a receiver fetch the keys with which it checks what it gets.
  if (options.webhook !== undefined) service.setWebhook(options.webhook);
  return {
    url,
    jwksUrl: url + JWKS_PATH,
    setWebhook: service.setWebhook,
    setMachineRoom: (room) => {
      machineRoom = room;
    },
    close: async () => {
      faults.clear();
      await Promise.all([service.carrier.close(), server.close()]);
      store.close();
    },
  };
};
