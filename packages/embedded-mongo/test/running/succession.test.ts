import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startOwnProcess } from './own-process.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'an idle client sees at once that %s ended the engine, and finds the next one at its address',
  async (signal) => {
    const engine = await startOwnProcess(dataDir);
    // A client that polls would see it after a minute.
    const client = new MongoClient(engine.line, { heartbeatFrequencyMS: 60_000, minHeartbeatFrequencyMS: 100 });
    const awaiting = new Promise<void>((resolve) => {
      client.on('serverHeartbeatStarted', ({ awaited }) => (awaited ? resolve() : undefined));
    });
    const things = client.db('d').collection('things');
    await things.insertOne({});
    await awaiting;
    const seen = once(client, 'serverHeartbeatFailed');
    await engine.end(signal);
    await seen;
    await using _ = await startOwnProcess(dataDir, ['--port', new URL(engine.line).port, '--print-uri']);
    expect(await things.countDocuments()).toBe(1);
    // Its sessions end at an engine that is still there.
    await client.close();
  },
);
