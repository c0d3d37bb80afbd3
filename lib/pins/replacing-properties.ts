/**
 * The types of resources that hold data, or an address that other systems know, each with the properties whose change
 * makes CloudFormation replace the resource.
 *
 * Source: the `createOnlyProperties` of CloudFormation's resource schemas, as in the database of the package `aws-cdk`.
 * A test compares them. https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html
 */
export const REPLACING_PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::DynamoDB::Table': ['ImportSourceSpecification', 'KeySchema', 'TableName'],
  'AWS::Events::EventBus': ['EventSourceName', 'Name'],
  'AWS::KMS::Key': [],
  'AWS::SQS::Queue': ['FifoQueue', 'QueueName'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
  'AWS::SecretsManager::Secret': ['Name'],
};
