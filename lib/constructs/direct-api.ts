import { Validations } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import type { DeadLetteredQueue } from './dead-lettered-queue.ts';
import { LoggedHttpApi, type LoggedHttpApiProps } from './logged-http-api.ts';
import type { ParleyFunction } from './parley-function.ts';
import { FunctionIntegration } from './rollout/function-integration.ts';

/** Properties of the API of a webhook without buffered ingress. */
export interface DirectApiProps extends Pick<LoggedHttpApiProps, 'logs' | 'throttle' | 'domainMapping'> {
  /** The path of the webhook, without slashes. */
  readonly path: string;
  readonly handler: ParleyFunction;
  readonly inboundQueue: DeadLetteredQueue;
}

/** Creates the API that invokes the function with each webhook request. */
export const createDirectApi = (
  scope: Construct,
  { path: webhookPath, handler, inboundQueue, ...props }: DirectApiProps,
): LoggedHttpApi => {
  const api = new LoggedHttpApi(scope, 'Api', {
    ...props,
    nameSuffix: 'webhook',
    description: "Receives the chat service's webhook events",
  });
  // Until the domain name leads here, a buffered ingress may still put requests on the queue.
  if (api.domainMapping) inboundQueue.policyResource.node.addDependency(api.domainMapping);
  const integration = new FunctionIntegration(handler);
  for (const path of [`/${webhookPath}`, `/${webhookPath}/{chatChannelNumber}`]) {
    for (const route of api.addRoutes({ path, methods: [HttpMethod.POST], integration })) {
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: 'Before it does anything else, the function verifies every request as webhook.auth specifies.',
      });
    }
  }
  return api;
};
