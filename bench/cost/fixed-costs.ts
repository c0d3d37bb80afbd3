import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PRICES } from '../prices.ts';
import type { Table } from '../report.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import type { TemplateFacts } from './template-facts.ts';

/** A line in the embedded metric format. */
const metricLine = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** Returns the custom metrics that appear in the functions' logs. Each combination of dimension values is one. */
const metricsIn = (logFolder: string): ReadonlySet<string> => {
  const lines = readdirSync(logFolder).flatMap((file) => readFileSync(join(logFolder, file), 'utf8').split('\n'));
  const metrics = lines
    .filter((line) => line.includes('CloudWatchMetrics'))
    .flatMap((text) => {
      const line = metricLine.parse(JSON.parse(text));
      return line._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
        Dimensions.flatMap((names) =>
          Metrics.map(({ Name }) => JSON.stringify([Namespace, Name, ...names.map((name) => [name, line[name]])])),
        ),
      );
    });
  return new Set(metrics);
};

/** What a stack costs per month before the first event. */
export const fixedCosts = (name: string, facts: TemplateFacts, logFolder: string): Table => {
  const metrics = metricsIn(logFolder).size;
  const { idlePollersPerQueue, longPollSeconds, secondsPerMonth } = ASSUMPTIONS;
  const emptyReceives = (facts.queueMappings * idlePollersPerQueue * secondsPerMonth) / longPollSeconds / 1e6;
  const lines: readonly (readonly [string, number, number])[] = [
    ['alarms', facts.alarms, PRICES.alarm.usd],
    ['custom metrics that occurred', metrics, PRICES.metric.usd],
    ['dashboards', facts.dashboards, PRICES.dashboard.usd],
    ['secrets', facts.secrets, PRICES.secret.usd],
    ['million empty receives of queues', emptyReceives, PRICES.standardQueue.usd],
  ];
  const total = lines.reduce((sum, [, count, usd]) => sum + count * usd, 0);
  return {
    title: `${name}: US dollars per month without any event`,
    rows: [
      ['', 'count', '$ per month'],
      ...lines.map(([what, count, usd]) => [
        what,
        Number.isInteger(count) ? String(count) : count.toFixed(2),
        (count * usd).toFixed(2),
      ]),
      ['total', '', total.toFixed(2)],
    ],
    note: 'Without free tiers, which cover 10 alarms, 10 metrics, 3 dashboards, and a million SQS requests.',
  };
};
