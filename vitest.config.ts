import { defineConfig } from 'vitest/config';
import { DYNAMODB_SUITE, REPOSITORY_CONTRACT, SQS_SUITE } from './test/contract/adapters/suite.ts';

const project = (name: string, test: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...test },
});

/**
 * The projects whose tests start local runs or programs. They mostly wait, for queues, clocks, and other processes, so
 * four of their files at a time use two cores better than two do. Vitest runs them after the others.
 */
const MOSTLY_WAITING = {
  maxWorkers: 4,
  testTimeout: 300_000,
  sequence: { groupOrder: 1 },
  setupFiles: ['test/support/check-laws.ts'],
};

export default defineConfig({
  test: {
    // Two cores: more workers would only make the emulators wait for each other.
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    globalSetup: 'test/support/test-run.ts',
    projects: [
      // Without isolation: importing CDK and the AWS SDK again for every file would take a third of the time.
      project('unit', { isolate: false, globalSetup: 'test/support/test-tables.ts' }),
      // The simulated world: its contract suites share the table emulator with the unit tests.
      project('simulation', {
        isolate: false,
        globalSetup: 'test/support/test-tables.ts',
        // A search of half a minute takes several on a busy machine.
        testTimeout: 300_000,
      }),
      // What the repositories promise, also on the simulated table. In `unit`, the same files run on the emulator.
      project('contract', {
        isolate: false,
        include: [...REPOSITORY_CONTRACT],
        provide: { tablesOfContract: 'simulated' },
      }),
      // The same files on independent implementations, which `npm run fidelity` starts.
      project('fidelity', {
        isolate: false,
        include: [...DYNAMODB_SUITE, ...SQS_SUITE],
        globalSetup: 'test/contract/adapters/second-implementations.ts',
      }),
      project('e2e', MOSTLY_WAITING),
      project('resilience', MOSTLY_WAITING),
      // What a new user does with the packages and the examples: installs, whole apps, and programs in other languages.
      project('adoption', { ...MOSTLY_WAITING, hookTimeout: 600_000 }),
      // The console in a real Chromium.
      project('browser', { ...MOSTLY_WAITING, hookTimeout: 180_000 }),
    ],
  },
});
