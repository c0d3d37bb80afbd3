import { RemovalPolicy } from 'aws-cdk-lib';

/**
 * Returns what happens to a stage's data when its stack is deleted: in production, it is retained.
 *
 * If the deployment that creates it fails, it is deleted in any stage. Otherwise, a resource with a fixed name would make
 * the next attempt fail.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
export const removalPolicyOf = (production: boolean): RemovalPolicy =>
  production ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
