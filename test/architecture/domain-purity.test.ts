import { existsSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Comments may speak of promises; code may not make them. */
const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');

const impure: readonly [string, RegExp][] = [
  ['await', /\bawait\b/],
  ['async', /\basync\b/],
  ['a promise', /\bPromise\b/],
  ['a store', /#src\/stores\//],
  ['an adapter', /#src\/adapters\//],
  ['input or output', /'node:(?:fs|net|http|https|child_process|dns|tls|worker_threads)(?:\/[a-z]+)?'/],
  ['a timer', /\b(?:setTimeout|setInterval|setImmediate)\(/],
  ['the network', /\bfetch\(/],
];

/** Reasons why a text of `src/domain` is not pure; none for one that is. */
function impurities(text: string): string[] {
  const code = withoutComments(text);
  return impure.flatMap(([name, pattern]) => (pattern.test(code) ? [name] : []));
}

function domainFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src/domain'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((path) => path.endsWith('.ts') && !path.startsWith('src/domain/ports/'))
    .filter((path) => existsSync(join(root, path)));
}

describe('the domain is pure', () => {
  it('no file of src/domain outside ports awaits, promises, reads a store or does input and output', () => {
    const files = domainFiles();
    expect(files.length).toBeGreaterThan(50);
    const found = files.flatMap((path) =>
      impurities(readFileSync(join(root, path), 'utf8')).map((name) => `${path}: ${name}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['export async function f() {}', ['async']],
    ['const x = await y;', ['await']],
    ['function f(): Promise<void> {}', ['a promise']],
    ["import type { DocumentStore } from '#src/stores/documents.ts';", ['a store']],
    ["import { readFileSync } from 'node:fs';", ['input or output']],
    ['setTimeout(f, 1);', ['a timer']],
    ["fetch('http://example.com');", ['the network']],
    ['/** Callers await the Promise. */\n// async\nconst x = 1;', []],
  ])('%s', (text, expected) => {
    expect(impurities(text)).toEqual(expected);
  });
});
