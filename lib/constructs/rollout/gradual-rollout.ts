import { Stack, Validations } from 'aws-cdk-lib';
import { type IAlarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Grant, Role } from 'aws-cdk-lib/aws-iam';
import { Alias, CfnAlias, CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { MINUTE_SUM } from '../metric-period.ts';
import { codeDeployPrincipal } from '../service-principals.ts';

/** Properties of a {@link GradualRollout}. */
export interface GradualRolloutProps {
  readonly handler: LambdaFunction;
}

/** The name of the alias that everything which invokes a function names. */
const ALIAS_NAME = 'live';

/**
 * Its steps take as long as a period of the alarm that ends a rollout.
 *
 * Source: https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-configurations.html
 */
const CONFIGURATION = 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute';

/**
 * The alias `live` of a function, and the CodeDeploy deployment group that moves it to a new version step by step. If
 * the alarm of the new version starts meanwhile, CodeDeploy moves all traffic back.
 *
 * CDK's `LambdaDeploymentGroup` attaches a managed policy, which covers every function and alarm in the account.
 */
export class GradualRollout extends Construct {
  readonly alias: Alias;
  /**
   * The errors of the version that the alias is moving to. Lambda emits this metric only while the alias names two
   * versions. An alarm on the whole alias would also count the errors of the previous version, and so stop the rollout of
   * the version that fixes them.
   *
   * Source: https://github.com/aws/serverless-application-model/blob/develop/docs/safe_lambda_deployments.rst
   */
  readonly newVersionErrors: Metric;
  readonly #alarms: IAlarm[] = [];
  readonly #group: CfnDeploymentGroup;
  readonly #role: Role;

  constructor(scope: Construct, id: string, { handler }: GradualRolloutProps) {
    super(scope, id);
    const version = handler.currentVersion;
    this.alias = new Alias(this, 'Alias', { aliasName: ALIAS_NAME, version });
    this.newVersionErrors = new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      dimensionsMap: {
        FunctionName: handler.functionName,
        Resource: `${handler.functionName}:${ALIAS_NAME}`,
        ExecutedVersion: version.version,
      },
      ...MINUTE_SUM,
    });
    const application = new CfnApplication(this, 'Application', { computePlatform: 'Lambda' });
    this.#role = new Role(this, 'Role', {
      description: `Lets CodeDeploy move the alias ${ALIAS_NAME} to a new version`,
      assumedBy: codeDeployPrincipal(this, application.ref),
    });
    this.#group = new CfnDeploymentGroup(this, 'Group', {
      applicationName: application.ref,
      serviceRoleArn: this.#role.roleArn,
      deploymentConfigName: CONFIGURATION,
      deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
      autoRollbackConfiguration: {
        enabled: true,
        events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    });
    this.#grantMove(handler);
    this.#grantPoll();
    const alias = this.alias.node.defaultChild;
    if (!(alias instanceof CfnAlias)) throw new Error(`${this.node.path}: CDK's alias has no CloudFormation resource.`);
    alias.cfnOptions.updatePolicy = {
      codeDeployLambdaAliasUpdate: { applicationName: application.ref, deploymentGroupName: this.#group.ref },
    };
    this.node.addValidation({ validate: () => (this.#alarms.length > 0 ? [] : [WITHOUT_ALARM]) });
  }

  /** Moves traffic back to the previous version if this alarm starts during a rollout. */
  rollBackOn(alarm: IAlarm): void {
    this.#alarms.push(alarm);
    this.#group.alarmConfiguration = {
      enabled: true,
      // Without the alarm, a defective version would get all traffic.
      ignorePollAlarmFailure: false,
      alarms: this.#alarms.map(({ alarmName }) => ({ name: alarmName })),
    };
  }

  /**
   * A call that also asks for composite alarms is allowed only for all alarms, and AWS does not document what CodeDeploy
   * asks for. If it could not poll the alarm, every rollout would stop.
   *
   * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
   */
  #grantPoll(): void {
    this.#grant(['cloudwatch:DescribeAlarms'], ['*']);
    Validations.of(this.#role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'CloudWatch allows some DescribeAlarms calls only for all alarms.',
    });
  }

  /**
   * Grants what AWS's managed policy AWSCodeDeployRoleForLambdaLimited grants for all functions, without what hooks,
   * triggers, and revisions in S3 need.
   *
   * Source: https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSCodeDeployRoleForLambdaLimited.html
   */
  #grantMove(handler: LambdaFunction): void {
    const versions = `${handler.functionArn}:*`;
    this.#grant(['lambda:GetAlias', 'lambda:UpdateAlias'], [handler.functionArn]);
    // Its resources are versions and aliases.
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html
    this.#grant(['lambda:GetProvisionedConcurrencyConfig'], [versions]);
    const { defaultChild: resource } = handler.node;
    const logicalId = resource instanceof CfnFunction ? Stack.of(this).getLogicalId(resource) : '';
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>:*]`,
      reason: 'CodeDeploy reads the provisioned concurrency of the versions and the alias of this function.',
    });
  }

  #grant(actions: string[], resourceArns: string[]): void {
    const grant = Grant.addToPrincipal({ grantee: this.#role, actions, resourceArns });
    // CloudFormation moves the alias after it has updated the group.
    grant.applyBefore(this.#group);
  }
}

const WITHOUT_ALARM =
  'rollout: a gradual rollout needs an alarm that ends it. Add a ParleyMonitoring for these parts, call rollBackOn with ' +
  'an alarm of your own, or set rollout to "allAtOnce".';
