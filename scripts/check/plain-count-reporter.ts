import { writeSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { outsidePrograms } from '#scripts/check/programs.ts';

/** Counts of tests, not of files. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Those of `skipped` that need a program which this machine does not have, by their note. */
  without: Readonly<Record<string, number>>;
}

/**
 * Counts the outcomes of a run. A file that did not load, a suite whose hooks failed, an error outside every test and a test that was
 * interrupted each count as failed, so that `0 failed` means that nothing went wrong.
 */
export function countRun(modules: readonly TestModule[], unhandledErrors: number): Counts {
  const without: Record<string, number> = {};
  const counts: Counts = { passed: 0, failed: unhandledErrors, skipped: 0, without };
  for (const module of modules) {
    if (module.errors().length > 0) counts.failed += 1;
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) counts.failed += 1;
    }
    for (const { mode, state, note } of outcomes(module)) {
      if (note !== undefined) without[note] = (without[note] ?? 0) + 1;
      if (state === 'passed' || state === 'failed') counts[state] += 1;
      else if (mode === 'skip' || mode === 'todo' || state === 'skipped') counts.skipped += 1;
      else counts.failed += 1;
    }
  }
  return counts;
}

interface Outcome {
  readonly mode: string;
  readonly state: string;
  readonly note: string | undefined;
}

function outcomes(module: TestModule): Outcome[] {
  return [...module.children.allTests()].map((one) => {
    const result = one.result();
    return { mode: one.options.mode, state: result.state, note: result.state === 'skipped' ? result.note : undefined };
  });
}

/**
 * Prints `<N> passed, <N> failed, <N> skipped` on the last line of the run, after all other reporters. Tests that were skipped for want
 * of a program are named behind it.
 */
export class PlainCountReporter implements Reporter {
  #counts: Counts = { passed: 0, failed: 0, skipped: 0, without: {} };
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
    const { passed, failed, skipped, without } = this.#counts;
    const left = outsidePrograms.flatMap(({ tests, missing }) => {
      const count = without[missing] ?? 0;
      return count === 0 ? [] : [`${count} ${tests} ${count === 1 ? 'test' : 'tests'}: ${missing}`];
    });
    writeSync(
      1,
      `${passed} passed, ${failed} failed, ${skipped} skipped${left.length === 0 ? '' : ` (${left.join('; ')})`}\n`,
    );
  }
}
