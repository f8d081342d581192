/**
 * A fair floor for requests: Express, the same driver and the same engine in a thread. One read answers a GET, one durable write a POST.
 * It asks for no key, checks nothing, and writes no event.
 */
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import express from 'express';
import { MongoClient } from 'mongodb';
import { newId } from '#src/domain/ids.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { listenHere } from '#scripts/bench/peers/listen-here.ts';
import { serve } from '#scripts/bench/processes/serve.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';

const [dataDir = ''] = process.argv.slice(2);
const place = { organizationId: newId('organization'), projectId: newId('project') };
const engine = await openEmbeddedDatabase({ dataDir });
const client = new MongoClient(engine.uri, { ignoreUndefined: true, maxPoolSize: 20, writeConcern: { w: 'majority' } });
const documents = client.db('peer').collection<DocumentRecord>('documents');
await documents.createIndex({ organizationId: 1, projectId: 1, createdAt: -1, _id: -1 });

serve({
  /** Inserts so many documents, the newest last. Returns their ids. */
  async fill(count: number): Promise<string[]> {
    const records = Array.from({ length: count }, (_, index) => sampleDocument(place, index));
    for (let from = 0; from < count; from += 500) await documents.insertMany(records.slice(from, from + 500));
    return records.map(({ _id }) => _id);
  },
});

let made = 0;
const app = express();
app.get('/one/:id', async (request, response) => {
  response.json(await documents.findOne({ _id: request.params.id }));
});
app.get('/list', async (_request, response) => {
  response.json({ documents: await documents.find(place).sort({ createdAt: -1, _id: -1 }).limit(25).toArray() });
});
app.post('/ack', express.json({ limit: '64kb' }), async (request, response) => {
  const { objectKey } = request.body as { objectKey: string };
  const document = { ...sampleDocument(place, (made += 1)), objectKey };
  await documents.insertOne(document);
  response.status(201).json({ document });
});
await listenHere(app);
