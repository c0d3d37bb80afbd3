import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SecretStore } from '../emulators/secret-store.ts';
import type { EventSourceMappingDeclaration } from '../event-source/event-source-mapping.ts';
import type { StreamMappingDeclaration } from '../event-source/stream-mapping.ts';
import type { ApiDestinations } from '../events/api-destinations.ts';
import type { EventBuses } from '../events/event-buses.ts';
import type { HttpApi } from '../http-api/http-api.ts';
import type { FunctionDeclaration } from '../lambda/function-declaration.ts';
import type { Schedules } from '../schedules/schedules.ts';

/** What resources are made of: the emulators' clients, and what is declared now and started once all is there. */
export interface CloudServices {
  readonly accountId: string;
  readonly region: string;
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  /** The queues' base address, to which a queue's name is joined. */
  readonly queueBaseUrl: string;
  readonly secrets: SecretStore;
  readonly buses: EventBuses;
  readonly apiDestinations: ApiDestinations;
  readonly schedules: Schedules;
  /** The folder of the synthesized assets. */
  readonly assetFolder: string;
  /** The name that CloudFormation would make up for a resource without one. */
  physicalName(logicalId: string): string;
  /** An ARN of this account and region. */
  arn(service: string, resource: string): string;
  declareFunction(declaration: FunctionDeclaration): void;
  declareEventSourceMapping(declaration: EventSourceMappingDeclaration): void;
  declareStreamMapping(declaration: StreamMappingDeclaration): void;
  /** Starts listening for an HTTP API, so that its address is known to the resources that follow. */
  openHttpApi(apiId: string, name: string): Promise<HttpApi>;
  httpApi(apiId: string): HttpApi | undefined;
}
