import { EVENT_NAMES } from '../../../../lambdas/domain/events/event-names.ts';
import { PRODUCTION } from '../settings/valid-settings.ts';
import { type Share, shareAll, shareBus, shareDomainName, shareVpc } from '../shared-resources.ts';

/** A stage with settings at their maximum. */
export interface ExtremeStage {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly share?: Share;
  readonly stackName?: string;
}

const long = (length: number) => 'x'.repeat(length);

/** Every optional part, with strings of the maximum length. */
const EVERYTHING = {
  ...PRODUCTION,
  customerManagedKey: true,
  chatService: { ...PRODUCTION.chatService, baseUrl: `https://chat.bank.internal/${long(160)}` },
  chatPlatform: long(64),
  webhook: { auth: { kind: 'shared-token', header: long(64) }, ingress: 'buffered', watch: true },
  window: { per: 'channel' },
  sends: { notAfter: 'PT10M', bulkLane: { maxConcurrentCalls: 2000, maxCallsPerSecond: 1000 } },
  contactCheck: 'beforeFirstTemplate',
  optOutExemptReasons: ['payment'],
  keywords: {
    languages: ['de', 'en', 'es', 'fr', 'it', 'pt'],
    optOut: Array.from({ length: 200 }, (_, index) => `opt "out" ${index}`),
    optIn: Array.from({ length: 200 }, (_, index) => `opt "in" ${index}`),
    confirmation: '"'.repeat(500),
  },
  operators: { echoField: long(64), handoverMinutes: 60 },
  turns: { silenceSeconds: 8 },
  templates: Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`template_with_a_long_name_${index}`, ['name', 'order', 'address']]),
  ),
  defaultTemplate: { ruleNameOrId: long(250), params: { name: long(180) } },
  rollout: 'gradual',
  alarmTopicArn: `arn:aws-us-gov:sns:ap-southeast-2:444455556666:${long(256)}`,
  runbookUrl: `https://git.example/${long(160)}/runbook.md`,
};

const queueTarget = (index: number) => ({
  kind: 'sqs',
  queueArn: `arn:aws-us-gov:sqs:ap-southeast-2:111122223333:${long(76)}${index}`,
  events: [...EVENT_NAMES],
});
const urlTarget = (index: number) => ({
  kind: 'https',
  url: `https://crm${index}.bank.internal/${long(2000)}`,
  header: long(64),
  events: [...EVENT_NAMES],
});

const many = <Item>(count: number, itemAt: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => itemAt(index));

export const EXTREME_STAGES: readonly ExtremeStage[] = [
  { name: 'everything, 50 queues', settings: { ...EVERYTHING, events: { targets: many(50, queueTarget) } } },
  { name: 'everything, 50 URLs', settings: { ...EVERYTHING, events: { targets: many(50, urlTarget) } } },
  {
    name: 'everything that exists already, the longest stack name, texts of three bytes a character',
    settings: {
      ...EVERYTHING,
      webhook: { ...EVERYTHING.webhook, ingress: 'direct' },
      keywords: { ...EVERYTHING.keywords, confirmation: '謝'.repeat(190) },
      templates: { 謝: ['謝'.repeat(180)] },
      defaultTemplate: { ruleNameOrId: '謝'.repeat(170) },
    },
    share: shareAll(shareVpc, shareDomainName, shareBus),
    stackName: `S${long(127)}`,
  },
];
