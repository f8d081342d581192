import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { Binary, type Collection, type Document } from 'mongodb';
import {
  createKept,
  load,
  loadPlain,
  textIndex,
  vectorIndex,
  type Kept,
} from '#scripts/bench/documents/load-engine.ts';
import { largeOrganization, question, smallOrganization } from '#scripts/bench/documents/made-up.ts';
import { figureOf, median } from '#scripts/bench/figures.ts';
import type { Child } from '#scripts/bench/processes/child.ts';
import { startEngine, startRawSqlite, type EngineUnderTest } from '#scripts/bench/processes/engine.ts';
import { inLanes } from '#scripts/bench/processes/http-send.ts';
import { interleave, scaled, type BenchContext, type Goal, type Line, type Row } from '#scripts/bench/row.ts';

const megabyte = 2 ** 20;
const terms = 12;
const peerName = 'node:sqlite by hand, no protocol';

interface Sides {
  readonly context: BenchContext;
  readonly engine: EngineUnderTest;
  readonly kept: Collection<Kept>;
  readonly sqlite: Child;
  readonly documents: number;
}

/** Operations a second, one at a time, of this process's driver. */
async function rate(count: number, run: (index: number) => Promise<unknown>): Promise<number> {
  const { elapsedMs } = await inLanes(count, 1, async (index) => void (await run(index)));
  return (count / elapsedMs) * 1_000;
}

interface Pair {
  readonly what: string;
  readonly count: number;
  readonly ours: (index: number) => Promise<unknown>;
  readonly peer: (count: number) => Promise<number>;
  readonly peerName?: string;
  readonly goal?: Goal;
}

async function perSecond({ context, engine, documents }: Sides, pair: Pair): Promise<Line> {
  const { what, count } = pair;
  const cpuMs: number[] = [];
  const results = await interleave(context, {
    ours: async () => {
      const counted = await engine.child.count(`E2-${what}`, () => rate(count, pair.ours));
      cpuMs.push(counted.cpuMs / count);
      return counted.result;
    },
    peer: () => pair.peer(count),
  });
  return {
    id: 'E2',
    what: `engine: ${what}, ${documents} documents`,
    unit: '/s',
    ours: figureOf(results.ours),
    cpuMs: median(cpuMs),
    peer: { name: pair.peerName ?? peerName, figure: figureOf(results.peer) },
    ...(pair.goal === undefined ? {} : { goal: pair.goal }),
  };
}

/** Each run asks a few different questions; its figure is their median, in milliseconds. */
async function latency(
  { context, documents }: Sides,
  what: string,
  ask: { ours: (index: number) => Promise<unknown>; peer: (index: number) => Promise<number> },
): Promise<Line> {
  const questions = scaled(context, 10);
  const single: number[] = [];
  const results = await interleave(context, {
    ours: async (run) => {
      const { latenciesMs } = await inLanes(
        questions,
        1,
        async (index) => void (await ask.ours(run * questions + index)),
      );
      if (run > 0) single.push(...latenciesMs);
      return median([...latenciesMs]);
    },
    peer: async (run) => {
      const times: number[] = [];
      for (let index = 0; index < questions; index += 1) times.push(await ask.peer(run * questions + index));
      return median(times);
    },
  });
  return {
    id: 'E3',
    what: `engine: ${what}, ${documents} documents`,
    unit: 'ms',
    ours: figureOf(results.ours, single),
    peer: { name: peerName, figure: figureOf(results.peer) },
  };
}

async function keyedReads(sides: Sides): Promise<Line[]> {
  const { context, engine, kept, sqlite, documents } = sides;
  const finds = scaled(context, 2_000);
  const plain = await loadPlain(engine.db, documents);
  const byEmail = async (index: number): Promise<void> => {
    const found = await plain.findOne({ email: `user${index % documents}@example.org` });
    if (found === null) throw new Error('a document that was inserted is not found');
  };
  const newest = () =>
    kept
      .find(
        { organization: largeOrganization },
        { sort: { createdAt: -1, _id: -1 }, limit: 25, projection: { vector: 0 } },
      )
      .toArray();
  return [
    await perSecond(sides, {
      what: 'find by unique index',
      count: finds,
      ours: byEmail,
      peer: (count) => rate(count, () => engine.db.command({ ping: 1 })),
      peerName: "the driver's ping of the engine",
      goal: { of: 'ratio', atLeast: 0.5 },
    }),
    await perSecond(sides, {
      what: 'find by unique index',
      count: finds,
      ours: byEmail,
      peer: (count) => sqlite.ask('find', count),
    }),
    await perSecond(sides, {
      what: 'list of 25 by a compound index',
      count: scaled(context, 1_000),
      ours: newest,
      peer: (count) => sqlite.ask('list', count),
    }),
  ];
}

async function searches(sides: Sides): Promise<Line[]> {
  const { kept, sqlite } = sides;
  const answer = async (source: Document): Promise<void> => {
    const rows = await kept.aggregate([source, { $limit: 20 }, { $project: { _id: 1 } }]).toArray();
    if (rows.length === 0) throw new Error('a search found nothing');
  };
  const nearest = (filtered: boolean) => ({
    ours: (index: number) =>
      answer({
        $vectorSearch: {
          index: vectorIndex,
          path: 'vector',
          queryVector: Binary.fromFloat32Array(question(index, 1).vector),
          exact: true,
          limit: 20,
          ...(filtered ? { filter: { organization: smallOrganization } } : {}),
        },
      }),
    peer: (index: number) => sqlite.ask<number>('nearest', { index, filtered }),
  });
  const words = {
    ours: (index: number) =>
      answer({ $search: { index: textIndex, text: { path: 'text', query: question(index, terms).text } } }),
    peer: (index: number) => sqlite.ask<number>('search', { index, words: terms }),
  };
  return [
    await latency(sides, '$vectorSearch, 1,536 dimensions', nearest(false)),
    await latency(sides, '$vectorSearch in 2 % of the documents', nearest(true)),
    await latency(sides, `$search for ${terms} words`, words),
  ];
}

/** Opens the folder anew: how long it takes, and what the process holds before and after a vector search. */
async function footprint({ context, documents }: Sides, dataDir: string): Promise<Line[]> {
  const opened: number[] = [];
  const idle: number[] = [];
  const loaded: number[] = [];
  const first: number[] = [];
  for (let run = 0; run < context.runs; run += 1) {
    context.progress(`opening, run ${run + 1} of ${context.runs}`);
    await using engine = await startEngine(context, dataDir);
    const kept = engine.db.collection<Kept>('kept');
    opened.push(engine.openMs);
    for (let index = 0; index < 200; index += 1) await kept.findOne({ email: `user${index}@example.org` });
    await kept.find({ organization: largeOrganization }, { limit: 1_000 }).toArray();
    idle.push((await engine.child.usage()).rssBytes / megabyte);
    const queryVector = Binary.fromFloat32Array(question(run, 1).vector);
    const started = performance.now();
    await kept
      .aggregate([{ $vectorSearch: { index: vectorIndex, path: 'vector', queryVector, exact: true, limit: 20 } }])
      .toArray();
    first.push(performance.now() - started);
    loaded.push((await engine.child.usage()).rssBytes / megabyte);
  }
  const line = (what: string, unit: string, values: readonly number[], atMost?: number): Line => ({
    id: 'E4',
    what: `engine: ${what}, ${documents} documents with vectors`,
    unit,
    ours: figureOf(values),
    ...(atMost === undefined ? {} : { goal: { of: 'value', atMost } }),
  });
  return [
    line('opening the folder', 'ms', opened, 1_000),
    line('memory (RSS) of its process, no vectors loaded', 'MB', idle, 250),
    line('memory (RSS) of its process, vectors loaded', 'MB', loaded, 900),
    line('first vector search, which loads them', 'ms', first),
  ];
}

/** E2 to E4: the engine with 10,000 and 100,000 documents: reads by key, searches, opening and memory. */
export const engineReads: Row = {
  id: 'E2',
  async measure(context) {
    const dataDir = await mkdtemp(join(context.scratch, 'engine-'));
    await using sqlite = await startRawSqlite(context);
    const small = scaled(context, 10_000);
    const large = scaled(context, 100_000);
    const lines: Line[] = [];
    let sides: Sides | undefined;
    {
      await using engine = await startEngine(context, dataDir);
      const kept = await createKept(engine.db);
      const progress = (text: string): void => context.progress(text);
      await load(kept, sqlite, { from: 0, to: small, progress });
      lines.push(...(await searches({ context, engine, kept, sqlite, documents: small })));
      await load(kept, sqlite, { from: small, to: large, progress });
      sides = { context, engine, kept, sqlite, documents: large };
      lines.push(...(await keyedReads(sides)), ...(await searches(sides)));
    }
    return [...lines, ...(await footprint(sides, dataDir))];
  },
};
