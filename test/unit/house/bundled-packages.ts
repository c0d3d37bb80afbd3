/** The licenses that bundled packages may have, as SPDX identifiers: all permit closed and changed copies. */
export const ALLOWED_LICENSES: readonly string[] = ['0BSD', 'Apache-2.0', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

/** Credentials, signatures, and protocols of the AWS SDK, the logger and the metrics, the frame, and the schemas. */
const EVERY_FUNCTION = [
  '@aws-lambda-powertools/commons',
  '@aws-lambda-powertools/logger',
  '@aws-lambda-powertools/metrics',
  '@aws-sdk/client-sqs',
  '@aws-sdk/core',
  '@aws-sdk/credential-provider-env',
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-node',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@aws-sdk/middleware-sdk-sqs',
  '@aws-sdk/nested-clients',
  '@aws-sdk/signature-v4-multi-region',
  '@aws-sdk/token-providers',
  '@aws-sdk/util-dynamodb',
  '@aws-sdk/xml-builder',
  '@aws/lambda-invoke-store',
  '@middy/core',
  '@smithy/core',
  '@smithy/credential-provider-imds',
  '@smithy/node-http-handler',
  '@smithy/signature-v4',
  '@smithy/types',
  'zod',
];

/** The DynamoDB client, and what it imports. */
const TABLE = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/dynamodb-codec',
  '@aws-sdk/endpoint-cache',
  '@aws-sdk/middleware-endpoint-discovery',
  'mnemonist',
  'obliterator',
];

/** The packages in each function's bundle. Review a package before you add it: its code runs with the function's role. */
export const BUNDLED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  manage: [...EVERY_FUNCTION, ...TABLE, '@aws-sdk/client-scheduler', '@aws-sdk/client-secrets-manager'],
  publish: [...EVERY_FUNCTION, '@aws-sdk/client-eventbridge'],
  receive: [...EVERY_FUNCTION, ...TABLE, '@aws-sdk/client-secrets-manager', 'jose'],
  send: [...EVERY_FUNCTION, ...TABLE, '@aws-sdk/client-scheduler', '@aws-sdk/client-secrets-manager'],
};
