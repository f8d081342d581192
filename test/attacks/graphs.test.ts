import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import type { Route } from '#src/contracts/route.ts';
import { grantedScopes, scopes } from '#src/contracts/scopes.ts';
import { service } from '#src/contracts/service.ts';
import { newId } from '#src/domain/ids.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { modern, post } from '#test/mcp/raw.ts';
import { addNeighbour, addTheirThings, type TheirThings } from '#test/support/neighbour.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';
import { callTool } from '#tools/call.ts';
import { toolDefinition } from '#mcp/present/definition.ts';
import { shownTools } from '#mcp/surface.ts';

const mcpTools = Object.values(shownTools).flat();

const workflows = '/api/dashboard/workflows';
const executions = '/api/service/workflow-executions';

let app: TestApp;
let agent: Client;
let mcp: { url: URL };
let workflowId: string;
let documentId: string;
beforeAll(async () => {
  // No agents service: what is started stays as it is.
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  mcp = { url: new URL('/mcp', app.addresses.mcp) };
  agent = await modernClient(mcp.url, app.seed.agentKey);
  workflowId = (await ask('POST', workflows, { preset: 'wf_document_intake' })).body.workflowId;
  documentId = (await app.store(tinyPng, 'image/png')).id;
});
afterAll(async () => {
  await agent.close();
  await app[Symbol.asyncDispose]();
});

const ask = (method: string, path: string, body?: unknown, key = app.seed.agentKey) =>
  app.call(method, path, { key, ...(body === undefined ? {} : { body }) });
const send = (path: string, raw: string) => app.call('POST', path, { key: app.seed.agentKey, raw });
const coded = ({ status, body }: Answer): string => `${status} ${body.code}`;

/** The text of a tool's answer, or of its refusal. */
async function use(name: string, input: Record<string, unknown>, client = agent): Promise<string> {
  const result = await client.callTool({ name, arguments: input });
  return JSON.stringify(result);
}
/** One call as raw JSON text: what a client library would not send. */
async function useRaw(name: string, input: string): Promise<{ status: number; text: string }> {
  const { body, headers } = modern(name, { input: 'HERE' });
  const raw = JSON.stringify(body).replace('{"input":"HERE"}', () => input);
  return post(mcp, raw, { ...headers, authorization: `Bearer ${app.seed.agentKey}` });
}

const noop = { type: 'transform', config: { set: { out: '1' } } };
const small = graphOf({ a: noop }, ['START>a', 'a>END'], { state: { out: {} } });
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const text = (value: unknown): string => JSON.stringify(value);
const many = (count: number) => {
  const ids = Array.from({ length: count }, (_, at) => `n${at}`);
  const edges = ids.map((to, at) => ({ from: at === 0 ? 'START' : `n${at - 1}`, to }));
  return { ...small, nodes: Object.fromEntries(ids.map((id) => [id, noop])), edges };
};
const edge = (from: string, to: string) => ({ ...small, edges: [...small.edges, { from, to }] });
const channel = (name: string): string => text(small).replace('"out":{', () => `${text(name)}:{`);
const bad: Record<string, string> = {
  'an unknown node type': text({ ...small, nodes: { a: { type: 'ghost' } } }),
  'a type named as a member of every object': text({ ...small, nodes: { a: { type: 'constructor' } } }),
  'an edge from nowhere': text(edge('ghost', 'a')),
  'an edge to nowhere': text(edge('a', 'ghost')),
  '10 000 nodes': text(many(10_000)),
  '501 nodes': text(many(501)),
  'a node __proto__': `{"schemaVersion":1,"name":"x","nodes":{"__proto__":{"type":"ocr"}},"edges":[]}`,
  'a node constructor': `{"schemaVersion":1,"name":"x","nodes":{"constructor":{"type":"ocr"}},"edges":[{"from":"START","to":"constructor"}]}`,
  'a channel __proto__': channel('__proto__'),
  'a channel _flow': channel('_flow'),
  'a config with __proto__': text(small).replace('"set":{', () => '"__proto__":{"polluted":true},"set":{'),
  'a map whose item is _item': text({
    ...small,
    nodes: { ...small.nodes, b: noop },
    edges: [
      { from: 'START', to: 'a' },
      { from: 'a', map: { over: '[1]', as: '_item', to: 'b' } },
    ],
  }),
  'a map whose item is __proto__': text({
    ...small,
    nodes: { ...small.nodes, b: noop },
    edges: [
      { from: 'START', to: 'a' },
      { from: 'a', map: { over: '[1]', as: '__proto__', to: 'b' } },
    ],
  }),
  'an expression that is none': text(small).replace('"1"', () => '"1 +"'),
  'an expression of 600 kB': text(small).replace('"1"', () => `"${'1+'.repeat(300_000)}1"`),
  'an expression 1 000 levels deep': text(small).replace('"1"', () => `"${'('.repeat(990)}1${')'.repeat(990)}"`),
  '33 000 edges': text({ ...small, edges: Array.from({ length: 33_000 }, () => small.edges[0]) }),
  'no object': '[[]]',
  'a text': '"graph"',
  nothing: 'null',
};

describe('graph attacks: graphs that are none', () => {
  test.each(Object.entries(bad))(
    '85. %s is never published: refused or told, in words, by REST and MCP',
    async (_what, graph) => {
      const began = performance.now();
      const made = await send(workflows, `{"graph":${graph}}`);
      const checked = await send(`${workflows}/validate`, `{"graph":${graph}}`);
      for (const { status, body } of [made, checked])
        if (status >= 300) expect([400, 413, 422]).toContain(status);
        else expect(body).toMatchObject({ valid: false });
      if (made.status === 201) {
        const refused = await ask('POST', `${workflows}/${made.body.workflowId}/publish`, { baseVersion: 1 });
        expect(coded(refused)).toBe('422 workflow.invalid');
        expect(refused.body.errors.length).toBeGreaterThan(0);
      }
      for (const name of ['create_workflow', 'validate_workflow']) {
        const { status, text: said } = await useRaw(name, `{"graph":${graph}}`);
        expect([200, 400, 413]).toContain(status);
        if (status === 200) expect(said).toMatch(/"valid":false|"isError":true/);
        expect(said.length).toBeLessThan(200_000);
      }
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );

  test.each([101, 1_000, 100_000])('JSON %i levels deep is refused wherever a graph may hold any', async (depth) => {
    const deep = nested(depth);
    const bodies = {
      [workflows]: [`{"graph":${deep}}`, `{"graph":${text(small).replace('"1"', () => deep)}}`],
      [`${workflows}/validate`]: [`{"graph":${deep}}`],
      [`${workflows}/${workflowId}/operations`]: [
        `{"baseVersion":1,"operations":[{"op":"set_field","path":"/layout/x","value":${deep}}]}`,
        `{"baseVersion":1,"operations":[{"op":"set_config","nodeId":"index","config":{"x":${deep}}}]}`,
        `{"baseVersion":1,"operations":${deep}}`,
      ],
    };
    for (const [path, raws] of Object.entries(bodies))
      for (const raw of raws) {
        const { status, body } = await send(path, raw);
        expect([400, 413, 422], `${path}: ${text(body)}`).toContain(status);
      }
    for (const name of ['create_workflow', 'validate_workflow']) {
      const { status, text: said } = await useRaw(name, `{"graph":${deep}}`);
      if (status === 200) expect(said).toContain('"isError":true');
      else expect([400, 413]).toContain(status);
    }
    expect((await ask('GET', `${workflows}/${workflowId}`)).body.revision).toBe(1);
  });
});

describe('graph attacks: operations', () => {
  const edit = (operations: string) =>
    send(`${workflows}/${workflowId}/operations`, `{"baseVersion":1,"operations":${operations}}`);
  const pointers = [
    '/__proto__/polluted',
    '/constructor/prototype/polluted',
    '/nodes/__proto__/polluted',
    '/nodes/index/__proto__/polluted',
    '/nodes/index/constructor/prototype/polluted',
    '/nodes/index/config/__proto__',
    '/layout/__proto__/polluted',
    '/edges/__proto__/polluted',
    '/edges/length',
    '/edges/-1/from',
    '/edges/1e9',
    '/edges/4294967295',
    '/schemaVersion',
    '/nodes',
    '/toString',
    '',
    'nodes',
    '/~2',
  ];
  test.each(pointers)('the pointer %j changes nothing, and nothing of any other object', async (path) => {
    const before = (await ask('GET', `${workflows}/${workflowId}`)).body;
    const answers = [
      await edit(text([{ op: 'set_field', path, value: { polluted: true } }])),
      await edit(text([{ op: 'set_field', path }])),
      await edit(text([{ op: 'patch_text', path, find: 'a', replace: 'b' }])),
    ];
    for (const answer of answers) expect([400, 422], coded(answer)).toContain(answer.status);
    expect((await ask('GET', `${workflows}/${workflowId}`)).body).toEqual(before);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(([] as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    ['add_node', '{"op":"add_node","nodeId":"__proto__","node":{"type":"ocr"}}'],
    ['rename_node', '{"op":"rename_node","nodeId":"a","to":"__proto__"}'],
    ['remove_node', '{"op":"remove_node","nodeId":"constructor"}'],
    ['set_config', '{"op":"set_config","nodeId":"a","config":{"__proto__":{"polluted":true}}}'],
    ['set_state_field', '{"op":"set_state_field","name":"__proto__","channel":{}}'],
    ['remove_state_field', '{"op":"remove_state_field","name":"constructor"}'],
    ['set_metadata', '{"op":"set_metadata","layout":{"__proto__":{"polluted":true}}}'],
    ['an operation named as a member of every object', '{"op":"constructor"}'],
    ['no operation', '{}'],
  ])('%s cannot reach a prototype', async (_what, operation) => {
    const { body } = await ask('POST', workflows, { graph: { ...small, layout: {} } });
    const at = `${workflows}/${body.workflowId}`;
    const answer = await send(`${at}/operations`, `{"baseVersion":1,"operations":[${operation}]}`);
    // Fields that a schema drops are stored nowhere.
    expect([200, 400, 422], coded(answer)).toContain(answer.status);
    const { graph } = (await ask('GET', at)).body;
    expect(graph).toEqual({ ...small, layout: {} });
    expect(Object.keys(graph.nodes)).toEqual(['a']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('a hundred operations, each allowed, cannot make a graph that is larger than a graph may be', async () => {
    const { body } = await ask('POST', workflows, { graph: small });
    const notes = (at: number, count: number, size: number) =>
      Array.from({ length: count }, (_, index) => ({
        op: 'set_field',
        path: `/layout/x${at}_${index}`,
        value: 'x'.repeat(size),
      }));
    let revision = 1;
    const statuses = [];
    for (let at = 0; at < 10; at += 1) {
      const operations = [...(at === 0 ? [{ op: 'set_metadata', layout: {} }] : []), ...notes(at, 90, 1_000)];
      const answer = await ask('POST', `${workflows}/${body.workflowId}/operations`, {
        baseVersion: revision,
        operations,
      });
      statuses.push(answer.status);
      if (answer.status === 200) revision = answer.body.revision;
      else expect(coded(answer)).toBe('422 workflow.operation_refused');
    }
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(statuses.slice(6)).toEqual([422, 422, 422, 422]);
    const { graph } = (await ask('GET', `${workflows}/${body.workflowId}`)).body;
    expect(Buffer.byteLength(text(graph))).toBeLessThan(513 * 1024);
    const operations = Array.from({ length: 101 }, () => ({ op: 'set_metadata', name: 'x' }));
    expect(coded(await ask('POST', `${workflows}/${workflowId}/operations`, { baseVersion: 1, operations }))).toBe(
      '400 request.invalid',
    );
  });
});

describe('graph attacks: cursors', () => {
  test('a cursor that was altered, invented or given for another list is 400, and shows nothing', async () => {
    for (let count = 0; count < 3; count += 1) await ask('POST', workflows, { graph: small });
    for (let count = 0; count < 3; count += 1)
      await ask('POST', executions, { workflowId: app.seed.workflowId, documentIds: [documentId] });
    const neighbour = await addNeighbour(app, 'organization');
    await ask('POST', workflows, { graph: small }, neighbour.agentKey);
    const next = async (path: string, key = app.seed.agentKey) =>
      (await ask('GET', path, undefined, key)).body.nextCursor as string;
    const [mine, theirs] = [await next(`${workflows}?limit=1`), await next(`${workflows}?limit=1`, neighbour.agentKey)];
    const documents = await next('/api/service/documents?limit=1').then((one) => one ?? 'none');
    expect([typeof mine, typeof theirs]).toEqual(['string', 'string']);
    const [body = '', signature = ''] = mine.split('.');
    const later = Buffer.from('2000000000000.zzz').toString('base64url');
    const forged = [
      theirs,
      documents,
      `${later}.${signature}`,
      `${body}.`,
      `${body}.${'A'.repeat(22)}`,
      `${mine}.x`,
      '.',
      '__proto__',
      '\0',
      '{"$gt":""}',
      'x'.repeat(1_000),
    ];
    for (const cursor of forged) {
      for (const path of [`${workflows}?limit=1`, `${workflows}/${workflowId}/versions?limit=1`]) {
        const answer = await ask('GET', `${path}&cursor=${encodeURIComponent(cursor)}`);
        expect(coded(answer), cursor).toBe('400 request.cursor_invalid');
      }
      for (const [name, input] of [
        ['list_workflows', {}],
        ['list_runs', {}],
        ['list_workflow_versions', { workflowId }],
      ] as const)
        expect(await use(name, { ...input, cursor })).toContain('request.cursor_invalid');
    }
    expect(await use('list_runs', { cursor: mine })).toContain('request.cursor_invalid');
    expect((await ask('GET', `${workflows}?limit=1&cursor=${mine}`)).status).toBe(200);
  });
});

/** A problem without what names this one request. */
const told = ({ status, body }: Answer, ids: readonly string[]): string =>
  ids.reduce((said, id) => said.replaceAll(id, 'ID'), text({ status, body: { ...body, requestId: '' } }));

const pathsOf = (row: Route): string[] => [...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
const rows = ([...Object.values(dashboardWorkflows), ...Object.values(service)] as Route[]).filter(
  (row) => pathsOf(row).length > 0,
);
/** Input that a row needs beside the id of its path, so that the id is looked at. */
const needed: Readonly<Record<string, { body?: object; query?: string }>> = {
  'dashboard.workflow.operations': { body: { baseVersion: 1, operations: [{ op: 'set_metadata', name: 'X' }] } },
  'dashboard.workflow.diff': { query: '?from=draft' },
  'dashboard.workflow.publish': { body: { baseVersion: 1 } },
  'dashboard.workflow.restore': { body: { baseVersion: 1, version: 'draft' } },
  'dashboard.workflow.node.test': { body: { documentId: newId('document') } },
  'service.run.resume': { body: { answer: 1 } },
  'service.execution.replay': { body: {} },
};

describe.each(['project', 'organization'] as const)('graph attacks: ids of another %s', (where) => {
  let theirs: TheirThings;
  beforeAll(async () => {
    theirs = await addTheirThings(app, where);
  });
  const idFor = (row: Route, of: Record<'workflow' | 'execution' | 'run' | 'document', string>): string =>
    row.path.includes('/workflows/')
      ? of.workflow
      : row.path.includes('/workflow-executions/')
        ? of.execution
        : row.path.includes('/runs/')
          ? of.run
          : of.document;

  test.each(rows.map((row) => [`${row.method} ${row.path}`, row] as const))(
    '%s answers as for an unknown id',
    async (_path, row) => {
      const { body, query = '' } = needed[row.id] ?? {};
      const unknown = {
        workflow: newId('workflow'),
        execution: newId('execution'),
        run: newId('run'),
        document: newId('document'),
      };
      const answers = [];
      for (const ids of [theirs.ids, unknown]) {
        const id = idFor(row, ids);
        const path = row.path
          .replace(/:(id|workflowId)/, id)
          .replace(':version', '1')
          .replace(':nodeId', 'recognize');
        answers.push(
          told(await ask(row.method, `${path}${query}`, row.method === 'POST' ? (body ?? {}) : undefined), [id]),
        );
      }
      expect(answers[0]).toBe(answers[1]);
      expect(answers[0]).toContain('"status":404');
    },
  );

  test('no tool takes them, and none lists them', async () => {
    const { ids } = theirs;
    const edits = { workflowId: ids.workflow, baseVersion: 1 };
    const run = { workflowId: app.seed.workflowId };
    /** Every tool with an id of theirs in each place that takes one. */
    const walk: Record<string, readonly Record<string, unknown>[]> = {
      get_workflow: [{ workflowId: ids.workflow }],
      validate_workflow: [{ workflowId: ids.workflow }],
      list_workflow_versions: [{ workflowId: ids.workflow }],
      diff_workflow_versions: [{ workflowId: ids.workflow, from: 'draft' }],
      create_workflow: [{ from: { workflowId: ids.workflow } }],
      update_workflow: [{ ...edits, operations: [{ op: 'set_metadata', name: 'X' }] }],
      restore_workflow_version: [{ ...edits, version: 'draft' }],
      publish_workflow: [edits],
      delete_workflow: [{ workflowId: ids.workflow }],
      run_workflow: [
        { workflowId: ids.workflow, documentIds: [documentId] },
        { ...run, documentIds: [ids.document] },
        { workflowId: ids.workflow, documentIds: [documentId], version: 'draft' },
      ],
      test_node: [
        { workflowId: ids.workflow, nodeId: 'recognize', documentId },
        { ...run, nodeId: 'recognize', documentId: ids.document },
      ],
      get_run: [{ runId: ids.run }, { executionId: ids.execution }],
      list_runs: [{ executionId: ids.execution }, { workflowId: ids.workflow }, { documentId: ids.document }],
      cancel_run: [{ runId: ids.run }, { executionId: ids.execution }],
      resume_run: [{ runId: ids.run, answer: 1 }],
      replay_execution: [{ executionId: ids.execution }],
      list_documents: [{ workflowId: ids.workflow }],
      find_similar_documents: [{ documentId: ids.document }],
      get_document: [{ id: ids.document }],
      read_document_text: [{ documentId: ids.document }],
      view_document_image: [{ documentId: ids.document }],
      ask_documents: [{ question: 'What is in it?', documentIds: [ids.document] }],
      set_document_visibility: [{ documentIds: [ids.document], visibility: 'public' }],
      delete_document: [{ documentId: ids.document }],
      update_document: [{ documentId: ids.document, tags: ['stolen'] }],
      create_api_key: [{ kind: 'workflow', name: 'X', workflowId: ids.workflow }],
      query_records: [{ documentId: ids.document }],
      save_dataset: [
        { name: 'X', items: [{ documentId: ids.document }] },
        { datasetId: ids.dataset, baseVersion: 1, remove: [ids.document] },
      ],
      get_dataset: [{ datasetId: ids.dataset }],
      run_experiment: [{ datasetId: ids.dataset, variants: [run, run] }],
      get_experiment: [{ experimentId: ids.experiment }],
      improve_workflow: [
        { ...run, datasetId: ids.dataset, candidates: [{ operations: [{ op: 'set_metadata', name: 'X' }] }] },
      ],
      cancel_experiment: [{ experimentId: ids.experiment }],
    };
    const takesIds = mcpTools.filter((tool) =>
      /"id"|(workflow|execution|run|document|dataset|experiment)Ids?"/.test(text(toolDefinition(tool).inputSchema)),
    );
    expect(Object.keys(walk).toSorted()).toEqual(takesIds.map(({ name }) => name).toSorted());
    for (const [name, inputs] of Object.entries(walk))
      for (const input of inputs) {
        const said = await use(name, input);
        expect(said, `${name} ${text(input)}`).toMatch(/\.not_found: |"(runs|records|documents)":\[\]/);
        expect(said).not.toContain(theirs.name);
      }
    for (const name of ['list_workflows', 'list_runs', 'list_documents']) {
      const said = await use(name, { limit: 100 });
      for (const id of Object.values(ids)) expect(said).not.toContain(id);
    }
    expect(await theirs.stored()).toEqual(theirs.before);
  });
});

describe('graph attacks: permissions', () => {
  test('a workflow key opens none of these addresses', async () => {
    for (const row of [...Object.values(dashboardWorkflows), ...Object.values(service)] as Route[]) {
      const path = row.path.replace(/:(id|workflowId)/, newId('workflow')).replace(':version', '1');
      const answer = await ask(row.method, path, row.method === 'POST' ? {} : undefined, app.seed.workflowKey);
      expect(coded(answer), row.path).toBe('403 auth.forbidden');
    }
    await expect(modernClient(mcp.url, app.seed.workflowKey)).rejects.toThrow(/40[13]|forbidden/i);
  });

  test('no tool looks at its input before the scope of the caller', async () => {
    const { organizationId, projectId } = app.seed;
    const { signal } = new AbortController();
    for (const tool of mcpTools) {
      const { scope } = tool;
      if (scope === null) continue;
      const others = new Set(scopes.filter((one) => !grantedScopes([one]).has(scope)));
      const whose = {
        kind: 'service-key',
        keyId: 'key_1',
        actorId: 'key_1',
        actorName: 'n',
        session: null,
        agentGraphId: null,
      } as const;
      const principal = { ...whose, organizationId, projectIds: [projectId], scopes: others } as const;
      const { deps } = app.app;
      const ctx = { principal, requestId: 'test', surface: 'mcp', signal, deps, outcome: {} } as const;
      await expect(callTool(tool, ctx, { nonsense: 1 }), tool.name).rejects.toMatchObject({ code: 'auth.forbidden' });
    }
  });

  test('the usual service key neither sees nor calls what edits or publishes', async () => {
    const client = await modernClient(mcp.url, app.seed.serviceKey);
    const shown = (await client.listTools()).tools.map(({ name }) => name);
    await client.close();
    const editing = mcpTools.filter(({ scope }) => scope === 'workflows:write' || scope === 'workflows:publish');
    expect(editing).toHaveLength(7);
    for (const { name } of editing) {
      expect(shown).not.toContain(name);
      const { body, headers } = modern(name, { workflowId, baseVersion: 1 });
      const reply = await post(mcp, body, { ...headers, authorization: `Bearer ${app.seed.serviceKey}` });
      expect(reply.status, name).toBe(403);
      expect(reply.headers.get('www-authenticate')).toContain('insufficient_scope');
    }
  });
});
