import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openBundle } from '#src/adapters/web/open-bundle.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';

interface Part {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
}

/** Limits in kilobytes of 1,000 bytes, compressed by gzip. Source: docs/decisions/0206. */
const limits = { first: 115, css: 10, route: 90, all: 370 };

let folder: string;
let manifest: Readonly<Record<string, Part>>;

beforeAll(async () => {
  const found = await openBundle({ dir: null, mayBuild: true }, createPinoLogger('silent')).prepare();
  if (found.state !== 'ready') throw new Error(JSON.stringify(found));
  ({ folder } = found);
  manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Record<string, Part>;
}, 120_000);

/** Keys of a part and of everything that it loads with it. */
function closure(key: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key]?.imports ?? []) closure(next, seen);
  return seen;
}

async function kilobytes(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    [...new Set(files)].map(async (file) => (await stat(join(folder, `${file}.gz`))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000;
}

const filesOf = (keys: Iterable<string>): string[] => [...keys].flatMap((key) => manifest[key]?.file ?? []);
const entry = (): string => Object.keys(manifest).find((key) => manifest[key]?.isEntry === true) ?? '';
/** The documents with their list. */
const first = (): Set<string> => closure('pages/documents/documents-page.tsx', closure(entry()));

describe('The bundle of the dashboard', () => {
  test('loads at most 115 kB of scripts for the documents, and 10 kB of styles', async () => {
    expect(first().size).toBeGreaterThan(3);
    expect(await kilobytes(filesOf(first()))).toBeLessThanOrEqual(limits.first);
    const css = Object.values(manifest).flatMap((part) => (part.isDynamicEntry === true ? [] : (part.css ?? [])));
    expect(css.length).toBeGreaterThan(0);
    expect(await kilobytes(css)).toBeLessThanOrEqual(limits.css);
  });

  test('loads at most 90 kB more for any other page', async () => {
    const there = first();
    const pages = Object.keys(manifest).filter((key) => manifest[key]?.isDynamicEntry === true);
    expect(pages.length).toBeGreaterThan(5);
    const sizes = await Promise.all(
      pages.map(
        async (key) => [key, await kilobytes(filesOf([...closure(key)].filter((one) => !there.has(one))))] as const,
      ),
    );
    expect(sizes.filter(([, size]) => size > limits.route)).toEqual([]);
  });

  test('is at most 370 kB in all', async () => {
    const scripts = Object.values(manifest).map(({ file }) => file);
    expect(await kilobytes(scripts.filter((file) => file.endsWith('.js')))).toBeLessThanOrEqual(limits.all);
  });
});
