import { z } from 'zod';
import type { Batching } from './batching.ts';

const resources = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});
const functionProperties = z.object({
  MemorySize: z.int().default(128),
  Architectures: z.array(z.string()).default(['x86_64']),
  LoggingConfig: z
    .object({ LogFormat: z.string().default('Text'), SystemLogLevel: z.string().default('INFO') })
    .default({ LogFormat: 'Text', SystemLogLevel: 'INFO' }),
  TracingConfig: z.object({ Mode: z.string() }).default({ Mode: 'PassThrough' }),
});
const getAtt = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) });
const mappingProperties = z.object({
  FunctionName: z.object({ Ref: z.string() }),
  EventSourceArn: getAtt,
  StartingPosition: z.string().optional(),
  BatchSize: z.int().default(100),
  MaximumBatchingWindowInSeconds: z.int().default(0),
});
const stageProperties = z.object({ AccessLogSettings: z.object({ Format: z.string() }).optional() });
const queueProperties = z.object({ FifoQueue: z.boolean().default(false) });
const dashboard = 'AWS::CloudWatch::Dashboard';

export interface FunctionFacts {
  readonly memoryMb: number;
  readonly isArm: boolean;
  readonly logsJson: boolean;
  readonly logsPlatform: boolean;
  readonly isTraced: boolean;
  /** Of the stream that the function reads, if it reads one. */
  readonly batching: Batching | undefined;
}

/** What a synthesized template says about the cost of its stack. */
export interface TemplateFacts {
  /** By logical id. */
  readonly functions: ReadonlyMap<string, FunctionFacts>;
  /** The format of the access log of the first HTTP API, if it has one. */
  readonly accessLogFormat: string | undefined;
  readonly alarms: number;
  readonly dashboards: number;
  /** Custom metrics that metric filters extract from logs. */
  readonly loggedMetrics: number;
  readonly secrets: number;
  /** Event source mappings of queues. */
  readonly standardMappings: number;
  readonly fifoMappings: number;
}

export const readFacts = (template: unknown): TemplateFacts => {
  const all = Object.entries(resources.parse(template).Resources);
  const of = (type: string) => all.filter(([, { Type }]) => Type === type);
  const mappings = of('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) =>
    mappingProperties.parse(Properties),
  );
  const functions = of('AWS::Lambda::Function').map(([id, { Properties }]) => {
    const { MemorySize, Architectures, LoggingConfig, TracingConfig } = functionProperties.parse(Properties);
    const stream = mappings.find(({ FunctionName, StartingPosition }) => FunctionName.Ref === id && StartingPosition);
    const facts: FunctionFacts = {
      memoryMb: MemorySize,
      isArm: Architectures.includes('arm64'),
      logsJson: LoggingConfig.LogFormat === 'JSON',
      logsPlatform: LoggingConfig.LogFormat !== 'JSON' || LoggingConfig.SystemLogLevel !== 'WARN',
      isTraced: TracingConfig.Mode === 'Active',
      batching: stream && { batchSize: stream.BatchSize, windowSeconds: stream.MaximumBatchingWindowInSeconds },
    };
    return [id, facts] as const;
  });
  const fifoQueues = new Set(
    of('AWS::SQS::Queue').flatMap(([id, { Properties }]) => (queueProperties.parse(Properties).FifoQueue ? [id] : [])),
  );
  const fromQueues = mappings.filter(({ StartingPosition }) => StartingPosition === undefined);
  const fifoMappings = fromQueues.filter(({ EventSourceArn }) =>
    fifoQueues.has(EventSourceArn['Fn::GetAtt'][0]),
  ).length;
  const formats = of('AWS::ApiGatewayV2::Stage').map(([, { Properties }]) => stageProperties.parse(Properties));
  return {
    functions: new Map(functions),
    accessLogFormat: formats[0]?.AccessLogSettings?.Format,
    alarms: of('AWS::CloudWatch::Alarm').length,
    dashboards: of(dashboard).length,
    loggedMetrics: of('AWS::Logs::MetricFilter').length,
    secrets: of('AWS::SecretsManager::Secret').length,
    standardMappings: fromQueues.length - fifoMappings,
    fifoMappings,
  };
};
