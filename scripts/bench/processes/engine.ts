import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import type { BenchContext } from '#scripts/bench/row.ts';
import type { Opened } from '#scripts/bench/targets/engine.ts';

/** The engine in a process of its own, and the driver of this process connected to it. */
export interface EngineUnderTest extends AsyncDisposable {
  readonly child: Child;
  readonly openMs: number;
  readonly db: Db;
}

export async function startEngine(context: BenchContext, dataDir: string): Promise<EngineUnderTest> {
  await using stack = new AsyncDisposableStack();
  const child = stack.use(startChild(new URL('../targets/engine.ts', import.meta.url), { profiles: context.profiles }));
  const { uri, openMs } = await child.ask<Opened>('open', dataDir);
  stack.defer(() => child.ask('close'));
  const client = new MongoClient(uri, { writeConcern: { w: 'majority' } });
  stack.defer(() => client.close());
  const owned = stack.move();
  return { child, openMs, db: client.db('bench'), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** `node:sqlite` by hand, on an empty file. */
export async function startRawSqlite(context: BenchContext): Promise<Child> {
  const folder = await mkdtemp(join(context.scratch, 'sqlite-'));
  return startChild(new URL('../peers/raw-sqlite.ts', import.meta.url), { args: [join(folder, 'raw.sqlite')] });
}
