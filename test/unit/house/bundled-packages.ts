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
  '@aws-sdk/middleware-sdk-sqs',
  '@aws-sdk/util-dynamodb',
  '@aws/lambda-invoke-store',
  '@middy/core',
  '@smithy/core',
  '@smithy/node-http-handler',
  '@smithy/signature-v4',
  '@smithy/types',
  'zod',
];

/**
 * The size in KiB of `index.js`, which each function loads in a cold start. If it grows, find the package or module that
 * grew and measure its cost with `npm run bench -- coldstart` before you change the number.
 */
export const LOADED_KIB: Readonly<Record<string, number>> = { manage: 392, publish: 185, receive: 274, send: 266 };

/** The packages in each function's bundle. Review a package before you add it: its code runs with the function's role. */
export const BUNDLED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  manage: [...EVERY_FUNCTION, '@aws-sdk/client-scheduler'],
  publish: [...EVERY_FUNCTION],
  receive: [...EVERY_FUNCTION, 'jose'],
  send: [...EVERY_FUNCTION, '@aws-sdk/client-scheduler'],
};
