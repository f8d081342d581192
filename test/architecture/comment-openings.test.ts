import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Words that make the reader guess the subject: a comment starts with a noun or a verb (CONTRIBUTING.md, "How we write"). */
const opening = /(?:^|[\s{])(?:\/\/|\/\*\*?|(?<=^\s*)\*)\s+(?:What|Whether|Who|Whoever|Whose|Of|Where|Which|How)\b/;
const openingOfScript = new RegExp(opening.source.replace(String.raw`\/\/`, '#'));

function openings(path: string, text: string): string[] {
  const guard = /\.(?:sh|py)$/.test(path) ? openingOfScript : opening;
  return text.split('\n').flatMap((line, at) => (guard.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : []));
}

const tracked = execFileSync(
  'git',
  ['ls-files', '--cached', '--', '*.ts', '*.tsx', '*.js', '*.cjs', '*.css', '*.sh', '*.py'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  // Comments of generated files are the descriptions of contracts.
  .filter((path) => path !== '' && !path.endsWith('.gen.ts'));
const byFolder = Map.groupBy(tracked, (path) => path.slice(0, Math.max(path.indexOf('/'), 0)));

describe('Comments', () => {
  test.each([...byFolder])('of %j start with a noun or a verb', (_, paths) => {
    const found = paths.flatMap((path) => openings(path, readFileSync(join(root, path), 'utf8')));
    expect(found).toEqual([]);
  });

  test.each([
    ['//', 'What it is', 1],
    ['  /**', 'Whether it is', 1],
    ['   *', 'Of both', 1],
    ['const a = 1; //', 'Where it is', 1],
    ['/*', 'How', 1],
    ['//', 'Limits what a key may open', 0],
    ['{/*', 'Which', 1],
    ['//', 'Whatever', 0],
    ['const a =', "'What';", 0],
    ['const c = a *', 'What;', 0],
  ])('the guard reads %j with %j', (before, words, count) => {
    expect(openings('a.ts', `${before} ${words}`)).toHaveLength(count);
  });

  test('the guard reads # in scripts alone', () => {
    expect(['a.sh', 'a.py', 'a.ts'].map((path) => openings(path, '# How').length)).toEqual([1, 1, 0]);
  });
});
