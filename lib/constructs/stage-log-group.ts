import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { LogRetentionDays } from '../settings/log-retention.ts';

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
 * CloudFormation generates its name, so that a stack can be deployed again while a log group of an earlier stack still
 * exists.
 */
export class StageLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { production, retentionDays, encryptionKey }: LogSettings) {
    super(scope, id, {
      retention: retentionDays.logs,
      removalPolicy: production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      ...(encryptionKey && { encryptionKey }),
    });
  }
}
