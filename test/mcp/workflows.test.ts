import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliContext } from '#scripts/cli/cli-context.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { AppError } from '#src/domain/app-error.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let at: TestApp;
let url: URL;
let agent: Client;

async function use(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input });
  const [first] = result.content as { text: string }[];
  return { text: first?.text ?? '', isError: result.isError === true, data: result.structuredContent as any };
}

/** The `Data:` line of a refusal. */
const dataOf = (text: string): any => JSON.parse(/^Data: (.*)$/m.exec(text)?.[1] ?? 'null');
const intake = (): Promise<any> => use(agent, 'create_workflow', { preset: 'wf_document_intake', name: 'Mine' });

beforeAll(async () => {
  at = await startTestApp();
  url = new URL('/mcp', at.addresses.mcp);
  agent = await modernClient(url, at.seed.agentKey);
}, 60_000);
afterAll(async () => {
  await agent.close();
  await at[Symbol.asyncDispose]();
});

verifies('workflows.publish.warnings', async () => {
  const send = { type: 'http', config: { url: 'https://erp.example.com/', headers: { key: { $secret: 'ERP_KEY' } } } };
  const edges = ['START>send', 'send>END'].map((way) => ({ from: way.split('>')[0], to: way.split('>')[1] }));
  const graph = { schemaVersion: 1, name: 'Sends', state: { response: {} }, nodes: { send }, edges, outputs: {} };
  const { workflowId } = (await use(agent, 'create_workflow', { graph })).data;
  const warning = { severity: 'warning', code: 'SECRET_MISSING', hint: expect.stringContaining('Ask an admin') };
  const published = await use(agent, 'publish_workflow', { workflowId, baseVersion: 1 });
  expect(published.data.issues).toContainEqual(expect.objectContaining(warning));
  expect(published.text).toContain('SECRET_MISSING');
  const path = `/api/dashboard/workflows/${workflowId}/publish`;
  const answer = await at.call('POST', path, { key: at.seed.agentKey, body: { baseVersion: 1 } });
  expect(answer.body.issues).toContainEqual(expect.objectContaining(warning));

  const { id } = await at.store(tinyPng, 'image/png');
  const ran = await use(agent, 'run_workflow', { workflowId, documentIds: [id], waitSeconds: 25 });
  const told = await use(agent, 'get_run', { runId: ran.data.runs[0].runId });
  expect(told.data.run).toMatchObject({ status: 'failed', error: { code: 'secret.unknown', nodeId: 'send' } });
  const { message } = told.data.run.error;
  expect(message).toMatch(/no secret "ERP_KEY", which node "send" uses\. Ask an admin to set it/);
});

verifies('graph.declared', async () => {
  const made = await use(agent, 'create_workflow', { name: 'Typed' });
  const { workflowId } = made.data;
  const labels = [{ label: 'invoice' }, { label: 'letter' }];
  const operations: Operation[] = [
    { op: 'add_node', nodeId: 'load_image', node: { type: 'load_image' } },
    { op: 'add_node', nodeId: 'read', node: { type: 'ocr' } },
    { op: 'add_node', nodeId: 'sort', node: { type: 'classify', config: { labels } } },
    { op: 'add_node', nodeId: 'take', node: { type: 'extract', config: { recordType: 'invoice' } } },
    { op: 'add_node', nodeId: 'each', node: { type: 'transform', config: { set: { prices: 'row.amount.value' } } } },
    { op: 'set_entry', nodeId: 'load_image' },
    ...['load_image>read', 'read>sort', 'sort>take', 'each>END'].map((way) => {
      const [from = '', to = ''] = way.split('>');
      return { op: 'add_edge' as const, edge: { from, to } };
    }),
    { op: 'add_edge', edge: { from: 'take', map: { over: 'fields.items.value', as: 'row', to: 'each' } } },
    { op: 'set_field', path: '/outputs', value: { kind: 'classification', prices: 'prices' } },
  ] as Operation[];
  const edited = await use(agent, 'update_workflow', { workflowId, baseVersion: 1, operations });
  expect(edited.data).toMatchObject({ valid: true, issues: [] });
  const { graph } = (await use(agent, 'get_workflow', { workflowId, version: 'draft' })).data;
  expect(Object.keys(graph.state).toSorted()).toEqual(['classification', 'document', 'fields', 'ocr', 'prices']);
  expect(graph.state.classification).toMatchObject({
    schema: { properties: { label: { enum: ['invoice', 'letter', 'unknown'] } } },
  });
  expect(graph.state.fields.schema.properties.total.$ref).toContain('Money');
  expect(graph.state.prices).toMatchObject({ reducer: 'append', schema: { type: 'array' } });
  // The record type of the project tells the fields.
  const patch = { op: 'set_field', path: '/nodes/each/config/set/prices', value: 'row.amuont.value' };
  const wrong = await use(agent, 'update_workflow', { workflowId, baseVersion: 2, operations: [patch], dryRun: true });
  expect(wrong.data.issues).toMatchObject([
    { code: 'FIELD_UNKNOWN', severity: 'warning', fix: [{ value: 'row.amount.value' }] },
  ]);
  // A channel that the edit removes stays out, and the edit can be undone.
  const without = [{ op: 'remove_state_field', name: 'prices' }];
  const removed = await use(agent, 'update_workflow', {
    workflowId,
    baseVersion: 2,
    operations: without,
    dryRun: true,
  });
  expect(removed.data.issues.map(({ code }: { code: string }) => code)).toContain('CHANNEL_UNKNOWN');
  await use(agent, 'update_workflow', { workflowId, baseVersion: 2, operations: edited.data.undo });
  const back = await use(agent, 'get_workflow', { workflowId, version: 'draft' });
  expect(back.data.graph).toMatchObject({ nodes: {}, state: {} });
  const types = await use(agent, 'describe_node_types', { types: ['classify'] });
  expect(types.data.nodeTypes[0].outputs.classification.properties).toHaveProperty('confidence');
  // A whole graph may leave state out, too.
  const { state: _, ...stateless } = graph;
  const whole = await use(agent, 'create_workflow', { graph: stateless });
  expect(whole.data).toMatchObject({ valid: true });
  expect((await use(agent, 'validate_workflow', { graph: stateless })).data).toMatchObject({
    valid: true,
    graphHash: whole.data.graphHash,
  });
});

describe('an agent that edits a workflow', () => {
  it('makes a copy, edits its draft, publishes it, and sees versions and differences', async () => {
    const made = await intake();
    expect(made.data).toMatchObject({ revision: 1, valid: true });
    const { workflowId } = made.data;
    const edit = { workflowId, baseVersion: 1, note: 'shorter' };
    const operations = [{ op: 'set_limits', limits: { maxSteps: 9 } }];
    const dry = await use(agent, 'update_workflow', { ...edit, operations, dryRun: true });
    const edited = await use(agent, 'update_workflow', { ...edit, operations });
    expect(dry.data).toEqual({ ...edited.data, revision: 1, dryRun: true });
    expect(edited.data).toMatchObject({ revision: 2, valid: true });
    const undone = await use(agent, 'update_workflow', {
      ...edit,
      baseVersion: 2,
      operations: edited.data.undo,
      dryRun: true,
    });
    expect(undone.data.graphHash, 'undo takes the edit back').toBe(made.data.graphHash);
    const first = await use(agent, 'publish_workflow', { workflowId, baseVersion: 2 });
    expect(first.data).toMatchObject({ version: 1, fromRevision: 2 });
    const broken = await use(agent, 'update_workflow', {
      workflowId,
      baseVersion: 2,
      operations: [{ op: 'remove_node', nodeId: 'index' }],
    });
    expect(broken.data).toMatchObject({ revision: 3, valid: false });
    expect(broken.text).toContain('Hint: Fix the first issue, with the operations in its fix');
    const refused = await use(agent, 'publish_workflow', { workflowId, baseVersion: 3 });
    expect(refused.text).toMatch(/^workflow\.invalid: The draft has errors/);
    expect(dataOf(refused.text).issues).toEqual(broken.data.issues);
    const diff = await use(agent, 'diff_workflow_versions', { workflowId, from: 1 });
    expect(diff.data.operations).toContainEqual({ op: 'remove_node', nodeId: 'index' });
    const restored = await use(agent, 'restore_workflow_version', { workflowId, version: 1, baseVersion: 3 });
    expect(restored.data).toMatchObject({ revision: 4, valid: true, graphHash: first.data.graphHash });
    expect((await use(agent, 'publish_workflow', { workflowId, baseVersion: 4 })).data.version).toBe(1);
    const { data } = await use(agent, 'list_workflow_versions', { workflowId });
    expect(data).toMatchObject({ versions: [{ version: 1, surface: 'mcp', fromRevision: 2 }], draft: { revision: 4 } });
  });

  it('sees the graph whole, brief, or a few nodes of it', async () => {
    const { workflowId } = (await intake()).data;
    const whole = (await use(agent, 'get_workflow', { workflowId })).data;
    expect(whole).toMatchObject({ revision: 1, version: null, name: 'Mine', valid: true });
    expect(whole.graph.nodes.recognize.retry).toBeDefined();
    const brief = (await use(agent, 'get_workflow', { workflowId, detail: 'summary', nodeIds: ['describe'] })).data
      .graph;
    expect(brief.nodes).toEqual({ describe: { type: 'describe', onError: 'continue' } });
    expect(brief.edges).toHaveLength(2);
    const types = await use(agent, 'describe_node_types', { types: ['ocr'], detail: 'full' });
    expect(types.data.nodeTypes[0].config).toHaveProperty('properties');
    expect((await use(agent, 'describe_node_types', { types: ['occr'] })).text).toContain('Did you mean "ocr"');
    const code = await use(agent, 'get_workflow', { workflowId: at.seed.workflowId });
    expect(code.data).toMatchObject({ source: 'code', version: 1, revision: null });
  });

  it('is told all that is wrong with a graph, and what operations would make of it', async () => {
    const graph = { schemaVersion: 1, name: 'G', nodes: { a: { type: 'nothing' } }, edges: [] };
    const checked = await use(agent, 'validate_workflow', { graph });
    expect(checked.data.issues.map(({ code }: { code: string }) => code)).toEqual(
      expect.arrayContaining(['NODE_TYPE_UNKNOWN', 'NO_ENTRY']),
    );
    const { workflowId } = (await intake()).data;
    const operations = [{ op: 'remove_edge', from: 'index', to: 'END' }];
    expect((await use(agent, 'validate_workflow', { workflowId, operations })).data.valid).toBe(false);
    expect((await use(agent, 'get_workflow', { workflowId })).data).toMatchObject({ revision: 1, valid: true });
    expect((await use(agent, 'validate_workflow', { workflowId, graph })).text).toContain('exactly one of');
    expect((await use(agent, 'create_workflow', { graph: { nodes: [] } })).text).toMatch(/^workflow\.invalid/);
    expect((await use(agent, 'create_workflow', { graph, preset: 'wf_document_intake' })).text).toContain(
      'at most one',
    );
  });

  it('gets the way out: a refused operation, code that is read only, a workflow with keys', async () => {
    const { workflowId } = (await intake()).data;
    const operations = [
      { op: 'set_limits', limits: {} },
      { op: 'remove_node', nodeId: 'recognise' },
    ];
    const refused = await use(agent, 'update_workflow', { workflowId, baseVersion: 1, operations });
    expect(refused.text).toMatch(/^workflow\.operation_refused: Operation 1 .*Did you mean "recognize"/);
    expect(refused.text).toContain('- /operations/1/nodeId');
    const code = { workflowId: at.seed.workflowId, baseVersion: 1 };
    const readOnly = await use(agent, 'update_workflow', { ...code, operations: [{ op: 'set_metadata', name: 'X' }] });
    expect(readOnly.text).toMatch(/^workflow\.read_only: [\s\S]*Hint: Call create_workflow/);
    const bound = await use(agent, 'delete_workflow', { workflowId: at.seed.workflowId });
    expect(bound.text).toMatch(/^workflow\.bound: .*key_.*\(Seeded uploader\)/);
    expect((await use(agent, 'delete_workflow', { workflowId })).data).toEqual({ workflowId, deleted: true });
    expect((await use(agent, 'get_workflow', { workflowId })).text).toMatch(/^workflow\.not_found/);
  });

  it('of another project or organization finds none of it', async () => {
    const { workflowId } = (await intake()).data;
    for (const where of ['project', 'organization'] as const) {
      const neighbour = await addNeighbour(at, where);
      const stranger = await modernClient(url, neighbour.agentKey);
      const edit = { workflowId, baseVersion: 1 };
      for (const [name, input] of [
        ['get_workflow', { workflowId }],
        ['validate_workflow', { workflowId }],
        ['list_workflow_versions', { workflowId }],
        ['diff_workflow_versions', { workflowId, from: 'draft' }],
        ['create_workflow', { from: { workflowId } }],
        ['update_workflow', { ...edit, operations: [{ op: 'set_metadata', name: 'X' }] }],
        ['restore_workflow_version', { ...edit, version: 'draft' }],
        ['publish_workflow', edit],
        ['delete_workflow', { workflowId }],
      ] as const)
        expect((await use(stranger, name, input)).text).toMatch(/^workflow\.not_found: /);
      expect((await use(stranger, 'list_workflows')).data.workflows).toHaveLength(1);
      await stranger.close();
    }
    expect((await use(agent, 'get_workflow', { workflowId })).data.revision).toBe(1);
  });
});

interface Conflict {
  readonly currentRevision: number;
  readonly operationsSince: readonly { readonly revision: number }[];
  readonly complete: boolean;
}
/** Edits that a conflict lists. */
const mostEdits = 50;
type Edit = (input: { workflowId: string; baseVersion: number; operations: Operation[] }) => Promise<Conflict | number>;

/** Saves an edit: the revision, or the conflict. */
const overMcp =
  (client: Client): Edit =>
  async (input) => {
    const { data, isError, text } = await use(client, 'update_workflow', input);
    if (!isError) return data.revision;
    expect(text).toMatch(/^workflow\.conflict: /);
    return dataOf(text);
  };

/** The same without a connection, which takes most of the time. */
const inProcess: Edit = async (input) => {
  try {
    const context = cliContext(at.app, at.seed, ['workflows:write']);
    return (await callTool(tools.updateWorkflow, context, input)).revision;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'workflow.conflict') throw error;
    return error.data as unknown as Conflict;
  }
};

/** Each editor saves `count` edits, against the other; answers how many conflicts they met. */
async function race(workflowId: string, editors: readonly [Edit, Edit], count: number): Promise<number> {
  let conflicts = 0;
  const work = async (edit: Edit, name: string): Promise<void> => {
    let baseVersion = 1;
    for (let done = 0; done < count;) {
      const operations: Operation[] = [
        ...(baseVersion === 1 ? [{ op: 'set_metadata', layout: {} } as const] : []),
        { op: 'set_field', path: `/layout/${name}_${done % 10}`, value: done },
      ];
      const end = await edit({ workflowId, baseVersion, operations });
      if (typeof end === 'number') {
        baseVersion = end;
        done += 1;
        continue;
      }
      const { currentRevision, operationsSince, complete } = end;
      const missed = Array.from({ length: currentRevision - baseVersion }, (_, index) => baseVersion + index + 1);
      // The other editor may be far ahead on a busy machine: the list has the first edits then, and says so.
      expect(complete).toBe(missed.length <= mostEdits);
      expect(operationsSince.map(({ revision }) => revision)).toEqual(missed.slice(0, mostEdits));
      baseVersion = currentRevision;
      conflicts += 1;
    }
  };
  await Promise.all(editors.map((edit, index) => work(edit, ['a', 'b'][index] ?? '')));
  return conflicts;
}

/** Every edit of a race is in the history once, and the draft is what the history makes. */
async function expectAll(workflowId: string, count: number): Promise<void> {
  const { workflows } = at.app.deps;
  const edits = await workflows.editsSince(at.seed.organizationId, workflowId, 0, 2_000);
  const revision = 2 * count + 1;
  expect(edits.map((one) => one.revision)).toEqual(Array.from({ length: revision }, (_, index) => index + 1));
  const logged = edits.flatMap((edit) =>
    edit.operations.flatMap((one) => (one.op === 'set_field' ? [[one.path.replace('/layout/', ''), one.value]] : [])),
  );
  const sent = Array.from({ length: count }, (_, done) => ['a', 'b'].map((name) => [`${name}_${done % 10}`, done]));
  expect(logged.map(String).toSorted()).toEqual(sent.flat().map(String).toSorted());
  const draft = await workflows.findDraft(at.seed.organizationId, workflowId);
  expect(draft).toMatchObject({ revision, graph: { layout: Object.fromEntries(logged) } });
}

describe('two agents that edit the same draft at once', () => {
  it('lose no edit of 1,000', { timeout: 120_000 }, async () => {
    // Each edit checks the whole graph, which is another promise: this one has no nodes.
    const { workflowId } = (await use(agent, 'create_workflow', { name: 'Empty' })).data;
    expect(await race(workflowId, [inProcess, inProcess], 500)).toBeGreaterThan(100);
    await expectAll(workflowId, 500);
  });

  it('are told of the edits that they missed over MCP, and lose none', { timeout: 60_000 }, async () => {
    const { workflowId } = (await intake()).data;
    const other = await modernClient(url, at.seed.agentKey);
    // A second check at a time starts a thread: long enough for the other editor to make all of its edits.
    const operations = [{ op: 'set_metadata', name: 'Ours' }];
    const trial = { workflowId, baseVersion: 1, operations, dryRun: true };
    await Promise.all([agent, other].map((client) => use(client, 'update_workflow', trial)));
    expect(await race(workflowId, [overMcp(agent), overMcp(other)], 50)).toBeGreaterThan(10);
    await other.close();
    await expectAll(workflowId, 50);
  });
});
