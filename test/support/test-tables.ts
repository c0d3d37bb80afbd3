import { afterAll, inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { connectToTables, type EmulatedTables, startTableEmulator, type TableEmulator } from './emulated-table.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The DynamoDB emulator of the whole test run. */
    readonly tableEmulator: TableEmulator;
  }
}

/** Vitest's global setup: starts the emulator. Returns the teardown. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { url, schema, [Symbol.asyncDispose]: stop } = await startTableEmulator();
  project.provide('tableEmulator', { url, schema });
  return async () => stop();
};

/** Connects a test file to the test run's DynamoDB emulator; each test creates its own tables there. */
export const testTables = (): EmulatedTables => {
  const tables = connectToTestTables();
  afterAll(() => tables.close());
  return tables;
};

export const connectToTestTables = (): EmulatedTables => connectToTables(inject('tableEmulator'));
