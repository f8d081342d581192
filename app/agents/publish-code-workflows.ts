import type { CodeWorkflow } from '#graphs/build.ts';
import type { Code } from '#graphs/code/code.ts';
import { derivedId, newId } from '#src/domain/ids.ts';
import { nextVersion, storedTool, type WorkflowRecord, type WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';
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

interface Place {
  readonly organizationId: string;
  readonly projectId: string;
}

function recordOf(code: CodeWorkflow, place: Place, id: string): WorkflowRecord {
  const now = new Date();
  return {
    ...place,
    _id: id,
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
}

/** A project's own workflow that follows a code-defined one. */
export async function addCodeWorkflow(
  { workflows }: { workflows: WorkflowStore },
  code: CodeWorkflow,
  place: Place,
): Promise<WorkflowRecord> {
  const workflow = recordOf(code, place, newId('workflow'));
  await workflows.insert(workflow, { version: versionOf(workflow, code, 1) });
  return workflow;
}

/** As `addCodeWorkflow`, for a workflow of the operator's folder. Several processes start at once: the same id lets one of them win. */
async function addOwnWorkflow(workflows: WorkflowStore, code: CodeWorkflow, { organizationId, projectId }: Place) {
  const workflow = recordOf(code, { organizationId, projectId }, derivedId('workflow', projectId, code.id));
  await workflows.insertOnce(workflow, versionOf(workflow, code, 1));
}

/** Publishes the workflows in code for a new project. Skips existing ones, so it can be repeated. */
export async function addMissingCodeWorkflows(
  { workflows }: { workflows: WorkflowStore },
  code: Pick<Code, 'workflows' | 'files'>,
  place: Place,
): Promise<void> {
  const published = await workflows.listPublished({
    organizationId: place.organizationId,
    projectIds: [place.projectId],
  });
  const there = new Set(published.map(({ codeName }) => codeName));
  for (const one of code.workflows.filter(({ id }) => !there.has(id)))
    await (code.files.has(one.id) ? addOwnWorkflow(workflows, one, place) : addCodeWorkflow({ workflows }, one, place));
}

interface Stores {
  readonly workflows: WorkflowStore;
  readonly organizations: Pick<OrganizationStore, 'everyProject'>;
}

/**
 * At boot, publishes a new version of every workflow that follows code whose graph changed. Runs keep the version they have. Workflows of the
 * operator's own folder are added to all projects that lack them. Calls `check`, which throws if any of the code has errors, before it
 * publishes, and where code has not been published yet.
 */
export async function publishCodeWorkflows(
  stores: Stores,
  { workflows, files }: Omit<Code, 'evaluators'>,
  check: () => void,
): Promise<void> {
  const found: (readonly [code: CodeWorkflow, followers: readonly WorkflowRecord[]])[] = [];
  for (const code of workflows) found.push([code, await stores.workflows.listByCodeName(code.id)]);
  const isPublished = found.every(
    ([{ graphHash }, followers]) =>
      followers.length > 0 && followers.every(({ publishedHash }) => publishedHash === graphHash),
  );
  if (!isPublished) check();
  for (const [code, followers] of found) {
    for (const follower of followers) await follow(stores.workflows, follower, code);
    if (files.has(code.id)) await addEverywhere(stores, code, new Set(followers.map(({ projectId }) => projectId)));
  }
}

async function follow(workflows: WorkflowStore, follower: WorkflowRecord, code: CodeWorkflow): Promise<void> {
  if (follower.publishedHash === code.graphHash) return;
  const [newest] = await workflows.listVersions(follower.organizationId, follower._id, null, 1);
  await workflows.publish(follower, versionOf(follower, code, nextVersion(follower, newest, code.graphHash)));
}

async function addEverywhere({ workflows, organizations }: Stores, code: CodeWorkflow, have: ReadonlySet<string>) {
  for await (const { _id: projectId, organizationId } of organizations.everyProject())
    if (!have.has(projectId)) await addOwnWorkflow(workflows, code, { organizationId, projectId });
}
