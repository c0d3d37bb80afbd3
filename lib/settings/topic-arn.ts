import { z } from 'zod';
import type { StageSettings } from './stage-settings.ts';

/** What the local run verifies instead of a topic that another stack creates. */
const LOCAL_TOPIC = 'arn:aws:sns:us-east-1:000000000000:events';

/**
 * Whether a text contains a CDK token: a value that only the deployment knows.
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

/** Returns the settings of the local run, which has nothing of another stack. */
export const withoutTopicsOfOthers = (settings: StageSettings): StageSettings => {
  const { alarmTopicArn, webhook } = settings;
  return {
    ...settings,
    alarmTopicArn: isToken(alarmTopicArn) ? undefined : alarmTopicArn,
    webhook: {
      ...webhook,
      auth:
        webhook.auth.kind === 'sns' && isToken(webhook.auth.topicArn)
          ? { ...webhook.auth, topicArn: LOCAL_TOPIC }
          : webhook.auth,
    },
  };
};
