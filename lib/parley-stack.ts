import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Management } from './constructs/management.ts';
import { Monitoring } from './constructs/monitoring.ts';
import { Publishing } from './constructs/publisher.ts';
import { Webhook } from './constructs/receiver.ts';
import { Sending } from './constructs/sender.ts';
import { ConversationTable } from './constructs/table.ts';
import type { StageSettings } from './settings/stage-settings.ts';

/** What one stage's stack is made of. */
export interface ParleyStackProps extends StackProps {
  readonly settings: StageSettings;
}

/** All of Parley for one stage. */
export class ParleyStack extends Stack {
  readonly conversations: ConversationTable;
  readonly webhook: Webhook;
  readonly sending: Sending;
  readonly publishing: Publishing;
  readonly management: Management;

  constructor(scope: Construct, id: string, { settings, ...props }: ParleyStackProps) {
    super(scope, id, { terminationProtection: settings.production, ...props });
    const { production, chatPlatform, retentionDays } = settings;
    this.conversations = new ConversationTable(this, 'Conversations', {
      production,
      customerManagedKey: settings.customerManagedKey,
    });
    this.webhook = new Webhook(this, 'Webhook', {
      conversations: this.conversations,
      auth: settings.webhook.auth,
      chatPlatform,
      windowPer: settings.window.per,
      retentionDays,
      production,
    });
    this.sending = new Sending(this, 'Sending', {
      conversations: this.conversations,
      chatService: settings.chatService,
      chatPlatform,
      chatChannelNumber: settings.chatChannelNumber,
      windowPer: settings.window.per,
      windowMarginSeconds: settings.window.marginSeconds,
      defaultTemplate: settings.defaultTemplate,
      contactCheck: settings.contactCheck,
      retentionDays,
      production,
    });
    this.publishing = new Publishing(this, 'Publishing', {
      conversations: this.conversations,
      busName: this.stackName,
      content: settings.events.content,
      targets: settings.events.targets,
      production,
    });
    this.management = new Management(this, 'Management', {
      conversations: this.conversations,
      sending: this.sending,
      chatService: settings.chatService,
      chatPlatform,
      chatChannelNumber: settings.chatChannelNumber,
      windowPer: settings.window.per,
      windowMarginSeconds: settings.window.marginSeconds,
      retentionDays,
      production,
    });
    new Monitoring(this, 'Monitoring', {
      webhook: this.webhook,
      sending: this.sending,
      publishing: this.publishing,
      management: this.management,
      alarmTopicArn: settings.alarmTopicArn,
    });

    const { inbound } = this.webhook;
    const { requests } = this.sending;
    this.#output('WebhookUrl', this.webhook.url, "The webhook's address, to be given to the chat service");
    this.#output('ManagementUrl', this.management.url, "The management API's address; calls to it are signed");
    this.#output('SendQueueUrl', requests.queue.queueUrl, 'Where internal systems put send requests');
    this.#output('SendDeadLetterQueueUrl', requests.deadLetterQueue.queueUrl, 'Where requests that failed wait');
    this.#output('InboundQueueUrl', inbound.queue.queueUrl, 'Where verified events wait for the table');
    this.#output('InboundDeadLetterQueueUrl', inbound.deadLetterQueue.queueUrl, 'Where unreadable events wait');
    this.#output('TableName', this.conversations.table.tableName, 'The conversation table');
    this.#output('EventBusName', this.publishing.bus.eventBusName, 'Where other systems hear of what happened');
    this.#output('AccessTokenSecretId', this.sending.accessToken.secretArn, "Where the chat service's token belongs");
    if (this.webhook.secret) {
      this.#output('WebhookSecretId', this.webhook.secret.secretArn, "Where the webhook's secrets or tokens belong");
    }
  }

  #output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
