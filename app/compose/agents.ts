import { LRUCache } from 'lru-cache';
import { openToolServer } from '#src/adapters/outbound/tool-server.ts';
import type { Scarce } from '#app/compose/processes/scarce.ts';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import { addedLanguagesFolder } from '#src/adapters/ocr/tesseract-languages.ts';
import { createDocumentTraces } from '#src/stores/document-traces.ts';
import { createNodeCache } from '#src/stores/node-cache.ts';
import { LostAnnouncer } from '#app/agents/announce/lost-announcer.ts';
import { Callbacks } from '#app/agents/callbacks.ts';
import { createDerivedDocuments } from '#app/agents/documents/derived-documents.ts';
import { guardedResults } from '#app/agents/results/guarded-results.ts';
import { ExperimentRunner } from '#app/agents/experiments/experiment-runner.ts';
import { createPerformer } from '#app/agents/perform-run.ts';
import { createCopyMarker } from '#app/agents/documents/mark-copies.ts';
import { patientReader } from '#app/agents/documents/patient-reader.ts';
import { createReadDocument } from '#app/agents/documents/read-document.ts';
import { createRunDocuments } from '#app/agents/documents/run-documents.ts';
import { Worker } from '#app/agents/worker.ts';
import type { Core } from '#app/compose/core.ts';
import type { Data } from '#app/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import type { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Code } from '#graphs/code/code.ts';
import { createEvaluators } from '#graphs/evaluators/create-evaluators.ts';
import type { Evaluator, EvaluatorDeps } from '#graphs/evaluators/evaluator.ts';
import { oneAtATime } from '#graphs/evaluators/one-at-a-time.ts';
import { Computing } from '#graphs/compute/computing.ts';
import { createCompiledCache } from '#graphs/run/compiled-cache.ts';
import type { compileGraph } from '#graphs/run/compile.ts';
import type { RunCheckpointer } from '#graphs/run/compiled-workflow.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import { terminalStatuses } from '#src/domain/runs/run.ts';
import { newId } from '#src/domain/ids.ts';
import { documentChanged, emitted } from '#src/domain/events/realtime.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import type { Lease } from '#src/stores/run-queue.ts';

/** LangGraph, its checkpoints and compiled graphs. Loaded for the first run. */
function lazyGraphs({ data, code: { catalog }, lingerMs }: AgentsParts, { turns }: Computing) {
  let loading: Promise<{ saver: RunCheckpointer; compile: typeof compileGraph }> | null = null;
  const load = () =>
    (loading ??= (async () => {
      const [{ CheckpointSaver }, { compileGraph: compile }] = await Promise.all([
        import('#src/stores/checkpoints/saver.ts'),
        import('#graphs/run/compile.ts'),
      ]);
      return { saver: new CheckpointSaver(data.database.db, lingerMs), compile };
    })());
  return {
    async compile(graph: StoredGraph) {
      const { saver, compile } = await load();
      return compile(graph, { catalog, checkpointer: saver, turns });
    },
    async forget(runId: string) {
      await (await load()).saver.deleteThread(runId);
    },
  };
}

/** Evaluators of the experiments at work: patterns and schemas are compiled once for many runs. */
function evaluatorsWith(deps: EvaluatorDeps): (specs: readonly EvaluatorSpec[]) => readonly Evaluator[] {
  const made = new LRUCache<string, readonly Evaluator[]>({ max: 32 });
  return (specs) => {
    const key = JSON.stringify(specs);
    const known = made.get(key) ?? createEvaluators(specs, deps);
    made.set(key, known);
    return known;
  };
}

interface AgentsParts {
  readonly config: Config;
  readonly data: Data;
  readonly core: Core;
  readonly code: Code;
  readonly scarce: Scarce;
  /** Closed by the composing program. Default: an engine of the process. */
  readonly ocr?: OcrEngine | undefined;
  /** Longest delay before steps and checkpoints of runs are written together. Default: 100 ms. */
  readonly lingerMs?: number | undefined;
  /** Pauses before a failed run of an experiment is repeated. */
  readonly repeatPausesMs?: readonly number[] | undefined;
}

/** Everything that nodes may use. */
export function nodeDepsOf({ core, ocr }: { core: Core; ocr: OcrEngine }): NodeDeps {
  const { deps, models, images, outside, relay } = core;
  const { documents, objects, results, records, search, trash, events, usage } = deps;
  const read = createRunDocuments({ documents, objects: patientReader(objects), images });
  const guarded = guardedResults({ documents, trash, results, records, search });
  const markCopies = createCopyMarker({
    documents,
    search,
    images,
    document: read,
    announce(marked) {
      const at = new Date();
      return events.append([documentChanged(marked, { at, eventId: newId('event', at) })]);
    },
  });
  return {
    document: read,
    storeDerived: createDerivedDocuments({ documents, objects, usage, announce: (document) => relay.push(document) }),
    readDocument: createReadDocument({ documents, results }),
    images,
    ...guarded,
    search: {
      ...guarded.search,
      async upsert(record) {
        const document = await guarded.search.upsert(record);
        await markCopies(record);
        return document;
      },
    },
    recordTypes: deps.recordTypes,
    ocr,
    models,
    chat: outside.chat,
    segmenters: outside.segmenters,
    outbound: outside.listed,
    openToolServer,
    deliver: (delivery) => outside.sender.deliver(delivery),
    announce: (run, path, data) => events.append([emitted(run, path, data)]),
  };
}

/** `stack` closes it. Loads nothing heavy before the first page. */
export function createOcr(
  { ocr: { language, workers }, dataDir }: Config,
  { fairness, spent }: Scarce,
  stack: AsyncDisposableStack,
): OcrEngine {
  const ocr = createTesseractEngine({
    language,
    addedFolder: addedLanguagesFolder(dataDir),
    fairness,
    spent,
    ...(workers === null ? {} : { workers }),
  });
  stack.defer(() => ocr.close());
  return ocr;
}

/** Worker that takes runs from the queue, with OCR. Loads nothing heavy before the first run. */
export function createAgents(given: AgentsParts, stack: AsyncDisposableStack): Worker {
  const { config, data, core, lingerMs, repeatPausesMs } = given;
  const { deps, outside, relay, webhookRelay, metrics, tracer } = core;
  const { steps, events, executions, workflows, wake, logger, secrets, audit } = deps;
  const lost = new LostAnnouncer(deps);
  const ocr = given.ocr ?? createOcr(config, given.scarce, stack);
  const cache = createNodeCache(data.collections, logger, { days: config.retention.nodeCache, lingerMs });
  stack.defer(() => cache.idle());
  const computing = new Computing(core.compute, config.compute);
  const graphs = lazyGraphs(given, computing);
  const { deliveries, sender } = outside;
  const callbacks = new Callbacks({ executions, deliveries, pushed: () => sender.push() });
  const experiments = new ExperimentRunner({
    ...deps,
    traces: createDocumentTraces(data.database.db, data.collections),
    evaluatorsOf: evaluatorsWith({
      chat: outside.chat,
      threads: oneAtATime(core.compute),
      code: given.code.evaluators,
    }),
    repeatPausesMs,
  });
  stack.defer(() => experiments.stop());
  const perform = createPerformer({
    documents: deps.documents,
    executions,
    experiments: deps.experiments,
    workflows,
    steps,
    events,
    logger,
    tracer,
    cache,
    secrets,
    audit,
    maxDeaths: config.runs.maxDeaths,
    compiled: createCompiledCache(),
    nodeDeps: nodeDepsOf({ core, ocr }),
    computing,
    lingerMs,
    compile: (graph) => graphs.compile(graph),
  });
  const parts = {
    executions,
    events,
    wake,
    logger,
    tracer,
    perform,
    ended({ run }: Lease, status: string) {
      // Handles its own failures.
      void cache.idle();
      metrics.run(status, (Date.now() - (run.startedAt ?? run.createdAt).getTime()) / 1_000);
      graphs.forget(run._id).catch((error: unknown) => {
        logger.warn({ err: error, runId: run._id }, 'checkpoints of a finished run could not be deleted');
      });
      experiments.runEnded(run);
      if (run.hasCallback !== true) return;
      callbacks.runEnded(run).catch((error: unknown) => {
        logger.warn({ err: error, runId: run._id }, 'callback could not be queued: the sweep retries');
      });
    },
    lost({ run }: Lease) {
      const { _id: runId, organizationId, projectId } = run;
      const forget = async (): Promise<void> => {
        const now = await executions.findRun({ organizationId, projectIds: [projectId] }, runId);
        if (now === null || !terminalStatuses.has(now.status)) return;
        experiments.runEnded(now);
        await graphs.forget(runId);
      };
      forget().catch((error: unknown) => {
        logger.warn({ err: error, runId }, 'checkpoints of a canceled run could not be deleted');
      });
    },
    async sweep() {
      sender.sweep();
      await Promise.all([relay.sweep(), callbacks.sweep(), webhookRelay.sweep(), experiments.sweep(), lost.sweep()]);
    },
  };
  return new Worker(parts, { owner: core.instanceId, ...config.runs, lingerMs });
}
