import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import {
  emptyCheckpoint,
  uuid6,
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunnableConfig } from '@langchain/core/runnables';

export interface CheckpointerUnderTest {
  /** Another saver over the same storage, as a second process would have; the same one where storage is the object itself. */
  another(): BaseCheckpointSaver;
  /** Waits until what was put can be read by another saver. */
  settle(saver: BaseCheckpointSaver, threadId: string): Promise<void>;
  close(): Promise<void>;
}

/** Requirements of LangGraph on a saver, compared with its own MemorySaver. `skip` names tests that a foreign saver is known to fail. */
export function checkpointerConformance(
  name: string,
  open: () => Promise<CheckpointerUnderTest>,
  skip: readonly string[] = [],
): void {
  const it = (title: string, body: () => Promise<void>): void => {
    (skip.includes(title) ? test.skip : test)(title, body);
  };
  describe(`Checkpointer: ${name}`, () => {
    let under: CheckpointerUnderTest;
    let saver: BaseCheckpointSaver;
    beforeAll(async () => {
      under = await open();
      saver = under.another();
    });
    afterAll(() => under.close());
    checkpointTests(it, () => saver);
    listTests(it, () => saver);
    writeTests(it, () => saver);
    runTests(it, () => under);
  });
}

type It = (title: string, body: () => Promise<void>) => void;

let threads = 0;
function newThread(): string {
  threads += 1;
  return `run_${threads}_${process.pid}`;
}

function at(threadId: string, checkpointId?: string, ns = ''): RunnableConfig {
  return {
    configurable: {
      thread_id: threadId,
      checkpoint_ns: ns,
      ...(checkpointId !== undefined && { checkpoint_id: checkpointId }),
    },
  };
}

function checkpoint(step: number, values: Record<string, unknown> = {}): Checkpoint {
  const channels = Object.keys(values);
  return {
    ...emptyCheckpoint(),
    id: uuid6(step),
    channel_values: values,
    channel_versions: Object.fromEntries(channels.map((channel) => [channel, step + 2])),
    versions_seen: { node: { input: 1 } },
  };
}

function metadata(step: number, source: CheckpointMetadata['source'] = 'loop'): CheckpointMetadata {
  return { source, step, parents: {} };
}

/** Puts a chain of checkpoints, each the parent of the next; answers their ids, oldest first. */
async function chain(saver: BaseCheckpointSaver, threadId: string, length: number, ns = ''): Promise<string[]> {
  const ids: string[] = [];
  for (let step = -1; step < length - 1; step += 1) {
    const next = checkpoint(step, { count: step });
    await saver.put(at(threadId, ids.at(-1), ns), next, metadata(step, step === -1 ? 'input' : 'loop'), {});
    ids.push(next.id);
  }
  return ids;
}

async function listed(
  saver: BaseCheckpointSaver,
  ...request: Parameters<BaseCheckpointSaver['list']>
): Promise<CheckpointTuple[]> {
  return gather(saver.list(...request));
}

async function gather<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}

const idsOf = (tuples: readonly CheckpointTuple[]): unknown[] => tuples.map((tuple) => tuple.checkpoint.id);

function checkpointTests(it: It, saver: () => BaseCheckpointSaver): void {
  it('an unknown thread has no checkpoint', async () => {
    expect(await saver().getTuple(at(newThread()))).toBeUndefined();
    expect(await saver().get(at(newThread()))).toBeUndefined();
  });

  it('a checkpoint comes back as it was put, with its metadata and address', async () => {
    const threadId = newThread();
    const values = { text: 'ä 𝄞 \u0000 {{x}}', list: [1, null, { $set: { 'a.b': true } }], empty: {}, branch: null };
    const put = checkpoint(3, values);
    const config = await saver().put(at(threadId), put, { ...metadata(3), parents: { child: 'x' } }, {});
    expect(config.configurable).toEqual({ thread_id: threadId, checkpoint_ns: '', checkpoint_id: put.id });
    const tuple = await saver().getTuple(config);
    expect(tuple?.checkpoint).toEqual(put);
    expect(tuple?.metadata).toEqual({ source: 'loop', step: 3, parents: { child: 'x' } });
    expect(tuple?.config.configurable).toMatchObject({ thread_id: threadId, checkpoint_ns: '', checkpoint_id: put.id });
    expect(tuple?.parentConfig).toBeUndefined();
    expect(tuple?.pendingWrites).toEqual([]);
  });

  it('what is changed after put is not stored', async () => {
    const threadId = newThread();
    const put = checkpoint(1, { list: [1] });
    const stored = saver().put(at(threadId), put, metadata(1), {});
    put.channel_values['list'] = [1, 2];
    await stored;
    expect((await saver().getTuple(at(threadId)))?.checkpoint.channel_values).toEqual({ list: [1] });
  });

  it('without a checkpoint id the newest is read, with one exactly that', async () => {
    const threadId = newThread();
    const ids = await chain(saver(), threadId, 3);
    expect((await saver().getTuple(at(threadId)))?.checkpoint.id).toBe(ids[2]);
    expect((await saver().getTuple(at(threadId, ids[0])))?.checkpoint.id).toBe(ids[0]);
    expect(await saver().getTuple(at(threadId, uuid6(9)))).toBeUndefined();
  });

  it('a checkpoint knows its parent; two children of one parent are kept', async () => {
    const threadId = newThread();
    const [parent, child] = await chain(saver(), threadId, 2);
    const fork = checkpoint(5);
    await saver().put(at(threadId, parent), fork, metadata(1, 'fork'), {});
    for (const id of [child, fork.id]) {
      const tuple = await saver().getTuple(at(threadId, id));
      expect(tuple?.parentConfig).toEqual(at(threadId, parent));
    }
    expect(await listed(saver(), at(threadId))).toHaveLength(3);
  });

  it('putting the same checkpoint again replaces it', async () => {
    const threadId = newThread();
    const first = checkpoint(1, { count: 1 });
    await saver().put(at(threadId), first, metadata(1), {});
    await saver().put(at(threadId), { ...first, channel_values: { count: 2 } }, metadata(1), {});
    expect((await saver().getTuple(at(threadId)))?.checkpoint.channel_values).toEqual({ count: 2 });
    expect(await listed(saver(), at(threadId))).toHaveLength(1);
  });

  it('namespaces of a thread are apart', async () => {
    const threadId = newThread();
    const [root] = await chain(saver(), threadId, 1);
    const [nested] = await chain(saver(), threadId, 1, 'child:1|2');
    expect((await saver().getTuple(at(threadId)))?.checkpoint.id).toBe(root);
    expect((await saver().getTuple(at(threadId, undefined, 'child:1|2')))?.checkpoint.id).toBe(nested);
    expect(await saver().getTuple(at(threadId, nested))).toBeUndefined();
  });

  it('a put or a write without its address is refused', async () => {
    await expect(saver().put({ configurable: {} }, checkpoint(1), metadata(1), {})).rejects.toThrow('thread_id');
    await expect(saver().putWrites({ configurable: {} }, [['a', 1]], 'task')).rejects.toThrow('thread_id');
    await expect(saver().putWrites(at(newThread()), [['a', 1]], 'task')).rejects.toThrow('checkpoint_id');
  });

  it('deleting a thread removes its checkpoints and writes, in all namespaces, and nothing else', async () => {
    const [gone, kept] = [newThread(), newThread()];
    for (const threadId of [gone, kept]) {
      const [id = ''] = await chain(saver(), threadId, 1);
      await chain(saver(), threadId, 1, 'child');
      await saver().putWrites(at(threadId, id), [['a', 1]], 'task');
    }
    await saver().deleteThread(gone);
    expect(await listed(saver(), { configurable: { thread_id: gone } })).toEqual([]);
    const left = await listed(saver(), { configurable: { thread_id: kept } });
    expect(left).toHaveLength(2);
    expect(left.flatMap((tuple) => tuple.pendingWrites)).toEqual([['task', 'a', 1]]);
    const [again] = await chain(saver(), gone, 1);
    expect((await saver().getTuple(at(gone)))?.checkpoint.id).toBe(again);
    expect((await saver().getTuple(at(gone)))?.pendingWrites).toEqual([]);
  });
}

function listTests(it: It, saver: () => BaseCheckpointSaver): void {
  it('list gives a thread newest first, with parents', async () => {
    const threadId = newThread();
    const ids = await chain(saver(), threadId, 4);
    const tuples = await listed(saver(), at(threadId));
    expect(idsOf(tuples)).toEqual(ids.toReversed());
    expect(tuples.map((tuple) => tuple.parentConfig?.configurable?.['checkpoint_id'] as unknown)).toEqual([
      ids[2],
      ids[1],
      ids[0],
      undefined,
    ]);
  });

  it('list keeps to limit and before, alone and together', async () => {
    const threadId = newThread();
    const ids = await chain(saver(), threadId, 5);
    expect(idsOf(await listed(saver(), at(threadId), { limit: 2 }))).toEqual([ids[4], ids[3]]);
    expect(idsOf(await listed(saver(), at(threadId), { before: at(threadId, ids[2]) }))).toEqual([ids[1], ids[0]]);
    expect(idsOf(await listed(saver(), at(threadId), { before: at(threadId, ids[4]), limit: 1 }))).toEqual([ids[3]]);
  });

  it('list filters by members of the metadata before it counts to the limit', async () => {
    const threadId = newThread();
    const ids = await chain(saver(), threadId, 4);
    expect(idsOf(await listed(saver(), at(threadId), { filter: { source: 'input' }, limit: 1 }))).toEqual([ids[0]]);
    expect(idsOf(await listed(saver(), at(threadId), { filter: { source: 'loop', step: 1 } }))).toEqual([ids[2]]);
    expect(await listed(saver(), at(threadId), { filter: { source: 'fork' } })).toEqual([]);
    expect(await listed(saver(), at(threadId), { filter: {} })).toHaveLength(4);
  });

  it('list keeps to a namespace when one is named, and to all of the thread when none is', async () => {
    const threadId = newThread();
    const root = await chain(saver(), threadId, 2);
    const nested = await chain(saver(), threadId, 2, 'child');
    expect(idsOf(await listed(saver(), at(threadId, undefined, 'child')))).toEqual(nested.toReversed());
    const all = idsOf(await listed(saver(), { configurable: { thread_id: threadId } }));
    expect(new Set(all)).toEqual(new Set([...root, ...nested]));
  });

  it('list with a limit of nothing gives nothing', async () => {
    const threadId = newThread();
    await chain(saver(), threadId, 2);
    expect(await listed(saver(), at(threadId), { limit: 0 })).toEqual([]);
  });

  it('list with a checkpoint id gives that one', async () => {
    const threadId = newThread();
    const ids = await chain(saver(), threadId, 3);
    expect(idsOf(await listed(saver(), at(threadId, ids[1])))).toEqual([ids[1]]);
  });

  it('list without a thread gives those of all threads', async () => {
    const [one, two] = [newThread(), newThread()];
    const ids = [...(await chain(saver(), one, 1)), ...(await chain(saver(), two, 1))];
    expect(idsOf(await listed(saver(), {}))).toEqual(expect.arrayContaining(ids));
  });
}

function writeTests(it: It, saver: () => BaseCheckpointSaver): void {
  it('pending writes come with their checkpoint only, by path of the task, task and index', async () => {
    const threadId = newThread();
    const [first = '', second = ''] = await chain(saver(), threadId, 2);
    await saver().putWrites(
      at(threadId, second),
      [
        ['b', 2],
        ['a', { deep: [1] }],
        ['a', null],
      ],
      'task-z',
    );
    await saver().putWrites(at(threadId, second), [['c', 'x']], 'task-a');
    await saver().putWrites(at(threadId, second), [['d', 4]], 'task-a-of-a-later-path', '~__pregel_pull, later');
    await saver().putWrites(at(threadId, second), [['d', 3]], 'task-b-of-a-path', '~__pregel_pull, earlier');
    await saver().putWrites(at(threadId, second), [['__interrupt__', 'why']], 'task-z');
    await saver().putWrites(at(threadId, first), [['old', 0]], 'task-z');
    const writes = [
      ['task-a', 'c', 'x'],
      ['task-z', '__interrupt__', 'why'],
      ['task-z', 'b', 2],
      ['task-z', 'a', { deep: [1] }],
      ['task-z', 'a', null],
      ['task-b-of-a-path', 'd', 3],
      ['task-a-of-a-later-path', 'd', 4],
    ];
    expect((await saver().getTuple(at(threadId)))?.pendingWrites).toEqual(writes);
    expect((await listed(saver(), at(threadId))).map((tuple) => tuple.pendingWrites)).toEqual([
      writes,
      [['task-z', 'old', 0]],
    ]);
  });

  it('regular writes of a task stay as first put', async () => {
    const threadId = newThread();
    const [id = ''] = await chain(saver(), threadId, 1);
    await saver().putWrites(
      at(threadId, id),
      [
        ['a', 1],
        ['b', 1],
      ],
      'task',
    );
    await saver().putWrites(
      at(threadId, id),
      [
        ['a', 2],
        ['b', 2],
      ],
      'task',
    );
    expect((await saver().getTuple(at(threadId)))?.pendingWrites).toEqual([
      ['task', 'a', 1],
      ['task', 'b', 1],
    ]);
  });

  it('errors, interrupts and answers of a task are replaced, and stand beside its regular writes', async () => {
    const threadId = newThread();
    const [id = ''] = await chain(saver(), threadId, 1);
    await saver().putWrites(at(threadId, id), [['__error__', { message: 'one' }]], 'task');
    await saver().putWrites(at(threadId, id), [['__error__', { message: 'two' }]], 'task');
    await saver().putWrites(
      at(threadId, id),
      [
        ['__interrupt__', 'question'],
        ['__resume__', ['answer']],
      ],
      'task',
    );
    await saver().putWrites(at(threadId, id), [['a', 1]], 'task');
    const writes = (await saver().getTuple(at(threadId)))?.pendingWrites ?? [];
    expect(new Set(writes)).toEqual(
      new Set([
        ['task', '__error__', { message: 'two' }],
        ['task', '__interrupt__', 'question'],
        ['task', '__resume__', ['answer']],
        ['task', 'a', 1],
      ]),
    );
  });

  it('writes of a namespace stay in it', async () => {
    const threadId = newThread();
    const shared = checkpoint(1);
    for (const ns of ['', 'child']) {
      await saver().put(at(threadId, undefined, ns), shared, metadata(1), {});
      await saver().putWrites(at(threadId, shared.id, ns), [['where', ns]], 'task');
    }
    expect((await saver().getTuple(at(threadId, undefined, 'child')))?.pendingWrites).toEqual([
      ['task', 'where', 'child'],
    ]);
    expect((await saver().getTuple(at(threadId)))?.pendingWrites).toEqual([['task', 'where', '']]);
  });

  it('many threads at once do not mix', async () => {
    const ids = Array.from({ length: 20 }, newThread);
    const chains = await Promise.all(ids.map((threadId) => chain(saver(), threadId, 3)));
    const tuples = await Promise.all(ids.map((threadId) => listed(saver(), at(threadId))));
    expect(tuples.map(idsOf)).toEqual(chains.map((one) => one.toReversed()));
  });
}

function runTests(it: It, under: () => CheckpointerUnderTest): void {
  const State = Annotation.Root({ log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
  const build = (saver: BaseCheckpointSaver, seen: string[]) =>
    new StateGraph(State)
      .addNode('one', () => {
        seen.push('one');
        return { log: ['one'] };
      })
      .addNode('ask', () => {
        seen.push('ask');
        return { log: [`answer: ${String(interrupt({ question: 'go on?' }))}`] };
      })
      .addNode('two', () => ({ log: ['two'] }))
      .addEdge(START, 'one')
      .addEdge('one', 'ask')
      .addEdge('ask', 'two')
      .addEdge('two', END)
      .compile({ checkpointer: saver });

  it('a graph that interrupts is resumed through another saver, and does not run what it finished', async () => {
    const threadId = newThread();
    const config = { configurable: { thread_id: threadId } };
    const first = under().another();
    const seen: string[] = [];
    const asked = (await build(first, seen).invoke({ log: [] }, config)) as Record<string, unknown>;
    expect(asked['__interrupt__']).toMatchObject([{ value: { question: 'go on?' } }]);
    await under().settle(first, threadId);
    const second = under().another();
    const done = await build(second, seen).invoke(new Command({ resume: 'yes' }), config);
    expect(done.log).toEqual(['one', 'answer: yes', 'two']);
    expect(seen).toEqual(['one', 'ask', 'ask']);
    const state = await build(second, seen).getState(config);
    expect([state.next, state.values]).toEqual([[], { log: ['one', 'answer: yes', 'two'] }]);
  });

  it('a finished run has its whole history, newest first', async () => {
    const threadId = newThread();
    const config = { configurable: { thread_id: threadId } };
    const saver = under().another();
    const graph = build(saver, []);
    await graph.invoke({ log: ['in'] }, config);
    await graph.invoke(new Command({ resume: 1 }), config);
    const history = await gather(graph.getStateHistory(config));
    expect(history.map((one) => one.metadata?.step)).toEqual([3, 2, 1, 0, -1]);
    expect(history.map((one) => one.next)).toEqual([[], ['two'], ['ask'], ['one'], ['__start__']]);
    expect(history[0]?.values).toEqual({ log: ['in', 'one', 'answer: 1', 'two'] });
  });

  it('state edited from outside is what the graph goes on with', async () => {
    const threadId = newThread();
    const config = { configurable: { thread_id: threadId } };
    const graph = build(under().another(), []);
    await graph.invoke({ log: [] }, config);
    await graph.updateState(config, { log: ['edited'] }, 'one');
    const done = await graph.invoke(null, config).then(() => graph.invoke(new Command({ resume: 'ok' }), config));
    expect(done.log).toEqual(['one', 'edited', 'answer: ok', 'two']);
  });
}
