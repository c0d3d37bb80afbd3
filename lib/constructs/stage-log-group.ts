import { Aws, Fn } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { vendedLogsOf } from '../settings/key-policy.ts';
import type { LogRetentionDays } from '../settings/log-retention.ts';
import { removalPolicyOf } from './removal-policy.ts';

/** The last part of the stack's ARN. */
const STACK_UUID = Fn.select(2, Fn.split('/', Aws.STACK_ID));

/** How long a stage keeps its logs, and how they are encrypted. */
export interface LogSettings {
  /** Whether the logs outlive the stack, as evidence of what happened. */
  readonly production: boolean;
  readonly retentionDays: { readonly logs: LogRetentionDays };
  /**
   * The customer managed key that encrypts the logs. Its policy must let CloudWatch Logs use it.
   *
   * @default a key that CloudWatch Logs owns
   */
  readonly encryptionKey?: IKey;
}

/**
 * A log group with the retention time of the stage.
 *
 * Its name is unique to the stack, so that a stage can be deployed again while log groups of its deleted stack still
 * exist. CloudFormation generates the name, unless a service delivers the logs.
 */
export class StageLogGroup extends LogGroup {
  /**
   * @param vendedFor What the logs are about, if a service such as API Gateway delivers them. Their names start with
   *   `/aws/vendedlogs/`; for any other log group, the service would add a statement to a resource policy that the
   *   account's log groups share, and that is limited to 5,120 characters. Source:
   *   https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-V2-CloudWatchLogs.html
   */
  constructor(
    scope: Construct,
    id: string,
    { production, retentionDays, encryptionKey }: LogSettings,
    vendedFor?: string,
  ) {
    super(scope, id, {
      ...(vendedFor && {
        logGroupName: `${vendedLogsOf(Aws.STACK_NAME)}${vendedFor}-${scope.node.addr.slice(-8)}-${STACK_UUID}`,
      }),
      retention: retentionDays.logs,
      removalPolicy: removalPolicyOf(production),
      ...(encryptionKey && { encryptionKey }),
    });
  }
}
