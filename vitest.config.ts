import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PlainCountReporter } from '#scripts/check/plain-count-reporter.ts';
import { TestSecondsReporter } from '#scripts/check/test-seconds.ts';
import { SlowFirst } from '#scripts/check/slow-first.ts';

// As `npm test` sets it for the commands that tests start; Vitest may also be started by itself.
env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));
// Compilers that tests start are Go programs: as those of the gate, they take less processor time with one thread.
env['GOMAXPROCS'] ??= '1';
env['GOGC'] ??= '400';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    pool: 'forks',
    // Modules are loaded once a worker, not once a file: nothing of ours keeps state in them.
    isolate: false,
    globalSetup: ['scripts/check/memory-folder.ts'],
    setupFiles: ['scripts/check/after-each-file.ts', 'scripts/check/same-address.ts'],
    maxWorkers: 3,
    // A large young generation, collected by one thread: all cores are busy already.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64', '--single-threaded-gc'],
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new TestSecondsReporter(), new PlainCountReporter()],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Bounds the wait for a condition on a busy machine; a fast one does not wait.
    expect: { poll: { timeout: 10_000 } },
  },
});
