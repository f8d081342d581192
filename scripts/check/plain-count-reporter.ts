import { writeSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Counts of tests, not of files. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Counts the outcomes of a run. A file that did not load, a suite whose hooks failed, an error outside every test and a test that was
 * interrupted each count as failed, so that `0 failed` means that nothing went wrong.
 */
export function countRun(modules: readonly TestModule[], unhandledErrors: number): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    if (module.errors().length > 0) counts.failed += 1;
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) counts.failed += 1;
    }
    for (const { mode, state } of outcomes(module)) {
      if (state === 'passed' || state === 'failed') counts[state] += 1;
      else if (mode === 'skip' || mode === 'todo' || state === 'skipped') counts.skipped += 1;
      else counts.failed += 1;
    }
  }
  return counts;
}

function outcomes(module: TestModule): { mode: string; state: string }[] {
  return [...module.children.allTests()].map((one) => ({ mode: one.options.mode, state: one.result().state }));
}

/** Prints `<N> passed, <N> failed, <N> skipped` alone on the last line of the run, after all other reporters. */
export class PlainCountReporter implements Reporter {
  #counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  #watching = false;

  onInit(vitest: Vitest): void {
    this.#watching = vitest.config.watch;
    if (!this.#watching) process.once('exit', () => this.#print());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.#counts = countRun(modules, unhandledErrors.length);
    if (this.#watching) this.#print();
  }

  #print(): void {
    const { passed, failed, skipped } = this.#counts;
    writeSync(1, `${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
