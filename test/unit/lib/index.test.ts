import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import {
  ParleyManagement,
  ParleyMonitoring,
  ParleyPublisher,
  ParleyReceiver,
  ParleySender,
  ParleyStack,
  ParleyTable,
  SettingsError,
} from '../../../lib/index.ts';
import { statementsOf } from './iam-statements.ts';
import { VALID } from './settings/valid-settings.ts';
import { inTemporaryFolder, logicalIdOf } from './synthesized-stack.ts';

/** Builds a stack of another app, without Parley's context, and returns its template. */
function templateOf(build: (stack: Stack) => void): Template {
  return inTemporaryFolder((outdir) => {
    const stack = new Stack(createApp(outdir), 'Shop');
    build(stack);
    return Template.fromStack(stack);
  });
}

function createApp(outdir: string): App {
  return new App({ outdir, context: { 'aws:cdk:bundling-stacks': [] }, builtinCloudFormationValidation: false });
}

describe('Another CDK app', () => {
  test('can use the whole stack with only the required settings', () => {
    inTemporaryFolder((outdir) => {
      const stack = new ParleyStack(createApp(outdir), 'Messaging', { settings: VALID });

      Template.fromStack(stack).resourceCountIs('AWS::Lambda::Function', 4);
    });
  });

  test('can compose the constructs with its own key, event bus and alarm topic', () => {
    const template = templateOf((stack) => {
      const table = new ParleyTable(stack, 'Table', { encryptionKey: new Key(stack, 'ShopKey') });
      const eventBus = new EventBus(stack, 'ShopBus');
      const receiver = new ParleyReceiver(stack, 'Receiver', { ...VALID, table });
      const sender = new ParleySender(stack, 'Sender', { ...VALID, table });
      const publisher = new ParleyPublisher(stack, 'Publisher', { table, eventBus });
      const management = new ParleyManagement(stack, 'Management', { ...VALID, table, sender, receiver });
      const alarmTopic = new Topic(stack, 'ShopTopic');
      new ParleyMonitoring(stack, 'Monitoring', { table, receiver, sender, publisher, management, alarmTopic });
    });

    template.hasResourceProperties('AWS::DynamoDB::Table', {
      SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [logicalIdOf('ShopKey'), 'Arn'] } },
    });
    template.resourceCountIs('AWS::Events::EventBus', 1);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { EVENT_BUS_NAME: { Ref: logicalIdOf('ShopBus') } } },
    });
    template.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [{ Ref: logicalIdOf('ShopTopic') }],
      OKActions: [{ Ref: logicalIdOf('ShopTopic') }],
    });
    const statements = statementsOf(template);
    expect(statements).toContain('PublisherFunctionRoleDefaultPolicy: Allow events:PutEvents on ShopBus.Arn');
    const users = statements.filter((statement) => /kms:Decrypt.* on ShopKey/.test(statement));
    expect(new Set(users.map((statement) => statement.split(':')[0])).size).toBe(4);
  });

  describe('with alarms in production', () => {
    const env = { account: '111122223333', region: 'eu-west-1' };
    const real = {
      ...VALID,
      chatService: { baseUrl: 'https://chat-service.acme.io' },
      chatChannelNumber: '+5491150000000',
    };
    const topicIn = (region: string) => `arn:aws:sns:${region}:444455556666:alarms`;
    const compose = (app: App, id: string, production: boolean, alarmTopicArn?: string): Stack => {
      const stack = new Stack(app, id, { env });
      const table = new ParleyTable(stack, 'Table');
      const receiver = new ParleyReceiver(stack, 'Receiver', { ...VALID, table });
      const sender = new ParleySender(stack, 'Sender', { ...real, production, table });
      const publisher = new ParleyPublisher(stack, 'Publisher', { table });
      const management = new ParleyManagement(stack, 'Management', { ...VALID, table, sender, receiver });
      const alarmTopic = alarmTopicArn ? Topic.fromTopicArn(stack, 'Topic', alarmTopicArn) : undefined;
      new ParleyMonitoring(stack, 'Monitoring', { table, receiver, sender, publisher, management, alarmTopic });
      return stack;
    };
    const deploy = (app: App, id: string, production: boolean, alarmTopicArn?: string): Stack =>
      new ParleyStack(app, id, { env, settings: { ...real, production, alarmTopicArn } });

    test.each([
      ['the constructs', compose],
      ['the whole stack', deploy],
    ])('needs a topic of its region for %s', (_what, create) => {
      inTemporaryFolder((outdir) => {
        const app = createApp(outdir);
        const warningsOf = (...args: readonly [id: string, production: boolean, alarmTopicArn?: string]) =>
          create(app, ...args)
            .node.metadata.filter(({ type }) => type === 'aws:cdk:warning')
            .map(({ data }) => data);

        expect(warningsOf('Silent', true)).toEqual([expect.stringContaining('No one is notified')]);
        expect(warningsOf('Notified', true, topicIn('eu-west-1'))).toEqual([]);
        expect(warningsOf('Development', false)).toEqual([]);
        expect(() => create(app, 'Elsewhere', true, topicIn('us-east-1'))).toThrow(
          /Elsewhere.alarmTopicArn: got "arn:aws:sns:us-east-1:.*region eu-west-1/,
        );
      });
    });
  });

  test('can connect the functions to its own VPC, and serve the webhook under a path of its own domain name', () => {
    const template = templateOf((stack) => {
      const vpc = new Vpc(stack, 'ShopVpc', { restrictDefaultSecurityGroup: false });
      const securityGroups = [new SecurityGroup(stack, 'ShopGroup', { vpc })];
      const certificate = new Certificate(stack, 'ShopCertificate', { domainName: 'shop.example' });
      const domainName = new DomainName(stack, 'ShopDomain', { domainName: 'shop.example', certificate });
      const table = new ParleyTable(stack, 'Table');
      const domainMapping = { domainName, mappingKey: 'chat' };
      const receiver = new ParleyReceiver(stack, 'Receiver', { ...VALID, table, vpc, securityGroups, domainMapping });
      new ParleySender(stack, 'Sender', { ...VALID, table, vpc });
      new CfnOutput(stack, 'Url', { value: receiver.url });
    });

    const subnet = (number: number) => ({ Ref: logicalIdOf(`ShopVpcPrivateSubnet${number}Subnet`) });
    template.allResourcesProperties('AWS::Lambda::Function', { VpcConfig: { SubnetIds: [subnet(1), subnet(2)] } });
    template.hasResourceProperties('AWS::Lambda::Function', {
      VpcConfig: { SecurityGroupIds: [{ 'Fn::GetAtt': [logicalIdOf('ShopGroup'), 'GroupId'] }] },
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', { ApiMappingKey: 'chat' });
    template.hasOutput('Url', {
      Value: { 'Fn::Join': ['', ['https://', { Ref: logicalIdOf('ShopDomain') }, '/chat/webhook']] },
    });
  });

  test('can use an existing table', () => {
    const tableArn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/parley';
    const template = templateOf((stack) => {
      const table = Table.fromTableAttributes(stack, 'Table', { tableArn });
      new ParleyReceiver(stack, 'Receiver', { ...VALID, table });
    });

    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    expect(statementsOf(template)).toContainEqual(
      expect.stringContaining(`ReceiverFunctionRoleDefaultPolicy: Allow dynamodb:UpdateItem on ${tableArn} if `),
    );
  });

  test('can let its own roles send and call single routes, and nothing more', () => {
    const template = templateOf((stack) => {
      const table = new ParleyTable(stack, 'Table');
      const sender = new ParleySender(stack, 'Sender', { ...VALID, table });
      const management = new ParleyManagement(stack, 'Management', { ...VALID, table, sender });
      const orders = new Role(stack, 'Orders', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
      sender.grantSend(orders);
      management.grantInvoke(orders, 'enqueueSend', 'getSend');
    });
    const routes = 'arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:ManagementApi/$default';

    expect(statementsOf(template).filter((statement) => statement.startsWith('Orders'))).toEqual([
      `OrdersDefaultPolicy: Allow execute-api:Invoke on ${routes}/GET/v1/sends/*, ${routes}/POST/v1/sends`,
      'OrdersDefaultPolicy: Allow sqs:SendMessage on SenderSendQueue.Arn',
    ]);
  });

  test('gives those who send and those who read the token the use of its key for that, and nothing more', () => {
    const template = templateOf((stack) => {
      const encryptionKey = new Key(stack, 'ShopKey');
      const table = new ParleyTable(stack, 'Table', { encryptionKey });
      const sender = new ParleySender(stack, 'Sender', { ...VALID, table, encryptionKey });
      const orders = new Role(stack, 'Orders', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
      sender.grantSend(orders);
      const doctor = new Role(stack, 'Doctor', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
      sender.grantReadAccessToken(doctor);
    });
    const via = (service: string) => `if {"StringEquals":{"kms:ViaService":"${service}.AWS::Region.AWS::URLSuffix"}}`;

    expect(statementsOf(template).filter((statement) => /^(Orders|Doctor)/.test(statement))).toEqual([
      `DoctorDefaultPolicy: Allow kms:Decrypt on ShopKey.Arn ${via('secretsmanager')}`,
      'DoctorDefaultPolicy: Allow secretsmanager:GetSecretValue on SenderAccessToken',
      `OrdersDefaultPolicy: Allow kms:Decrypt, kms:GenerateDataKey on ShopKey.Arn ${via('sqs')}`,
      'OrdersDefaultPolicy: Allow sqs:SendMessage on SenderSendQueue.Arn',
    ]);
  });

  test('chooses for each construct whether its data is retained', () => {
    const template = templateOf((stack) => {
      const table = new ParleyTable(stack, 'Table', { production: true });
      const chatService = { baseUrl: 'https://chat-service.bank.internal' };
      const chatChannelNumber = '+5491144440000';
      new ParleySender(stack, 'Sender', { ...VALID, chatService, chatChannelNumber, production: true, table });
      new ParleyReceiver(stack, 'Receiver', { ...VALID, table });
    });
    const queues = Object.entries(template.findResources('AWS::SQS::Queue'));

    const policiesOf = (construct: string) =>
      queues.filter(([id]) => id.startsWith(construct)).map(([, { DeletionPolicy }]) => DeletionPolicy);
    expect(policiesOf('Sender')).toEqual(Array(3).fill('RetainExceptOnCreate'));
    expect(policiesOf('Receiver')).toEqual(['Delete', 'Delete']);
    template.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true });
  });
});

describe('A construct', () => {
  const build = (create: (stack: Stack, table: ParleyTable) => void) => () =>
    templateOf((stack) => create(stack, new ParleyTable(stack, 'Table')));

  test('rejects invalid settings with its path, the value and what is expected', () => {
    const invalid = { ...VALID, retentionDays: { sends: 3 }, chatPlatform: '' };

    expect(build((stack, table) => new ParleySender(stack, 'Sender', { ...invalid, table }))).toThrow(
      new SettingsError(
        'Shop/Sender.chatPlatform: got "", expected the chat service\'s name of the chat platform, for requests and ' +
          'events without one: 1 to 64 letters, digits, dots, underscores, and hyphens.\n' +
          'Shop/Sender.retentionDays.sends: got 3, expected an integer from 15 to 3650: how many days to keep sends, ' +
          'longer than the 14 days for which SQS may redeliver a request (default 400).',
      ),
    );
  });

  test('of a production stage rejects placeholders and an insecure webhook, as the stack does', () => {
    const insecure = { webhook: { auth: { kind: 'insecure-none' } }, allowInsecureWebhook: true } as const;
    const targets = [{ kind: 'https', url: 'https://crm.example' }] as const;
    const settings = { ...VALID, production: true };

    expect(build((stack, table) => new ParleyReceiver(stack, 'Receiver', { ...settings, ...insecure, table }))).toThrow(
      'Shop/Receiver.allowInsecureWebhook: got true, expected false, because production is true.',
    );
    expect(build((stack, table) => new ParleySender(stack, 'Sender', { ...settings, table }))).toThrow(
      /^Shop\/Sender\.chatService\.baseUrl: got .*\nShop\/Sender\.chatChannelNumber: got /,
    );
    expect(
      build(
        (stack, table) =>
          new ParleyPublisher(stack, 'Publisher', { ...settings, events: { targets: [...targets] }, table }),
      ),
    ).toThrow(/^Shop\/Publisher\.events\.targets\.0\.url: got /);
    expect(() => inTemporaryFolder((outdir) => new ParleyStack(createApp(outdir), 'Messaging', { settings }))).toThrow(
      /^Messaging\.chatService\.baseUrl: got /,
    );
  });

  test('rejects insecure-none without allowInsecureWebhook', () => {
    const webhook = { auth: { kind: 'insecure-none' } } as const;

    expect(build((stack, table) => new ParleyReceiver(stack, 'Receiver', { ...VALID, webhook, table }))).toThrow(
      /^Shop\/Receiver\.allowInsecureWebhook: missing, expected true to allow/,
    );
    expect(
      build(
        (stack, table) =>
          new ParleyReceiver(stack, 'Receiver', { ...VALID, webhook, allowInsecureWebhook: true, table }),
      ),
    ).not.toThrow();
  });

  test('rejects a table without a stream to publish from', () => {
    const withoutStream = (stack: Stack) =>
      new Table(stack, 'Plain', { partitionKey: { name: 'pk', type: AttributeType.STRING } });

    expect(build((stack) => new ParleyPublisher(stack, 'Publisher', { table: withoutStream(stack) }))).toThrow(
      'Shop/Publisher: the table Shop/Plain has no stream to publish from.',
    );
  });
});
