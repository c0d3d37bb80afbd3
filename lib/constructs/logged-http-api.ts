import { Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  type DomainMappingOptions,
  HttpApi,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import type { Throttle } from '../settings/flood-settings.ts';
import { nameWithin } from './name-within.ts';
import { type LogSettings, StageLogGroup } from './stage-log-group.ts';

/** Properties of a {@link LoggedHttpApi}. */
export interface LoggedHttpApiProps {
  /** The suffix of the API's name, after the stack's name. */
  readonly nameSuffix: string;
  /** The purpose of the API, which the AWS console shows. */
  readonly description: string;
  /** How long the access log is kept, and how it is encrypted. */
  readonly logs: LogSettings;
  /**
   * The limit above which the API answers 429.
   *
   * @default the limit of the account
   */
  readonly throttle?: Throttle;
  /**
   * The domain name that is the API's only address, and the path under it.
   *
   * @default the URL that API Gateway generates
   */
  readonly domainMapping?: DomainMappingOptions;
  /**
   * Additional context variables to log, by field name.
   *
   * @default none
   */
  readonly accessLogFields?: Readonly<Record<string, string>>;
}

/**
 * Shows whether a missing request was throttled, timed out, or refused, or never arrived. Does not log paths or headers:
 * paths contain phone numbers, and a header contains the signature. CloudWatch knows the time of each line.
 */
const ACCESS_LOG_FIELDS = {
  requestId: '$context.requestId',
  sourceIp: '$context.identity.sourceIp',
  status: '$context.status',
  responseLatencyMs: '$context.responseLatency',
  integrationError: '$context.integrationErrorMessage',
};

/** Source: https://docs.aws.amazon.com/apigatewayv2/latest/api-reference/apis.html */
const MAX_NAME_LENGTH = 128;

/** An HTTP API with one stage, `$default`, and an access log. */
export class LoggedHttpApi extends HttpApi {
  readonly stage: HttpStage;
  /** The API's URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Undefined without a domain name. */
  readonly domainMapping: ApiMapping | undefined;

  constructor(scope: Construct, id: string, props: LoggedHttpApiProps) {
    const { nameSuffix, description, logs, throttle, domainMapping, accessLogFields } = props;
    super(scope, id, {
      apiName: `${nameWithin(MAX_NAME_LENGTH - nameSuffix.length - 1, Stack.of(scope).stackName)}-${nameSuffix}`,
      description,
      createDefaultStage: false,
      // Otherwise, the API would have a second address, to which the domain's settings do not apply.
      ...(domainMapping && { disableExecuteApiEndpoint: true }),
    });
    const logGroup = createAccessLogs(this, nameSuffix, logs);
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this,
      autoDeploy: true,
      ...(throttle && { throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst } }),
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup),
        format: AccessLogFormat.custom(JSON.stringify({ ...ACCESS_LOG_FIELDS, ...accessLogFields })),
      },
    });
    this.domainMapping =
      domainMapping &&
      new ApiMapping(this, 'DomainMapping', {
        api: this,
        stage: this.stage,
        domainName: domainMapping.domainName,
        apiMappingKey: domainMapping.mappingKey,
      });
    this.baseUrl = domainMapping ? urlOf(domainMapping) : this.apiEndpoint;
  }
}

/**
 * Creates the log group of an API's access log. Its logical id and its name depend only on the API's path in the app and
 * on its suffix, not on the kind of API.
 */
export const createAccessLogs = (api: Construct, nameSuffix: string, logs: LogSettings): StageLogGroup =>
  new StageLogGroup(api, 'AccessLogs', logs, nameSuffix);

/** Returns the URL of a domain mapping, without a trailing slash. */
export const urlOf = ({ domainName: { domainNameRef }, mappingKey }: DomainMappingOptions): string =>
  `https://${domainNameRef.domainName}${mappingKey ? `/${mappingKey}` : ''}`;
