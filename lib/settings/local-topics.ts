import type { StageSettings } from './stage-settings.ts';
import { isToken } from './topic-arn.ts';

/** What the local run verifies instead of a topic that another stack creates. */
const LOCAL_TOPIC = 'arn:aws:sns:us-east-1:000000000000:events';

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
