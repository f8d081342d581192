import type { CompiledCache } from '#graphs/compiled-cache.ts';
import type { CompiledWorkflow } from '#graphs/compile.ts';
import { executeRun } from '#graphs/execute.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import { StepRecorder, type RecorderParts } from '#src/agents/step-recorder.ts';
import type { StoredGraph } from '#src/contracts/graph.ts';
import { Fault } from '#src/domain/fault.ts';
import type { ExecutionStore, Lease } from '#src/domain/ports/executions.ts';
import type { WorkflowStore } from '#src/domain/ports/workflows.ts';
import type { WorkflowVersionRecord } from '#src/domain/workflow.ts';

export interface PerformParts extends RecorderParts {
  readonly executions: ExecutionStore;
  readonly workflows: WorkflowStore;
  readonly compiled: CompiledCache;
  readonly nodeDeps: NodeDeps;
  compile(graph: StoredGraph): Promise<CompiledWorkflow>;
  /** Forgets the checkpoints of a run that is over. */
  forget(runId: string): Promise<void>;
}

/** The version the run was started with, or, for an upload, the one that is published now; then it is fixed for good. */
async function versionOf({ executions, workflows }: PerformParts, lease: Lease): Promise<WorkflowVersionRecord> {
  const { organizationId, projectId, workflowId, version: pinned } = lease.run;
  const gone = new Fault('workflow.not_found', 'The workflow of this run does not exist any more, or was never published.');
  if (pinned !== null) {
    const version = await workflows.findVersion(organizationId, workflowId, pinned);
    if (version === null) throw gone;
    return version;
  }
  const workflow = await workflows.find({ organizationId, projectIds: [projectId] }, workflowId);
  if (workflow === null || workflow.publishedVersion === null) throw gone;
  const version = await workflows.findVersion(organizationId, workflowId, workflow.publishedVersion);
  if (version === null) throw gone;
  const { graphHash } = version;
  await executions.pinVersion(lease, { version: version.version, graphHash, workflowName: workflow.name });
  return version;
}

async function initialStateOf({ executions }: PerformParts, { run }: Lease): Promise<Record<string, unknown>> {
  if (!run.hasInitialState) return {};
  const { organizationId, projectId, executionId } = run;
  const execution = await executions.find({ organizationId, projectIds: [projectId] }, executionId);
  return { ...execution?.initialState };
}

/** One run from its lease to its end: version, compiled graph, execution, steps. */
export function createPerformer(parts: PerformParts): (lease: Lease, signal: AbortSignal) => Promise<void> {
  return async (lease, signal) => {
    const { run } = lease;
    const version = await versionOf(parts, lease);
    const compiled = await parts.compiled.get(version.graphHash, () => parts.compile(version.graph));
    let told = run.attempts <= 1;
    const recorder = new StepRecorder(run, parts, () => {
      if (told) return;
      told = true;
      parts.executions.progressed(lease).catch((error: unknown) => {
        parts.logger.warn({ err: error, runId: run._id }, 'progress of a run could not be recorded');
      });
    });
    const { _id: runId, executionId, organizationId, projectId, documentId } = run;
    try {
      await executeRun({
        compiled,
        context: { deps: parts.nodeDeps, run: { runId, executionId, organizationId, projectId, documentId }, steps: recorder },
        initialState: await initialStateOf(parts, lease),
        signal,
        resume: run.fence > 1,
      });
    } finally {
      await recorder.flush();
    }
    parts.forget(runId).catch((error: unknown) => {
      parts.logger.warn({ err: error, runId }, 'checkpoints of a finished run could not be removed');
    });
  };
}
