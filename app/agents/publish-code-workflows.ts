import type { CodeWorkflow } from '#graphs/build.ts';
import { codeWorkflows } from '#graphs/workflows.ts';
import { newId } from '#src/domain/ids.ts';
import { nextVersion, storedTool, type WorkflowRecord, type WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

function versionOf(workflow: WorkflowRecord, code: CodeWorkflow, version: number): WorkflowVersionRecord {
  return {
    _id: `${workflow._id}@${version}`,
    organizationId: workflow.organizationId,
    workflowId: workflow._id,
    version,
    graphHash: code.graphHash,
    graph: code.graph,
    fromRevision: null,
    author: 'code',
    surface: 'code',
    note: null,
    at: new Date(),
  };
}

/** A project's own workflow that follows a code-defined one. */
export async function addCodeWorkflow(
  { workflows }: { workflows: WorkflowStore },
  code: CodeWorkflow,
  place: { organizationId: string; projectId: string },
): Promise<WorkflowRecord> {
  const now = new Date();
  const workflow: WorkflowRecord = {
    ...place,
    _id: newId('workflow', now),
    schemaVersion: 1,
    name: code.graph.name,
    description: code.graph.description,
    source: 'code',
    codeName: code.id,
    publishedVersion: 1,
    publishedHash: code.graphHash,
    ...(code.graph.tool !== undefined && { tool: storedTool(code.graph.tool) }),
    createdAt: now,
    updatedAt: now,
  };
  await workflows.insert(workflow, { version: versionOf(workflow, code, 1) });
  return workflow;
}

/** Publishes the bundled workflows for a new project. Skips existing ones, so it can be repeated. */
export async function addMissingCodeWorkflows(
  { workflows }: { workflows: WorkflowStore },
  place: { organizationId: string; projectId: string },
): Promise<void> {
  const published = await workflows.listPublished({
    organizationId: place.organizationId,
    projectIds: [place.projectId],
  });
  const there = new Set(published.map(({ codeName }) => codeName));
  for (const code of codeWorkflows) if (!there.has(code.id)) await addCodeWorkflow({ workflows }, code, place);
}

/** At boot, publishes a new version of every workflow that follows code whose graph changed. Runs keep the version they have. */
export async function publishCodeWorkflows({ workflows }: { workflows: WorkflowStore }): Promise<void> {
  for (const code of codeWorkflows) {
    for (const follower of await workflows.listByCodeName(code.id)) {
      if (follower.publishedHash === code.graphHash) continue;
      const [newest] = await workflows.listVersions(follower.organizationId, follower._id, null, 1);
      await workflows.publish(follower, versionOf(follower, code, nextVersion(follower, newest, code.graphHash)));
    }
  }
}
