import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { vi } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { watchFiles } from '#test/budgets/files.ts';
import { watchWire, type Wire } from '#test/budgets/wire.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '#test/support/test-app.ts';

export const columns = [
  'commands',
  'sent',
  'received',
  'rows',
  'left',
  'entries',
  'changes',
  'bytes',
  'syncs',
  'opens',
  'file syncs',
  'reply',
] as const;
export type Column = (typeof columns)[number];
export type Counts = Readonly<Record<Column, number>>;

export interface Measured {
  readonly counts: Counts;
  /** Names of the commands, each with the number of times. */
  readonly commands: string;
}

export interface Meter extends AsyncDisposable {
  readonly at: TestApp;
  /** Counts what `act` causes until nothing is left to do. `act` answers the bytes of its reply. */
  measure(act: () => Promise<number>): Promise<Measured>;
  settle(): Promise<void>;
}

const total = (numbers: Record<string, number>): number => Object.values(numbers).reduce((sum, one) => sum + one, 0);

function tally(names: readonly string[]): string {
  const groups = Map.groupBy(names, (name) => name);
  return [...groups].map(([name, all]) => (all.length === 1 ? name : `${name} x${all.length}`)).join(', ');
}

/** The real service in this process, with counters on its way to the database and to its files. */
export async function startMeter(options: TestAppOptions = {}): Promise<Meter> {
  await using stack = new AsyncDisposableStack();
  // Regular beats (claims, leases, sweeps, pings) would be counted with whatever happens at their moment. Work that is due wakes by itself.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  stack.defer(() => void vi.useRealTimers());
  const dataDir = await mkdtemp(join(tmpdir(), 'budgets-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const files = stack.use(await watchFiles(join(dataDir, 'objects')));
  const opened: { wire?: Wire; client?: MongoClient } = {};
  const at = await startTestApp({
    ...options,
    dataDir,
    overrides: {
      ...options.overrides,
      // A run on a slow machine would write more often.
      lingerMs: 5_000,
      openDatabase: async (wanted) => {
        const engine = await openOnWarmThread(wanted);
        const wire = await watchWire(engine.uri);
        opened.wire = wire;
        opened.client = new MongoClient(engine.uri);
        const close = async (): Promise<void> => {
          await opened.client?.close();
          await wire[Symbol.asyncDispose]();
          await engine.close();
        };
        return { ...engine, uri: wire.uri, close };
      },
    },
  });
  stack.use(at);
  const { wire, client } = opened;
  if (wire === undefined || client === undefined) throw new Error('the app opened no database');

  const settle = async (): Promise<void> => {
    await at.app.idle();
    await wire.quiet();
  };
  const engineWork = async () => {
    const { metrics, sqlite } = await client.db('admin').command({ serverStatus: 1 });
    const { changes, bytes, syncs } = sqlite;
    return { rows: total(metrics.document), entries: total(sqlite.entries), changes, bytes, syncs };
  };
  const stored = async (): Promise<number> => {
    const { databases } = await client.db('admin').admin().listDatabases();
    const names = databases.map(({ name }) => name);
    const collections = await Promise.all(names.map((name) => client.db(name).collections()));
    const counts = await Promise.all(collections.flat().map((one) => one.countDocuments()));
    return counts.reduce((sum, one) => sum + one, 0);
  };
  const moved = stack.move();
  return {
    at,
    settle,
    async measure(act) {
      await settle();
      const storedBefore = await stored();
      const before = await engineWork();
      wire.take();
      files.take();
      const reply = await act();
      await settle();
      const after = await engineWork();
      const left = (await stored()) - storedBefore;
      const sent = wire.take();
      const { opens, syncs: fileSyncs } = files.take();
      const since = (name: keyof typeof after): number => after[name] - before[name];
      return {
        commands: tally(sent.map(({ name }) => name)),
        counts: {
          commands: sent.length,
          sent: sent.reduce((sum, one) => sum + one.sent, 0),
          received: sent.reduce((sum, one) => sum + one.received, 0),
          rows: since('rows'),
          left,
          entries: since('entries'),
          changes: since('changes'),
          bytes: since('bytes'),
          syncs: since('syncs'),
          opens,
          'file syncs': fileSyncs,
          reply,
        },
      };
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}
