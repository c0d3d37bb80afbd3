import { z } from 'zod';

/**
 * Whether a text contains a CDK token: a placeholder for a value that is known only at deployment.
 *
 * Source: https://docs.aws.amazon.com/cdk/v2/guide/tokens.html
 */
export const isToken = (text: unknown): boolean => typeof text === 'string' && text.includes('${Token[');

/** The ARN of a topic, also of one that the same app creates. Topics are FIFO only where `suffix` allows it. */
export const topicArn = (suffix = '') =>
  z
    .string()
    .regex(
      new RegExp(
        `^(?:arn:aws[a-z-]*:sns:[a-z0-9-]+:\\d{12}:[A-Za-z0-9_-]{1,256}${suffix}|.*\\$\\{Token\\[.+\\]\\}.*)$`,
      ),
    );
