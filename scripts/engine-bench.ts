// A measurement, not a test: `node test/embedded/bench.ts`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import { addIndex, type Anything } from '#test/embedded/engine.ts';
import { openEmbeddedDatabase } from '#embedded/open.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'embedded-bench-'));
const database = await openEmbeddedDatabase({ dataDir });
const client = new MongoClient(database.uri);
const things = client.db('bench').collection<Anything>('things');

async function rate(name: string, count: number, run: (at: number) => Promise<unknown>, writers = 1): Promise<void> {
  let next = 0;
  const started = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: writers }, worker));
  const ms = performance.now() - started;
  console.log(
    `${name.padEnd(44)} ${((count / ms) * 1000).toFixed(0).padStart(8)} /s ${(ms / count).toFixed(3).padStart(9)} ms each`,
  );
}

const body = 'x'.repeat(200);
await rate('ping', 3000, () => client.db('admin').command({ ping: 1 }));
await rate('insert, durable, 1 writer', 2000, (at) => things.insertOne({ _id: `a${at}`, body }));
await rate('insert, durable, 10 writers', 10000, (at) => things.insertOne({ _id: `b${at}`, body }), 10);
await rate('update, durable, 1 writer', 1500, (at) => things.updateOne({ _id: `a${at}` }, { $set: { n: at } }));
await rate('update, durable, 10 writers', 8000, (at) => things.updateOne({ _id: `b${at}` }, { $set: { n: at } }), 10);
await addIndex(things, { email: 1 }, { unique: true, sparse: true });
await addIndex(things, { org: 1, createdAt: -1, _id: -1 });
const loading = performance.now();
for (let at = 0; at < 100; at++) {
  await things.insertMany(
    Array.from({ length: 1000 }, (_, each) => {
      const id = at * 1000 + each;
      return {
        _id: `c${id}`,
        org: `org${id % 3}`,
        createdAt: new Date(1.7e12 + id * 1000),
        email: `user${id}@example.org`,
        body,
      };
    }),
  );
}
console.log(`100,000 documents with 2 indexes loaded in ${(performance.now() - loading).toFixed(0)} ms`);
await rate('find one by unique index', 3000, (at) => things.findOne({ email: `user${at}@example.org` }));
await rate('find one by _id', 3000, (at) => things.findOne({ _id: `c${at}` }));
const order = { createdAt: -1, _id: -1 } as const;
await rate('list of 25, first page', 1000, () => things.find({ org: 'org1' }, { sort: order, limit: 25 }).toArray());
const page = { createdAt: new Date(1.7e12 + 50_000_000), _id: 'c50000' };
const after: Document = {
  org: 'org1',
  $or: [{ createdAt: { $lt: page.createdAt } }, { createdAt: page.createdAt, _id: { $lt: page._id } }],
};
await rate('list of 25, keyset page in the middle', 1000, () =>
  things.find(after, { sort: order, limit: 25 }).toArray(),
);
await rate('count by index prefix (33,000)', 5, () => things.countDocuments({ org: 'org1' }));
console.log(`memory of the process with client: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`);

const texts = client.db('bench').collection<{ _id: number; [field: string]: unknown }>('texts');
await client.db('bench').createCollection('texts');
await texts.createSearchIndex({
  name: 'text',
  definition: {
    analyzer: 'lucene.english',
    mappings: { dynamic: false, fields: { org: { type: 'token' }, text: { type: 'string' } } },
  },
});
let seed = 7;
const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
const word = (): string => `word${Math.floor(5000 * (random(10000) / 10000) ** 3)}`;
for (let at = 0; at < 10; at++) {
  await texts.insertMany(
    Array.from({ length: 1000 }, (_, each) => ({
      _id: at * 1000 + each,
      org: `org${each % 3}`,
      text: Array.from({ length: 60 }, word).join(' '),
    })),
  );
}
const search = (query: string, extra = {}) =>
  texts
    .aggregate([
      {
        $search: {
          index: 'text',
          compound: {
            must: [{ text: { query, path: 'text', ...extra } }],
            filter: [{ equals: { path: 'org', value: 'org1' } }],
          },
        },
      },
      { $limit: 20 },
      { $project: { score: { $meta: 'searchScore' } } },
    ])
    .toArray();
await rate('$search 12 terms, 10,000 documents', 20, () => search(Array.from({ length: 12 }, word).join(' ')));
await rate('$search 2 terms, fuzzy, 10,000 documents', 20, () =>
  search(`${word()} ${word()}`, { fuzzy: { maxEdits: 1 } }),
);

await client.close();
const closing = performance.now();
await database.close();
console.log(`closed in ${(performance.now() - closing).toFixed(0)} ms`);
const opening = performance.now();
await (await openEmbeddedDatabase({ dataDir })).close();
console.log(`opened and closed again in ${(performance.now() - opening).toFixed(0)} ms`);
await rm(dataDir, { recursive: true });
