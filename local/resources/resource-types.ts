import { ACCOUNT_ID, arnOf } from '../base/aws-environment.ts';
import { api, integration, route, stage } from './api-gateway.ts';
import { alarm } from './cloudwatch.ts';
import { table } from './dynamodb.ts';
import { apiDestination, connection, eventBus, rule, schedule, scheduleGroup } from './eventbridge.ts';
import { eventSourceMapping, lambdaFunction } from './lambda.ts';
import { alias, version } from './lambda-alias.ts';
import { inertResourceType, type ResourceType } from './resource-type.ts';
import { gatewayResponse, restApi, restDeployment, restMethod, restResource, restStage } from './rest-api.ts';
import { secret } from './secrets-manager.ts';
import { queue } from './sqs.ts';

const NO_ROLLOUT = 'an alias names the only version of its function, which gets all traffic at once';
const NO_ENCRYPTION = 'the local run does not encrypt data';
const NO_PERMISSIONS = 'the local run does not enforce permissions; the stack tests check them';

const withArn = (service: string, resource: (name: string) => string) => (name: string) => ({
  ref: name,
  attributes: { Arn: arnOf(service, resource(name)) },
});
const withId = (name: string) => ({ ref: name, attributes: { Id: name } });

/** Every resource type that the local run supports. */
export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGateway::Deployment': restDeployment,
  'AWS::ApiGateway::GatewayResponse': gatewayResponse,
  'AWS::ApiGateway::Method': restMethod,
  'AWS::ApiGateway::Resource': restResource,
  'AWS::ApiGateway::RestApi': restApi,
  'AWS::ApiGateway::Stage': restStage,
  'AWS::ApiGatewayV2::Api': api,
  'AWS::ApiGatewayV2::Integration': integration,
  'AWS::ApiGatewayV2::Route': route,
  'AWS::ApiGatewayV2::Stage': stage,
  'AWS::CloudWatch::Alarm': alarm,
  'AWS::DynamoDB::Table': table,
  'AWS::Events::ApiDestination': apiDestination,
  'AWS::Events::Connection': connection,
  'AWS::Events::EventBus': eventBus,
  'AWS::Events::Rule': rule,
  'AWS::Lambda::Alias': alias,
  'AWS::Lambda::EventSourceMapping': eventSourceMapping,
  'AWS::Lambda::Function': lambdaFunction,
  'AWS::Lambda::Version': version,
  'AWS::SQS::Queue': queue,
  'AWS::Scheduler::Schedule': schedule,
  'AWS::Scheduler::ScheduleGroup': scheduleGroup,
  'AWS::SecretsManager::Secret': secret,

  'AWS::CDK::Metadata': inertResourceType('it only reports which constructs are used'),
  'AWS::CloudWatch::Dashboard': inertResourceType('the local run draws no graphs'),
  'AWS::CodeDeploy::Application': inertResourceType(NO_ROLLOUT),
  'AWS::CodeDeploy::DeploymentGroup': inertResourceType(NO_ROLLOUT),
  'AWS::IAM::Policy': inertResourceType(NO_PERMISSIONS, withId),
  'AWS::IAM::Role': inertResourceType(NO_PERMISSIONS, (name) => ({
    ref: name,
    attributes: { Arn: `arn:aws:iam::${ACCOUNT_ID}:role/${name}`, RoleId: name },
  })),
  'AWS::KMS::Key': inertResourceType(NO_ENCRYPTION, (name) => ({
    ref: name,
    attributes: { Arn: arnOf('kms', `key/${name}`), KeyId: name },
  })),
  'AWS::Lambda::Permission': inertResourceType(NO_PERMISSIONS, withId),
  'AWS::Logs::LogGroup': inertResourceType(
    'functions log to files',
    withArn('logs', (name) => `log-group:${name}:*`),
  ),
  'AWS::Logs::MetricFilter': inertResourceType('no alarm watches what is counted in logs'),
  'AWS::Logs::QueryDefinition': inertResourceType('functions log to files'),
  'AWS::SQS::QueuePolicy': inertResourceType(NO_PERMISSIONS, withId),
};
