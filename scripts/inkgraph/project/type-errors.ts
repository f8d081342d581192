import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';

/** Nearest folder at or above with a tsconfig.json; null: there is none. */
function projectAt(folder: string): string | null {
  if (existsSync(join(folder, 'tsconfig.json'))) return folder;
  const above = dirname(folder);
  return above === folder ? null : projectAt(above);
}

function compilerOf(project: string): string | null {
  try {
    return join(dirname(createRequire(join(project, 'package.json')).resolve('typescript/package.json')), 'bin/tsc');
  } catch {
    return null;
  }
}

/**
 * Type errors of the project that a folder is in, as its own TypeScript words them; null: there are none, or no TypeScript with a
 * tsconfig.json.
 */
export async function typeErrors(folder: string): Promise<string | null> {
  const project = projectAt(folder);
  const compiler = project === null ? null : compilerOf(project);
  if (project === null || compiler === null) return null;
  const child = spawn(execPath, [compiler, '--noEmit', '--pretty', 'false', '--project', project], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  return status === 0 ? null : said;
}
