import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Properties of a {@link LoggedHttpApi}. */
export interface LoggedHttpApiProps {
  /** The suffix of the API's name, after the stack's name. */
  readonly nameSuffix: string;
  /** The purpose of the API, which the AWS console shows. */
  readonly description: string;
  /**
   * Additional context variables to log, by field name.
   *
   * @default none
   */
  readonly accessLogFields?: Readonly<Record<string, string>>;
}

/** Shows whether a missing request was throttled, timed out, or refused, or never arrived. */
const ACCESS_LOG_FIELDS = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  // Does not log paths or headers. Paths contain phone numbers, and a header contains the signature.
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
