import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { indexes } from '#src/stores/indexes.ts';

const docs = await readFile(new URL('../../../docs/scale.md', import.meta.url), 'utf8');
/** Rows of the table of shard keys: a collection, and its key. */
const keys = new Map(
  [...docs.matchAll(/^\| `(\w+)`.* \| `\{ (organizationId: 1(?:, [\w.]+: 1)?) \}`/gm)].map(
    ([, name = '', key = '']) => [name, key.split(', ').map((part) => part.replace(': 1', ''))],
  ),
);

test('docs/scale.md names a shard key for every large collection', () => {
  const large = [
    'documents',
    'runs',
    'executions',
    'steps',
    'events',
    'searchRecords',
    'records',
    'audit',
    'deliveries',
  ];
  const results = ['ocrResults', 'ocrPages', 'descriptions', 'embeddings', 'segmentationResults'];
  expect([...keys.keys()]).toEqual(expect.arrayContaining([...large, ...results]));
});

test('unique indexes of collections with a shard key begin with it, as MongoDB demands of sharded ones', () => {
  const refused = [...keys].flatMap(([name, key]) =>
    (indexes[name as keyof typeof indexes] ?? []).flatMap(([fields, options]) => {
      const isPrefix = key.every((part, at) => Object.keys(fields)[at] === part);
      return options?.unique === true && !isPrefix ? [`${name} ${JSON.stringify(fields)}`] : [];
    }),
  );
  expect(refused).toEqual([]);
});
