import { Annotations, type Duration, Stack } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import {
  Architecture,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { functionCode } from '#function-code';
import {
  LOGGED_METRICS,
  METRIC_DIMENSIONS,
  METRIC_NAMES_OF,
  type MetricName,
  type ServiceName,
} from '../../lambdas/domain/metric-names.ts';
import type { Rollout } from '../settings/rollout.ts';
import { splitVariables } from './function-variables.ts';
import { grantNetworkInterfaces, type NetworkProps } from './network.ts';
import { GradualRollout } from './rollout/gradual-rollout.ts';
import { lambdaPrincipal } from './service-principals.ts';
import { keyUseOf } from './stage-key.ts';
import { type LogSettings, StageLogGroup } from './stage-log-group.ts';
import { StageRole } from './stage-role.ts';

/** Properties of a {@link ParleyFunction}. */
export interface ParleyFunctionProps extends NetworkProps {
  /** The function's name, such as `receive`: that of its folder in `lambdas`, and of the service in logs and metrics. */
  readonly serviceName: ServiceName;
  /** What the function does, which the AWS console shows. */
  readonly description: string;
  /** The variables that the function's `environment.ts` declares. */
  readonly environment: Readonly<Record<string, string>>;
  /** The maximum duration of an invocation. */
  readonly timeout: Duration;
  /** The memory in MiB, which also determines the share of CPU. */
  readonly memorySize: number;
  /** How long the function's log is kept, and how it is encrypted. */
  readonly logs: LogSettings;
  /**
   * How many concurrent executions are reserved for the function, which is also its limit.
   *
   * @default the function shares the concurrency of the account
   */
  readonly reservedConcurrency?: number;
  /**
   * How a new version takes over.
   *
   * @default 'allAtOnce'
   */
  readonly rollout?: Rollout;
}

/**
 * A Lambda function on Node.js 24 and arm64, bundled into one CommonJS module, with JSON logs and its own role and log group.
 *
 * The role only allows writes to that log group, whereas AWS's managed basic execution policy covers every log group in
 * the account. Parley's grants also name exact actions and resources, whereas CDK's grants cover all indexes of a table
 * and let a queue's consumer look up its URL.
 */
export class ParleyFunction extends LambdaFunction {
  /** The ARN of the function's role. */
  readonly roleArn: string;
  /** The memory in MiB. */
  readonly memoryMib: number;
  /** What serves traffic, which everything that invokes the function must name: its alias, or the function itself. */
  readonly live: IFunction;
  /** How new versions take over step by step. Undefined if they take over at once. */
  readonly rollout: GradualRollout | undefined;
  readonly #metricsNamespace: string;
  readonly #serviceName: ServiceName;

  constructor(scope: Construct, id: string, props: ParleyFunctionProps) {
    const { serviceName, environment, logs, reservedConcurrency, rollout = 'allAtOnce', ...functionProps } = props;
    const logGroup = new StageLogGroup(scope, `${id}Logs`, logs);
    const role = new StageRole(scope, `${id}Role`, { assumedBy: lambdaPrincipal(scope) });
    logGroup.grantWrite(role);
    if (props.vpc) grantNetworkInterfaces(role);
    const { small, files } = splitVariables(environment);
    // Two stages in one account must not trigger each other's alarms.
    const metricsNamespace = Stack.of(scope).stackName;
    super(scope, id, {
      ...functionProps,
      reservedConcurrentExecutions: reservedConcurrency,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: functionCode(serviceName, files),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // At the default level, Lambda's lines about the start, the end, and the duration of each invocation are most of
      // the log. The duration is a metric anyway.
      systemLogLevelV2: SystemLogLevel.WARN,
      environment: {
        ...small,
        POWERTOOLS_SERVICE_NAME: serviceName,
        POWERTOOLS_METRICS_NAMESPACE: metricsNamespace,
      },
    });
    // What invokes the function at once, such as the mapping of a stream, is created after it.
    this.node.addDependency(keyUseOf(this));
    this.roleArn = role.roleArn;
    this.memoryMib = props.memorySize;
    this.#metricsNamespace = metricsNamespace;
    this.#serviceName = serviceName;
    this.rollout = rollout === 'gradual' ? new GradualRollout(this, 'Rollout', { handler: this }) : undefined;
    this.live = this.rollout?.alias ?? this;
    // See FunctionIntegration, which adds each permission to both.
    if (this.rollout) Annotations.of(this).acknowledgeWarning('@aws-cdk/aws-lambda:addPermissionsToVersionOrAlias');
    const logged: Partial<Record<ServiceName, Readonly<Record<string, string>>>> = LOGGED_METRICS;
    for (const [metricName, message] of Object.entries(logged[serviceName] ?? {})) {
      new MetricFilter(this, `${metricName}Filter`, {
        logGroup,
        filterPattern: FilterPattern.stringValue('$.message', '=', message),
        metricNamespace: metricsNamespace,
        metricName,
        dimensions: { service: '$.service' },
      });
    }
  }

  /** Returns a metric that the function emits, with the namespace and dimensions that Powertools gives it. */
  customMetric(
    metricName: MetricName,
    options: MetricOptions,
    dimensions: Readonly<Record<string, string>> = {},
  ): Metric {
    return new Metric({
      ...options,
      namespace: this.#metricsNamespace,
      metricName,
      dimensionsMap: { service: this.#serviceName, ...dimensions },
    });
  }

  /** Returns every metric that the function emits, or those of the names that the filter accepts. */
  customMetrics(options: MetricOptions, accepts: (name: MetricName) => boolean = () => true): Metric[] {
    const dimensionsOf: Partial<Record<MetricName, readonly Readonly<Record<string, string>>[]>> = METRIC_DIMENSIONS;
    return METRIC_NAMES_OF[this.#serviceName].filter(accepts).flatMap((name) =>
      (dimensionsOf[name] ?? [{}]).map((dimensions) => {
        const label = [name, ...Object.values(dimensions)].join(' ');
        return this.customMetric(name, { ...options, label }, dimensions);
      }),
    );
  }
}
