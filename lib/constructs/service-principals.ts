import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

// Each role restricts the account or resource that a service may act for, which prevents the confused deputy problem.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html

/**
 * Lambda, for functions of this account. The function's ARN would be a circular reference.
 *
 * AWS does not document that Lambda names the account when it assumes a role. With `IfExists`, functions can be created
 * even if Lambda does not name the account. To pass the role to a function, a principal needs `iam:PassRole` in this
 * account.
 *
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
export const lambdaPrincipal = (scope: Construct): ServicePrincipal =>
  new ServicePrincipal('lambda.amazonaws.com', {
    conditions: { StringEqualsIfExists: { 'aws:SourceAccount': Stack.of(scope).account } },
  });

/**
 * EventBridge Scheduler, for schedules of this group, because a schedule's own ARN is not supported.
 *
 * Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
 */
export const schedulerPrincipal = (scope: Construct, groupName: string): ServicePrincipal => {
  const { partition, region, account } = Stack.of(scope);
  return new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: {
      StringEquals: {
        'aws:SourceAccount': account,
        'aws:SourceArn': `arn:${partition}:scheduler:${region}:${account}:schedule-group/${groupName}`,
      },
    },
  });
};

/**
 * EventBridge, for rules of this event bus, as in the roles that EventBridge's console creates. A rule's own ARN would
 * be a circular reference. The ARN of a rule on the default bus does not contain the bus, so a second condition excludes
 * the rules of all others. Names of rules contain no slash.
 *
 * Sources: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-cross-account.html and
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoneventbridge.html
 */
export const eventsPrincipal = (scope: Construct, eventBusName: string): ServicePrincipal => {
  const { partition, region, account } = Stack.of(scope);
  const rules = (pattern: string) => ({
    'aws:SourceArn': `arn:${partition}:events:${region}:${account}:rule/${pattern}`,
  });
  return new ServicePrincipal('events.amazonaws.com', {
    conditions: {
      StringEquals: { 'aws:SourceAccount': account },
      ...(eventBusName === 'default'
        ? { ArnLike: rules('*'), ArnNotLike: rules('*/*') }
        : { ArnLike: rules(`${eventBusName}/*`) }),
    },
  });
};

/**
 * CodeDeploy, for deployment groups of this application. A group's own ARN would be a circular reference.
 *
 * Source: https://docs.aws.amazon.com/codedeploy/latest/userguide/security_confused_deputy.html
 */
export const codeDeployPrincipal = (scope: Construct, applicationName: string): ServicePrincipal => {
  const { partition, region, account } = Stack.of(scope);
  return new ServicePrincipal('codedeploy.amazonaws.com', {
    conditions: {
      StringEquals: { 'aws:SourceAccount': account },
      ArnLike: {
        'aws:SourceArn': `arn:${partition}:codedeploy:${region}:${account}:deploymentgroup:${applicationName}/*`,
      },
    },
  });
};

/**
 * API Gateway, for the integrations of this account's APIs. Without a condition, because API Gateway names no source
 * account when it assumes an integration's role: with one, every request is answered with 500. To pass the role to an
 * API, a principal needs `iam:PassRole` in this account.
 *
 * Source: https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/pull/479
 */
export const apiGatewayPrincipal = (): ServicePrincipal => new ServicePrincipal('apigateway.amazonaws.com');
