import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cycles,
  directionViolations,
  importCounts,
  layerOf,
  type Rules,
  type Subpaths,
} from './architecture/directions.ts';
import { lintDirections } from './architecture/lint-directions.ts';
import * as shape from './architecture/shape.ts';
import { readSources } from './architecture/source.ts';
import { layers, neverImported, vendors, wideFolders } from './architecture/tables.ts';

const root = resolvePath(import.meta.dirname, '..');

interface Manifest {
  readonly imports: Subpaths;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
const manifest = readManifest('.');
const workspaces = readdirSync(join(root, 'packages')).map((name) => readManifest(`packages/${name}`));
const sources = readSources(root);
const declared = new Set([
  // A package reaches its own `exports` by its name.
  'inkgraph',
  ...[manifest, ...workspaces].flatMap((one) => [
    ...Object.keys(one.dependencies ?? {}),
    ...Object.keys(one.devDependencies ?? {}),
  ]),
]);
const rules: Rules = { layers, vendors, subpaths: manifest.imports, declared };

describe('directions between the layers', () => {
  test('every import follows the tables of layers and vendors', () => {
    expect(directionViolations(sources, rules)).toEqual([]);
  });

  test('the guard saw imports in every layer', () => {
    const counts = importCounts(sources, layers);
    const unseen = layers.filter(
      (layer) => layer.empty !== true && layer.leaf !== true && counts.get(layer.name) === 0,
    );
    expect(unseen.map((layer) => layer.name)).toEqual([]);
    expect(sources.length).toBeGreaterThan(50);
  });

  test('a layer marked empty is empty', () => {
    const marked = layers.filter((layer) => layer.empty === true);
    const filled = marked.filter((layer) => sources.some((source) => layerOf(source.path, layers) === layer));
    expect(filled.map((layer) => layer.name)).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(cycles(sources, manifest.imports)).toEqual([]);
  });

  test('every production dependency has a row in the table of vendors, or a reason to be imported nowhere', () => {
    const known = new Set([...Object.keys(vendors), ...Object.keys(neverImported)]);
    expect(Object.keys(manifest.dependencies ?? {}).filter((name) => !known.has(name))).toEqual([]);
    expect(Object.keys(neverImported).filter((name) => !declared.has(name))).toEqual([]);
  });

  test('the linter has the same tables', () => {
    const config = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as { overrides: { rules: object }[] };
    const written = config.overrides.filter((one) => 'no-restricted-imports' in one.rules);
    expect(written, 'run: node scripts/check/write-lint-directions.ts').toEqual(lintDirections(layers, vendors));
  });
});

describe('shape of the files', () => {
  test('no file is over 400 lines, no test over 600', () => {
    expect(shape.tooLong(sources)).toEqual([]);
  });

  test('no folder has more than 15 files without a reason', () => {
    expect(shape.tooWide(sources, wideFolders)).toEqual([]);
    expect(Object.keys(wideFolders).filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
  });

  test('folders have telling names and files are in kebab-case', () => {
    expect(shape.badNames(sources)).toEqual([]);
  });

  test('no file only re-exports', () => {
    expect(shape.barrels(sources)).toEqual([]);
  });

  test('only configuration files have a default export', () => {
    expect(shape.defaultExports(sources)).toEqual([]);
  });

  test('the product writes to the console in its entry points only', () => {
    expect(shape.consoles(sources)).toEqual([]);
  });

  test('the product keeps no state in modules', () => {
    expect(shape.moduleVariables(sources)).toEqual([]);
  });
});
