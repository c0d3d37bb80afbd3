import { PRODUCTION } from '../settings/valid-settings.ts';
import {
  type Share,
  shareAll,
  shareBus,
  shareDomainName,
  shareKey,
  shareTable,
  shareTableWithKey,
  shareVpc,
} from '../shared-resources.ts';

/** A combination of the settings that decide which resources a stage has, and how they are configured. */
export interface StageVariant {
  /** For test names, such as `prod sns key floods sqs`. */
  readonly name: string;
  readonly stage: 'dev' | 'prod';
  readonly settings: Readonly<Record<string, unknown>>;
  /** What exists already. */
  readonly share: Share;
}

interface Choice {
  readonly name: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly share?: Share;
}

const auth = (kind: string, settings: Readonly<Record<string, unknown>> = {}): Choice => ({
  name: kind,
  settings: { webhook: { auth: { kind, ...settings } }, allowInsecureWebhook: kind === 'insecure-none' },
});

const SQS_TARGET = { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm' };
const HTTPS_TARGET = { kind: 'https', url: 'https://crm.bank.internal/parley' };

/** Every setting and property that adds, removes, or configures a resource, with every value that makes a difference. */
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
    auth('sns', { topicArn: 'arn:aws:sns:eu-west-1:444455556666:events' }),
    auth('insecure-none'),
  ],
  [
    { name: 'no key' },
    { name: 'key', settings: { customerManagedKey: true } },
    { name: 'existing key', share: shareKey },
  ],
  [
    { name: 'own table and bus' },
    { name: 'existing table and bus', share: shareAll(shareTable(), shareBus) },
    { name: 'existing table with a key', share: shareTableWithKey },
  ],
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
        alarmTopicArn: 'arn:aws:sns:eu-west-1:444455556666:alarms',
        runbookUrl: 'https://git.example/parley/runbook.md',
      },
    },
  ],
  [{ name: 'all at once' }, { name: 'gradually', settings: { rollout: 'gradual' } }],
  [{ name: 'no network' }, { name: 'network', share: shareAll(shareVpc, shareDomainName) }],
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
    // Two dimensions are about the webhook.
    webhook: Object.assign({ auth: PRODUCTION.webhook.auth }, ...chosen.map(({ settings }) => settings?.webhook)),
  },
  share: shareAll(...chosen.flatMap(({ share }) => share ?? [])),
});

/** Every combination that a stage can have. */
export const ALL_VARIANTS: readonly StageVariant[] = combinations.filter(isAllowed).map(variantOf);

/** The variants of which the tests check each one. */
export const STAGE_VARIANTS: readonly StageVariant[] = coverPairs(combinations.filter(isAllowed)).map(variantOf);
