import { defineConfig } from 'vitest/config';

/** The tests of this package alone; the configuration at the root runs them with all others. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
