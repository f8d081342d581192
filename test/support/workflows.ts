import { graphHash } from '#graphs/hash.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { newId } from '#src/domain/ids.ts';
import type { WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';
import { sha256 } from '#test/support/object-bytes.ts';
import { documentRecord } from '#test/support/records.ts';
import type { TestApp } from '#test/support/test-app.ts';

/** A private PNG of the seeded project that no workflow has seen, put where an upload would have left it; answers its id. */
export async function addPicture(
  { app, seed }: Pick<TestApp, 'app' | 'seed'>,
  png: Buffer,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<string> {
  const { organizationId, projectId } = seed;
  const record = documentRecord({
    organizationId,
    projectId,
    family: 'service',
    width,
    height,
    sha256: sha256(png),
  });
  const { etag } = await app.deps.objects.put(record.pinnedKey, png, 'image/png');
  await app.deps.documents.insert({ ...record, etag, sizeBytes: png.length });
  await app.deps.usage.add(record, png.length, 1);
  return record._id;
}

function versionOf(
  workflowId: string,
  organizationId: string,
  graph: StoredGraph,
  version: number,
): WorkflowVersionRecord {
  return {
    _id: `${workflowId}@${version}`,
    organizationId,
    workflowId,
    version,
    graphHash: graphHash(graph),
    graph,
    fromRevision: null,
    author: 'test',
    surface: 'code',
    note: null,
    at: new Date(),
  };
}

/** A published workflow of the seeded project; answers its id. */
export async function addWorkflow({ app, seed }: Pick<TestApp, 'app' | 'seed'>, graph: StoredGraph): Promise<string> {
  const { organizationId, projectId } = seed;
  const now = new Date();
  const _id = newId('workflow', now);
  await app.deps.workflows.insert(
    {
      _id,
      schemaVersion: 1,
      organizationId,
      projectId,
      name: graph.name,
      description: '',
      source: 'stored',
      codeName: null,
      publishedVersion: 1,
      publishedHash: graphHash(graph),
      createdAt: now,
      updatedAt: now,
    },
    { version: versionOf(_id, organizationId, graph, 1) },
  );
  return _id;
}

/** Publishes the next version of a workflow of the seeded project. */
export async function republish(
  { app, seed }: Pick<TestApp, 'app' | 'seed'>,
  workflowId: string,
  graph: StoredGraph,
): Promise<void> {
  const { organizationId, projectId } = seed;
  const workflow = await app.deps.workflows.find({ organizationId, projectIds: [projectId] }, workflowId);
  if (workflow === null) throw new Error(`there is no workflow ${workflowId}`);
  await app.deps.workflows.publish(
    workflow,
    versionOf(workflowId, organizationId, graph, (workflow.publishedVersion ?? 0) + 1),
  );
}
