import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf, median } from '#scripts/bench/figures.ts';
import type { Child } from '#scripts/bench/processes/child.ts';
import { startEngine, startRawSqlite, type EngineUnderTest } from '#scripts/bench/processes/engine.ts';
import { inLanes } from '#scripts/bench/processes/http-send.ts';
import { interleave, scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';

const body = 'x'.repeat(200);

interface Thing {
  readonly _id: string;
  readonly body: string;
  readonly n: number;
}

interface Sides {
  readonly engine: EngineUnderTest;
  readonly sqlite: Child;
}

interface Work {
  readonly name: 'insert' | 'update';
  readonly writers: number;
  readonly count: number;
  readonly atLeast?: number;
}

async function compare(context: BenchContext, { engine, sqlite }: Sides, work: Work): Promise<Line> {
  const { name, writers, count, atLeast } = work;
  const things = engine.db.collection<Thing>('things');
  const write = {
    insert: (run: number) => async (index: number) =>
      void (await things.insertOne({ _id: `${writers}-${run}-${index}`, body, n: 0 })),
    update: (run: number) => async (index: number) => {
      const { matchedCount } = await things.updateOne(
        { _id: `${writers}-${run}-${index}` },
        { $set: { n: index + 1 } },
      );
      if (matchedCount !== 1) throw new Error('a document that was inserted is not there');
    },
  };
  const results = await interleave(context, {
    ours: async (run) => {
      const { result, cpuMs } = await engine.child.count(`E1-${name}-${writers}`, () =>
        inLanes(count, writers, write[name](run)),
      );
      return { perSecond: (count / result.elapsedMs) * 1_000, cpuMs: cpuMs / count };
    },
    peer: async () => {
      const counted = await sqlite.count<number>(`E1-${name}-${writers}`, () =>
        sqlite.ask(name, { count, together: writers }),
      );
      return { perSecond: counted.result, cpuMs: counted.cpuMs / count };
    },
  });
  return {
    id: 'E1',
    what: `engine: ${name}s, durable, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
    unit: '/s',
    ours: figureOf(results.ours.map((one) => one.perSecond)),
    cpuMs: median(results.ours.map((one) => one.cpuMs)),
    peer: {
      name: `node:sqlite by hand, synchronous=FULL, ${writers} a commit`,
      figure: figureOf(results.peer.map((one) => one.perSecond)),
      cpuMs: median(results.peer.map((one) => one.cpuMs)),
    },
    ...(atLeast === undefined ? {} : { goal: { of: 'value', atLeast } }),
  };
}

/** E1: durable writes through the protocol beside the same writes in SQLite. */
export const engineWrites: Row = {
  id: 'E1',
  async measure(context) {
    await using engine = await startEngine(context, await mkdtemp(join(context.scratch, 'engine-')));
    await using sqlite = await startRawSqlite(context);
    const lines: Line[] = [];
    for (const work of [
      { name: 'insert', writers: 1, count: scaled(context, 2_000), atLeast: 700 },
      { name: 'update', writers: 1, count: scaled(context, 2_000), atLeast: 700 },
      { name: 'insert', writers: 10, count: scaled(context, 10_000), atLeast: 5_000 },
      { name: 'update', writers: 10, count: scaled(context, 10_000), atLeast: 5_000 },
    ] as const satisfies readonly Work[])
      lines.push(await compare(context, { engine, sqlite }, work));
    return lines;
  },
};
