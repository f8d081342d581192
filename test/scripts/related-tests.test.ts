import { describe, expect, test } from 'vitest';
import { relatedTests, withinSeconds } from '#scripts/check/related-tests.ts';
import { readSource } from '#test/architecture/source.ts';

const sources = [
  readSource('src/a.ts', ''),
  readSource('src/b.ts', "import { a } from '#src/a.ts';"),
  readSource('src/other.ts', ''),
  readSource('test/near.test.ts', "import { a } from '#src/a.ts';"),
  readSource('test/far.test.ts', "import { b } from '#src/b.ts';"),
  readSource('test/other.test.ts', "import { other } from '#src/other.ts';"),
  readSource('test/a.test.ts', "import { b } from '#src/b.ts';"),
];
const subpaths = { '#src/*': './src/*' };

describe('The tests of a change', () => {
  test('are those of its name, then those that import it, then those that import an importer', () => {
    expect(relatedTests(sources, subpaths, ['src/a.ts'])).toEqual([
      'test/a.test.ts',
      'test/near.test.ts',
      'test/far.test.ts',
    ]);
  });

  test('are a changed test itself, and none for a file that no source imports', () => {
    expect(relatedTests(sources, subpaths, ['test/far.test.ts'])).toEqual(['test/far.test.ts']);
    expect(relatedTests(sources, subpaths, ['README.md'])).toEqual([]);
  });

  test('run nearest first as far as the seconds reach, and the others are named', () => {
    const seconds: Record<string, number> = { near: 2, long: 9, far: 1 };
    expect(withinSeconds(['near', 'long', 'far'], (path) => seconds[path] ?? 0, 4)).toEqual({
      chosen: ['near', 'far'],
      leftOut: ['long'],
    });
  });
});
