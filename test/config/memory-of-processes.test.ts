import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const rowPattern = /^\| (.+) \| (\d+) s \| `(\w+)` in `([^`]+)` \|$/gm;
const rows = [...read('docs/guide/operations.md').matchAll(rowPattern)].map(
  ([, what = '', seconds = '', name = '', path = '']) => [what, name, path, Number(seconds)] as const,
);

/** Value of a constant or option: a number or a product; of a table of values, its first one. */
function valueOf(name: string, source: string): number {
  const written = new RegExp(`\\b${name}(?: =|:) (?:\\{ \\w+: )?([\\d_]+(?: \\* [\\d_]+)*)`).exec(source)?.[1];
  if (written === undefined) throw new Error(`No constant ${name}. Correct the table in docs/guide/operations.md.`);
  return written.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

test('the guide names what processes keep', () => {
  expect(rows.length).toBeGreaterThanOrEqual(12);
});

test.each(rows)('%s: %s in %s is what the guide says', (_what, name, path, seconds) => {
  expect(valueOf(name, read(path))).toBe(seconds * 1_000);
});
