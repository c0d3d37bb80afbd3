import { eventSourceMapping } from './event-source-mapping.ts';
import { apiDestination, connection, eventBus, rule } from './events.ts';
import { api, integration, route, stage } from './http-api.ts';
import { lambdaFunction } from './lambda-function.ts';
import { queue } from './queue.ts';
import { inertResourceType, type ResourceType } from './resource-type.ts';
import { scheduleGroup } from './schedule-group.ts';
import { secret } from './secret.ts';
import { globalTable, table } from './table.ts';

const NO_PERMISSIONS = 'permissions are not enforced here; the stack tests read them';

/** Every resource type that the local run knows. */
export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGatewayV2::Api': api,
  'AWS::ApiGatewayV2::Integration': integration,
  'AWS::ApiGatewayV2::Route': route,
  'AWS::ApiGatewayV2::Stage': stage,
  'AWS::DynamoDB::GlobalTable': globalTable,
  'AWS::DynamoDB::Table': table,
  'AWS::Events::ApiDestination': apiDestination,
  'AWS::Events::Connection': connection,
  'AWS::Events::EventBus': eventBus,
  'AWS::Events::Rule': rule,
  'AWS::Lambda::EventSourceMapping': eventSourceMapping,
  'AWS::Lambda::Function': lambdaFunction,
  'AWS::SQS::Queue': queue,
  'AWS::Scheduler::ScheduleGroup': scheduleGroup,
  'AWS::SecretsManager::Secret': secret,

  'AWS::CDK::Metadata': inertResourceType('it only counts the use of constructs', (name) => ({
    ref: name,
    attributes: {},
  })),
  'AWS::CloudWatch::Alarm': inertResourceType('nothing is measured here', (name, { arn }) => ({
    ref: name,
    attributes: { Arn: arn('cloudwatch', `alarm:${name}`) },
  })),
  'AWS::CloudWatch::Dashboard': inertResourceType('nothing is measured here', (name) => ({
    ref: name,
    attributes: {},
  })),
  'AWS::IAM::ManagedPolicy': inertResourceType(NO_PERMISSIONS, (name, { accountId }) => {
    const arn = `arn:aws:iam::${accountId}:policy/${name}`;
    return { ref: arn, attributes: { PolicyArn: arn } };
  }),
  'AWS::IAM::Policy': inertResourceType(NO_PERMISSIONS, (name) => ({ ref: name, attributes: { Id: name } })),
  'AWS::IAM::Role': inertResourceType(NO_PERMISSIONS, (name, { accountId }) => ({
    ref: name,
    attributes: { Arn: `arn:aws:iam::${accountId}:role/${name}`, RoleId: name },
  })),
  'AWS::KMS::Alias': inertResourceType('nothing is encrypted here', (name) => ({ ref: name, attributes: {} })),
  'AWS::KMS::Key': inertResourceType('nothing is encrypted here', (name, { arn }) => ({
    ref: name,
    attributes: { Arn: arn('kms', `key/${name}`), KeyId: name },
  })),
  'AWS::Lambda::Permission': inertResourceType(NO_PERMISSIONS, (name) => ({ ref: name, attributes: { Id: name } })),
  'AWS::Logs::LogGroup': inertResourceType('functions log to files of the run', (name, { arn }) => ({
    ref: name,
    attributes: { Arn: arn('logs', `log-group:${name}:*`) },
  })),
  'AWS::Logs::MetricFilter': inertResourceType('nothing is measured here', (name) => ({ ref: name, attributes: {} })),
  'AWS::SNS::Topic': inertResourceType(
    'alarms, which alone would publish to it, do not ring here',
    (name, { arn }) => ({
      ref: arn('sns', name),
      attributes: { TopicArn: arn('sns', name), TopicName: name },
    }),
  ),
  'AWS::SNS::TopicPolicy': inertResourceType(NO_PERMISSIONS, (name) => ({ ref: name, attributes: { Id: name } })),
  'AWS::SQS::QueuePolicy': inertResourceType(NO_PERMISSIONS, (name) => ({ ref: name, attributes: { Id: name } })),
  'AWS::SecretsManager::ResourcePolicy': inertResourceType(NO_PERMISSIONS, (name) => ({ ref: name, attributes: {} })),
};
