import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Clock ticks of Linux, a hundred in a second. */
const tickMs = 10;

/** Processor time that a process used so far, in milliseconds. 0 where the system has no /proc. */
async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program is in parentheses and may have spaces; user and system time are the 12th and 13th fields after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

/** Size of a file; 0 for a folder, and for a file that is gone meanwhile. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? found.size : 0;
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** State of the whole at one moment. CPU in milliseconds by service, such as `agents`. */
export interface Reading {
  readonly cpu: Readonly<Record<string, number>>;
  readonly databaseBytes: number;
  readonly objectBytes: number;
}

export async function readCosts(
  dataDir: string,
  services: readonly { readonly name: string; readonly pid: number }[],
): Promise<Reading> {
  const times = await Promise.all(
    services.map(async ({ name, pid }) => [name.split(' ')[0] ?? name, await cpuOf(pid)] as const),
  );
  const cpu: Record<string, number> = {};
  for (const [role, ms] of times) cpu[role] = (cpu[role] ?? 0) + ms;
  const [databaseBytes, objectBytes] = await Promise.all([
    bytesIn(join(dataDir, 'database')),
    bytesIn(join(dataDir, 'objects')),
  ]);
  return { cpu, databaseBytes, objectBytes };
}

/** Costs of one of `documents`, as lines of the report. */
export function costsBetween(before: Reading, after: Reading, documents: number): (readonly [string, string])[] {
  const each = (sum: number): string => (sum / Math.max(1, documents)).toFixed(0);
  const kilobytes = (bytes: number): string => `${each(bytes / 1_000)} kB`;
  return [
    ...Object.entries(after.cpu).map(
      ([role, ms]) => [`CPU a document, ${role}`, `${each(ms - (before.cpu[role] ?? 0))} ms`] as const,
    ),
    ['database, a document', kilobytes(after.databaseBytes - before.databaseBytes)],
    ['objects, a document', kilobytes(after.objectBytes - before.objectBytes)],
  ];
}
