import type { Client } from '@modelcontextprotocol/client';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { limits } from '#src/contracts/fields.ts';
import type { WorkflowTool } from '#src/contracts/resources/graph.ts';
import { storedTool } from '#src/domain/runs/workflow.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { fullView } from '#mcp/view.ts';
import { shownTools } from '#mcp/surface.ts';
import { workflowTools } from '#mcp/workflow-tools/callers-tools.ts';
import { legacyClient, modernClient } from '#test/mcp/listener.ts';
import { ask, callTool, tasksDeclared } from '#test/mcp/work/modern-wire.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let at: TestApp;
let url: URL;
let agent: Client;
let documentId: string;

async function use(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input });
  const [first] = result.content as { text: string }[];
  return { text: first?.text ?? '', isError: result.isError === true, data: result.structuredContent as any, result };
}

const tool: WorkflowTool = {
  name: 'route_letter',
  description: 'Says where a letter goes.',
  input: {
    type: 'object',
    properties: {
      vendor: { type: 'string', maxLength: 40, description: 'Sender' },
      limits: { type: 'object', properties: { most: { type: 'number', minimum: 1 } }, additionalProperties: false },
    },
    required: ['vendor'],
  },
};

/** Asks a person if the vendor is "ask", and fails if it is "fail". */
const graph = (mcpTool: WorkflowTool | undefined = tool, more: object = {}) => ({
  schemaVersion: 1,
  name: 'Route letters',
  state: { vendor: { default: null }, limits: { default: null }, place: {}, answer: { default: null } },
  nodes: {
    take: { type: 'transform', config: { set: { place: 'vendor == "fail" ? string(int(vendor)) : "to " + vendor' } } },
    question: { type: 'review', config: { prompt: 'Where to?', answer: ['here', 'there'], output: 'answer' } },
  },
  edges: [
    { from: 'START', to: 'take' },
    { from: 'take', when: [{ if: 'vendor == "ask"', to: 'question' }], else: 'END' },
    { from: 'question', to: 'END' },
  ],
  outputs: { place: 'place', answer: 'answer' },
  ...(mcpTool !== undefined && { tool: mcpTool }),
  ...more,
});

async function publish(client: Client, given: object): Promise<string> {
  const made = await use(client, 'create_workflow', { graph: given });
  expect(made.data.issues).toEqual([]);
  const { workflowId, revision } = made.data;
  const published = await use(client, 'publish_workflow', { workflowId, baseVersion: revision });
  expect(published.text).not.toMatch(/^workflow\./);
  return workflowId;
}
const remove = (workflowId: string) => use(agent, 'delete_workflow', { workflowId });
const builtIn = Object.values(shownTools).flat().length;
const listed = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.slice(builtIn).map(({ name }) => name);

beforeAll(async () => {
  at = await startTestApp();
  url = new URL('/mcp', at.addresses.mcp);
  agent = await modernClient(url, at.seed.agentKey);
  documentId = (await at.store(tinyPng, 'image/png')).id as string;
}, 60_000);
afterAll(async () => {
  await agent.close();
  await at[Symbol.asyncDispose]();
});

verifies('mcp.workflow_tools.listed', async () => {
  const neighbours = [await addNeighbour(at, 'project'), await addNeighbour(at, 'organization')];
  const strangers = await Promise.all(neighbours.map(({ agentKey }) => modernClient(url, agentKey)));
  const told = { modern: 0, legacy: 0, stranger: 0 };
  const newer = await modernClient(url, at.seed.agentKey);
  newer.setNotificationHandler('notifications/tools/list_changed', () => void (told.modern += 1));
  const stream = await newer.listen({ toolsListChanged: true });
  expect(stream.honoredFilter.toolsListChanged).toBe(true);
  strangers[0]?.setNotificationHandler('notifications/tools/list_changed', () => void (told.stranger += 1));
  await strangers[0]?.listen({ toolsListChanged: true });
  const { client: older } = await legacyClient(url, at.seed.agentKey);
  expect(older.getServerCapabilities()?.tools).toEqual({ listChanged: true });
  older.setNotificationHandler(ToolListChangedNotificationSchema, () => void (told.legacy += 1));
  expect((await older.listTools()).tools).toHaveLength(builtIn);

  const workflowId = await publish(agent, graph());
  await vi.waitFor(() => expect(told).toEqual({ modern: 1, legacy: 1, stranger: 0 }));
  expect(await listed(newer)).toEqual(['route_letter']);
  const { tools } = await older.listTools();
  expect(tools.at(-1)).toMatchObject({
    name: 'route_letter',
    description: tool.description,
    inputSchema: {
      properties: { documentId: { type: 'string' }, vendor: { type: 'string', description: 'Sender' } },
      required: ['documentId', 'vendor'],
    },
  });
  const summary = await use(agent, 'get_workflow', { workflowId });
  expect(summary.data).toMatchObject({ toolName: 'route_letter', graph: { tool } });
  for (const stranger of strangers) {
    expect(await listed(stranger)).toEqual([]);
    await expect(use(stranger, 'route_letter', { documentId, vendor: 'a' })).rejects.toThrow('Unknown tool');
  }
  // Connections that cannot run workflows do not have it.
  for (const query of ['?read_only=true', '?toolsets=documents']) {
    const narrowed = await modernClient(new URL(`/mcp${query}`, at.addresses.mcp), at.seed.agentKey);
    expect((await narrowed.listTools()).tools.map(({ name }) => name)).not.toContain('route_letter');
    await expect(use(narrowed, 'route_letter', { documentId, vendor: 'a' })).rejects.toThrow('Unknown tool');
    await narrowed.close();
  }
  // A version without it, or the end of the workflow, takes it away; an edit of the draft does not.
  const operations = [{ op: 'set_tool', tool: null }];
  const edited = await use(agent, 'update_workflow', { workflowId, baseVersion: 1, operations });
  expect(edited.data).toMatchObject({ valid: true, undo: [{ op: 'set_tool', tool }] });
  expect(await listed(newer)).toEqual(['route_letter']);
  await remove(workflowId);
  await vi.waitFor(() => expect(told).toEqual({ modern: 2, legacy: 2, stranger: 0 }));
  expect(await listed(newer)).toEqual([]);
  await expect(use(newer, 'route_letter', { documentId, vendor: 'a' })).rejects.toThrow('Unknown tool');
  await stream.close();
  await Promise.all([newer.close(), older.close(), ...strangers.map((one) => one.close())]);
});

describe('a workflow that is a tool', () => {
  let workflowId: string;
  beforeAll(async () => {
    workflowId = await publish(agent, graph());
  });
  afterAll(() => remove(workflowId));

  verifies('mcp.workflow_tools.called', async () => {
    const { data, text, result } = await use(agent, 'route_letter', { documentId, vendor: 'ACME <b>' });
    const outputs = { place: 'to ACME <b>', answer: null };
    expect(data, text).toMatchObject({ documentId, status: 'succeeded', outputs });
    // Outputs derive from the document: they are marked like those of get_run.
    expect(text).toContain(`<untrusted-document id="${documentId}">`);
    expect(text.slice(0, text.indexOf('<untrusted'))).not.toContain('ACME');
    expect(result._meta?.['inkgraph/untrusted']).toEqual(['/outputs']);
    const failed = await use(agent, 'route_letter', { documentId, vendor: 'fail' });
    expect(failed.data).toMatchObject({ status: 'failed', outputs: null, error: { nodeId: 'take' } });
    expect(failed.isError).toBe(false);
    const waiting = await use(agent, 'route_letter', { documentId, vendor: 'ask' });
    expect(waiting.data).toMatchObject({
      status: 'waiting',
      waitingFor: [{ path: 'question', question: 'Where to?', answerSchema: { enum: ['here', 'there'] } }],
    });
    expect(waiting.text).toContain(`call resume_run with runId "${waiting.data.runId}"`);
    await use(agent, 'resume_run', { runId: waiting.data.runId, answer: 'here' });
    const missing = await use(agent, 'route_letter', { documentId: 'doc_nothing', vendor: 'a' });
    expect(missing.text).toMatch(/^document\.not_found/);
  });

  verifies('mcp.workflow_tools.input', async () => {
    const refused = async (input: Record<string, unknown>): Promise<string> => {
      const { text, isError } = await use(agent, 'route_letter', input);
      expect(isError).toBe(true);
      return text;
    };
    const runs = async (): Promise<number> => (await use(agent, 'list_runs', { workflowId })).data.runs.length;
    const before = await runs();
    expect(await refused({ documentId })).toContain('- /vendor: is required');
    expect(await refused({ vendor: 'a' })).toContain('- /documentId: is required');
    expect(await refused({ documentId, vendor: 5 })).toContain('- /vendor: must be string');
    expect(await refused({ documentId, vendor: 'x'.repeat(41) })).toContain('- /vendor: must NOT have more than 40');
    expect(await refused({ documentId, vendor: 'a', limits: { most: 0 } })).toContain('- /limits/most: must be >= 1');
    expect(await refused({ documentId, vendor: 'a', colour: 'red' })).toContain('- /colour: unknown field');
    expect(await runs()).toBe(before);
    // Another name of the document, and null for a field that is left out, are read as everywhere.
    const lenient = await use(agent, 'route_letter', { id: documentId, vendor: 'a', limits: null });
    expect(lenient.data).toMatchObject({ status: 'succeeded' });
  });

  it('is a task for a client that knows tasks, whose result is that of the tool', async () => {
    const wire = { url, secret: at.seed.agentKey };
    const input = { documentId, vendor: 'ask' };
    const { result } = await callTool(wire, 'route_letter', input, { capabilities: tasksDeclared });
    expect(result).toMatchObject({ resultType: 'task' });
    const { taskId } = result;
    const task = async () =>
      (await ask(wire, { method: 'tasks/get', params: { taskId }, capabilities: tasksDeclared })).result;
    await at.app.idle();
    expect(await task()).toMatchObject({ taskId, status: 'working' });
    const waiting = await use(agent, 'list_runs', { workflowId, status: 'waiting' });
    await use(agent, 'resume_run', { runId: waiting.data.runs[0].runId, answer: 'here' });
    await at.app.idle();
    expect(await task()).toMatchObject({
      status: 'completed',
      result: { structuredContent: { documentId, status: 'succeeded', outputs: { answer: 'here' } } },
    });
  });
});

verifies('mcp.workflow_tools.names', async () => {
  const issuesOf = async (mcpTool: WorkflowTool): Promise<string[]> => {
    const { data } = await use(agent, 'validate_workflow', { graph: graph(mcpTool) });
    return data.issues.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`);
  };
  expect(await issuesOf({ ...tool, name: 'get_run' })).toEqual(['ID_COLLISION /tool/name']);
  const workflowId = await publish(agent, graph());
  expect(await issuesOf(tool)).toEqual(['ID_COLLISION /tool/name']);
  const neighbour = await addNeighbour(at, 'project');
  const other = await modernClient(url, neighbour.agentKey);
  const theirs = await publish(other, graph());
  const { organizationId, projectId } = at.seed;
  const caller = {
    principal: {
      kind: 'service-key',
      organizationId,
      projectIds: [projectId, neighbour.projectId],
      scopes: new Set(['runs:execute']),
    },
    view: fullView,
  } as unknown as McpCaller;
  const both = await workflowTools(at.app.deps).list(caller);
  // Neither has the plain name: a project cannot take the name of another one's tool.
  expect(both.map(({ definition }) => definition.name)).toEqual([
    `route_letter_${workflowId.slice(-8)}`,
    `route_letter_${theirs.slice(-8)}`,
  ]);
  expect(await listed(other)).toEqual(['route_letter']);
  // A project has so many at most.
  const { workflows } = at.app.deps;
  const record = await workflows.find({ organizationId, projectIds: [projectId] }, workflowId);
  if (record === null) throw new Error('the workflow is gone');
  for (let number = 1; number < limits.workflowTools; number += 1) {
    const filled = { ...record, _id: `wf_filler_${number}`, tool: storedTool({ ...tool, name: `filler_${number}` }) };
    await workflows.insert(filled, {});
  }
  expect(await issuesOf({ ...tool, name: 'one_more' })).toEqual(['LIMIT_EXCEEDED /tool']);
  expect(await listed(agent)).toHaveLength(limits.workflowTools);
  await other.close();
});
