import { defineConfig } from 'vitest/config';

/** The console in a real Chromium. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    // A browser and a local run use both of the machine's cores by themselves.
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 90_000,
  },
});
