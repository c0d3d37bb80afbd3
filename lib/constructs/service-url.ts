import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Returns the URL of an AWS service in the stack's region and partition. The functions call only this URL, so
 * environment variables for FIPS or dual-stack endpoints have no effect on these services.
 *
 * Source: https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
 */
export function serviceUrl(
  scope: IConstruct,
  service: 'dynamodb' | 'events' | 'secretsmanager' | 'streams.dynamodb',
): string {
  const { region, urlSuffix } = Stack.of(scope);
  return `https://${service}.${region}.${urlSuffix}`;
}
