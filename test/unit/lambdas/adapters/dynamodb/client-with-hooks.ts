import { DynamoDBClient, type ServiceOutputTypes } from '@aws-sdk/client-dynamodb';
import { onTestFinished } from 'vitest';
import type { EmulatedTables } from '../../../../support/emulated-table.ts';

/** What a test does around a call to DynamoDB, by the name of its command. */
export interface CallHooks {
  readonly before?: (command: string) => Promise<unknown>;
  /** Receives the input of each call. */
  readonly request?: (command: string, input: object) => void;
  /** Returns the output that the caller sees. */
  readonly after?: (command: string, output: ServiceOutputTypes) => ServiceOutputTypes | Promise<ServiceOutputTypes>;
}

/** Creates a client for what the emulator does not do by itself: changes between two calls, and partial answers. */
export const createClientWithHooks = (
  tables: EmulatedTables,
  { before, request, after }: CallHooks,
): DynamoDBClient => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: tables.url, region: 'us-east-1', credentials });
  onTestFinished(() => client.destroy());
  client.middlewareStack.add((next, { commandName = '' }) => async (parameters) => {
    await before?.(commandName);
    request?.(commandName, parameters.input);
    const result = await next(parameters);
    return { ...result, output: (await after?.(commandName, result.output)) ?? result.output };
  });
  return client;
};
