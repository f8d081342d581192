import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect } from 'vitest';
import { labels, setLabel, sizedDocuments, type Sized } from '#test/experiments/support/sized-documents.ts';
import { accessOf } from '#test/mcp/access/access-tokens.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let sized: Sized;
let agent: Client;
let spent = { calls: 0, characters: 0 };

async function use(name: string, input: Record<string, unknown>): Promise<any> {
  const result = await agent.callTool({ name, arguments: input });
  const { content } = result as { content: { text: string }[] };
  const text = content.map((one) => one.text).join('\n');
  spent = { calls: spent.calls + 1, characters: spent.characters + JSON.stringify(input).length + text.length };
  if (result.isError === true) return { failed: text };
  return { ...(result.structuredContent as object), said: text };
}

beforeAll(async () => {
  app = await startTestApp();
  sized = await sizedDocuments(app, 64, 32);
  const { userId } = await app.addPerson('admin');
  const scopes = ['workflows:read', 'workflows:write', 'workflows:publish', 'runs:execute', 'documents:read'] as const;
  const { authorization } = await accessOf(app, userId, { scopes });
  agent = await modernClient(new URL('/mcp', app.addresses.mcp), authorization.replace('Bearer ', ''));
}, 90_000);
afterAll(async () => {
  await agent.close();
  await app[Symbol.asyncDispose]();
});

/** Every fourth document: what twenty equal variants show does not depend on the number. */
async function smallDataset(): Promise<string> {
  const items = sized.documentIds
    .map((documentId, at) => ({ documentId, reference: { label: 10 + at >= 40 ? 'wide' : 'narrow' } }))
    .filter((_, at) => at % 4 === 0)
    .map((item, at) => ({ ...item, split: at % 2 === 0 ? ('dev' as const) : ('holdout' as const) }));
  const cookie = await app.signIn();
  const { body } = await app.call('POST', '/api/dashboard/datasets', { cookie, body: { name: 'Small', items } });
  return body.datasetId;
}

const ended = async (input: Record<string, unknown>): Promise<any> => {
  const started = await use('run_experiment', input);
  expect(started.experiment?.experimentId, JSON.stringify(started)).toBeDefined();
  for (;;) {
    const got = await use('get_experiment', { experimentId: started.experiment.experimentId, wait: 25 });
    if (got.status !== 'running') return got;
  }
};

async function edit(label: string): Promise<number> {
  const { revision } = await use('get_workflow', { workflowId: sized.workflowId, detail: 'summary' });
  const edited = await use('update_workflow', {
    workflowId: sized.workflowId,
    baseVersion: revision,
    operations: setLabel(label),
  });
  return edited.revision;
}

verifies(
  'mcp.experiments',
  async () => {
    const { workflowId, datasetId } = sized;
    const gate = { datasetId, metric: 'label_accuracy' };
    const first = await use('publish_workflow', { workflowId, baseVersion: await edit(labels.poor), gate });
    expect(first).toMatchObject({ gate: { metric: 'label_accuracy' } });
    const variants = [{ workflowId }, { workflowId, version: 'draft' }];

    const broken = await edit(labels.fails);
    const worse = await ended({ datasetId, variants });
    expect(worse).toMatchObject({ verdict: 'worse', split: 'dev' });
    const refused = await use('publish_workflow', { workflowId, baseVersion: broken });
    expect(refused.failed).toContain('workflow.gate_unmet');
    expect(refused.failed).toContain('run_experiment');

    const mended = await edit(labels.right);
    const better = await ended({ datasetId, variants });
    expect(better).toMatchObject({ verdict: 'better' });
    expect(better.said).toContain('split "holdout"');
    const confirmed = await ended({ datasetId, variants, split: 'holdout' });
    expect(confirmed).toMatchObject({ verdict: 'better', alpha: 0.025 });
    expect(await use('publish_workflow', { workflowId, baseVersion: mended })).toMatchObject({ version: 3 });
    const { versions } = await use('list_workflow_versions', { workflowId });
    expect(versions[0]).toMatchObject({ version: 3, evidence: { experimentId: confirmed.experimentId } });
  },
  { timeout: 90_000 },
);

verifies(
  'mcp.experiments.trying_often',
  async () => {
    const { workflowId } = sized;
    const datasetId = await smallDataset();
    const candidates = Array.from({ length: 20 }, (_, at) => ({
      operations: setLabel(labels.right.replace('"narrow"', `["narrow", "${at}"][0]`)),
    }));
    const started = await use('improve_workflow', { workflowId, datasetId, candidates });
    const { experimentId } = started.experiment;
    let got = await use('get_experiment', { experimentId, wait: 25 });
    while (got.status === 'running') got = await use('get_experiment', { experimentId, wait: 25 });
    expect(got).toMatchObject({ status: 'succeeded', draftRevision: null, confirmation: null });
    expect(got.sentence).toContain('No candidate did better');
  },
  { timeout: 90_000 },
);

verifies(
  'mcp.experiments.cost',
  async () => {
    const { workflowId, datasetId } = sized;
    spent = { calls: 0, characters: 0 };
    const variants = [{ workflowId }, { workflowId, operations: setLabel(labels.poor) }];
    const got = await ended({ datasetId, variants, trials: 2 });
    expect(got).toMatchObject({ verdict: 'worse', items: { total: 32 } });
    const { documents } = await use('get_experiment', {
      experimentId: got.experimentId,
      view: 'regressions',
      limit: 3,
    });
    expect(documents).toHaveLength(3);
    expect(spent.calls).toBeLessThanOrEqual(6);
    expect(spent.characters / 4).toBeLessThanOrEqual(3_000);
  },
  { timeout: 90_000 },
);
