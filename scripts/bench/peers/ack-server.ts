/**
 * Lower bound of the cost of an acknowledgement: Express, a key lookup by hash, a body checked by zod, and one durable record in
 * an append-only file. It looks at no object, keeps no index, checks no tenant and starts nothing.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import express from 'express';
import { z } from 'zod';
import { Batcher } from '#src/concurrency/batcher.ts';
import { listenHere } from '#scripts/bench/peers/listen-here.ts';

const [file = '', keyHash = '', documentJson = '{}'] = process.argv.slice(2);
const keys = new Map([[keyHash, { projectId: 'proj_bench' }]]);
const Body = z.strictObject({ objectKey: z.string().min(1).max(512) });
const document = JSON.parse(documentJson) as Record<string, unknown>;

const log = await open(file, 'a');
const batcher = new Batcher<string>(async (lines) => {
  await log.appendFile(lines.join(''));
  await log.datasync();
});

const app = express();
app.use(express.json({ limit: '64kb' }));
app.post('/ack', async (request, response) => {
  const key = keys.get(createHash('sha256').update(String(request.headers['x-api-key'])).digest('hex'));
  if (key === undefined) return void response.sendStatus(401);
  const body = Body.safeParse(request.body);
  if (!body.success) return void response.sendStatus(400);
  const made = { ...document, ...key, objectKey: body.data.objectKey, createdAt: new Date().toISOString() };
  await batcher.add(`${JSON.stringify(made)}\n`);
  response.status(201).json({ document: made });
});
await listenHere(app);
