import { Key } from 'aws-cdk-lib/aws-kms';
import type { ExistingResources } from '../../../../lib/constructs/existing-resources.ts';
import { PRODUCTION } from '../settings/valid-settings.ts';
import {
  KEY,
  type Share,
  shareAll,
  shareBus,
  shareDomainName,
  shareKey,
  shareSecurityGroups,
  shareTable,
  shareTableWithKey,
  shareVpc,
  TABLE,
} from '../shared-resources.ts';

type Settings = Readonly<Record<string, unknown>>;

/** A setting, and the values that it has in one deployment after another. */
export interface SettingCase {
  /** Undefined omits the setting. */
  readonly values: readonly [unknown, unknown, ...unknown[]];
  /** Where the values are set, for a field of a list's elements. @default the setting */
  readonly at?: string;
  /** @default {@link FULL_STAGE} */
  readonly stage?: Settings;
}

const QUEUE = { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm' };
const QUEUE_ELSEWHERE = { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:444455556666:archive' };
const URL_TARGET = { kind: 'https', url: 'https://crm.bank.internal/parley' };

/** A production stage with every optional part, so that a change meets all that may depend on it. */
export const FULL_STAGE: Settings = {
  ...PRODUCTION,
  webhook: { auth: { kind: 'shared-token', header: 'x-token' }, watch: true },
  sends: { notAfter: 'P1D', bulkLane: { maxConcurrentCalls: 20, maxCallsPerSecond: 10 } },
  contactCheck: 'beforeFirstTemplate',
  keywords: { languages: ['en'], optIn: ['START'], confirmation: 'You will get no more messages from us.' },
  operators: { echoField: 'OPERATOR_ID', handoverMinutes: 60 },
  turns: { silenceSeconds: 8 },
  customerManagedKey: true,
  defaultTemplate: { ruleNameOrId: 'welcome', params: { name: 'you' } },
  events: { targets: [QUEUE, URL_TARGET] },
  rollout: 'gradual',
  alarmTopicArn: 'arn:aws:sns:eu-west-1:444455556666:alarms',
};

const PUBSUB = PRODUCTION.webhook.auth;
const TOKEN = { kind: 'shared-token', header: 'x-token' };
const WITH_PUBSUB: Settings = { ...FULL_STAGE, webhook: { auth: PUBSUB } };
const SNS = { kind: 'sns', topicArn: 'arn:aws:sns:eu-west-1:444455556666:events' };

/** Every setting, by its path. A test compares the paths with the settings of a stage. */
export const SETTING_CASES: Readonly<Record<string, SettingCase>> = {
  'chatService.baseUrl': { values: ['https://chat-service.bank.internal', 'https://other.bank.internal:8443/v2'] },
  'chatService.numberFormat': { values: ['verbatim', 'plus'] },
  'chatService.clientPayload': { values: ['intent', 'off'] },
  'chatService.contactCheckPath': { values: [undefined, 'customer/check'] },
  'chatService.answerTimeoutSeconds': { values: [10, 60] },
  'chatService.maxConcurrentCalls': { values: [200, 2000] },
  chatPlatform: { values: ['chat', 'other'] },
  chatChannelNumber: { values: ['+5491144440000', '+5491144440001'] },
  'webhook.auth.kind': {
    at: 'webhook.auth',
    values: [TOKEN, { kind: 'standard-webhooks' }, PUBSUB, SNS],
  },
  'webhook.auth.audience': { stage: WITH_PUBSUB, values: [PUBSUB.audience, 'other'] },
  'webhook.auth.serviceAccountEmail': {
    stage: WITH_PUBSUB,
    values: [PUBSUB.serviceAccountEmail, 'other@bank-messaging.iam.gserviceaccount.com'],
  },
  'webhook.auth.jwksUrl': { stage: WITH_PUBSUB, values: [undefined, 'https://keys.bank.internal:8443/certs'] },
  'webhook.auth.envelope': { values: ['none', 'pubsub'] },
  'webhook.auth.header': { values: ['x-token', 'x-other'] },
  'webhook.auth.topicArn': {
    stage: { ...FULL_STAGE, webhook: { auth: SNS } },
    values: [SNS.topicArn, `${SNS.topicArn}-2`],
  },
  'webhook.ingress': { values: ['direct', 'buffered'] },
  'webhook.watch': { values: [true, false] },
  'webhook.throttle': { values: [undefined, { requestsPerSecond: 100, burst: 200 }] },
  'webhook.throttle.requestsPerSecond': {
    at: 'webhook.throttle',
    values: [
      { requestsPerSecond: 100, burst: 200 },
      { requestsPerSecond: 10, burst: 200 },
    ],
  },
  'webhook.throttle.burst': {
    at: 'webhook.throttle',
    values: [
      { requestsPerSecond: 100, burst: 200 },
      { requestsPerSecond: 100, burst: 20 },
    ],
  },
  allowInsecureWebhook: { stage: { ...FULL_STAGE, production: false }, values: [false, true] },
  'window.per': { values: ['user', 'channel'] },
  'window.marginSeconds': { values: [60, 600] },
  'sends.notAfter': { values: ['P1D', undefined, 'PT10M'] },
  'sends.bulkLane': { values: [{ maxConcurrentCalls: 20 }, undefined] },
  'sends.bulkLane.maxConcurrentCalls': { values: [20, 40] },
  'sends.bulkLane.maxCallsPerSecond': { values: [10, undefined, 20] },
  contactCheck: { values: ['beforeFirstTemplate', 'off'] },
  optOutExemptReasons: { values: [undefined, ['payment', 'account-update'], ['account-update', 'payment']] },
  keywords: { values: [FULL_STAGE.keywords, undefined] },
  'keywords.languages': { values: [['en'], ['en', 'es'], ['es', 'en']] },
  'keywords.optOut': { values: [undefined, ['HALT', 'QUIT'], ['QUIT', 'HALT']] },
  'keywords.optIn': { values: [['START'], undefined, ['YES']] },
  'keywords.buttons': { values: [undefined, true] },
  'keywords.confirmation': { values: ['You will get no more messages from us.', undefined, 'Goodbye.'] },
  operators: { values: [FULL_STAGE.operators, undefined] },
  'operators.echoField': { values: ['OPERATOR_ID', 'AGENT_ID'] },
  'operators.echoValues': { values: [undefined, ['1', '2'], ['2', '1']] },
  'operators.echoSenders': { values: [undefined, ['agent', 'bot'], ['bot', 'agent']] },
  'operators.handoverMinutes': { values: [60, undefined, 120] },
  turns: { values: [{ silenceSeconds: 8 }, undefined] },
  'turns.silenceSeconds': { values: [8, 900] },
  templates: { values: [undefined, { parcel: ['name'] }, { parcel: ['name', 'day'], order: [] }] },
  defaultTemplate: { values: [FULL_STAGE.defaultTemplate, undefined] },
  'defaultTemplate.ruleNameOrId': { values: ['welcome', 'hello'] },
  'defaultTemplate.params': { values: [{ name: 'you' }, undefined, { name: 'all' }] },
  'events.content': { values: [undefined, true, false] },
  'events.targets': {
    values: [[QUEUE, URL_TARGET], [URL_TARGET, QUEUE], undefined, [QUEUE]],
  },
  'events.targets[].kind': { at: 'events.targets', values: [[QUEUE], [URL_TARGET]] },
  'events.targets[].queueArn': { at: 'events.targets', values: [[QUEUE], [QUEUE_ELSEWHERE]] },
  'events.targets[].events': {
    at: 'events.targets',
    values: [[QUEUE], [{ ...QUEUE, events: ['MessageReceived'] }], [{ ...QUEUE, events: ['SendAccepted'] }]],
  },
  'events.targets[].url': {
    at: 'events.targets',
    values: [[URL_TARGET], [{ ...URL_TARGET, url: 'https://crm.bank.internal/other' }]],
  },
  'events.targets[].header': { at: 'events.targets', values: [[URL_TARGET], [{ ...URL_TARGET, header: 'x-key' }]] },
  'retentionDays.messages': { values: [400, 30] },
  'retentionDays.sends': { values: [400, 30] },
  'retentionDays.contacts': { values: [400, 30] },
  'retentionDays.audit': { values: [400, 30] },
  'retentionDays.logs': { values: [30, 7] },
  production: { values: [true, false] },
  customerManagedKey: { values: [true, false] },
  'reservedConcurrency.receive': { values: [undefined, 100, 50] },
  'reservedConcurrency.send': { values: [undefined, 100, 50] },
  'reservedConcurrency.publish': { values: [undefined, 100, 50] },
  'reservedConcurrency.manage': { values: [undefined, 100, 50] },
  rollout: { values: ['gradual', 'allAtOnce'] },
  alarmTopicArn: { values: [FULL_STAGE.alarmTopicArn, undefined, 'arn:aws:sns:eu-west-1:444455556666:other'] },
  tags: { values: [{}, { 'cost-center': '4711' }] },
  runbookUrl: { values: [undefined, 'https://git.example/runbook.md'] },
};

/** What exists already, by the stack's property, in one deployment after another. Undefined omits the property. */
export const EXISTING_CASES: Readonly<
  Record<keyof ExistingResources, readonly [Share | undefined, Share | undefined, ...(Share | undefined)[]]>
> = {
  table: [undefined, shareTable(), shareTable(`${TABLE}-2`), shareTableWithKey],
  eventBus: [undefined, shareBus],
  encryptionKey: [
    undefined,
    shareKey,
    (shared) => ({ encryptionKey: Key.fromKeyArn(shared, 'OtherKey', `${KEY}-2`) }),
    (shared) => ({ encryptionKey: new Key(shared, 'NewKey') }),
    (shared) => ({ encryptionKey: new Key(shared, 'OtherNewKey') }),
  ],
  vpc: [undefined, shareVpc],
  vpcSubnets: [shareVpc, shareAll(shareVpc, () => ({ vpcSubnets: { availabilityZones: ['eu-west-1a'] } }))],
  securityGroups: [shareVpc, shareAll(shareVpc, shareSecurityGroups('sg-0a1b2c3d4e5f60718'))],
  streamsEndpointUrl: [
    shareVpc,
    shareAll(shareVpc, () => ({
      streamsEndpointUrl: 'https://vpce-1-2.streams.dynamodb.eu-west-1.vpce.amazonaws.com',
    })),
  ],
  vpcFunctions: [shareVpc, shareAll(shareVpc, () => ({ vpcFunctions: 'callers' }))],
  domainMapping: [undefined, shareDomainName],
};
