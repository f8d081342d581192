import { describe, expect, test } from 'vitest';
import { cycles, directionViolations, importCounts, resolve, type Rules } from './directions.ts';
import { readSource } from './source.ts';
import type { Layer } from './tables.ts';

const layers: readonly Layer[] = [
  { name: 'rules', at: ['src/rules/'], imports: [], builtins: ['crypto'] },
  { name: 'doors', at: ['doors/'], imports: ['rules'] },
  { name: 'pages', at: ['pages/'], imports: ['rules'], typesOnly: true },
  { name: 'desks', at: ['desks/'], imports: ['rules'], typesOf: ['doors'] },
  { name: 'test', at: ['test/'], imports: 'all' },
];
const subpaths = { '#src/*': './src/*', '#doors/*': './doors/*' };
const vendors = { express: ['doors/'], '@scope/kit': ['doors/kit'] };
const rules: Rules = { layers, vendors, subpaths, declared: new Set(['express', '@scope/kit', 'vitest']) };

function violations(path: string, text: string): string[] {
  return directionViolations([readSource(path, text)], rules);
}

describe('resolving', () => {
  test('relative and # specifiers lead to files, others to built-ins and packages', () => {
    expect(resolve('src/rules/a.ts', '../b.ts', subpaths)).toEqual({ to: 'file', path: 'src/b.ts' });
    expect(resolve('src/rules/a.ts', '#doors/x/y.ts', subpaths)).toEqual({ to: 'file', path: 'doors/x/y.ts' });
    expect(resolve('a.ts', 'node:fs/promises', subpaths)).toEqual({ to: 'builtin', name: 'fs/promises' });
    expect(resolve('a.ts', '@scope/kit/deep.js', subpaths)).toEqual({ to: 'package', name: '@scope/kit' });
    expect(resolve('a.ts', 'express/lib', subpaths)).toEqual({ to: 'package', name: 'express' });
  });
});

describe('layers', () => {
  test('an allowed direction passes', () => {
    expect(violations('doors/a.ts', "import { b } from '#src/rules/b.ts'; import { c } from './deep/c.ts';")).toEqual(
      [],
    );
  });

  test('a forbidden direction is told with its place', () => {
    expect(violations('src/rules/a.ts', "\nimport { b } from '#doors/b.ts';")).toEqual([
      'src/rules/a.ts:2 imports doors/b.ts: rules may not import doors',
    ]);
  });

  test.each([
    "import type { B } from '#doors/b.ts';",
    "await import('#doors/b.ts');",
    "new URL('../../doors/b.ts', import.meta.url);",
  ])('a forbidden direction is found in %s', (text) => {
    expect(violations('src/rules/a.ts', text)).toHaveLength(1);
  });

  test('a relative path across layers is refused, also in a direction that is allowed', () => {
    expect(violations('doors/a.ts', "import { b } from '../src/rules/b.ts';")).toEqual([
      'doors/a.ts:1 imports src/rules/b.ts by a relative path: across layers use the # subpath',
    ]);
  });

  test('a URL with a # subpath is refused: it would name the file that holds it', () => {
    expect(violations('doors/a.ts', "new URL('#src/rules/b.ts', import.meta.url);")).toEqual([
      'doors/a.ts:1 names src/rules/b.ts by a # subpath in a URL: URLs do not follow subpaths, use a relative path',
    ]);
    expect(violations('test/a.ts', "new URL('#src/rules/picture.gif', import.meta.url);")).toHaveLength(1);
  });

  test('a layer for types only refuses values', () => {
    expect(violations('pages/a.ts', "import type { B } from '#src/rules/b.ts';")).toEqual([]);
    expect(violations('pages/a.ts', "import { b } from '#src/rules/b.ts';")).toHaveLength(1);
  });

  test('a layer may be open to another for types alone', () => {
    expect(
      violations('desks/a.ts', "import type { B } from '#doors/b.ts'; import { c } from '#src/rules/c.ts';"),
    ).toEqual([]);
    expect(violations('desks/a.ts', "import { b } from '#doors/b.ts';")).toEqual([
      'desks/a.ts:1 imports doors/b.ts: desks may import types of doors only',
    ]);
  });

  test('a file outside every layer is told, and so is an import of one', () => {
    expect(violations('src/stray.ts', '')).toEqual(['src/stray.ts belongs to no layer']);
    expect(violations('doors/a.ts', "import { b } from '#src/stray.ts';")).toHaveLength(1);
  });

  test('files at the root and layers that may import all are free', () => {
    expect(violations('vitest.config.ts', "import { a } from './doors/a.ts';")).toEqual([]);
    expect(violations('test/a.ts', "import { a } from '#doors/a.ts'; import 'express'; import 'node:fs';")).toEqual([]);
  });
});

describe('packages and built-ins', () => {
  test('a package is allowed where its row says, in a folder or in a file and the folder of its name', () => {
    expect(violations('doors/a.ts', "import express from 'express';")).toEqual([]);
    expect(violations('doors/kit.ts', "import { k } from '@scope/kit';")).toEqual([]);
    expect(violations('doors/kit/deep.ts', "import { k } from '@scope/kit/more';")).toEqual([]);
  });

  test('a package elsewhere is refused, also when only its types are imported', () => {
    expect(violations('src/rules/a.ts', "import type { E } from 'express';")).toEqual([
      'src/rules/a.ts:1 imports express: it may be imported in doors/ only',
    ]);
    expect(violations('doors/kitten.ts', "import { k } from '@scope/kit';")).toHaveLength(1);
  });

  test('a package without a row or without a declaration is refused', () => {
    expect(violations('doors/a.ts', "import 'vitest';")).toEqual([
      'doors/a.ts:1 imports vitest, which has no row in the table of vendors',
    ]);
    expect(violations('test/a.ts', "import 'ghost';")).toEqual([
      'test/a.ts:1 imports ghost, which package.json does not declare',
    ]);
  });

  test('a built-in needs its prefix, an absolute path is never allowed', () => {
    expect(violations('doors/a.ts', "import 'node:fs';")).toEqual([]);
    expect(violations('doors/a.ts', "import 'fs';")).toHaveLength(1);
    expect(violations('test/a.ts', "import '/home/me/a.ts';")).toHaveLength(1);
  });

  test('a pure layer may use the built-ins of its row only', () => {
    expect(violations('src/rules/a.ts', "import 'node:crypto';")).toEqual([]);
    expect(violations('src/rules/a.ts', "import 'node:fs';")).toEqual([
      'src/rules/a.ts:1 imports node:fs: rules does no input or output',
    ]);
  });
});

describe('counting and circles', () => {
  test('imports are counted by layer, layers without any count 0', () => {
    const sources = [readSource('doors/a.ts', "import 'express'; import 'node:fs';"), readSource('src/rules/a.ts', '')];
    expect([...importCounts(sources, layers)]).toEqual([
      ['rules', 0],
      ['doors', 2],
      ['pages', 0],
      ['desks', 0],
      ['test', 0],
    ]);
  });

  test('circles are found once, over types and imports at run time too', () => {
    const sources = [
      readSource('doors/a.ts', "import type { B } from './b.ts';"),
      readSource('doors/b.ts', "await import('#doors/c.ts');"),
      readSource('doors/c.ts', "export { a } from './a.ts';"),
      readSource('doors/d.ts', "import './a.ts'; import './c.ts';"),
    ];
    expect(cycles(sources, subpaths)).toEqual(['doors/a.ts -> doors/b.ts -> doors/c.ts -> doors/a.ts']);
    expect(cycles(sources.slice(0, 2), subpaths)).toEqual([]);
  });

  test('a file that imports itself is a circle', () => {
    expect(cycles([readSource('doors/a.ts', "import './a.ts';")], subpaths)).toEqual(['doors/a.ts -> doors/a.ts']);
  });
});
