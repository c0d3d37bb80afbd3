import { SQSClient } from '@aws-sdk/client-sqs';
import {
  createSqsPublishDeadLetterQueue,
  createSqsSendDeadLetterQueue,
  createSqsSendQueue,
} from '../../../../lambdas/adapters/sqs.ts';
import { METRIC_DIMENSIONS, METRIC_NAMES_OF } from '../../../../lambdas/domain/metric-names.ts';
import { TRACEPARENT } from '../../../support/builders.ts';
import { type Share, shareAll, shareBus, shareDomainName, shareKey, shareTable } from '../../lib/shared-resources.ts';
import { synthesizedStack } from '../../lib/synthesized-stack.ts';

/** Lists the outputs of a stack. Those that depend on its settings end with a question mark. */
export const outputLines = (): readonly string[] => {
  const outputsOf = (settings: Readonly<Record<string, unknown>>, share?: Share): readonly string[] =>
    Object.keys(synthesizedStack('dev', settings, { share }).template.findOutputs('*'));
  const always = outputsOf({});
  const created = outputsOf({
    webhook: { auth: { kind: 'standard-webhooks' } },
    customerManagedKey: true,
    events: { targets: [{ kind: 'https', url: 'https://crm.example/parley' }] },
  });
  const existing = outputsOf({}, shareAll(shareTable(), shareBus, shareKey, shareDomainName));
  return [...new Set([...created, ...existing])].map((output) => (always.includes(output) ? output : `${output}?`));
};

/** Lists the metrics with their dimensions. */
export const metricLines = (): readonly string[] => {
  const { template } = synthesizedStack('dev');
  const namespaces = Object.values(template.findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties }): readonly string[] => Properties.Environment?.Variables?.POWERTOOLS_METRICS_NAMESPACE ?? [],
  );
  const dimensionsOf: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = METRIC_DIMENSIONS;
  return [
    ...[...new Set(namespaces)].map((namespace) => `namespace of the stage dev: ${namespace}`),
    ...Object.entries(METRIC_NAMES_OF).flatMap(([service, names]) =>
      names.flatMap((name) =>
        (dimensionsOf[name] ?? [{}]).map((dimensions) => {
          const all = Object.entries({ service, ...dimensions }).map(([dimension, value]) => `${dimension}=${value}`);
          return `${name} ${all.join(' ')}`;
        }),
      ),
    ),
  ];
};

/** Lists the attributes of the messages that Parley puts on its queues. It reads `traceparent`, too. */
export const messageAttributeLines = async (): Promise<readonly string[]> => {
  const lines: string[] = [];
  const client = new SQSClient({ region: 'local' });
  // Answers instead of SQS.
  client.middlewareStack.add(
    () =>
      async ({ input }) => {
        if ('QueueUrl' in input && 'MessageAttributes' in input) {
          for (const name of Object.keys(input.MessageAttributes ?? {}))
            lines.push(`${input.QueueUrl}: attribute ${name}`);
        }
        return { output: { $metadata: {} }, response: undefined };
      },
    { step: 'initialize', priority: 'high' },
  );
  const send = { body: '{}', groupId: 'group', deduplicationId: 'r1', traceparent: TRACEPARENT };
  await createSqsSendQueue(client, 'send queue').put(send);
  await createSqsSendDeadLetterQueue(client, 'dead letters of the send queue').put(send, 'Because.');
  await createSqsPublishDeadLetterQueue(client, 'publish failures').put(
    { sequenceNumber: '1', record: {} },
    'Because.',
  );
  return lines;
};
