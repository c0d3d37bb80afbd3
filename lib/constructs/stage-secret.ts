import { type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret, type SecretStringGenerator } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { grantKeyUse, updateAfterKeyUse } from './stage-key.ts';

/** Properties of a {@link StageSecret}. */
export interface StageSecretProps {
  readonly description: string;
  /** Why AWS cannot rotate the secret automatically. */
  readonly notRotatedBecause: string;
  /**
   * How to generate the initial value. Never change it: CloudFormation would replace what an operator has stored.
   *
   * @default that of Secrets Manager
   */
  readonly generateSecretString?: SecretStringGenerator;
  /**
   * What happens to the secret when the stack is deleted.
   *
   * @default the secret is deleted
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * The customer managed key that encrypts the secret.
   *
   * @default a key that Secrets Manager owns
   */
  readonly encryptionKey?: IKey;
}

/** A secret that is replaced manually, because another system has to be configured with the same value. */
export class StageSecret extends Secret {
  constructor(scope: Construct, id: string, { notRotatedBecause, encryptionKey, ...props }: StageSecretProps) {
    super(scope, id, { ...props, ...(encryptionKey && { encryptionKey }) });
    updateAfterKeyUse(this, encryptionKey);
    Validations.of(this).acknowledge({ id: 'AwsSolutions-SMG4', reason: notRotatedBecause });
  }

  /** Grants permission to read the secret's value, and to use its customer managed key for that. */
  grantReadValue(grantee: IGrantable): Grant {
    grantKeyUse(this.encryptionKey, grantee, 'secretsmanager', ['kms:Decrypt']);
    return Grant.addToPrincipal({
      grantee,
      actions: ['secretsmanager:GetSecretValue'],
      resourceArns: [this.secretArn],
    });
  }
}
