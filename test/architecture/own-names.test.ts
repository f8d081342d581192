import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Tables that are indexed by names that cannot come from outside, with the reason. */
const safe: Readonly<Record<string, string>> = {
  'http/pages/html.ts entities': 'single characters',
  'mcp/apps/apps.ts shownBy': 'names of our tools',
  'graphs/check/fix/expression.ts closing': 'single characters',
  'src/domain/segment-locally/fuzzy.ts lookalikes': 'single characters',
  'src/domain/search/word-forms.ts writtenOut': 'single characters',
  'src/domain/extract-locally/locate-quote.ts alike': 'single characters',
  'src/domain/chat/check-quotes.ts closing': 'single characters',
  'src/domain/chat/check-quotes.ts alike': 'single characters',
  'src/adapters/sessions/better-auth.ts kinds': 'names of our collections',
};

/** Tables of the source whose keys are any text, and that it indexes by a variable without asking whether they have the name. */
function indexed(source: string): string[] {
  const tables = [...source.matchAll(/\bconst (\w+): (?:Partial<|Readonly<)*Record<string, [^=]+= \{[^}]/g)];
  return tables.flatMap(([, name = '']) => {
    const use = new RegExp(String.raw`\b${name}(?:\?\.)?\[(?!['"])[^\]]+\]`);
    return use.test(source) && !source.includes(`Object.hasOwn(${name}`) ? [name] : [];
  });
}

test('a table that is indexed by a variable is found, with own() or hasOwn it is not', () => {
  const table = 'const sizes: Readonly<Record<string, number>> = { small: 1 };\n';
  expect(indexed(`${table}sizes[name]`)).toEqual(['sizes']);
  expect(indexed(`${table}sizes?.[name]`)).toEqual(['sizes']);
  expect(indexed(`${table}own(sizes, name)`)).toEqual([]);
  expect(indexed(`${table}Object.hasOwn(sizes, name) ? sizes[name] : 0`)).toEqual([]);
  expect(indexed(`${table}sizes['small']`)).toEqual([]);
  expect(indexed('const kinds: Record<Kind, number> = { a: 1 };\nkinds[kind]')).toEqual([]);
});

test('names from outside are looked up with own()', () => {
  const files = globSync('{app,src,graphs,tools,mcp,http}/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) =>
    indexed(readFileSync(join(root, path), 'utf8')).map((name) => `${path.replaceAll('\\', '/')} ${name}`),
  );
  expect(found.toSorted()).toEqual(Object.keys(safe).toSorted());
});
