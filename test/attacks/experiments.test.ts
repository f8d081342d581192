import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardExperiments } from '#src/contracts/dashboard/experiments.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import type { Route } from '#src/contracts/route.ts';
import { service } from '#src/contracts/service.ts';
import { shownTools } from '#mcp/surface.ts';
import { storedIn } from '#test/experiments/support/deleted.ts';
import { candidate, heldDocuments, marker, setLabel, type Held } from '#test/experiments/support/holdout.ts';
import { accessOf } from '#test/mcp/access/access-tokens.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { addTheirThings, type TheirThings } from '#test/support/neighbour.ts';
import { startGates, type GateServer } from '#test/support/servers/gate-server.ts';
import { startTestApp, type Answer, type TestApp } from '#test/support/test-app.ts';

const experiments = '/api/dashboard/experiments';
const datasets = '/api/dashboard/datasets';

let app: TestApp;
let gates: GateServer;
let agent: Client;
let cookie: string;
let held: Held;
beforeAll(async () => {
  gates = await startGates();
  app = await startTestApp({ env: { OUTBOUND_ALLOW: gates.listed, RUN_LEASE_MS: '2000' } });
  cookie = await app.signIn();
  agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  held = await heldDocuments(app, ask, gates.url);
}, 60_000);
afterAll(async () => {
  await agent.close();
  await app[Symbol.asyncDispose]();
  await gates[Symbol.asyncDispose]();
});

const ask = (method: string, path: string, body?: object): Promise<Answer> =>
  app.call(method, path, { cookie, ...(body === undefined ? {} : { body }) });
const variantsOf = (...labels: string[]) => [
  { workflowId: held.workflowId },
  ...labels.map((label) => ({ workflowId: held.workflowId, operations: setLabel(label) })),
];
async function start(body: object): Promise<string> {
  const { status, body: started } = await ask('POST', experiments, body);
  expect(status, JSON.stringify(started)).toBe(201);
  return started.experiment.experimentId;
}
/** The experiment when it is over. */
async function ended(id: string): Promise<any> {
  for (;;) {
    const { body } = await ask('GET', `${experiments}/${id}?wait=25`);
    if (body.status !== 'running') return body;
  }
}

describe('the holdout', () => {
  let experimentId: string;
  /** Runs and executions on the holdout. */
  let hidden: readonly string[];
  let runId: string;
  let executionId: string;
  const feed: string[] = [];
  /** Answers of one test, by the question. */
  const answers = new Map<string, string>();
  beforeEach(() => answers.clear());

  beforeAll(async () => {
    const stop = app.app.deps.events.subscribe(app.seed.organizationId, (event) => feed.push(JSON.stringify(event)));
    const evaluators = [{ type: 'label_accuracy' }, { type: 'levenshtein', output: 'label' }];
    experimentId = await start({
      datasetId: held.datasetId,
      split: 'holdout',
      variants: variantsOf(candidate),
      evaluators,
    });
    expect(await ended(experimentId)).toMatchObject({ status: 'succeeded', runs: { done: 10, failed: 0 } });
    await app.app.idle();
    stop();
    const { cells, runs, executions } = await storedIn(app);
    expect(cells.filter(({ outputText }) => outputText.includes(marker))).toHaveLength(10);
    hidden = [...runs, ...executions].map(({ _id }) => _id);
    expect(hidden).toHaveLength(20);
    [runId = '', executionId = ''] = [runs[0]?._id, executions[0]?._id];
  }, 60_000);

  /** Fails for an answer that has the marker or the id of a run, unless the question had it. */
  const expectNothing = (): void => {
    for (const [question, answer] of answers)
      for (const leak of [marker, ...hidden])
        if (!question.includes(leak)) expect(answer, question).not.toContain(leak);
  };

  const families = [dashboardDocuments, dashboardExperiments, dashboardLive, dashboardOrganization, dashboardRuns];
  const reads = [...families, dashboardWorkflows, service]
    .flatMap((family) => Object.values(family) as Route[])
    // An open stream: what it sends is what the event log has, which is looked at below.
    .filter(({ id, method }) => method === 'GET' && id !== 'dashboard.realtime');

  function idsFor({ path }: Route, name: string): readonly string[] {
    if (name === 'version') return ['1'];
    if (name === 'workflowId') return [held.workflowId];
    if (name === 'datasetId') return [held.datasetId];
    if (name === 'experimentId') return [experimentId];
    if (name === 'projectId') return [app.seed.projectId];
    if (name === 'chatId') return ['chat_none'];
    if (name !== 'id') throw new Error(`${path} needs an id that this test does not know`);
    if (path.includes('/documents/')) return [...held.held.slice(0, 2), ...held.dev.slice(0, 1)];
    if (path.includes('executions/')) return [executionId];
    if (path.includes('/runs/')) return [runId];
    if (path.includes('/chat')) return ['chat_none'];
    throw new Error(`${path} names something that this test does not know`);
  }

  /** Queries with which a list could be made to show more. */
  const queriesFor = ({ id }: Route): readonly string[] => [
    '',
    '?limit=100',
    `?executionId=${executionId}`,
    `?documentId=${held.held[0] ?? ''}`,
    `?query=${marker}`,
    ...(id === 'dashboard.workflow.diff' ? ['?from=1'] : []),
    ...(id === 'dashboard.dataset' ? ['?version=1&limit=500', '?limit=500'] : []),
    ...(id.startsWith('dashboard.experiment') ? ['?format=csv', '?view=items&limit=500', '?view=regressions'] : []),
  ];

  test.each(reads.map((row) => [row.path, row] as const))('GET %s shows nothing of it', async (_path, row) => {
    const [name] = [...row.path.matchAll(/:(\w+)/g)].map(([, found = '']) => found);
    const by = row.caller === 'service-key' ? { key: app.seed.agentKey } : { cookie };
    for (const id of name === undefined ? [''] : idsFor(row, name))
      for (const query of queriesFor(row)) {
        const path = row.path.replace(/:(?!version)\w+/, id).replace(':version', '1') + query;
        const { status, body } = await app.call('GET', path, by);
        expect(status, path).toBeLessThan(500);
        answers.set(`GET ${path}`, JSON.stringify(body));
      }
    expectNothing();
  });

  test('no tool and no resource of MCP shows it', async () => {
    const [document = ''] = held.held;
    const { workflowId, datasetId } = held;
    const inputs: readonly Record<string, unknown>[] = [
      {},
      { runId },
      { runId, detail: 'steps', include: ['outputs', 'receipt'] },
      { executionId },
      { documentId: document },
      { documentIds: [document] },
      { workflowId },
      { workflowId, from: 1, to: 'draft' },
      { datasetId, limit: 500 },
      { experimentId, view: 'summary' },
      { experimentId, view: 'items', limit: 500 },
      { experimentId, view: 'regressions' },
      { query: marker },
    ];
    for (const tool of Object.values(shownTools).flat())
      if (tool.effect === 'read')
        for (const input of inputs) {
          const called = await agent.callTool({ name: tool.name, arguments: input });
          answers.set(`${tool.name} ${JSON.stringify(input)}`, JSON.stringify(called));
        }
    const listed = (await agent.listResources()).resources.map(({ uri }) => uri);
    const named = [
      `runs/${runId}`,
      `experiments/${experimentId}`,
      `documents/${document}`,
      `documents/${document}/text`,
    ];
    for (const uri of [...listed, ...named.map((one) => `inkgraph://${one}`)]) {
      const contents = await agent.readResource({ uri }).catch((error: unknown) => String(error));
      answers.set(`resource ${uri}`, JSON.stringify(contents));
    }
    expectNothing();
  });

  test('nothing can be done to its runs, as if there were none', async () => {
    const key = app.seed.agentKey;
    for (const [path, body, status] of [
      [`/api/service/workflow-executions/${executionId}/cancel`, {}, 404],
      [`/api/service/workflow-executions/${executionId}/replay`, {}, 404],
      [`/api/service/runs/${runId}/resume`, { answer: 1 }, 404],
      ['/api/service/runs/retry', { executionId }, 404],
      ['/api/service/runs/cancel', { executionId }, 404],
    ] as const) {
      const answer = await app.call('POST', path, { key, body });
      expect(answer.status, path).toBe(status);
      answers.set(`POST ${path} ${JSON.stringify(body)}`, JSON.stringify(answer.body));
    }
    for (const input of [{ runId }, { executionId }]) {
      const called = await agent.callTool({ name: 'cancel_run', arguments: input });
      expect(JSON.stringify(called)).toContain('.not_found');
    }
    expectNothing();
  });

  test('the feed and the audit log name no run of it', async () => {
    // The event of the workflow that was made for it can come late.
    const types = new Set(feed.map((event) => JSON.parse(event).type));
    types.delete('workflow.changed');
    expect(types).toEqual(new Set(['experiment.changed']));
    const { body } = await ask('GET', '/api/dashboard/audit?limit=100');
    const used = body.records.filter(({ action }: { action: string }) => action === 'secret.use');
    // Once for each variant.
    expect(used.map(({ actor }: { actor: string }) => actor)).toEqual([experimentId, experimentId]);
    answers.set('feed', feed.join('\n'));
    answers.set('audit', JSON.stringify(body));
    expectNothing();
  });

  test('its documents in dev of another dataset take nothing from its runs', async () => {
    const items = held.held.map((documentId) => ({ documentId, split: 'dev', reference: { label: 'x' } }));
    const { body: saved } = await ask('POST', datasets, { name: 'Again', items });
    const again = await start({ datasetId: saved.datasetId, variants: variantsOf(candidate) });
    await ended(again);
    const { body } = await ask('GET', `${experiments}/${again}?view=items&limit=500`);
    expect(body.documents).toHaveLength(5);
    for (const { baseline, variant } of body.documents)
      for (const cell of [baseline, variant]) {
        const { run } = (
          await agent.callTool({
            name: 'get_run',
            arguments: { runId: cell.runId, detail: 'steps', include: ['receipt'] },
          })
        ).structuredContent as { run: { steps: { status: string }[] } };
        expect(run.steps).toHaveLength(3);
        for (const id of hidden) expect(JSON.stringify(run)).not.toContain(id);
      }
  }, 60_000);
});

describe('ids of another organization', () => {
  let theirs: TheirThings;
  beforeAll(async () => {
    theirs = await addTheirThings(app, 'organization');
  }, 60_000);

  /** Every row of the family, with an id of theirs in each place that takes one. */
  const walk: Readonly<Record<string, (ids: TheirThings['ids']) => readonly (readonly [string, object?])[]>> = {
    'dashboard.datasets': () => [],
    'dashboard.dataset.save': ({ dataset, document, workflow }) => [
      ['', { datasetId: dataset, baseVersion: 1 }],
      ['', { name: 'x', items: [{ documentId: document }] }],
      ['', { name: 'x', source: { type: 'jsonl', text: JSON.stringify({ documentId: document }) } }],
      ['', { name: 'x', source: { type: 'csv', text: `documentId\n${document}` } }],
      ['', { name: 'x', source: { type: 'answers', workflowId: workflow, path: 'ask', as: 'label' } }],
    ],
    'dashboard.dataset': ({ dataset }) => [[dataset], [`${dataset}?version=1`]],
    'dashboard.experiments': ({ dataset }) => [[`?datasetId=${dataset}`]],
    'dashboard.experiment.run': ({ dataset, workflow }) => [
      ['', { datasetId: dataset, variants: variantsOf(candidate) }],
      ['', { datasetId: held.datasetId, variants: [{ workflowId: workflow }, { workflowId: held.workflowId }] }],
      ['', { datasetId: held.datasetId, variants: [{ workflowId: held.workflowId }, { workflowId: workflow }] }],
    ],
    'dashboard.workflow.improve': ({ dataset, workflow }) => [
      ['', { datasetId: dataset, workflowId: held.workflowId, candidates: [{ operations: setLabel(candidate) }] }],
      ['', { datasetId: held.datasetId, workflowId: workflow, candidates: [{ operations: setLabel(candidate) }] }],
    ],
    'dashboard.experiment': ({ experiment }) => [[experiment], [`${experiment}?view=items`]],
    'dashboard.experiment.export': ({ experiment }) => [[experiment]],
    'dashboard.experiment.cancel': ({ experiment }) => [[experiment, {}]],
  };

  test.each(
    Object.values(dashboardExperiments as Readonly<Record<string, Route>>).map((row) => [row.id, row] as const),
  )('%s answers as if there were nothing', async (id, row) => {
    const probes = walk[id];
    expect(probes, 'a new row is walked too').toBeDefined();
    for (const [place, body] of probes?.(theirs.ids) ?? []) {
      const [first = '', query = ''] = place.split('?');
      const path = row.path.replace(/:\w+/, first) + (query === '' ? '' : `?${query}`);
      const { status, body: said } = await ask(row.method, path, body);
      if (id === 'dashboard.experiments') expect(said).toEqual({ experiments: [], nextCursor: null });
      else
        expect({ status, code: said.code }).toMatchObject({ status: 404, code: expect.stringMatching(/not_found$/) });
      expect(JSON.stringify(said)).not.toContain(theirs.name);
    }
  });

  test('nothing of theirs was changed', async () => {
    expect(await theirs.stored()).toEqual(theirs.before);
  });
});

test('viewers and keys without runs:execute start, save and cancel nothing', async () => {
  const viewer = await app.addPerson('viewer');
  const scopes = ['runs:read', 'workflows:read', 'workflows:write'] as const;
  const { authorization } = await accessOf(app, (await app.addPerson('admin')).userId, { scopes });
  const before = await storedIn(app);
  const variants = variantsOf(candidate);
  const { body: list } = await ask('GET', experiments);
  const bodies = [
    [experiments, { datasetId: held.datasetId, variants }],
    [
      `${experiments}/searches`,
      { datasetId: held.datasetId, workflowId: held.workflowId, candidates: [{ operations: setLabel('"x"') }] },
    ],
    [datasets, { name: 'x', items: [{ documentId: held.dev[0] }] }],
    [`${experiments}/${list.experiments[0].experimentId}/cancel`, {}],
  ] as const;
  for (const [path, body] of bodies)
    for (const by of [{ cookie: viewer.cookie }, { headers: { authorization } }, { key: app.seed.workflowKey }]) {
      const { status, body: said } = await app.call('POST', path, { ...by, body });
      expect([401, 403], `${path}: ${JSON.stringify(said)}`).toContain(status);
    }
  expect((await storedIn(app)).executions).toHaveLength(before.executions.length);
});
