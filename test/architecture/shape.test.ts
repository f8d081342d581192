import { describe, expect, test } from 'vitest';
import { lintDirections } from './lint-directions.ts';
import * as shape from './shape.ts';
import { readSource } from './source.ts';

function long(path: string, lines: number): ReturnType<typeof readSource> {
  return readSource(path, '// line\n'.repeat(lines));
}

describe('shape', () => {
  test('400 lines pass and 401 do not; tests have 600', () => {
    expect(shape.tooLong([long('src/a.ts', 400), long('test/a.ts', 600)])).toEqual([]);
    expect(shape.tooLong([long('src/a.ts', 401), long('test/a.ts', 601)])).toEqual([
      'src/a.ts has 401 lines, over 400',
      'test/a.ts has 601 lines, over 600',
    ]);
  });

  test('16 files in a folder are too many without a reason', () => {
    const files = Array.from({ length: 16 }, (_, index) => readSource(`tools/f${index}.ts`, ''));
    expect(shape.tooWide(files, {})).toEqual(['tools/ has 16 files, over 15']);
    expect(shape.tooWide(files.slice(1), {})).toEqual([]);
    expect(shape.tooWide(files, { tools: 'a reason' })).toEqual([]);
  });

  test('folders that say nothing and names in other cases are told', () => {
    const files = ['src/utils/a.ts', 'http/common/a.ts', 'types/a.ts', 'src/readFile.ts', 'src/Read.ts', 'src/a_b.ts'];
    expect(shape.badNames(files.map((path) => readSource(path, '')))).toHaveLength(files.length);
    const fine = ['src/utility-bills/read-file.ts', 'graphs/document-intake.workflow.ts', 'test/a.test.ts'];
    expect(shape.badNames(fine.map((path) => readSource(path, '')))).toEqual([]);
  });

  test('barrels and export * are told', () => {
    const files = [
      readSource('src/index.ts', "export { a } from './a.ts';"),
      readSource('src/b.ts', "export * from './c.ts';\nconst b = 1;"),
    ];
    expect(shape.barrels(files)).toEqual([
      'src/index.ts only re-exports',
      'src/b.ts:1 exports everything of another file',
    ]);
  });

  test('default exports are told, except in configuration files', () => {
    const files = [readSource('vitest.config.ts', 'export default {};'), readSource('src/a.ts', 'export default {};')];
    expect(shape.defaultExports(files)).toEqual(['src/a.ts:1 has a default export']);
  });

  test('console and module variables are told in the product only', () => {
    const text = 'let a = 1;\nconsole.log(a);\n';
    const files = ['app/main.ts', 'http/a.ts', 'scripts/a.ts', 'test/a.ts'].map((path) => readSource(path, text));
    expect(shape.consoles(files)).toEqual(['http/a.ts:2 writes to the console']);
    expect(shape.moduleVariables(files)).toEqual([
      'app/main.ts:1 keeps state in the module',
      'http/a.ts:1 keeps state in the module',
    ]);
  });
});

describe('directions for the linter', () => {
  const layers = [
    { name: 'rules', at: ['src/rules/'], imports: [], builtins: ['crypto'] },
    { name: 'doors', at: ['doors/'], imports: ['rules'] },
    { name: 'test', at: ['test/'], imports: 'all' as const },
  ];
  const written = lintDirections(layers, { express: ['doors/'], kit: ['doors/kit'] });

  test('every closed layer has an override, and every narrower place of a vendor one after it', () => {
    expect(written.map((one) => one.files)).toEqual([['src/rules/**'], ['doors/**'], ['doors/kit.ts', 'doors/kit/**']]);
  });

  test('an override forbids the layers and packages that are not open', () => {
    const [layer, packages] = written[1]?.rules['no-restricted-imports'][1].patterns ?? [];
    expect(layer).toEqual({ regex: '^(#test/)', message: 'doors may import rules only' });
    expect(packages?.group).toEqual([
      '*',
      '!#*/**',
      '!./**',
      '!../**',
      '!node:*',
      '!node:*/**',
      '!express',
      '!express/**',
    ]);
  });

  test('a narrower place keeps what is open around it', () => {
    expect(written[2]?.rules['no-restricted-imports'][1].patterns[1]?.group).toContain('!express');
    expect(written[2]?.rules['no-restricted-imports'][1].patterns[1]?.group).toContain('!kit');
  });

  test('a pure layer has its own list of built-ins', () => {
    expect(written[0]?.rules['no-restricted-imports'][1].patterns[1]?.group).toEqual([
      '*',
      '!#*/**',
      '!./**',
      '!../**',
      '!node:crypto',
    ]);
  });
});
