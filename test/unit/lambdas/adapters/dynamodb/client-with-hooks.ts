import type { DynamodbClient, OperationName } from '../../../../../lambdas/adapters/dynamodb/client.ts';
import type { EmulatedTables } from '../../../../support/emulated-table.ts';

/** What a test does around a call to DynamoDB, by the name of its operation. */
export interface CallHooks {
  readonly before?: (operation: OperationName) => Promise<unknown>;
  /** Receives the input of each call. */
  readonly request?: (operation: OperationName, input: object) => void;
  /** Returns the output that the caller sees. */
  readonly after?: (operation: OperationName, output: object) => object;
}

/** Creates a client for what the emulator does not do by itself: changes between two calls, and partial answers. */
export const createClientWithHooks = (
  { tableClient }: EmulatedTables,
  { before, request, after = (_operation, output) => output }: CallHooks,
): DynamodbClient => ({
  async call(name, input, options) {
    await before?.(name);
    request?.(name, input);
    const output = await tableClient.call(name, input, options);
    return { ...output, ...after(name, output) };
  },
});
