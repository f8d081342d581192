import { MongoClient } from 'mongodb';
import { openEmbeddedDatabase } from '#embedded/open.ts';

// Started by lifecycle.test.ts and killed while it writes: says on stdout what was acknowledged, line by line.
const [dataDir = '', round = '0'] = process.argv.slice(2);
const database = await openEmbeddedDatabase({ dataDir });
const client = await MongoClient.connect(database.uri);
const things = client.db('crash').collection<{ _id: string; n?: number }>('things');
const counters = client.db('crash').collection<{ _id: string; n?: number }>('counters');

async function write(writer: number): Promise<never> {
  for (let at = 0; ; at++) {
    const id = `${round}-${writer}-${at}`;
    await things.insertOne({ _id: id, n: at });
    await counters.updateOne({ _id: `${round}-${writer}` }, { $inc: { n: 1 } }, { upsert: true });
    process.stdout.write(`${id}\n`);
  }
}
await Promise.all([0, 1, 2, 3].map(write));
