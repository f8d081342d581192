import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { addCodeWorkflow } from '#app/agents/publish-code-workflows.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { keyScopes } from '#src/contracts/scopes.ts';
import { newId } from '#src/domain/ids.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { makeOperator, type Seed } from '#app/compose/seed.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { tinyPng, type TestApp } from '#test/support/test-app.ts';

/** Another tenant in the same database: another organization, or another project of the seeded one. */
export async function addNeighbour({ app, seed }: TestApp, where: 'organization' | 'project'): Promise<Seed> {
  const { deps } = app;
  const createdAt = new Date();
  const organizationId = where === 'project' ? seed.organizationId : newId('organization', createdAt);
  if (where === 'organization')
    await deps.organizations.insertOrganization({ _id: organizationId, name: 'Neighbour', createdAt });
  const projectId = newId('project', createdAt);
  await deps.organizations.insertProject({ _id: projectId, organizationId, name: `Neighbour ${projectId}`, createdAt });
  const workflow = await addCodeWorkflow(deps, documentIntake, { organizationId, projectId });
  const place = { organizationId, projectId, createdBy: 'test' };
  const workflowKey = await issueKey(deps, { ...place, kind: 'workflow', name: 'Neighbour', workflowId: workflow._id });
  const serviceKey = await issueKey(deps, { ...place, kind: 'service', name: 'Neighbour' });
  const agentKey = await issueKey(deps, { ...place, kind: 'service', name: 'Neighbour agent', scopes: keyScopes });
  return {
    organizationId,
    projectId,
    workflowId: workflow._id,
    workflowKey: workflowKey.secret,
    serviceKey: serviceKey.secret,
    agentKey: agentKey.secret,
    ...(await makeOperator(app, { organizationId })),
  };
}

/** Rows of a neighbour, by ids that an attacker may have guessed. */
export interface TheirThings {
  readonly ids: Readonly<Record<'workflow' | 'execution' | 'run' | 'document' | 'dataset' | 'experiment', string>>;
  /** Stands in their workflow, and nowhere else. */
  readonly name: string;
  /** All that is stored of them now, and what was at the beginning. */
  stored(): Promise<unknown>;
  readonly before: unknown;
}

/** A neighbour with a document, a workflow with a draft and a version, and a run of it that nobody works on. */
export async function addTheirThings(app: TestApp, where: 'organization' | 'project'): Promise<TheirThings> {
  const neighbour = await addNeighbour(app, where);
  const name = `Their graph ${where}`;
  const ask = async (path: string, body: object, key = neighbour.agentKey): Promise<any> => {
    const answer = await app.call('POST', path, { key, body });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const graph = StoredGraph.parse({
    schemaVersion: 1,
    name,
    state: { out: {} },
    nodes: { a: { type: 'transform', config: { set: { out: '1' } } } },
    edges: [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'END' },
    ],
  });
  const { workflowId } = await ask('/api/dashboard/workflows', { graph });
  await ask(`/api/dashboard/workflows/${workflowId}/publish`, { baseVersion: 1 });
  const objectKey = await app.put(tinyPng, 'image/png', neighbour.serviceKey);
  const ack = { objectKey, idempotencyKey: objectKey.slice(-100) };
  const { document } = await ask('/api/service/uploads/ack', ack, neighbour.serviceKey);
  const execution = await ask('/api/service/workflow-executions', { workflowId, documentIds: [document.id] });
  const item = { documentId: document.id, split: 'dev' };
  const { datasetId } = await ask('/api/dashboard/datasets', { name, items: [item] });
  const operations = [{ op: 'set_config', nodeId: 'a', config: { set: { out: '2' } } }];
  const variants = [{ workflowId }, { workflowId, operations }];
  const evaluators = [{ type: 'ocr_confidence' }];
  const { experiment } = await ask('/api/dashboard/experiments', { datasetId, variants, evaluators });
  const { experimentId } = experiment;
  // An experiment that ended does not change while others look at it.
  await ask(`/api/dashboard/experiments/${experimentId}/cancel`, {});
  await app.app.idle();
  const { projectId } = neighbour;
  const stored = async () => {
    const { close, ...all } = await collectionsIn(app.dataDir);
    const names = [
      'workflows',
      'workflowDrafts',
      'executions',
      'runs',
      'documents',
      'datasets',
      'experiments',
    ] as const;
    const rows = [];
    for (const one of names)
      rows.push(
        await all[one]
          .find({ projectId } as never)
          .sort({ _id: 1 })
          .toArray(),
      );
    await close();
    return rows;
  };
  const [run] = execution.runs;
  const ids = {
    workflow: workflowId,
    execution: execution.id,
    run: run.runId,
    document: document.id,
    dataset: datasetId,
    experiment: experimentId,
  };
  return { ids, name, stored, before: await stored() };
}
