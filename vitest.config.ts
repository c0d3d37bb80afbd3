import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a Chromium: npm run test:browser.
    exclude: ['test/browser/**'],
    // Two cores are all there is: more workers would only make the emulators wait for each other.
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
