import type { CompiledCache } from '#graphs/compiled-cache.ts';
import type { CompiledWorkflow } from '#graphs/compile.ts';
import { executeRun } from '#graphs/execute.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import { StepRecorder, type RecorderParts } from '#src/agents/step-recorder.ts';
import { LeaseLost } from '#src/agents/lease-lost.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { Fault } from '#src/domain/fault.ts';
import type { ExecutionStore, Lease } from '#src/domain/ports/executions.ts';
import type { WorkflowStore } from '#src/domain/ports/workflows.ts';
import type { WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';

export interface PerformParts extends RecorderParts {
  /** Deaths of its workers without progress after which a run is given up. */
  readonly maxDeaths: number;
  readonly executions: ExecutionStore;
  readonly workflows: WorkflowStore;
  readonly compiled: CompiledCache;
  readonly nodeDeps: NodeDeps;
  compile(graph: StoredGraph): Promise<CompiledWorkflow>;
}

const gone = (): Fault =>
  new Fault('workflow.not_found', 'The workflow of this run does not exist any more, or was never published.');

async function requireVersion(
  { workflows }: PerformParts,
  { run }: Lease,
  version: number,
): Promise<WorkflowVersionRecord> {
  const found = await workflows.findVersion(run.organizationId, run.workflowId, version);
  if (found === null) throw gone();
  return found;
}

/** The graph of the version that the run was started with or, for an upload, of the one published now, fixed for good. */
async function compiledFor(parts: PerformParts, lease: Lease): Promise<CompiledWorkflow> {
  const { organizationId, projectId, workflowId, version: pinned, graphHash: known } = lease.run;
  const compile = (version: number) => async () => parts.compile((await requireVersion(parts, lease, version)).graph);
  // Versions never change: one that is compiled already need not be read again.
  if (pinned !== null && known !== null) return parts.compiled.get(known, compile(pinned));
  const workflow = await parts.workflows.find({ organizationId, projectIds: [projectId] }, workflowId);
  if (workflow === null || workflow.publishedVersion === null || workflow.publishedHash === null) throw gone();
  const { publishedVersion: version, publishedHash: graphHash, name: workflowName } = workflow;
  if (!(await parts.executions.pinVersion(lease, { version, graphHash, workflowName }))) throw new LeaseLost();
  return parts.compiled.get(graphHash, compile(version));
}

/** What the client gave for channels the workflow declares; other keys of its free-form object mean nothing to it. */
async function initialStateOf(
  { executions }: PerformParts,
  { run }: Lease,
  graph: StoredGraph,
): Promise<Record<string, unknown>> {
  if (!run.hasInitialState) return {};
  const { organizationId, projectId, executionId } = run;
  const execution = await executions.find({ organizationId, projectIds: [projectId] }, executionId);
  const given = Object.entries(execution?.initialState ?? {});
  return Object.fromEntries(given.filter(([name]) => Object.hasOwn(graph.state, name)));
}

/** Steps that were running when an earlier worker died can only be told to have ended with it. */
async function closeOrphans({ steps }: PerformParts, { run }: Lease): Promise<void> {
  const orphans = (await steps.list(run.organizationId, run._id)).filter((step) => step.status === 'running');
  const error = { code: 'run.worker_lost', message: 'The worker died during this attempt.' };
  await steps.save(orphans.map((step) => ({ ...step, fence: run.fence, status: 'failed', error })));
}

/** Only what is stored is progress: a run that dies before its checkpoint would go on dying, and never be given up. */
async function tellProgress({ executions }: PerformParts, lease: Lease, compiled: CompiledWorkflow): Promise<void> {
  await compiled.checkpointer.flush?.(lease.run._id);
  await executions.progressed(lease);
}

/** One run from its lease to its end: version, compiled graph, execution, steps. */
export function createPerformer(parts: PerformParts): (lease: Lease, signal: AbortSignal) => Promise<void> {
  return async (lease, signal) => {
    const { run } = lease;
    const resume = run.fence > 1;
    if (resume) await closeOrphans(parts, lease);
    if (run.attempts > parts.maxDeaths)
      throw new Fault(
        'run.poisoned',
        `Its worker died ${parts.maxDeaths} times without getting further; it is not tried again.`,
      );
    const compiled = await compiledFor(parts, lease);
    let told = run.attempts <= 1;
    const recorder = new StepRecorder(run, parts, () => {
      if (told) return;
      told = true;
      tellProgress(parts, lease, compiled).catch((error: unknown) => {
        parts.logger.warn({ err: error, runId: run._id }, 'progress of a run could not be recorded');
      });
    });
    const { _id: runId, executionId, organizationId, projectId, documentId } = run;
    const facts = { runId, executionId, organizationId, projectId, documentId };
    try {
      await executeRun({
        compiled,
        context: { deps: parts.nodeDeps, run: facts, steps: recorder },
        initialState: await initialStateOf(parts, lease, compiled.graph),
        signal,
        resume,
        keepCheckpoints: false,
      });
    } catch (error) {
      await recorder.flush().catch((failure: unknown) => {
        parts.logger.error({ err: failure, runId }, 'steps of a failed run could not be stored');
      });
      throw error;
    }
    await recorder.flush();
  };
}
