import { type IMetric, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../../lambdas/domain/metric-names.ts';
import { MAXIMUM, PERIOD, SUM } from '../metric-period.ts';
import type { ParleyFunction } from '../parley-function.ts';
import { functionsOf, type WatchedParts } from '../watched-parts.ts';
import { graph } from './graph.ts';

const INBOUND = ['EventStored', 'EventDeferred', 'EventQuarantined', 'EventTooLarge', 'EventNotStored'] as const;
const SENDS = [
  'SendAccepted',
  'SendRefused',
  'SendRejected',
  'SendExpired',
  'SendUncertain',
  'SendWaiting',
  'SendScheduled',
  'SendCancelled',
] as const;
const CIRCUIT_BREAKER = ['AccountHeld', 'AccountResumed'] as const;

/** What other graphs show. */
const SHOWN: readonly MetricName[] = [...INBOUND, ...SENDS, ...CIRCUIT_BREAKER, 'RetriedMessageAge'];

/** The time within which Parley promises to answer webhook requests, in milliseconds. */
const WEBHOOK_LIMIT_MS = 2_000;

/** Returns the graphs of what became of events and sends: outcomes, the circuit breaker, and the webhook's latency. */
export function outcomeGraphs(parts: WatchedParts): IWidget[][] {
  const { receiver, sender } = parts;
  const handlers = Object.values(functionsOf(parts));
  return [
    [
      graph('Inbound events by outcome', named(receiver.handler, INBOUND)),
      graph(
        "Webhook: latency against Parley's limit",
        [Stats.p(50), Stats.p(99), Stats.MAXIMUM].map((statistic) =>
          receiver.api.stage.metricLatency({ period: PERIOD, statistic, label: statistic }),
        ),
        { leftAnnotations: [{ value: WEBHOOK_LIMIT_MS, label: 'limit' }] },
      ),
      graph('Webhook: 4xx and 5xx', [
        receiver.api.stage.metricClientError({ ...SUM, label: '4xx' }),
        receiver.api.stage.metricServerError({ ...SUM, label: '5xx' }),
      ]),
    ],
    [
      graph(
        'Sends by state',
        handlers.flatMap((handler) => named(handler, SENDS)),
      ),
      // The state while a request reports it: 1 while the circuit breaker is open, else 0.
      graph('Circuit breaker', [
        sender.handler.customMetric('AccountHeld', { ...MAXIMUM, label: 'open' }),
        sender.handler.customMetric('AccountResumed', { ...SUM, label: 'closed again' }),
      ]),
      // A metric that is added later appears here by itself.
      graph(
        'Everything else that the functions count',
        handlers.flatMap((handler) => handler.customMetrics(SUM, (name) => !SHOWN.includes(name))),
      ),
    ],
  ];
}

const named = (handler: ParleyFunction, names: readonly MetricName[]): IMetric[] =>
  handler.customMetrics(SUM, (name) => names.includes(name));
