import type { StageSettings } from './stage-settings.ts';
import { isToken } from './topic-arn.ts';

/** What the local run verifies instead of a topic that another stack creates. */
const LOCAL_TOPIC = 'arn:aws:sns:us-east-1:000000000000:events';

/** Returns the settings of a local run, where resources of other stacks do not exist. */
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
