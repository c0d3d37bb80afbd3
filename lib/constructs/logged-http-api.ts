import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Properties of a {@link LoggedHttpApi}. */
export interface LoggedHttpApiProps {
  /** What follows the stack's name in the API's name. */
  readonly nameSuffix: string;
  /** What the API is for, as the AWS console shows it. */
  readonly description: string;
  /**
   * Context variables to log in addition to the standard ones, by field name.
   *
   * @default none
   */
  readonly accessLogFields?: Readonly<Record<string, string>>;
}

/** Tells a request that was throttled, timed out or refused from one that never came. */
const ACCESS_LOG_FIELDS = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  // Neither the path nor any header: paths contain phone numbers, and a header carries the signature.
  route: '$context.routeKey',
  status: '$context.status',
  responseLatencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationError: '$context.integrationErrorMessage',
};

/** An HTTP API with one stage, `$default`, whose access log is kept for a month. */
export class LoggedHttpApi extends HttpApi {
  readonly stage: HttpStage;

  constructor(scope: Construct, id: string, { nameSuffix, description, accessLogFields }: LoggedHttpApiProps) {
    super(scope, id, {
      apiName: `${Stack.of(scope).stackName}-${nameSuffix}`,
      description,
      createDefaultStage: false,
    });
    const logGroup = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this,
      autoDeploy: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup),
        format: AccessLogFormat.custom(JSON.stringify({ ...ACCESS_LOG_FIELDS, ...accessLogFields })),
      },
    });
  }
}
