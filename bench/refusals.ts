import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createSecretStore, startSecretsManager } from '../local/emulators/secrets-manager.ts';
import { RETENTION_DAYS, wireMessage } from '../test/support/builders.ts';
import { startEmulatedTables } from '../test/support/emulated-table.ts';
import { AUDIENCE, SERVICE_ACCOUNT, startIssuer } from '../test/support/issuer.ts';
import { numbersOrExit } from '../test/support/read-arguments.ts';
import { replaceInternet } from '../test/support/replaced-internet.ts';
import { selfSignedCertificate } from '../test/support/self-signed-certificate.ts';
import {
  CERTIFICATE_URL,
  type SignedRequest,
  STANDARD_SECRET,
  signSns,
  snsNotification,
  snsRequest,
  standardWebhooksRequest,
  TOPIC,
} from '../test/support/signed-requests.ts';
import { ASSUMPTIONS } from './cost/assumptions.ts';
import { PRICES } from './prices.ts';
import { quantile } from './report.ts';

/*
 * `npm run bench:refusals -- --rounds 40`: measures what it costs to refuse an unauthenticated webhook request,
 * relative to storing an authentic one of the same kind. The cases alternate in every round, so that other load on the
 * machine affects all of them.
 */

const { rounds, requests } = numbersOrExit({ rounds: 40, requests: 40 });
const WARM_UP_ROUNDS = 5;

const MEMORY_GB = 1;
const VCPUS = (MEMORY_GB * 1024) / ASSUMPTIONS.memoryMbPerVcpu;
/** About the size of a line of the API's access log. */
const ACCESS_LOG_BYTES = 120;

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;
interface Case {
  readonly name: string;
  readonly kind: string;
  readonly status: number;
  readonly handler: Handler;
  readonly build: () => SignedRequest | Promise<SignedRequest>;
  readonly cpuMs: number[];
  logBytes: number;
}

await using stack = new AsyncDisposableStack();
const tables = await startEmulatedTables();
stack.defer(() => tables.close());
const secrets = createSecretStore((name) => `arn:aws:secretsmanager:local:000000000000:secret:${name}`);
const secretsManager = await startSecretsManager(secrets);
stack.defer(() => secretsManager.close());
const issuer = stack.use(await startIssuer(() => Math.floor(Date.now() / 1000)));
const foreignIssuer = stack.use(await startIssuer(() => Math.floor(Date.now() / 1000)));
const HOUR_MS = 3_600_000;
const validity = [new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS)] as const;
const [certificate, foreign] = [selfSignedCertificate(...validity), selfSignedCertificate(...validity)];

stack.use(
  await replaceInternet((url) => {
    if (url === CERTIFICATE_URL) return { body: certificate.pem };
    return url.startsWith(issuer.jwksUrl) ? undefined : { status: 404, body: '' };
  }),
);

const TOKEN = randomUUID();
/** Loads the function as its entry wires it, with the variables that the stack sets. */
const load = async (
  auth: Readonly<Record<string, string>> & { readonly kind: string },
  secret = '',
): Promise<Handler> => {
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_DYNAMODB: tables.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.url,
    POWERTOOLS_SERVICE_NAME: 'receive',
    POWERTOOLS_METRICS_NAMESPACE: 'Parley-bench',
    TABLE_NAME: await tables.createTable(),
    INBOUND_QUEUE_URL: 'http://127.0.0.1:9/inbound',
    INBOUND_DEAD_LETTER_QUEUE_URL: 'http://127.0.0.1:9/dead-letters',
    WEBHOOK_AUTH: JSON.stringify(auth),
    WEBHOOK_SECRET_ID: secrets.create(auth.kind, secret),
    WINDOW_PER: 'user',
    CHAT_PLATFORM: 'chat',
    RETENTION_DAYS: JSON.stringify(RETENTION_DAYS),
  });
  // With a query, the module is loaded again for each kind, with the variables of this one.
  const entry = new URL(`../lambdas/receive/entry.ts?${auth.kind}`, import.meta.url);
  const { handler } = await import(entry.href);
  return handler;
};

const event = () => JSON.stringify(wireMessage({ _id_: randomUUID() }));
const bearer = async (token: Promise<string>) => ({
  headers: { authorization: `Bearer ${await token}` },
  unverifiedBody: Buffer.from(event()),
});
const now = () => new Date().toISOString();
const notification = (changes: Record<string, unknown> = {}) => snsNotification({ Message: event(), ...changes });
const withToken = (token: string) => ({ headers: { 'x-token': token }, unverifiedBody: Buffer.from(event()) });

const pubsub = await load({
  kind: 'pubsub-jwt',
  audience: AUDIENCE,
  serviceAccountEmail: SERVICE_ACCOUNT,
  jwksUrl: issuer.jwksUrl,
});
const standard = await load({ kind: 'standard-webhooks' }, STANDARD_SECRET);
const shared = await load({ kind: 'shared-token', header: 'x-token' }, TOKEN);
const sns = await load({ kind: 'sns', topicArn: TOPIC });
const caseOf = (kind: string, handler: Handler, name: string, status: number, build: Case['build']): Case => ({
  kind,
  handler,
  name,
  status,
  build,
  cpuMs: [],
  logBytes: 0,
});
const cases: readonly Case[] = [
  caseOf('pubsub-jwt', pubsub, 'honest', 200, () => bearer(issuer.sign())),
  caseOf('pubsub-jwt', pubsub, 'no token', 401, () => ({ headers: {}, unverifiedBody: Buffer.from(event()) })),
  caseOf('pubsub-jwt', pubsub, 'wrong signature', 401, () => bearer(foreignIssuer.sign())),
  caseOf('standard-webhooks', standard, 'honest', 200, () => standardWebhooksRequest(event(), { at: now() })),
  caseOf('standard-webhooks', standard, 'wrong signature', 401, () => ({
    ...standardWebhooksRequest(event(), { at: now() }),
    unverifiedBody: Buffer.from(event()),
  })),
  caseOf('shared-token', shared, 'honest', 200, () => withToken(TOKEN)),
  caseOf('shared-token', shared, 'wrong token', 401, () => withToken(randomUUID())),
  caseOf('sns', sns, 'honest', 200, () => snsRequest(signSns(notification(), certificate.privateKey))),
  caseOf('sns', sns, 'wrong signature', 401, () => snsRequest(signSns(notification(), foreign.privateKey))),
  caseOf('sns', sns, 'new certificate address', 401, () => {
    const SigningCertURL = CERTIFICATE_URL.replace('0'.repeat(32), randomUUID().replaceAll('-', ''));
    return snsRequest(signSns(notification({ SigningCertURL }), foreign.privateKey));
  }),
];

/** Runs an action and returns how many bytes it wrote to the log. */
const countingLog = async (action: () => Promise<void>): Promise<number> => {
  const streams = [process.stdout, process.stderr] as const;
  const writes = streams.map((stream) => stream.write);
  let bytes = 0;
  for (const stream of streams) {
    stream.write = (chunk: string | Uint8Array) => {
      bytes += Buffer.byteLength(chunk);
      return true;
    };
  }
  try {
    await action();
  } finally {
    for (const [index, stream] of streams.entries()) stream.write = writes[index] ?? stream.write;
  }
  return bytes;
};

for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
  for (const each of cases) {
    const signed = await Promise.all(Array.from({ length: requests }, () => each.build()));
    const statuses = new Set<number | undefined>();
    let cpu: NodeJS.CpuUsage | undefined;
    const bytes = await countingLog(async () => {
      const before = process.cpuUsage();
      for (const { headers, unverifiedBody } of signed) {
        const request = { headers, body: unverifiedBody.toString(), isBase64Encoded: false };
        // The handler reads nothing else of its event.
        const answer = await each.handler(request as unknown as APIGatewayProxyEventV2, {} as Context);
        statuses.add((answer as APIGatewayProxyStructuredResultV2).statusCode);
      }
      cpu = process.cpuUsage(before);
    });
    if ([...statuses].join() !== String(each.status)) {
      throw new Error(`${each.kind}, ${each.name}: answered ${[...statuses].join(', ')} instead of ${each.status}.`);
    }
    if (round < WARM_UP_ROUNDS || cpu === undefined) continue;
    each.cpuMs.push((cpu.user + cpu.system) / 1000 / requests);
    each.logBytes = bytes / requests;
  }
}

const median = (samples: readonly number[]): number => quantile(samples, 0.5);
const perMillion = ({ cpuMs, logBytes }: Case): number => {
  const billedMs = Math.ceil(median(cpuMs) / VCPUS);
  const duration = billedMs * 1000 * MEMORY_GB * PRICES.lambdaArm64.usd;
  const logs = ((logBytes + ACCESS_LOG_BYTES) / 1000) * PRICES.logs.usd;
  return PRICES.httpApi.usd + PRICES.lambdaRequests.usd + duration + logs;
};

console.log('Processor time per warm request (median), relative to an authentic request of the same kind:');
for (const each of cases) {
  const honest = cases.find(({ kind, name }) => kind === each.kind && name === 'honest');
  const ratio = honest ? median(each.cpuMs) / median(honest.cpuMs) : Number.NaN;
  const price = each.status === 401 ? `  $${perMillion(each).toFixed(2)} per million` : '';
  console.log(
    `${each.kind.padEnd(18)} ${each.name.padEnd(24)} ${median(each.cpuMs).toFixed(3)} ms  x${ratio.toFixed(2)}  ` +
      `${Math.round(each.logBytes)} bytes of log${price}`,
  );
}
