import { MongoDBSaver } from '@langchain/langgraph-checkpoint-mongodb';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '#embedded-test/engine.ts';

let engine: TestEngine;
let other: MongoClient;
beforeAll(async () => {
  engine = await startTestEngine();
  other = await MongoClient.connect(engine.database.uri);
});
afterAll(async () => {
  await other.close();
  await engine[Symbol.asyncDispose]();
});

const saver = (client = engine.client, options = {}): MongoDBSaver =>
  new MongoDBSaver({ client, dbName: 'langgraph', ...options });

const State = Annotation.Root({ log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }) });

function graph(checkpointer: MongoDBSaver, ran: string[] = []) {
  const node = (name: string, log: () => string) => () => {
    ran.push(name);
    return { log: [log()] };
  };
  return new StateGraph(State)
    .addNode(
      'draft',
      node('draft', () => 'drafted'),
    )
    .addNode(
      'review',
      node('review', () => `reviewed: ${String(interrupt('good?'))}`),
    )
    .addNode(
      'send',
      node('send', () => 'sent'),
    )
    .addEdge(START, 'draft')
    .addEdge('draft', 'review')
    .addEdge('review', 'send')
    .addEdge('send', END)
    .compile({ checkpointer });
}

async function gather<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

const at = (thread_id: string): { configurable: { thread_id: string } } => ({ configurable: { thread_id } });

// The suite of all savers runs on it in test/adapters/database/checkpoint-saver.test.ts.
describe("LangGraph's own MongoDBSaver", () => {
  it('sets up its indexes, again and from several at once, and its queries use them', async () => {
    expect(await Promise.all([saver().setup(), saver(other).setup(), saver().setup()])).toEqual([[], [], []]);
    const checkpoints = engine.client.db('langgraph').collection('checkpoints');
    expect(await checkpoints.indexExists('thread_ns_checkpoint_idx')).toBe(true);
    const plan = await checkpoints
      .find({ thread_id: 't', checkpoint_ns: '' })
      .sort('checkpoint_id', -1)
      .explain('queryPlanner');
    expect(JSON.stringify(plan)).toContain('thread_ns_checkpoint_idx');
  });

  it('interrupts in one client and goes on in another, without doing twice what was done', async () => {
    const ran: string[] = [];
    const asked = await graph(saver(), ran).invoke({ log: [] }, at('interrupted'));
    expect(asked).toMatchObject({ __interrupt__: [{ value: 'good?' }] });
    const there = graph(saver(other), ran);
    expect((await there.getState(at('interrupted'))).next).toEqual(['review']);
    const done = await there.invoke(new Command({ resume: 'yes' }), at('interrupted'));
    expect(done.log).toEqual(['drafted', 'reviewed: yes', 'sent']);
    expect(ran).toEqual(['draft', 'review', 'review', 'send']);
  });

  it('has the whole history, newest first, and goes on from a point in it', async () => {
    const here = graph(saver());
    await here.invoke({ log: ['in'] }, at('history'));
    await here.invoke(new Command({ resume: 'no' }), at('history'));
    const history = await gather(here.getStateHistory(at('history')));
    expect(history.map(({ next }) => next)).toEqual([[], ['send'], ['review'], ['draft'], ['__start__']]);
    const there = graph(saver(other));
    await there.invoke(null, history[3]?.config);
    const forked = await there.invoke(new Command({ resume: 'on second thought' }), at('history'));
    expect(forked.log).toEqual(['in', 'drafted', 'reviewed: on second thought', 'sent']);
    expect(await gather(there.getStateHistory(at('history')))).toHaveLength(9);
  });

  it('lists by metadata, before a point, up to a limit, and all of these together', async () => {
    const here = graph(saver());
    await here.invoke({ log: [] }, at('listed'));
    await here.invoke(new Command({ resume: 1 }), at('listed'));
    const list = async (...args: Parameters<MongoDBSaver['list']>): Promise<CheckpointTuple[]> =>
      gather(saver(other).list(...args));
    const all = await list(at('listed'));
    const steps = (tuples: readonly CheckpointTuple[]): unknown[] => tuples.map(({ metadata }) => metadata?.step);
    expect(steps(all)).toEqual([3, 2, 1, 0, -1]);
    expect(steps(await list(at('listed'), { limit: 2 }))).toEqual([3, 2]);
    expect(steps(await list(at('listed'), { filter: { source: 'input' } }))).toEqual([-1]);
    expect(steps(await list(at('listed'), { filter: { step: 1, source: 'loop' } }))).toEqual([1]);
    const before = all[1]?.config ?? {};
    expect(steps(await list(at('listed'), { before }))).toEqual([1, 0, -1]);
    expect(steps(await list(at('listed'), { before, limit: 1, filter: { source: 'loop' } }))).toEqual([1]);
    await expect(list(at('listed'), { filter: { step: { $gt: 0 } } })).rejects.toThrow('primitives');
  });

  it('deletes a thread with its writes and leaves the others', async () => {
    for (const thread of ['gone', 'kept']) await graph(saver()).invoke({ log: [] }, at(thread));
    await saver(other).deleteThread('gone');
    const db = engine.client.db('langgraph');
    for (const name of ['checkpoints', 'checkpoint_writes']) {
      expect(await db.collection(name).countDocuments({ thread_id: 'gone' })).toBe(0);
      expect(await db.collection(name).countDocuments({ thread_id: 'kept' })).toBeGreaterThan(0);
    }
    expect(await saver().getTuple(at('gone'))).toBeUndefined();
  });

  it('with a time to live stamps what it writes, under a TTL index', async () => {
    const timed = saver(engine.client, { ttl: 3600, checkpointCollectionName: 'timed', dbName: 'timed' });
    expect(await timed.setup()).toEqual([]);
    await graph(timed).invoke({ log: [] }, at('timed'));
    const [stored] = await engine.client.db('timed').collection('timed').find().toArray();
    expect(stored?.['upserted_at']).toBeInstanceOf(Date);
    const indexes = await engine.client.db('timed').collection('timed').indexes();
    expect(indexes.map(({ expireAfterSeconds }) => expireAfterSeconds)).toContain(3600);
  });
});
