import type { Queue } from './queue.ts';
import type { StoredMessage, StoredMessages } from './stored-messages.ts';

/**
 * The metric of the oldest message leaves out messages that were received as often. AWS does not say whether this applies
 * to FIFO queues, so no alarm may depend on them there.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
const POISON_RECEIVES = 3;

/** What a queue reports about its messages. */
export const createQueueMeasures = (
  name: string,
  messages: StoredMessages,
): Pick<Queue, 'depths' | 'gauges' | 'nextVisibleAt'> => {
  const count = (matches: (message: StoredMessage) => boolean): number => messages.all().filter(matches).length;

  return {
    depths() {
      const [visible, inFlight] = [count(messages.isVisible), count(messages.isInFlight)];
      return { visible, inFlight, delayed: count(() => true) - visible - inFlight };
    },

    gauges(at) {
      const present = messages.all().filter(({ sentAt }) => sentAt <= at);
      const counted = present.filter(({ receiveCount }) => receiveCount < POISON_RECEIVES);
      const oldest = Math.min(...counted.map(({ sentAt }) => sentAt));
      return {
        name,
        visible: present.filter(({ visibleAt }) => visibleAt <= at).length,
        oldestSeconds: counted.length === 0 ? undefined : Math.floor((at - oldest) / 1000),
      };
    },

    nextVisibleAt() {
      const hidden = messages.all().filter((message) => !messages.isVisible(message));
      return hidden.reduce<number | undefined>(
        (soonest, { visibleAt }) => Math.min(soonest ?? visibleAt, visibleAt),
        undefined,
      );
    },
  };
};
