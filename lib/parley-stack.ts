import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type ExistingResources, existingResources } from './constructs/existing-resources.ts';
import { ParleyManagement } from './constructs/management.ts';
import { ParleyMonitoring } from './constructs/monitoring.ts';
import { networkOf } from './constructs/network.ts';
import { ParleyPublisher } from './constructs/publisher.ts';
import { ParleyReceiver } from './constructs/receiver.ts';
import { ParleySender } from './constructs/sender.ts';
import { StageKey } from './constructs/stage-key.ts';
import { ParleyTable } from './constructs/table.ts';
import { checkPins } from './pins/check-pins.ts';
import { checkProduction, LOCAL_RUN_CONTEXT } from './settings/check-production.ts';
import { LOCAL_CHAT_SERVICE_CONTEXT, SETTINGS_METADATA, withLocalChatService } from './settings/local-chat-service.ts';
import { withoutTopicsOfOthers } from './settings/local-topics.ts';
import { checkSettings } from './settings/settings-faults.ts';
import { type StageSettings, type StageSettingsInput, stageSettings } from './settings/stage-settings.ts';

/** Properties of a {@link ParleyStack}. */
export interface ParleyStackProps extends StackProps, ExistingResources {
  /** The stage's settings. Those with a default are optional. */
  readonly settings: StageSettingsInput;
}

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-using-console-create-stack-parameters.html */
export const MAX_STACK_NAME_LENGTH = 128;

/**
 * All of Parley for one stage.
 *
 * @throws SettingsError if a setting is invalid.
 */
export class ParleyStack extends Stack {
  /** A {@link ParleyTable}, unless the stack uses an existing table. */
  readonly table: ITable;
  readonly receiver: ParleyReceiver;
  readonly sender: ParleySender;
  readonly publisher: ParleyPublisher;
  readonly management: ParleyManagement;

  constructor(scope: Construct, id: string, { settings: input, ...props }: ParleyStackProps) {
    const isLocalRun = scope.node.tryGetContext(LOCAL_RUN_CONTEXT);
    const checked = checkSettings(stageSettings, input, id);
    const given = isLocalRun === true ? withoutTopicsOfOthers(checked) : checked;
    const local = withLocalChatService(given, id, scope.node.tryGetContext(LOCAL_CHAT_SERVICE_CONTEXT));
    const settings = local ?? given;
    checkProduction(settings, id, isLocalRun);
    super(scope, id, { terminationProtection: settings.production, ...props });
    this.#tag(settings);
    if (local) this.addMetadata(SETTINGS_METADATA, local);
    const existing = existingResources(this, settings, props);
    const { eventBus, domainMapping } = existing;
    checkPins(
      this,
      {
        table: existing.table?.tableArn,
        eventBus: eventBus?.eventBusArn,
        encryptionKey: existing.encryptionKey?.keyArn,
      },
      { chatPlatform: settings.chatPlatform, 'window.per': settings.window.per },
    );
    const encryptionKey = existing.encryptionKey ?? this.#createKey(settings, eventBus);
    this.table = existing.table ?? new ParleyTable(this, 'Table', { production: settings.production, encryptionKey });
    const { table } = this;
    const outside = { ...settings, table, encryptionKey };
    const callers = { ...outside, ...networkOf(this, existing, settings) };
    const parts = existing.vpcFunctions === 'callers' ? outside : callers;
    this.receiver = new ParleyReceiver(this, 'Receiver', { ...parts, domainMapping });
    this.sender = new ParleySender(this, 'Sender', callers);
    this.receiver.confirmOptOuts(this.sender);
    this.publisher = new ParleyPublisher(this, 'Publisher', { ...parts, eventBus });
    this.receiver.endTurns(this.publisher);
    this.management = new ParleyManagement(this, 'Management', {
      ...callers,
      sender: this.sender,
      receiver: this.receiver,
      publisher: this.publisher,
    });
    new ParleyMonitoring(this, 'Monitoring', {
      table,
      receiver: this.receiver,
      sender: this.sender,
      publisher: this.publisher,
      management: this.management,
      runbookUrl: settings.runbookUrl,
      alarmTopic: settings.alarmTopicArn ? Topic.fromTopicArn(this, 'AlarmTopic', settings.alarmTopicArn) : undefined,
    });
    this.#createOutputs(encryptionKey);
    this.#createExistingOutputs(existing);
  }

  /** CloudFormation gives a stack's tags to its resources. Those among the stack's properties take precedence. */
  #tag({ tags }: StageSettings): void {
    const all = { application: 'parley', stage: this.stackName, ...tags };
    for (const [key, value] of Object.entries(all)) this.tags.setTag(key, value);
  }

  #createKey(
    { customerManagedKey, production, events }: StageSettings,
    eventBus: IEventBus | undefined,
  ): IKey | undefined {
    if (!customerManagedKey) return undefined;
    // The id dates from when the key encrypted only the table. Changing it would replace the key.
    return new StageKey(this, 'TableKey', {
      production,
      hasEventBus: eventBus === undefined,
      hasEventTargets: events.targets.length > 0,
      hasApiDestinations: events.targets.some(({ kind }) => kind === 'https'),
    }).fixed;
  }

  #createOutputs(encryptionKey: IKey | undefined): void {
    const { url, inboundQueue, webhookSecret, authHeader } = this.receiver;
    const { sendQueue, bulkSendQueue, schedules, accessToken } = this.sender;
    const { eventBus, publishFailures, targets, turnQueue } = this.publisher;
    const { erasureQueue } = this.management;
    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description });
    output('WebhookUrl', url, 'The webhook URL to configure in the chat service');
    if (this.receiver.isBuffered) output('WebhookIngress', 'buffered', 'Whether a queue takes webhook requests');
    output('ManagementUrl', this.management.url, 'The base URL of the management API');
    output('SendQueueUrl', sendQueue.queueUrl, 'The queue for send requests');
    output('SendDeadLetterQueueUrl', sendQueue.deadLetters.queueUrl, 'Send requests that failed');
    if (bulkSendQueue) {
      output('BulkSendQueueUrl', bulkSendQueue.queueUrl, 'The bulk queue');
      output('BulkSendDeadLetterQueueUrl', bulkSendQueue.deadLetters.queueUrl, 'Bulk requests that failed');
    }
    output('ScheduleDeadLetterQueueUrl', schedules.deadLetters.queueUrl, 'Scheduled sends that could not be queued');
    output('InboundQueueUrl', inboundQueue.queueUrl, 'Events that wait to be stored');
    output('InboundDeadLetterQueueUrl', inboundQueue.deadLetters.queueUrl, 'Quarantined events');
    output('ErasureQueueUrl', erasureQueue.queueUrl, 'Erasures in progress');
    output('ErasureDeadLetterQueueUrl', erasureQueue.deadLetters.queueUrl, 'Erasures that failed');
    output('PublishFailuresQueueUrl', publishFailures.queueUrl, 'Changes that could not be published');
    if (turnQueue) output('TurnQueueUrl', turnQueue.queueUrl, 'Turns that end when the user has been silent');
    output('TableName', this.table.tableName, 'The table of contacts, messages, and sends');
    output('EventBusName', eventBus.eventBusName, "The event bus that receives Parley's events");
    output('AccessTokenSecretId', accessToken.secretArn, "The secret for the chat service's access token");
    if (targets) {
      output('UndeliveredEventsQueueUrl', targets.deadLetters.queueUrl, 'Events that a target did not accept');
    }
    if (encryptionKey) output('EncryptionKeyArn', encryptionKey.keyArn, 'The key that encrypts the stage');
    if (webhookSecret) {
      output('WebhookSecretId', webhookSecret.secretArn, 'The secret that verifies webhook requests');
      output('WebhookSecretKind', this.receiver.authKind, 'How it verifies them: standard-webhooks or shared-token');
      output('WebhookAuthHeader', authHeader ?? '', 'The header that authenticates a webhook request');
    }
  }

  /** Tells `parley doctor` what to check because the stack does not manage it. */
  #createExistingOutputs({ table, eventBus, encryptionKey, domainMapping }: ExistingResources): void {
    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description });
    if (table) output('ExistingTableArn', table.tableArn, 'The existing table in use');
    if (eventBus) output('ExistingEventBusArn', eventBus.eventBusArn, 'The existing event bus in use');
    if (encryptionKey) output('ExistingKeyArn', encryptionKey.keyArn, 'The existing key in use');
    if (domainMapping) {
      output('WebhookApiId', this.receiver.api.apiId, "The webhook's API, whose URL does not contain its ID");
    }
  }
}
