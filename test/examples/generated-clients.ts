import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { command } from '#scripts/check/command.ts';
import { runProgram } from './run-example.ts';

const root = resolve(import.meta.dirname, '../..');
/** The generators need the compiler interface of TypeScript 5, which a package of their own brings. */
const generators = createRequire(join(root, 'packages/client-generators/package.json'));

/** Program of a generator: its manifest may hide the file, and names it. */
function programOf(name: string, bin: string): string {
  const folder = (generators.resolve.paths(name) ?? []).map((path) => join(path, name));
  const found = folder.find((path) => manifestOf(path) !== null);
  const { bin: bins } = (found === undefined ? null : manifestOf(found)) ?? {};
  const file = typeof bins === 'string' ? bins : bins?.[bin];
  if (found === undefined || file === undefined) throw new Error(`${name} is not installed: run npm install`);
  return join(found, file);
}

type Manifest = { readonly bin?: string | Readonly<Record<string, string>> };
function manifestOf(folder: string): Manifest | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return null;
  }
}

/** The first block of TypeScript in a page that has this word. */
export function blockOf(page: string, word: string): string {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)];
  return blocks.map(([, block = '']) => block).find((block) => block.includes(word)) ?? '';
}

/** Clients of the service API that `url` describes, by three generators, in a folder that finds our packages. */
export async function generateClients(url: string, folder: string): Promise<void> {
  mkdirSync(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const description = join(folder, 'openapi.json');
  writeFileSync(description, await (await fetch(new URL('/api/openapi.json', url))).text());
  await Promise.all([
    runProgram(programOf('openapi-typescript', 'openapi-typescript'), [
      description,
      '-o',
      join(folder, 'service-api.ts'),
    ]),
    runProgram(programOf('@hey-api/openapi-ts', 'openapi-ts'), [
      '-i',
      description,
      '-o',
      join(folder, 'hey'),
      '--silent',
    ]),
    runProgram(programOf('oazapfts', 'oazapfts'), [description, join(folder, 'oazapfts.ts')]),
  ]);
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    noEmit: true,
  };
  const files = ['service-api.ts', 'hey/index.ts', 'oazapfts.ts', 'folder-to-csv.ts', 'misspelt.ts'];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
}

/** Errors of the compiler in strict mode. */
export function compileClients(folder: string): Promise<string[]> {
  const args = [command('typescript', 'tsc'), '--pretty', 'false', '--project', folder];
  return new Promise((done) => {
    execFile(process.execPath, args, (_error, out) => done(out.split('\n').filter((line) => /^\S/.test(line))));
  });
}
