import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { connectDatabase, type Database } from '#src/stores/connect.ts';

/** A database of its own in a temporary folder, gone after `close`. `connect` gives further connections, as other processes have. */
export async function temporaryDatabase(): Promise<Database & { connect(): Database }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const engine = await openOnWarmThread({ dataDir });
  const connections: Database[] = [];
  const connect = (): Database => {
    const connection = connectDatabase(engine.uri);
    connections.push(connection);
    return connection;
  };
  const { client, db } = connect();
  return {
    client,
    db,
    connect,
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
      await engine.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
