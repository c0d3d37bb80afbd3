import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundledCode } from './bundle.ts';

/** What one of Parley's functions needs. */
export interface ParleyFunctionProps {
  /** The name under which the function's logs and metrics speak of it, such as `receive`. */
  readonly serviceName: string;
  /** What the function does, for whoever meets it in the AWS console. */
  readonly description: string;
  /** The TypeScript file that exports `handler`; an absolute path. */
  readonly entry: string;
  /** The function's own variables, as its `environment.ts` asks for them. */
  readonly environment: Readonly<Record<string, string>>;
  /** The longest that one invocation may take. */
  readonly timeout: Duration;
  /** Memory in MiB; processor time grows with it. */
  readonly memorySize: number;
}

/**
 * A function with a role and a log group of its own: Node 24 on arm64, one bundled ES module, JSON logs.
 *
 * The role may write to the function's own log group and nothing else, unlike AWS's managed basic-execution policy, which
 * opens every log group of the account; each construct allows its function what it needs with {@link ParleyFunction.allow}.
 */
export class ParleyFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly #serviceName: string;
  readonly #metricsNamespace: string;

  constructor(scope: Construct, id: string, props: ParleyFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    this.#serviceName = props.serviceName;
    // Two stages in one account must not raise each other's alarms.
    this.#metricsNamespace = Stack.of(this).stackName;
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: bundledCode(props.entry),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      memorySize: props.memorySize,
      timeout: props.timeout,
      environment: {
        ...props.environment,
        POWERTOOLS_SERVICE_NAME: props.serviceName,
        POWERTOOLS_METRICS_NAMESPACE: this.#metricsNamespace,
      },
    });
  }

  /** How often the function counted something, by the name in `lambdas/ports.ts`. */
  metric(metricName: string, period: Duration): Metric {
    const dimensionsMap = { service: this.#serviceName };
    return new Metric({ namespace: this.#metricsNamespace, metricName, dimensionsMap, period, statistic: 'Sum' });
  }

  /**
   * Allows the function exactly these actions on exactly these resources.
   *
   * CDK's own grants are wider than what is used: a table's grant names all its indexes, a queue's consumer may ask for
   * the queue's address.
   */
  allow(actions: readonly string[], resourceArns: readonly string[], conditions?: Record<string, unknown>): void {
    this.lambda.addToRolePolicy(
      new PolicyStatement({ actions: [...actions], resources: [...resourceArns], ...(conditions && { conditions }) }),
    );
  }
}
