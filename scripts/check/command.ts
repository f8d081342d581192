import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** File behind a package's command, to start with this very Node: no shell, no PATH, the same on every system. */
export function command(packageName: string, bin = packageName): string {
  const folder = new URL(`../../node_modules/${packageName}/`, import.meta.url);
  const manifest = readFileSync(new URL('package.json', folder), 'utf8');
  const { bin: bins } = JSON.parse(manifest) as { bin: string | Record<string, string> };
  const file = typeof bins === 'string' ? bins : bins[bin];
  if (file === undefined) throw new Error(`${packageName} has no command ${bin}`);
  return fileURLToPath(new URL(file, folder));
}
