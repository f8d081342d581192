import { defineConfig } from 'vitest/config';
import { PlainCountReporter } from './scripts/check/plain-count-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', new PlainCountReporter()],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
