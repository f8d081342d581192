import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { KnipConfig } from 'knip';
import { command } from '#scripts/check/command.ts';

const root = resolve(import.meta.dirname, '../..');

const run = (file: string, ...args: string[]): string =>
  execFileSync(file, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

const tracked = linesOf(run('git', 'ls-files', '--cached', '--', '*.ts', '*.tsx', '*.mts', '*.cts'));

/** `fs.globSync` takes no negative pattern and no trailing `!`, with which knip marks production. */
function matched(folder: string, patterns: readonly string[]): string[] {
  const plain = patterns.map((pattern) => pattern.replace(/!$/, ''));
  const hidden = plain.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  return plain
    .filter((pattern) => !pattern.startsWith('!'))
    .flatMap((pattern) => globSync(pattern, { cwd: join(root, folder), exclude: [...hidden, '**/node_modules'] }))
    .map((path) => join(folder, path));
}

async function seenByKnip(): Promise<string[]> {
  const { default: knipConfig } = (await import(pathToFileURL(join(root, 'knip.config.ts')).href)) as {
    default: KnipConfig;
  };
  if (typeof knipConfig !== 'function') throw new Error('knip.config.ts exports a function');
  const config = await knipConfig({ production: false });
  expect(Object.keys(config).toSorted(), 'nothing that hides files, such as ignore or ignoreFiles').toEqual([
    'ignoreDependencies',
    'ignoreExportsUsedInFile',
    'workspaces',
  ]);
  return Object.entries(config.workspaces ?? {}).flatMap(([workspace, { project, ...rest }]) => {
    expect(Object.keys(rest)).toEqual(['entry']);
    const folders = workspace === '.' ? ['.'] : globSync(workspace, { cwd: root });
    return folders.flatMap((folder) => matched(folder, [project ?? []].flat()));
  });
}

test('the repository has files to look for', () => {
  expect(tracked.length).toBeGreaterThan(1_000);
});

test('lint sees every TypeScript file', () => {
  const seen = new Set(linesOf(run(execPath, command('oxlint'), '--debug=files')));
  expect(tracked.filter((path) => !seen.has(path))).toEqual([]);
});

test('the type checker sees every TypeScript file', () => {
  const filesOf = (project: string): string[] => {
    const shown = run(execPath, command('typescript', 'tsc'), '--showConfig', '--project', project);
    const { files } = JSON.parse(shown) as { files: string[] };
    return files.map((path) => relative(root, resolve(root, project, path)));
  };
  const seen = new Set(['.', 'web'].flatMap(filesOf));
  expect(tracked.filter((path) => !seen.has(path))).toEqual([]);
});

test('the search for unused code sees every TypeScript file', async () => {
  const seen = new Set(await seenByKnip());
  expect(tracked.filter((path) => !seen.has(path))).toEqual([]);
});
