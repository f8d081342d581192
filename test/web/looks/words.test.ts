import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const web = new URL('../../../web/', import.meta.url).pathname;

test('Every word of a table is used by a file that imports the table', async () => {
  const paths = globSync('**/*.{ts,tsx}', { cwd: web });
  const files = new Map(paths.map((path) => [path, readFileSync(web + path, 'utf8')]));
  const unused: string[] = [];
  for (const path of paths.filter((one) => one.startsWith('text/'))) {
    const importers = [...files].filter(([, source]) => source.includes(`/${basename(path)}'`));
    const all = importers.map(([, source]) => source).join('\n');
    const tables = (await import(`#web/${path}`)) as Record<string, unknown>;
    for (const [name, table] of Object.entries(tables)) {
      if (typeof table !== 'object' || table === null) continue;
      const used = (word: string): boolean => new RegExp(String.raw`\b${word}\b`, 'u').test(all);
      // Tables that are read by a value of the API, such as a state, are whole where it may have each value.
      if (new RegExp(String.raw`\b${name}\[`, 'u').test(all)) continue;
      unused.push(...Object.keys(table).flatMap((word) => (used(word) ? [] : [`${path}: ${name}.${word}`])));
    }
  }
  expect(unused).toEqual([]);
});
