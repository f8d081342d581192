import { expect } from 'vitest';
import { startService, type ServiceProcess } from '#scripts/chaos/service-process.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { bundledProgram } from '#test/support/durable/bundled-program.ts';
import { startGates, type GateServer } from '#test/support/servers/gate-server.ts';
import { collectionsIn, stepsIn } from '#test/support/stored.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

/** A worker that is loaded and does nothing until it is told to start. */
export interface Standby {
  start(): Promise<ServiceProcess>;
}

/** The API, and with it the database, are in this process; workers are processes of their own that come and go. */
export interface Workshop extends AsyncDisposable {
  readonly api: TestApp;
  readonly gates: GateServer;
  readonly stored: Awaited<ReturnType<typeof collectionsIn>>;
  /** A worker with a lease of one second. */
  worker(env?: Record<string, string>): Promise<ServiceProcess>;
  /** A worker that takes over at once when it is told to start; its lease is long: the end of a lease is what `expire` makes it. */
  standby(env?: Record<string, string>): Standby;
  /** All leases are over: those of a worker that is dead or paused. */
  expire(): Promise<void>;
  /** Starts one run over a new document; answers its execution and run. */
  start(graph: StoredGraph): Promise<{ executionId: string; runId: string; documentId: string }>;
  /** The execution, once it is over. */
  ended(executionId: string): Promise<any>;
  /** Once the run waits for an answer. */
  waiting(executionId: string): Promise<void>;
  /** Once the newest checkpoint of the run holds this text. */
  checkpointed(runId: string, text: string): Promise<void>;
  answer(runId: string, path: string, answer: unknown): Promise<void>;
}

const executions = '/api/service/workflow-executions';

export async function openWorkshop(): Promise<Workshop> {
  const api = await startTestApp({ env: { SERVICES: 'api' } });
  const gates = await startGates();
  const stored = await collectionsIn(api.dataDir);
  const key = api.seed.serviceKey;
  const program = await bundledProgram('durable-service');
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  const service = (env: Record<string, string>) => ({
    dataDir: api.dataDir,
    env: { SERVICES: 'agents', OUTBOUND_ALLOW: gates.listed, ...env },
    program,
  });
  return {
    api,
    gates,
    stored,
    worker: (env) => startService(service({ RUN_LEASE_MS: '1000', ...env })),
    standby(env) {
      const { promise: after, resolve } = Promise.withResolvers<void>();
      const started = startService({
        ...service({ RUN_LEASE_MS: '10000', ...env }),
        after: Promise.race([after, ended.promise]),
      });
      // One that is not needed ends with the workshop.
      started.catch(() => undefined);
      return {
        start() {
          resolve();
          return started;
        },
      };
    },
    async expire() {
      const { executions: runs } = api.app.deps;
      await runs.endLeases(await runs.seeLeases(), new Date());
    },
    async start(graph) {
      const workflowId = await addWorkflow(api, graph);
      const { id: documentId } = await api.store(await fixture('note.gif'), 'image/gif');
      const { body } = await api.call('POST', executions, { key, body: { workflowId, documentIds: [documentId] } });
      return { executionId: body.id, runId: body.runs[0].runId, documentId };
    },
    async ended(id) {
      for (;;) {
        const { body } = await api.call('GET', `${executions}/${id}?wait=20`, { key });
        if (typeof body.finishedAt === 'string') return body;
      }
    },
    async waiting(id) {
      // The API tells of ends only.
      const status = async (): Promise<unknown> => {
        const run = await stored.runs.findOne({ executionId: id });
        if (run !== null && run.finishedAt !== null) throw new Error(`the run has ended: ${JSON.stringify(run.error)}`);
        return run?.status;
      };
      await expect.poll(status, { timeout: 45_000, interval: 100 }).toBe('waiting');
    },
    async checkpointed(runId, text) {
      const newest = async (): Promise<string> => {
        const row = await stored.checkpoints.findOne({ threadId: runId }, { sort: { checkpointId: -1 } });
        return row?.checkpoint ?? '';
      };
      await expect.poll(newest, { timeout: 20_000, interval: 50 }).toContain(text);
    },
    async answer(runId, path, answer) {
      const { status, body } = await api.call('POST', `/api/service/runs/${runId}/resume`, {
        key,
        body: { path, answer },
      });
      if (status >= 300) throw new Error(`the answer was refused with ${status}: ${JSON.stringify(body)}`);
    },
    async [Symbol.asyncDispose]() {
      ended.reject(new Error('the workshop is closed'));
      await stored.close();
      await api[Symbol.asyncDispose]();
      await gates[Symbol.asyncDispose]();
    },
  };
}

const row = { type: 'embed_image', cache: false } as const;

/** The graph that runs inside of `wholeGraph`: a row, and a call of `/inner`. */
function innerGraph(url: string): StoredGraph {
  return graphOf(
    { inner_row: row, inner_call: { type: 'http', config: { url: `${url}/inner`, parse: 'text' } } },
    ['START>inner_row', 'inner_row>inner_call', 'inner_call>END'],
    { state: { imageEmbedding: { schema: {} }, response: { schema: {} } } },
  );
}

/**
 * Everything a graph may have: a row, a map over three items that call `/item/<n>`, a map that stores pictures, a loop that calls
 * `/turn/<n>` twice, a workflow inside, a question, a webhook, and a last call of `/last`.
 */
function wholeGraph(url: string, inner: { workflowId: string; version: number }): StoredGraph {
  const call = (path: string) => ({
    type: 'http',
    config: { url: `${url}/${path}`, parse: 'text', output: 'calls' },
  });
  const graph = graphOf(
    {
      row,
      list: { type: 'transform', config: { set: { items: '[0, 1, 2]' } } },
      item: call('item/{{ item }}'),
      between: { type: 'transform', config: { set: { n: '0' } } },
      picture: { type: 'segment', config: { prompt: 'foreground', derive: 'crop' } },
      count: { type: 'transform', config: { set: { n: 'n + 1' } } },
      turn: call('turn/{{ n }}'),
      inside: { type: 'workflow', config: { ...inner } },
      ask: { type: 'review', config: { prompt: 'Go on?', answer: ['yes', 'no'], output: 'verdict' } },
      tell: { type: 'emit', config: { channel: 'webhook', url: `${url}/webhook`, type: 'whole.done' } },
      last: call('last'),
    },
    [
      'START>row',
      'row>list',
      'item>between',
      'picture>count',
      'count>turn',
      'inside>ask',
      'ask>tell',
      'tell>last',
      'last>END',
    ],
    {
      state: {
        imageEmbedding: { schema: {} },
        segmentation: { schema: {}, reducer: 'append' },
        calls: { schema: {}, reducer: 'append' },
        items: { schema: { type: 'array' } },
        n: { schema: {} },
        verdict: { schema: {} },
      },
      outputs: { verdict: 'verdict', n: 'n' },
    },
  );
  const map = (to: string) => ({ over: 'items', as: 'item', to, concurrency: 2, onItemError: 'fail' as const });
  graph.edges.push(
    { from: 'list', map: map('item') },
    { from: 'between', map: map('picture') },
    { from: 'turn', when: [{ if: 'n < 2', to: 'count' }], else: 'inside' },
  );
  return graph;
}

/** `wholeGraph` with the workflow inside stored; every effect of one run of it is in `wholeEffects`. */
export async function addWhole({ api, gates }: Workshop): Promise<StoredGraph> {
  const workflowId = await addWorkflow(api, innerGraph(gates.url));
  return wholeGraph(gates.url, { workflowId, version: 1 });
}

/** Rows that one run of `wholeGraph` left in the database, by path, each as often as it is there. */
export async function effectsOf({ stored, api }: Workshop, runId: string): Promise<Record<string, unknown>> {
  const about = { organizationId: api.seed.organizationId, runId };
  const steps = await stepsIn(stored, runId);
  const run = await stored.runs.findOne({ _id: runId });
  if (run === null) throw new Error(`no run ${runId}`);
  const derived = await stored.documents.countDocuments({ parentDocumentId: run.documentId });
  const deliveries = await stored.deliveries.find({}).toArray();
  return {
    status: run.status,
    error: run.error,
    outputs: run.outputs,
    embeddings: (await stored.embeddings.find(about).toArray()).map(({ nodeId }) => nodeId).toSorted(),
    segmentations: (await stored.segmentationResults.find(about).toArray()).map(({ nodeId }) => nodeId).toSorted(),
    derived,
    deliveries: deliveries.filter(({ payload }) => payload.includes(runId)).map(({ type }) => type),
    unended: steps.filter(({ status }) => status === 'running').length,
    nodes: steps
      .filter(({ status }) => status === 'succeeded')
      .map(({ nodeId }) => nodeId.replace(/#\d+/, '#'))
      .toSorted(),
  };
}

export const wholeEffects = {
  status: 'succeeded',
  error: null,
  outputs: { verdict: 'yes', n: 2 },
  embeddings: ['inside/inner_row', 'row'],
  segmentations: ['picture[0]', 'picture[1]', 'picture[2]'],
  derived: 3,
  deliveries: ['whole.done'],
  unended: 0,
  nodes: [
    'ask',
    'between',
    'count#',
    'count#',
    'inside',
    'inside/inner_call',
    'inside/inner_row',
    'item[0]',
    'item[1]',
    'item[2]',
    'last',
    'list',
    'picture[0]',
    'picture[1]',
    'picture[2]',
    'row',
    'tell',
    'turn#',
    'turn#',
  ],
};
