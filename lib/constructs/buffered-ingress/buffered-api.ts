import { Stack, Validations } from 'aws-cdk-lib';
import {
  AwsIntegration,
  ContentHandling,
  EndpointType,
  type IntegrationResponse,
  type IResource,
  type Method,
  PassthroughBehavior,
  ResponseType,
  RestApi,
  type Stage,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnApiMapping, type DomainMappingOptions } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Throttle } from '../../settings/flood-settings.ts';
import { grantSendMessage } from '../dead-lettered-queue.ts';
import { createAccessLogs, urlOf } from '../logged-http-api.ts';
import { apiGatewayPrincipal } from '../service-principals.ts';
import type { LogSettings } from '../stage-log-group.ts';
import { StageRole } from '../stage-role.ts';
import { answerTemplate, refusedTemplate, sendMessageTemplate } from './buffered-templates.ts';

/** Properties of a {@link BufferedApi}. */
export interface BufferedApiProps {
  /** The queue that gets every request. */
  readonly queue: IQueue;
  /** The first segment of the path. The second one, if there is one, names the business number. */
  readonly path: string;
  /** The names of the headers that the requests on the queue have, in lower case. */
  readonly headers: readonly string[];
  /** How long logs are kept, and how they are encrypted. */
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
}

const STAGE = 'live';

/**
 * The content types of webhook requests. A request without a content type counts as JSON. API Gateway answers any other
 * type with 415: to pass a body on without a template would let its sender write the call of SQS.
 */
const CONTENT_TYPES = [
  'application/json',
  'text/json',
  'text/plain',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
];

const CHANNEL_PARAMETER = 'chatChannelNumber';

const ANSWERS: readonly IntegrationResponse[] = [
  answer('200', answerTemplate('OK'), '200'),
  // Matches every other status.
  answer('503', answerTemplate('Service Unavailable')),
  answer('413', refusedTemplate(), '4\\d\\d'),
];

function answer(statusCode: string, template: string, selectionPattern?: string): IntegrationResponse {
  return {
    statusCode,
    ...(selectionPattern && { selectionPattern }),
    // Without it, API Gateway takes the template's text for base64, because the API treats every body as binary.
    contentHandling: ContentHandling.CONVERT_TO_TEXT,
    responseTemplates: { 'application/json': template },
  };
}

/**
 * A REST API that puts webhook requests on a queue without a function on the way, and answers when SQS has stored them.
 * The requests on the queue are not verified.
 */
export class BufferedApi extends Construct {
  readonly stage: Stage;
  readonly apiId: string;
  /** The API's URL, without a trailing slash. */
  readonly baseUrl: string;
  /** What API Gateway may do: put messages on the queue. */
  readonly role: StageRole;
  /** The methods that put requests on the queue. */
  readonly methods: readonly Method[];

  constructor(scope: Construct, id: string, { queue, path, headers, logs, throttle, domainMapping }: BufferedApiProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    // That of a direct ingress: a production stage keeps it, so a change back could not create one with its name.
    createAccessLogs(this, 'webhook', logs);
    this.role = new StageRole(this, 'Role', {
      assumedBy: apiGatewayPrincipal(),
      description: 'Puts webhook requests on the inbound queue',
    });
    const grant = grantSendMessage(this.role, queue);
    const api = new RestApi(this, 'RestApi', {
      restApiName: `${stackName}-webhook`,
      description: "Puts the chat service's webhook events on a queue",
      endpointTypes: [EndpointType.REGIONAL],
      // Every body, so that its bytes are kept.
      binaryMediaTypes: ['*/*'],
      // It would set a role for logging that all APIs of the account and region share.
      cloudWatchRole: false,
      // Otherwise, the API would have a second address, to which the domain's settings do not apply.
      disableExecuteApiEndpoint: domainMapping !== undefined,
      deployOptions: {
        stageName: STAGE,
        // For each method: the metrics of the stage also count the unknown paths that scanners ask for.
        metricsEnabled: true,
        ...(throttle && { throttlingRateLimit: throttle.requestsPerSecond, throttlingBurstLimit: throttle.burst }),
      },
    });
    // An output with the URL of the stage, which is not the webhook's.
    api.node.tryRemoveChild('Endpoint');
    // An unknown path is answered as by the direct ingress, not with API Gateway's 403 about a missing token.
    api.addGatewayResponse('UnknownPath', {
      type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
      statusCode: '404',
      templates: { 'application/json': answerTemplate('Not Found') },
    });
    const webhook = api.root.addResource(path);
    const channel = webhook.addResource(`{${CHANNEL_PARAMETER}}`);
    this.methods = [
      this.#addMethod(webhook, queue, sendMessageTemplate(headers)),
      this.#addMethod(channel, queue, sendMessageTemplate(headers, CHANNEL_PARAMETER)),
    ];
    this.stage = api.deploymentStage;
    grant.applyBefore(this.stage);
    this.apiId = api.restApiId;
    this.baseUrl = domainMapping ? this.#map(domainMapping) : api.url.replace(/\/$/, '');
    acknowledgeRules(api, this.stage);
  }

  #addMethod(resource: IResource, queue: IQueue, template: string): Method {
    const method = resource.addMethod(
      'POST',
      new AwsIntegration({
        service: 'sqs',
        path: `${Stack.of(this).account}/${queue.queueName}`,
        integrationHttpMethod: 'POST',
        options: {
          credentialsRole: this.role,
          contentHandling: ContentHandling.CONVERT_TO_TEXT,
          passthroughBehavior: PassthroughBehavior.NEVER,
          requestParameters: { 'integration.request.header.Content-Type': "'application/x-www-form-urlencoded'" },
          requestTemplates: Object.fromEntries(CONTENT_TYPES.map((type) => [type, template])),
          integrationResponses: [...ANSWERS],
        },
      }),
      { methodResponses: ANSWERS.map(({ statusCode }) => ({ statusCode })) },
    );
    for (const id of ['AwsSolutions-APIG4', 'AwsSolutions-COG4']) {
      Validations.of(method).acknowledge({
        id,
        reason: 'The function that reads the queue verifies every request as webhook.auth specifies.',
      });
    }
    return method;
  }

  /** Has the logical ID of the mapping of a direct ingress, so that a change of the setting only changes its API. */
  #map(domainMapping: DomainMappingOptions): string {
    const { domainName, mappingKey: apiMappingKey } = domainMapping;
    new CfnApiMapping(new Construct(this, 'DomainMapping'), 'Resource', {
      apiId: this.apiId,
      domainName: domainName.domainNameRef.domainName,
      stage: this.stage.stageName,
      apiMappingKey,
    });
    return urlOf(domainMapping);
  }
}

function acknowledgeRules(api: RestApi, stage: Stage): void {
  const LOGS =
    'Logs of a REST API need a role that all APIs of the account and region share, which a stack must not set. ' +
    "CloudWatch counts the API's answers, and the function logs every request that it verifies.";
  for (const id of ['AwsSolutions-APIG1', 'AwsSolutions-APIG6']) {
    Validations.of(stage).acknowledge({ id, reason: LOGS });
  }
  Validations.of(stage).acknowledge({
    id: 'AwsSolutions-APIG3',
    reason:
      'Requests are verified before anything is stored in the table, and webhook.throttle can limit their rate. A ' +
      'stage can add a web ACL to its API.',
  });
  Validations.of(api).acknowledge({
    id: 'AwsSolutions-APIG2',
    reason: 'The template limits what reaches the queue, and the function that reads the queue validates it.',
  });
}
