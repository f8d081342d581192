import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { VersionRef } from '#src/contracts/resources/workflow.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { WorkflowDraftRecord, WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { ToolContext } from '#tools/define.ts';

type Who = Pick<ToolContext<'workflows'>, 'deps' | 'principal'>;

/** Same error for an unknown, foreign or never published workflow: a different one would reveal which ids exist. */
export function workflowMissing(): AppError {
  return new AppError(
    'workflow.not_found',
    'No published workflow with this id is available to this credential. Take an id from the list of workflows.',
    {
      errors: [{ pointer: '/workflowId', code: 'not_found', message: 'take an id from the list of workflows' }],
    },
  );
}

/** Finds a workflow, published or not. Error: `workflow.not_found`. */
export async function requireWorkflow({ deps, principal }: Who, workflowId: string): Promise<WorkflowRecord> {
  const workflow = await deps.workflows.find(principal, workflowId);
  if (workflow !== null) return workflow;
  throw new AppError(
    'workflow.not_found',
    'No workflow with this id is available to this credential. Take an id from the list of workflows.',
    {
      errors: [{ pointer: '/workflowId', code: 'not_found', message: 'take an id from the list of workflows' }],
    },
  );
}

/** Errors: `workflow.not_found`, `workflow.read_only`. */
export async function requireDraft(
  who: Who,
  workflowId: string,
): Promise<{ workflow: WorkflowRecord; draft: WorkflowDraftRecord }> {
  const workflow = await requireWorkflow(who, workflowId);
  const draft = await who.deps.workflows.findDraft(workflow.organizationId, workflowId);
  if (workflow.source === 'stored' && draft !== null) return { workflow, draft };
  throw new AppError(
    'workflow.read_only',
    'This workflow is defined in code and cannot be edited. Copy it with create_workflow and from set to this workflowId.',
    { errors: [{ pointer: '/workflowId', code: 'read_only', message: 'copy it with create_workflow' }] },
  );
}

/** A graph with its version, or with its revision if it is a draft. */
interface Chosen {
  readonly graph: StoredGraph;
  readonly graphHash: string;
  readonly version: number | null;
  readonly revision: number | null;
}

/** Reads a version; without `ref`, the draft or else the published version. Error: `workflow.version_not_found`. */
export async function chooseVersion(
  { deps }: Who,
  { _id, organizationId, publishedVersion, source }: WorkflowRecord,
  ref: VersionRef | undefined,
): Promise<Chosen> {
  if (source === 'stored' && (ref === undefined || ref === 'draft')) {
    const draft = await deps.workflows.findDraft(organizationId, _id);
    if (draft !== null)
      return { graph: draft.graph, graphHash: draft.graphHash, version: null, revision: draft.revision };
  }
  const version = typeof ref === 'number' ? ref : ref === 'draft' ? null : publishedVersion;
  const found = version === null ? null : await deps.workflows.findVersion(organizationId, _id, version);
  if (found !== null) return { graph: found.graph, graphHash: found.graphHash, version, revision: null };
  const there =
    publishedVersion === null ? 'no version is published yet' : `the published version is ${publishedVersion}`;
  throw new AppError(
    'workflow.version_not_found',
    `The workflow has no such version; ${there}. Take one from the list of versions.`,
    {
      errors: [{ pointer: '/version', code: 'not_found', message: 'take one from the list of versions, or draft' }],
    },
  );
}
