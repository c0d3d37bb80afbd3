import { PRODUCTION } from '../settings/valid-settings.ts';

/** A combination of the settings that decide which resources a stage has, and how they are configured. */
export interface StageVariant {
  /** For test names, such as `prod sns key floods sqs`. */
  readonly name: string;
  readonly stage: 'dev' | 'prod';
  readonly settings: Readonly<Record<string, unknown>>;
}

interface Choice {
  readonly name: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

const auth = (kind: string, settings: Readonly<Record<string, unknown>> = {}): Choice => ({
  name: kind,
  settings: { webhook: { auth: { kind, ...settings } }, allowInsecureWebhook: kind === 'insecure-none' },
});

const SQS_TARGET = { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm' };
const HTTPS_TARGET = { kind: 'https', url: 'https://crm.bank.internal/parley' };

const EXISTING_TABLE_AND_BUS = {
  tableArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/messaging',
  tableStreamArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/messaging/stream/2026-11-20T12:00:00.000',
  eventBusArn: 'arn:aws:events:eu-west-1:111122223333:event-bus/company',
};

/** Every setting that adds, removes, or configures a resource, with every value that makes a difference. */
const DIMENSIONS: readonly (readonly Choice[])[] = [
  [{ name: 'prod' }, { name: 'dev' }],
  [
    { name: 'pubsub-jwt' },
    auth('standard-webhooks'),
    auth('shared-token', { header: 'x-token' }),
    {
      name: 'shared-token buffered',
      settings: { webhook: { auth: { kind: 'shared-token', header: 'x-token' }, ingress: 'buffered' } },
    },
    auth('sns', { topicArn: 'arn:aws:sns:eu-west-1:111122223333:events' }),
    auth('insecure-none'),
  ],
  [
    { name: 'no key' },
    { name: 'key', settings: { customerManagedKey: true } },
    {
      name: 'existing key',
      settings: { existing: { keyArn: 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab' } },
    },
  ],
  [{ name: 'own table and bus' }, { name: 'existing table and bus', settings: { existing: EXISTING_TABLE_AND_BUS } }],
  [
    { name: 'no targets' },
    { name: 'sqs', settings: { events: { targets: [SQS_TARGET] } } },
    { name: 'https', settings: { events: { targets: [HTTPS_TARGET] } } },
    { name: 'sqs and https', settings: { events: { targets: [SQS_TARGET, HTTPS_TARGET] } } },
  ],
  [
    { name: 'no limits' },
    {
      name: 'limits',
      settings: {
        webhook: { throttle: { requestsPerSecond: 100, burst: 200 } },
        reservedConcurrency: { receive: 100, send: 22, publish: 10, manage: 20 },
      },
    },
  ],
  [
    { name: 'no topic' },
    {
      name: 'topic',
      settings: {
        alarmTopicArn: 'arn:aws:sns:eu-west-1:111122223333:alarms',
        runbookUrl: 'https://git.example/parley/runbook.md',
      },
    },
  ],
  [{ name: 'all at once' }, { name: 'gradually', settings: { rollout: 'gradual' } }],
  [
    { name: 'no network' },
    {
      name: 'network',
      settings: {
        vpc: { vpcId: 'vpc-0a1b2c3d4e5f60718', subnetIds: ['subnet-0a1b2c3d4e5f60718', 'subnet-1a1b2c3d4e5f60718'] },
        domainName: {
          name: 'chat-events.bank.internal',
          certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/1234abcd-12ab-34cd-56ef-1234567890ab',
          hostedZoneId: 'Z0123456789ABC',
        },
      },
    },
  ],
  [
    { name: 'per user' },
    {
      name: 'per channel, bulk queue, turns, watch',
      settings: {
        webhook: { watch: true },
        window: { per: 'channel' },
        sends: { bulkLane: { maxConcurrentCalls: 20 } },
        turns: { silenceSeconds: 8 },
      },
    },
  ],
];

/** Every combination of the dimensions. */
const combinations = DIMENSIONS.reduce<readonly (readonly Choice[])[]>(
  (all, choices) => all.flatMap((chosen) => choices.map((choice) => [...chosen, choice])),
  [[]],
);

const isAllowed = (chosen: readonly Choice[]): boolean =>
  !(chosen.some(({ name }) => name === 'prod') && chosen.some(({ name }) => name === 'insecure-none'));

const pairsOf = (chosen: readonly Choice[]): string[] =>
  chosen.flatMap((one, index) => chosen.slice(index + 1).map((other) => `${one.name} + ${other.name}`));

/**
 * Returns the variants in which every two values of two settings occur together. A resource depends on two settings at
 * most, so this finds what every combination would find, with a fraction of the syntheses.
 */
function coverPairs(all: readonly (readonly Choice[])[]): (readonly Choice[])[] {
  const open = new Set(all.flatMap(pairsOf));
  const chosen: (readonly Choice[])[] = [];
  while (open.size > 0) {
    const gain = (candidate: readonly Choice[]) => pairsOf(candidate).filter((pair) => open.has(pair)).length;
    const [first, ...others] = all;
    if (!first) break;
    const best = others.reduce((one, other) => (gain(other) > gain(one) ? other : one), first);
    for (const pair of pairsOf(best)) open.delete(pair);
    chosen.push(best);
  }
  return chosen;
}

const variantOf = (chosen: readonly Choice[]): StageVariant => ({
  name: chosen.map(({ name }) => name).join(', '),
  stage: chosen.some(({ name }) => name === 'prod') ? 'prod' : 'dev',
  settings: {
    ...Object.assign({}, ...chosen.map(({ settings }) => settings)),
    // Two dimensions are about the webhook, and two name existing resources.
    webhook: Object.assign({ auth: PRODUCTION.webhook.auth }, ...chosen.map(({ settings }) => settings?.webhook)),
    existing: Object.assign({}, ...chosen.map(({ settings }) => settings?.existing)),
  },
});

/** Every combination that a stage can have. */
export const ALL_VARIANTS: readonly StageVariant[] = combinations.filter(isAllowed).map(variantOf);

/** The variants of which the tests check each one. */
export const STAGE_VARIANTS: readonly StageVariant[] = coverPairs(combinations.filter(isAllowed)).map(variantOf);
