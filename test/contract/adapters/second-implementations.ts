import type { TestProject } from 'vitest/node';
import { deployedSchema } from '../../support/emulated-table.ts';

/** The environment variables with the URLs of the implementations that the fidelity run has started. */
export const TABLES_URL = 'PARLEY_FIDELITY_TABLES_URL';
export const QUEUES_URL = 'PARLEY_FIDELITY_QUEUES_URL';

/** Vitest's global setup: makes the tests use independent implementations instead of the local run's emulators. */
export const setup = (project: TestProject): void => {
  const { [TABLES_URL]: tables, [QUEUES_URL]: queues } = process.env;
  if (!tables && !queues) throw new Error('These tests need an independent implementation. Use `npm run fidelity`.');
  if (tables) project.provide('tableEmulator', { url: tables, schema: deployedSchema() });
  if (queues) project.provide('queueServiceUrl', queues);
};
