import { RemovalPolicy } from 'aws-cdk-lib';

/**
 * Returns what happens to a stage's data when its stack is deleted: in production, it stays.
 *
 * It is deleted again if the deployment that creates it fails. Otherwise, what has a fixed name would stop the next
 * attempt.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
export const removalPolicyOf = (production: boolean): RemovalPolicy =>
  production ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
