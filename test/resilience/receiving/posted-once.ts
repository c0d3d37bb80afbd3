import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { listenLocally } from '../../../local/base/listen-locally.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import type { FunctionPool } from '../../../local/functions/function-pool.ts';
import type { Interpose } from '../../../local/stack/interposed.ts';
import { wireMessage } from '../../support/builders.ts';
import { startCheckedCloud } from '../../support/checked-cloud.ts';

export const INGRESSES = ['direct', 'buffered'] as const;
export type Ingress = (typeof INGRESSES)[number];

/** What happened to the posts of one fault. */
export interface PostedOnceResult {
  readonly ingress: Ingress;
  readonly fault: FaultName;
  readonly posts: number;
  /** How many were answered with a 2xx. */
  readonly acknowledged: number;
  /** How many events are in the table. Each has its own key, so none can be there twice. */
  readonly stored: number;
  /** How many were acknowledged and are not in the table. */
  readonly lostAfterAnswer: number;
  /** How many events with a wrong token are in the table or in quarantine. */
  readonly unauthenticStored: number;
}

interface Faults {
  readonly cloud: LocalCloud;
  readonly receive: FunctionPool;
  /** Makes every invocation of `receive` fail, or ends that. */
  fail(isFailing: boolean): void;
  /** Makes the webhook's secret unreadable, or ends that. */
  lockSecret(isLocked: boolean): void;
}

interface Fault {
  begin(faults: Faults): void;
  /** What happens again and again while the events are posted. @default nothing */
  meanwhile?(faults: Faults): void;
  end(faults: Faults): void;
  /** How long the fault lasts, by the stage's clock. */
  readonly seconds: number;
}

const HOUR_SECONDS = 60 * 60;

/** The secret comes first, because a process that has read it keeps it. */
export const FAULTS = {
  'secret unreadable for an hour': {
    begin: ({ lockSecret }) => lockSecret(true),
    end: ({ lockSecret }) => lockSecret(false),
    seconds: HOUR_SECONDS,
  },
  none: { begin: () => undefined, end: () => undefined, seconds: 0 },
  'function throttled': {
    begin: ({ receive }) => receive.throttleAbove(0),
    end: ({ receive }) => receive.throttleAbove(undefined),
    seconds: 600,
  },
  'function fails, as in a broken deployment': {
    begin: ({ fail }) => fail(true),
    end: ({ fail }) => fail(false),
    seconds: 600,
  },
  'processes killed': {
    begin: () => undefined,
    meanwhile: ({ receive }) => void receive.killOne(0),
    end: () => undefined,
    seconds: 60,
  },
  'table unavailable for a day': {
    begin: ({ cloud }) => cloud.emulators.pauseTables(true),
    end: ({ cloud }) => cloud.emulators.pauseTables(false),
    seconds: 24 * HOUR_SECONDS,
  },
} as const satisfies Readonly<Record<string, Fault>>;
export type FaultName = keyof typeof FAULTS;

const TOKEN_HEADER = 'auth-bm-token';

/** Posts each event once to a local run with each fault in turn, and counts what is stored in the end. */
export const runPostedOnce = async (ingress: Ingress, posts: number): Promise<readonly PostedOnceResult[]> => {
  await using stack = new AsyncDisposableStack();
  const secrets = stack.use(await startSecretsProxy());
  let isFailing = false;
  const interpose: Interpose = (emulators) => ({
    mappings: emulators,
    webhookUrl: (url) => url,
    environment: (variables) => ({
      ...variables,
      ...(isReceive(variables) && { AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.to(emulators) }),
    }),
    invocations: (pool) => async (event) =>
      isFailing && isReceive(pool.declaration.variables)
        ? { ok: false, error: { errorType: 'Runtime.ImportModuleError', errorMessage: 'Injected by the test.' } }
        : pool.invoke(event),
  });
  const cloud = await startCheckedCloud({
    settings: {
      webhook: { ingress, auth: { kind: 'shared-token', header: TOKEN_HEADER, envelope: 'none' } },
    },
    interpose,
    warn: () => undefined,
  });
  stack.defer(() => cloud.close());
  const client = createLocalClient(cloud);
  stack.defer(() => client.close());
  await client.control('PATCH', '/redelivery', { redelivers: false });
  const receive = [...cloud.functions.values()].find(({ declaration }) => isReceive(declaration.variables));
  if (receive === undefined) throw new Error('The stage has no function receive.');
  const faults: Faults = {
    cloud,
    receive,
    fail(isOn) {
      isFailing = isOn;
    },
    lockSecret: secrets.lock,
  };
  const results: PostedOnceResult[] = [];
  for (const fault of Object.keys(FAULTS) as FaultName[]) {
    results.push({ ingress, fault, posts, ...(await playFault({ faults, client, posts, name: fault })) });
  }
  return results;
};

const isReceive = (variables: Readonly<Record<string, string>>): boolean =>
  variables.POWERTOOLS_SERVICE_NAME === 'receive';

const deliveries = z.object({
  pending: z.int(),
  deliveries: z.array(z.object({ event: z.looseObject({ _id_: z.string() }), status: z.int().nullable() })),
});

interface FaultRun {
  readonly faults: Faults;
  readonly client: LocalClient;
  readonly posts: number;
  readonly name: FaultName;
}

const playFault = async ({ faults, client, posts, name }: FaultRun) => {
  const { cloud } = faults;
  const { begin, meanwhile, end, seconds }: Fault = FAULTS[name];
  const slug = name.replaceAll(/\W+/g, '-');
  const idOf = (index: number): string => `${slug}-${index}`;
  const event = (id: string, index: number) =>
    wireMessage({
      _id_: id,
      FROM: `54911${55_000_000 + index}`,
      CREATION_TIME: cloud.clock.now().toISOString(),
    });
  begin(faults);
  for (let index = 0; index < posts; index += 1) {
    await client.deliverEvent(event(idOf(index), index));
    await postUnauthentic(cloud, event(`unauthenticated-${idOf(index)}`, index));
    meanwhile?.(faults);
  }
  const posted = await waitFor(`the posts of "${name}" are answered`, async () => {
    const all = deliveries.parse(await client.control('GET', '/deliveries'));
    if (all.pending > 0) meanwhile?.(faults);
    return all.pending === 0 ? all.deliveries : undefined;
  });
  // In steps, so that what waits is retried meanwhile.
  for (let step = 0; step < STEPS; step += 1) await client.advanceClock(seconds / STEPS);
  end(faults);
  await drained(client, cloud);
  const table = Object.keys(await client.table());
  const stored = new Set(table.map((key) => /^MESSAGE#(.*) MESSAGE$/.exec(key)?.[1]));
  const acknowledged = posted.flatMap(({ event: { _id_: id }, status }) =>
    id.startsWith(`${slug}-`) && status !== null && status < 300 ? [id] : [],
  );
  const quarantined = await client.queueDepth(cloud.inboundDeadLetterQueueUrl);
  const ids = Array.from({ length: posts }, (_, index) => idOf(index));
  return {
    acknowledged: acknowledged.length,
    stored: ids.filter((id) => stored.has(id)).length,
    lostAfterAnswer: acknowledged.filter((id) => !stored.has(id)).length,
    unauthenticStored: [...stored].filter((id) => id?.startsWith('unauthenticated-')).length + quarantined,
  };
};

const STEPS = 4;
const WAIT_SECONDS = 120;
const MAX_WAITS = 60;

/** Waits until the inbound queue is empty, by moving the clock past the pauses between attempts. */
const drained = async (client: LocalClient, cloud: LocalCloud): Promise<void> => {
  for (let wait = 0; wait < MAX_WAITS; wait += 1) {
    await pause(100);
    const isIdle = [...cloud.functions.values()].every((pool) => pool.working() === 0);
    if (isIdle && (await client.queueDepth(cloud.inboundQueueUrl)) === 0) return;
    await client.advanceClock(WAIT_SECONDS);
  }
  throw new Error('The inbound queue is not empty.');
};

const postUnauthentic = async ({ webhookUrl }: LocalCloud, event: unknown): Promise<void> => {
  const headers = { 'content-type': 'application/json', [TOKEN_HEADER]: 'a token that somebody guessed' };
  await fetch(webhookUrl, { method: 'POST', headers, body: JSON.stringify(event) });
};

/** A proxy of Secrets Manager that answers as during an outage while it is locked. */
const startSecretsProxy = async () => {
  let target = '';
  let isLocked = false;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (isLocked) {
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify({ __type: 'InternalServiceError', message: 'Injected by the test.' }));
      return;
    }
    const { host: _, ...headers } = request.headers;
    const answer = await fetch(target, { method: 'POST', headers: { ...headers } as Record<string, string>, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const listening = await listenLocally(server);
  return {
    to({ env }: { readonly env: Readonly<Record<string, string | undefined>> }): string {
      target = env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '';
      return listening.url;
    },
    lock(isOn: boolean) {
      isLocked = isOn;
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
};

/** Whether a run shows what docs/reliability.md says: buffered ingress loses nothing, direct only what got no 2xx. */
export const isAsDocumented = (results: readonly PostedOnceResult[]): boolean =>
  results.every(
    ({ ingress, posts, stored, lostAfterAnswer, unauthenticStored }) =>
      lostAfterAnswer === 0 && unauthenticStored === 0 && (ingress === 'direct' || stored === posts),
  );
