import type { CompiledCache } from '#graphs/run/compiled-cache.ts';
import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';
import type { Computing } from '#graphs/compute/computing.ts';
import { executeRun, type AskedQuestion, type RunOutcome } from '#graphs/run/execute.ts';
import { OcrFacts } from '#graphs/nodes/facts.ts';
import type { NodeDeps, RunDocument, RunFacts } from '#graphs/node-deps.ts';
import type { RunParts } from '#graphs/run/run-context.ts';
import { isolatedCache, isolatedDeps, refusedByDraft, refusedByExperiment } from '#app/agents/experiments/isolation.ts';
import { atNode, boundedOutputs, boundedQuestion, endOf, failedNodes, receiptFor } from '#app/agents/run-record.ts';
import { createRunResults } from '#app/agents/results/run-results.ts';
import { StepRecorder, type RecorderParts } from '#app/agents/step-recorder.ts';
import { LeaseLostError } from '#app/agents/lease-lost.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { mendTime } from '#src/domain/runs/mending.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import { runAttributes } from '#src/domain/traces/run-attributes.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { CellPlace } from '#src/domain/experiments/experiment.ts';
import { draftOf, isApart, type OpenQuestion } from '#src/domain/runs/run.ts';
import type { ExperimentStore } from '#src/stores/experiments/experiment-store.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { Lease, RunEnd } from '#src/stores/run-queue.ts';
import type { NodeCache } from '#src/stores/node-cache.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';
import type { RevealedSecret, SecretStore } from '#src/stores/secrets.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';
import type { WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

export interface PerformParts extends RecorderParts {
  /** Default: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Worker deaths without progress after which a run fails with `run.poisoned`. */
  readonly maxDeaths: number;
  readonly documents: Pick<DocumentStore, 'setDegraded'>;
  readonly executions: ExecutionStore;
  readonly workflows: WorkflowStore;
  readonly experiments: Pick<ExperimentStore, 'graph'>;
  readonly compiled: CompiledCache;
  readonly cache: NodeCache;
  readonly secrets: Pick<SecretStore, 'reveal'>;
  readonly audit: Pick<AuditLog, 'noteOnce'>;
  readonly nodeDeps: NodeDeps;
  readonly computing: Computing;
  compile(graph: StoredGraph): Promise<CompiledWorkflow>;
}

/** Outcome of a worker's turn with a run: ended, or waiting for answers. */
export type Performed =
  | {
      readonly kind: 'ended';
      readonly end: RunEnd;
      /** Events of the run's last steps, to be announced with its end. */
      readonly events: readonly RealtimeEvent[];
      /** Stores the last steps of a run that somebody else ended. */
      readonly keepSteps: () => Promise<void>;
    }
  | { readonly kind: 'waiting'; readonly questions: readonly OpenQuestion[] };

/** Channel that `ocr` nodes write. */
const ocrChannel = 'ocr';

function readBy(channels: Readonly<Record<string, unknown>> = {}): Pick<RunEnd, 'ocrResultId'> {
  const { data } = OcrFacts.safeParse(channels[ocrChannel]);
  return data === undefined ? {} : { ocrResultId: data.ocrResultId };
}

const gone = (): AppError =>
  new AppError(
    'workflow.not_found',
    'The workflow of this run was deleted or never published. Publish a workflow, then start a new run.',
  );

/** Performs one run from its lease until it ends or waits: version, compiled graph, execution, steps, receipt. */
export function createPerformer(parts: PerformParts): (lease: Lease, signal: AbortSignal) => Promise<Performed> {
  return (lease, signal) => new Performance(parts, lease, signal).perform();
}

class Performance {
  readonly #parts: PerformParts;
  readonly #lease: Lease;
  readonly #signal: AbortSignal;
  readonly #facts: RunFacts;
  readonly #innerThreads = new Set<string>();
  /** Names of secrets that the audit log names for this run. */
  readonly #revealed = new Set<string>();
  #read: Promise<RunDocument> | null = null;
  #recorder: StepRecorder | null = null;
  #compiled: CompiledWorkflow | null = null;
  /** Number of the workflow's version. */
  #number: number | null;

  constructor(parts: PerformParts, lease: Lease, signal: AbortSignal) {
    const { _id: runId, executionId, organizationId, projectId, documentId } = lease.run;
    this.#parts = parts;
    this.#lease = lease;
    this.#signal = signal;
    this.#number = lease.run.version;
    const { baseAt = lease.run.createdAt } = lease.run;
    const shown = isApart(lease.run) ? { isolated: true as const } : { baseAt };
    const again = lease.run.byPerson === true ? { again: true as const } : {};
    this.#facts = { runId, executionId, organizationId, projectId, documentId, ...shown, ...again };
  }

  /** Throws errors that are not the run's own: a lost lease, a stopping worker, a database that is down. */
  async perform(): Promise<Performed> {
    // Reads the hash beside the run: only the receipt needs it.
    const sha256 = this.#documentHash();
    try {
      const outcome = await this.#execute();
      if (outcome.status === 'waiting') {
        await this.#recorder?.flush();
        return this.#waiting(outcome.questions);
      }
      const end = { status: 'succeeded', error: null, outputs: boundedOutputs(outcome.outputs) } as const;
      return await this.#ended({ ...end, ...(await this.#degraded()), ...readBy(outcome.channels) }, sha256);
    } catch (error) {
      const end = this.#signal.aborted ? null : endOf(error);
      if (end === null) {
        await this.#flushAfterFailure();
        throw error;
      }
      this.#parts.logger.warn({ err: error, code: end.error?.code, runId: this.#facts.runId }, 'run failed');
      return this.#ended(atNode(end, this.#recorder?.ended() ?? []), sha256);
    }
  }

  async #execute(): Promise<RunOutcome> {
    const { run } = this.#lease;
    const { maxDeaths } = this.#parts;
    const resume = run.fence > 1;
    const earlier = resume ? await this.#earlierSteps() : [];
    if (run.attempts > maxDeaths) {
      // The steps at which its workers died are stored with its end.
      this.#recorder = new StepRecorder(run, this.#parts, { earlier, onProgress: () => undefined });
      const message = `The worker died ${maxDeaths} times without progress. The run is not retried; start a new one.`;
      throw new AppError('run.poisoned', message);
    }
    const compiled = await this.#version();
    this.#compiled = compiled;
    const recorder = new StepRecorder({ ...run, version: this.#number }, this.#parts, {
      earlier,
      onProgress: this.#progress(compiled),
    });
    this.#recorder = recorder;
    // Stores steps before the checkpoint that passes over them: after a crash their outcome would be unknown.
    using _stepsFirst = compiled.checkpointer.before?.(run._id, () => recorder.flush());
    const outcome = await executeRun({
      compiled,
      context: {
        ...this.#nodeParts(recorder),
        run: this.#facts,
        steps: recorder,
        tracing: { tracer: this.#parts.tracer ?? noTracer, attributes: runAttributes(run) },
        computing: this.#parts.computing.forRun(run.organizationId),
        answers: new Map((run.answers ?? []).map(({ path, answer }) => [path, answer])),
        innerThreads: this.#innerThreads,
        revealSecrets: (names) => this.#reveal(names),
        loadWorkflow: (workflowId, version) => this.#inner(workflowId, version),
      },
      initialState: await this.#initialState(compiled.graph),
      signal: this.#signal,
      resume,
      keepCheckpoints: false,
      channels: run.experiment === undefined ? [] : [ocrChannel],
    });
    // Before the hook goes.
    if (outcome.status === 'succeeded') compiled.checkpointer.end?.(run._id);
    return outcome;
  }

  /** Dependencies and cache of the nodes. Runs of experiments and drafts have their own, which leave documents and search as they are. */
  #nodeParts(recorder: StepRecorder): Pick<RunParts, 'cache' | 'deps'> {
    const { cache } = this.#parts;
    const { experiment, draft } = this.#lease.run;
    const results = createRunResults(recorder.hearing(this.#parts.nodeDeps.results));
    const nodeDeps = { ...this.#parts.nodeDeps, document: this.#document, results };
    if (experiment !== undefined)
      return { deps: isolatedDeps(nodeDeps, refusedByExperiment), cache: isolatedCache(cache, experiment) };
    if (draft !== undefined)
      return { deps: isolatedDeps(nodeDeps, refusedByDraft), cache: isolatedCache(cache, { trial: 1, hidden: false }) };
    return { deps: nodeDeps, cache };
  }

  readonly #document: NodeDeps['document'] = (run, asOf) => {
    if (asOf === 'now') return this.#parts.nodeDeps.document(run);
    this.#read ??= this.#parts.nodeDeps.document(run).catch((error: unknown) => {
      // The next attempt reads it again.
      this.#read = null;
      throw error;
    });
    return this.#read;
  };

  /** Nobody answers questions during an experiment: answers are part of the reference. */
  #waiting(questions: readonly AskedQuestion[]): Performed {
    if (this.#lease.run.experiment === undefined) return { kind: 'waiting', questions: questions.map(boundedQuestion) };
    throw new AppError(
      'experiment.unanswered',
      `The run asks at "${questions[0]?.path ?? ''}". Give the answer as reference.answers of the dataset's item.`,
    );
  }

  /**
   * Reads secrets for a node. The audit log names each secret before the node has it: once a run, or once for each variant of an experiment,
   * whose runs it does not name.
   */
  async #reveal(names: readonly string[]): Promise<ReadonlyMap<string, RevealedSecret>> {
    const { secrets, audit } = this.#parts;
    const { organizationId, projectId, runId, executionId } = this.#facts;
    const { workflowId, experiment } = this.#lease.run;
    const actor = experiment?.experimentId ?? runId;
    const place = experiment === undefined ? { executionId } : { variant: experiment.variant };
    const revealed = await secrets.reveal(organizationId, projectId, names);
    const fresh = [...revealed.keys()].filter((name) => !this.#revealed.has(name));
    await Promise.all(
      fresh.map((name) => {
        const detail = { ...place, workflowId, version: this.#number };
        const entry = { organizationId, actor, action: 'secret.use', target: `${projectId}/${name}`, detail };
        return audit.noteOnce(entry, [actor, experiment?.variant ?? '', name]);
      }),
    );
    for (const name of fresh) this.#revealed.add(name);
    return revealed;
  }

  /** Nodes that failed while the run went on, for the run and, unless it is kept apart, for its document. */
  async #degraded(): Promise<Pick<RunEnd, 'degraded' | 'mendAt'>> {
    const steps = this.#recorder?.ended() ?? [];
    const nodes = failedNodes(steps);
    const { workflowId, mends = 0 } = this.#lease.run;
    const { organizationId, documentId } = this.#facts;
    const apart = isApart(this.#lease.run);
    const known = apart ? undefined : (await this.#read)?.degraded;
    if (!apart && nodes.length > 0)
      await this.#parts.documents.setDegraded(organizationId, documentId, { workflowId, nodes });
    else if (known?.workflowId === workflowId)
      await this.#parts.documents.setDegraded(organizationId, documentId, null);
    if (nodes.length === 0) return {};
    const mendAt = apart ? null : mendTime(steps, mends, new Date());
    return { degraded: nodes, ...(mendAt !== null && { mendAt }) };
  }

  async #ended(end: RunEnd, sha256: Promise<string | null>): Promise<Performed> {
    for (const thread of this.#innerThreads) {
      this.#compiled?.checkpointer.deleteThread(thread).catch((error: unknown) => {
        this.#parts.logger.warn({ err: error, thread }, 'checkpoints of an inner workflow could not be deleted');
      });
    }
    const { run } = this.#lease;
    const version = { version: this.#number, graphHash: this.#compiled?.graphHash ?? run.graphHash };
    const facts = { ...this.#facts, workflowId: run.workflowId, documentSha256: await sha256 };
    const head = { ...facts, ...version, ...(await this.#evidence()), ...draftOf(run) };
    const receipt = receiptFor(head, this.#recorder?.ended() ?? [], end.outputs);
    const rest = await this.#recorder?.rest();
    return {
      kind: 'ended',
      end: { ...end, ...rest?.end, receipt },
      events: rest?.events ?? [],
      keepSteps: async () => {
        if (rest !== undefined) await this.#recorder?.keep(rest);
      },
    };
  }

  /** Proof of the gate of this version. The store keeps versions, which compiling has read. */
  async #evidence(): Promise<Pick<WorkflowVersionRecord, 'evidence'>> {
    const { organizationId } = this.#facts;
    if (this.#number === null || this.#compiled === null) return {};
    const found = await this.#parts.workflows.findVersion(organizationId, this.#lease.run.workflowId, this.#number);
    return found?.evidence === undefined ? {} : { evidence: found.evidence };
  }

  /** Loads the graph of the version that the run was started with. The run of an upload takes the version published now and keeps it. */
  async #version(): Promise<CompiledWorkflow> {
    const { workflows, executions, compiled } = this.#parts;
    const { organizationId, projectId, workflowId, version: pinned, graphHash: known } = this.#lease.run;
    // Versions never change: a compiled one is not read again.
    const { experiment, draft } = this.#lease.run;
    if (experiment !== undefined && known !== null) return compiled.get(known, () => this.#compileVariant(experiment));
    if (draft !== undefined && known !== null) return compiled.get(known, () => this.#compileDraft());
    if (pinned !== null && known !== null) return compiled.get(known, () => this.#compile(workflowId, pinned));
    const workflow = await workflows.find({ organizationId, projectIds: [projectId] }, workflowId);
    if (workflow === null || workflow.publishedVersion === null || workflow.publishedHash === null) throw gone();
    const { publishedVersion: version, publishedHash: graphHash, name: workflowName } = workflow;
    if (!(await executions.pinVersion(this.#lease, { version, graphHash, workflowName }))) throw new LeaseLostError();
    this.#number = version;
    return compiled.get(graphHash, () => this.#compile(workflowId, version));
  }

  async #compile(workflowId: string, version: number): Promise<CompiledWorkflow> {
    const found = await this.#parts.workflows.findVersion(this.#facts.organizationId, workflowId, version);
    if (found === null) throw gone();
    return this.#parts.compile(found.graph);
  }

  async #compileVariant({ experimentId, variant }: CellPlace): Promise<CompiledWorkflow> {
    const graph = await this.#parts.experiments.graph(this.#facts.organizationId, experimentId, variant);
    if (graph === null) throw gone();
    return this.#parts.compile(graph);
  }

  async #compileDraft(): Promise<CompiledWorkflow> {
    const { organizationId, executionId } = this.#facts;
    const graph = await this.#parts.executions.draftGraph(organizationId, executionId);
    if (graph === null) throw gone();
    return this.#parts.compile(graph);
  }

  /** Loads a workflow that runs inside this one. It belongs to the project of the outer workflow. */
  async #inner(workflowId: string, version: number): Promise<CompiledWorkflow> {
    const { workflows, compiled } = this.#parts;
    const { organizationId, projectId } = this.#facts;
    const home = this.#lease.run.workflowProjectId ?? projectId;
    const owner = await workflows.find({ organizationId, projectIds: [home] }, workflowId);
    const found = owner === null ? null : await workflows.findVersion(organizationId, workflowId, version);
    if (found !== null) return compiled.get(found.graphHash, () => this.#parts.compile(found.graph));
    throw new AppError(
      'workflow.version_not_found',
      `The project has no workflow ${workflowId} with a version ${version}.`,
    );
  }

  /** Takes the client's values for channels that the workflow declares, and ignores other keys of the free-form object. */
  async #initialState(graph: StoredGraph): Promise<Record<string, unknown>> {
    if (!this.#lease.run.hasInitialState) return {};
    const { organizationId, projectId, executionId } = this.#facts;
    const execution = await this.#parts.executions.find({ organizationId, projectIds: [projectId] }, executionId);
    const given = Object.entries(execution?.initialState ?? {});
    return Object.fromEntries(given.filter(([name]) => Object.hasOwn(graph.state, name)));
  }

  /** Steps of earlier leases. Steps that ran when a worker died ended with it. */
  async #earlierSteps(): Promise<readonly StepRecord[]> {
    const { run } = this.#lease;
    const steps = await this.#parts.steps.listOf(run);
    const error = { code: 'run.worker_lost', message: 'The worker died during this attempt.' };
    return steps.map((step) =>
      step.status === 'running' ? { ...step, fence: run.fence, status: 'failed' as const, error } : step,
    );
  }

  /** Counts stored steps only as progress: a run that dies before its checkpoint would otherwise never be given up. */
  #progress(compiled: CompiledWorkflow): () => void {
    const { executions, logger } = this.#parts;
    const { run } = this.#lease;
    let reported = run.attempts <= 1;
    const report = async (): Promise<void> => {
      await compiled.checkpointer.flush?.(run._id);
      await executions.progressed(this.#lease);
    };
    return () => {
      if (reported) return;
      reported = true;
      report().catch((error: unknown) => {
        logger.warn({ err: error, runId: run._id }, 'progress of a run could not be stored');
      });
    };
  }

  /** Goes on without steps that cannot be stored: the reason of the failure counts more. */
  async #flushAfterFailure(): Promise<void> {
    try {
      await this.#recorder?.flush();
    } catch (error) {
      this.#parts.logger.error({ err: error, runId: this.#facts.runId }, 'steps of a failed run could not be stored');
    }
  }

  async #documentHash(): Promise<string | null> {
    try {
      return (await this.#document(this.#facts)).sha256;
    } catch {
      // The document is deleted or the database is down: the run itself reports the error.
      return null;
    }
  }
}
