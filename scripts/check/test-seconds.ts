import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const root = resolve(import.meta.dirname, '../..');
const file = resolve(root, 'node_modules/.cache/test-seconds.json');

/** Seconds that each test file took when it last ran here, by its path from the root. */
export function readTestSeconds(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Remembers the seconds of each file, for `npm run test:quick`. */
export class TestSecondsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const taken = modules.map((module) => {
      const { duration, collectDuration } = module.diagnostic();
      return [relative(root, module.moduleId), Math.round((duration + collectDuration) / 100) / 10] as const;
    });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ ...readTestSeconds(), ...Object.fromEntries(taken) }));
  }
}
