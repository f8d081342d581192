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
    // How long a condition is waited for on a busy machine; a fast one does not wait.
    expect: { poll: { timeout: 10_000 } },
  },
});
