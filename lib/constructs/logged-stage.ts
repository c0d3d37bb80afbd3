import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** An API's one stage, which logs each call's fields for a month; the fields are API Gateway's context variables. */
export function loggedStage(scope: Construct, httpApi: HttpApi, fields: Readonly<Record<string, string>>): HttpStage {
  const logs = new LogGroup(scope, 'AccessLogs', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return new HttpStage(scope, 'Stage', {
    httpApi,
    autoDeploy: true,
    accessLogSettings: {
      destination: new LogGroupLogDestination(logs),
      format: AccessLogFormat.custom(JSON.stringify(fields)),
    },
  });
}
