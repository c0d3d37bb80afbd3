import { type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { MAXIMUM, PERIOD, SUM } from '../metric-period.ts';
import { deadLetterQueuesOf, functionsOf, type WatchedParts, workQueuesOf } from '../watched-parts.ts';
import { graph } from './graph.ts';

/** Returns the graphs of the queues, functions, APIs, and the table. */
export function resourceGraphs(parts: WatchedParts): IWidget[][] {
  const { table, receiver, sender, publisher, management } = parts;
  const functions = Object.entries(functionsOf(parts));
  const apis = Object.entries({ webhook: receiver.api, management: management.api });
  return [
    [
      graph('Queues: age of the oldest message', [
        ...Object.entries(workQueuesOf(parts)).map(([label, queue]) =>
          queue.metricApproximateAgeOfOldestMessage({ ...MAXIMUM, label: `${label}: not processed` }),
        ),
        receiver.handler.customMetric('RetriedMessageAge', { ...MAXIMUM, label: 'inbound: retried' }),
        sender.handler.customMetric('RetriedMessageAge', { ...MAXIMUM, label: 'send: retried' }),
        ...(sender.bulkSendQueue
          ? [sender.handler.customMetric('RetriedBulkMessageAge', { ...MAXIMUM, label: 'bulk send: retried' })]
          : []),
        ...(publisher.turnQueue
          ? [publisher.handler.customMetric('RetriedTurnAge', { ...MAXIMUM, label: 'turns: retried' })]
          : []),
      ]),
      graph(
        'Queues: messages',
        Object.entries(workQueuesOf(parts)).map(([label, queue]) =>
          queue.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label }),
        ),
      ),
      graph(
        'Dead letters',
        Object.entries(deadLetterQueuesOf(parts)).map(([label, queue]) =>
          queue.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label }),
        ),
      ),
    ],
    [
      graph(
        'Functions: errors and throttles',
        functions.flatMap(([title, handler]) => [
          handler.metricErrors({ ...SUM, label: `${title}: errors` }),
          handler.metricThrottles({ ...SUM, label: `${title}: throttles` }),
        ]),
      ),
      graph(
        'Functions: duration, p99',
        functions.map(([label, handler]) => handler.metricDuration({ period: PERIOD, statistic: Stats.p(99), label })),
      ),
      graph(
        'APIs: calls and 5xx',
        apis.flatMap(([title, { stage }]) => [
          stage.metricCount({ ...SUM, label: `${title}: calls` }),
          stage.metricServerError({ ...SUM, label: `${title}: 5xx` }),
        ]),
      ),
    ],
    [
      graph('Table: throttled requests', [
        table.metric('ReadThrottleEvents', { ...SUM, label: 'reads' }),
        table.metric('WriteThrottleEvents', { ...SUM, label: 'writes' }),
      ]),
      graph('Publish: age of the changes', [publisher.handler.metric('IteratorAge', { ...MAXIMUM, label: 'age' })]),
    ],
  ];
}
