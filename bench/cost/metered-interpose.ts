import { SQSClient } from '@aws-sdk/client-sqs';
import { CREDENTIALS, REGION } from '../../local/base/aws-environment.ts';
import type { Emulators } from '../../local/emulators/emulators.ts';
import type { Interpose } from '../../local/stack/interposed.ts';
import type { MeterProxies } from './meter-proxies.ts';

const LONGER_THAN_A_LONG_POLL = { requestTimeout: 30_000, throwOnRequestTimeout: true };

const ENDPOINTS = [
  ['AWS_ENDPOINT_URL_DYNAMODB', 'dynamodb'],
  ['AWS_ENDPOINT_URL_SQS', 'sqs'],
  ['AWS_ENDPOINT_URL_EVENTBRIDGE', 'eventBridge'],
  ['AWS_ENDPOINT_URL_SECRETS_MANAGER', 'secretsManager'],
  ['AWS_ENDPOINT_URL_SCHEDULER', 'scheduler'],
] as const;

/** What a run's parts are replaced by, besides the proxies. */
export interface MeteredParts {
  /** Called once, with the emulators. */
  readonly onEmulators: (emulators: Emulators) => void;
  readonly invocations: ReturnType<Interpose>['invocations'];
  /** Gets the queue client that must be destroyed with the meters. */
  readonly onClient: (client: SQSClient) => void;
}

/** Points the functions and the event source mappings of a run at the proxies. */
export const meteredInterpose =
  ({ services: proxies, mappingQueues }: MeterProxies, parts: MeteredParts): Interpose =>
  (emulators: Emulators, chatServiceUrl) => {
    parts.onEmulators(emulators);
    const replaced = ENDPOINTS.map(([variable, service]) => {
      proxies[service].setTarget(emulators.env[variable] ?? '');
      return [variable, proxies[service].url] as const;
    });
    proxies.chatService.setTarget(chatServiceUrl);
    const queueOrigin = new URL(emulators.queueBaseUrl).origin;
    mappingQueues.setTarget(queueOrigin);
    const client = { region: REGION, credentials: CREDENTIALS, requestHandler: LONGER_THAN_A_LONG_POLL };
    const sqs = new SQSClient({ ...client, endpoint: mappingQueues.url });
    parts.onClient(sqs);
    // A queue's messages arrive one by one, as the bill assumes, although a run can make many visible at once.
    sqs.middlewareStack.add(
      (next) => (args) => {
        const isReceive = 'MaxNumberOfMessages' in args.input;
        return next(isReceive ? { ...args, input: { ...args.input, MaxNumberOfMessages: 1 } } : args);
      },
      { step: 'initialize' },
    );
    return {
      environment: (variables) => ({
        ...Object.fromEntries(
          Object.entries(variables).map(([name, value]) => [
            name,
            // The keys' URL contains the same origin, but only calls that Parley makes for a send count.
            value === chatServiceUrl ? proxies.chatService.url : value.replaceAll(queueOrigin, proxies.sqs.url),
          ]),
        ),
        ...Object.fromEntries(replaced),
        AWS_ACCESS_KEY_ID: variables.AWS_LAMBDA_FUNCTION_NAME ?? '',
      }),
      mappings: {
        sqs,
        dynamodbStreams: emulators.dynamodbStreams,
        queueBaseUrl: emulators.queueBaseUrl.replace(queueOrigin, mappingQueues.url),
      },
      invocations: parts.invocations,
      webhookUrl: (url) => url,
    };
  };
