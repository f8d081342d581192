import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSource, readSources } from './source.ts';

function imports(text: string): (readonly [string, string])[] {
  return readSource('src/a.ts', text).imports.map((one) => [one.specifier, one.kind]);
}

test('static imports and re-exports are seen, with their lines', () => {
  const source = readSource(
    'src/a.ts',
    "import 'a';\nimport { b } from 'b';\nexport { c } from 'c';\nexport * from 'd';\n",
  );
  expect(source.imports).toEqual([
    { specifier: 'a', kind: 'static', line: 1 },
    { specifier: 'b', kind: 'static', line: 2 },
    { specifier: 'c', kind: 'static', line: 3 },
    { specifier: 'd', kind: 'static', line: 4 },
  ]);
});

test('imports of types alone are told apart from imports of values', () => {
  expect(imports("import type { A } from 'a'; import { type B } from 'b'; import { type C, c } from 'c';")).toEqual([
    ['a', 'type'],
    ['b', 'type'],
    ['c', 'static'],
  ]);
  expect(imports("type A = import('a').A; export type { B } from 'b';")).toEqual([
    ['a', 'type'],
    ['b', 'type'],
  ]);
});

test('imports at run time are seen wherever they stand', () => {
  expect(imports("async function f() { if (true) await import('a'); } class B { b = import(`b`); }")).toEqual([
    ['a', 'dynamic'],
    ['b', 'dynamic'],
  ]);
  expect(imports("require('a'); require.resolve('b'); import.meta.resolve('c'); path.resolve('d');")).toEqual([
    ['a', 'dynamic'],
    ['b', 'dynamic'],
    ['c', 'dynamic'],
  ]);
});

test('the file of a worker, named by URL, is seen; addresses of data are not', () => {
  const text =
    "new URL('./w.ts', import.meta.url); new URL('w.ts', import.meta.url); new URL('../data/', import.meta.url);";
  expect(imports(`${text} new URL('/x.ts', base);`)).toEqual([
    ['./w.ts', 'url'],
    ['./w.ts', 'url'],
  ]);
});

test('comments, strings and templates are no imports', () => {
  expect(
    imports("// import 'a'\nconst b = \"import 'b'\"; const c = `import('${b}')`; const d = /import 'd'/;"),
  ).toEqual([]);
});

test('default exports, export *, console and module variables are found by line', () => {
  const text =
    "export * from 'a';\nlet b = 0;\nexport let c = 1;\nconst d = () => { let e = 2; console.log(e); };\nexport default d;\n";
  const source = readSource('src/a.ts', text);
  expect(source).toMatchObject({ exportAlls: [1], moduleVariables: [2, 3], consoles: [4], defaultExports: [5] });
});

test('a file of re-exports alone is a barrel, one that declares something is not', () => {
  expect(readSource('a.ts', "export { a } from 'a';\nexport type { B } from 'b';\n").barrel).toBe(true);
  expect(readSource('a.ts', "export { a } from 'a';\nexport const b = 1;\n").barrel).toBe(false);
  expect(readSource('a.ts', "import 'a';\n").barrel).toBe(false);
});

test('calls of verifies give their id when it is written out, comments give nothing', () => {
  const text = "verifies('a.b', () => {});\nverifies(id, () => {});\n// verifies('c.d')\n";
  expect(readSource('a.ts', text).verified).toEqual([
    { id: 'a.b', line: 1 },
    { id: null, line: 2 },
  ]);
});

test('lines are counted without the end of the last one', () => {
  expect(readSource('a.ts', 'const a = 1;\nconst b = 2;\n').lines).toBe(2);
});

test('a file that does not parse is named', () => {
  expect(() => readSource('src/broken.ts', 'const = ;')).toThrow('src/broken.ts does not parse');
});

test('all TypeScript files are read, dependencies and data folders passed over', () => {
  const root = mkdtempSync(join(tmpdir(), 'inkgraph-'));
  try {
    for (const folder of ['src/deep', 'node_modules/a', 'data', 'data-old', '.git', 'docs']) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, 'a.ts'), 'export const a = 1;\n');
    }
    writeFileSync(join(root, 'b.config.ts'), 'export default {};\n');
    writeFileSync(join(root, 'c.js'), '');
    expect(readSources(root).map((source) => source.path)).toEqual(['b.config.ts', 'src/deep/a.ts']);
  } finally {
    rmSync(root, { recursive: true });
  }
});
