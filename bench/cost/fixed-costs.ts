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

/** Returns the custom metrics that functions wrote to their logs. Each combination of dimension values is one. */
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

type Line = readonly [what: string, count: number, usd: number];

/** What a template's resources cost per month, even if they are not used. */
const resourceLines = (facts: TemplateFacts): readonly Line[] => {
  const { idlePollersPerQueue, longPollSeconds, secondsPerMonth } = ASSUMPTIONS;
  const emptyReceives = (mappings: number) =>
    (mappings * idlePollersPerQueue * secondsPerMonth) / longPollSeconds / 1e6;
  return [
    ['alarms', facts.alarms, PRICES.alarm.usd],
    ['dashboards', facts.dashboards, PRICES.dashboard.usd],
    ['secrets', facts.secrets, PRICES.secret.usd],
    ['million empty receives of standard queues', emptyReceives(facts.standardMappings), PRICES.standardQueue.usd],
    ['million empty receives of FIFO queues', emptyReceives(facts.fifoMappings), PRICES.fifoQueue.usd],
  ];
};

const totalOf = (lines: readonly Line[]): number => lines.reduce((sum, [, count, usd]) => sum + count * usd, 0);

/** Returns what a template's resources cost in a month without events, in dollars. */
export const idleUsd = (facts: TemplateFacts): number => totalOf(resourceLines(facts));

/** What a stack costs per month before the first event, and the metrics that its first events start. */
export const fixedCosts = (name: string, facts: TemplateFacts, logFolder: string): Table => {
  const lines: readonly Line[] = [
    ...resourceLines(facts),
    ['custom metrics that occurred', metricsIn(logFolder).size + facts.loggedMetrics, PRICES.metric.usd],
  ];
  return {
    title: `${name}: US dollars per month without any event`,
    rows: [
      ['', 'count', '$ per month'],
      ...lines.map(([what, count, usd]) => [
        what,
        Number.isInteger(count) ? String(count) : count.toFixed(2),
        (count * usd).toFixed(2),
      ]),
      ['total', '', totalOf(lines).toFixed(2)],
    ],
    note: 'Without free tiers, which cover 10 alarms, 10 metrics, 3 dashboards, and a million SQS requests.',
  };
};
