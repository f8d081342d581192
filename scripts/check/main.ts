import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { env, exit, execPath, stdout } from 'node:process';

/** The file behind a package's command, started by this very Node: no shell, no PATH, the same on every system. */
function command(packageName: string, bin = packageName): string {
  const folder = new URL(`../../node_modules/${packageName}/`, import.meta.url);
  const manifest = readFileSync(new URL('package.json', folder), 'utf8');
  const { bin: bins } = JSON.parse(manifest) as { bin: string | Record<string, string> };
  const file = typeof bins === 'string' ? bins : bins[bin];
  if (file === undefined) throw new Error(`${packageName} has no command ${bin}`);
  return fileURLToPath(new URL(file, folder));
}

/** The whole gate, cheapest first; the first failure ends it. */
const steps: readonly (readonly [name: string, file: string, ...args: string[]])[] = [
  ['format', command('oxfmt'), '--check', '.'],
  ['lint', command('oxlint'), '--type-aware', '--deny-warnings'],
  ['types', command('typescript', 'tsc'), '--noEmit'],
  ['unused', command('knip')],
  ['generated', 'scripts/gen/main.ts', '--check'],
  ['tests', command('vitest'), 'run'],
];

for (const [name, file, ...args] of steps) {
  const started = performance.now();
  stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: 'inherit',
    env: { ...env, FORCE_COLOR: env['NO_COLOR'] === undefined && stdout.isTTY ? '1' : '0' },
  });
  if (status !== 0) {
    stdout.write(`\n${name} failed\n`);
    exit(status ?? 1);
  }
  stdout.write(`== ${name} passed in ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
}
