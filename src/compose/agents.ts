import { randomUUID } from 'node:crypto';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import { createPerformer } from '#src/agents/perform-run.ts';
import { createRunDocuments } from '#src/agents/run-documents.ts';
import { Worker } from '#src/agents/worker.ts';
import type { Core } from '#src/compose/core.ts';
import type { Data } from '#src/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Lease } from '#src/domain/ports/executions.ts';
import type { Catalog } from '#graphs/catalog.ts';
import { createCompiledCache } from '#graphs/compiled-cache.ts';
import type { compileGraph, RunCheckpointer } from '#graphs/compile.ts';

/** LangGraph, its checkpoints and compiled graphs: loaded when the first run comes. */
function lazyGraphs(data: Data, known: Catalog) {
  let loading: Promise<{ saver: RunCheckpointer; compile: typeof compileGraph }> | null = null;
  const load = () =>
    (loading ??= (async () => {
      const [{ CheckpointSaver }, { compileGraph: compile }] = await Promise.all([
        import('#src/adapters/database/checkpoint-saver.ts'),
        import('#graphs/compile.ts'),
      ]);
      return { saver: new CheckpointSaver(data.database.db), compile };
    })());
  return {
    async compile(graph: StoredGraph) {
      const { saver, compile } = await load();
      return compile(graph, { catalog: known, checkpointer: saver });
    },
    async forget(runId: string) {
      await (await load()).saver.deleteThread(runId);
    },
  };
}

interface AgentsParts {
  readonly config: Config;
  readonly data: Data;
  readonly core: Core;
  readonly catalog: Catalog;
}

/** The worker that takes runs from the queue, with OCR behind it; nothing heavy is loaded before the first run. */
export function createAgents({ config, data, core, catalog }: AgentsParts, stack: AsyncDisposableStack): Worker {
  const { deps, models, images, relay, metrics } = core;
  const { documents, objects, results, search, steps, events, executions, workflows, wake, logger } = deps;
  const ocr = createTesseractEngine({
    language: config.ocr.language,
    ...(config.ocr.workers === null ? {} : { workers: config.ocr.workers }),
  });
  stack.defer(() => ocr.close());
  const graphs = lazyGraphs(data, catalog);
  const perform = createPerformer({
    executions,
    workflows,
    steps,
    events,
    logger,
    maxDeaths: config.runs.maxDeaths,
    compiled: createCompiledCache(),
    nodeDeps: { document: createRunDocuments({ documents, objects, images }), results, search, ocr, models },
    compile: (graph) => graphs.compile(graph),
  });
  const parts = {
    executions,
    events,
    wake,
    logger,
    perform,
    ended({ run }: Lease, status: string) {
      metrics.run(status, (Date.now() - (run.startedAt ?? run.createdAt).getTime()) / 1_000);
      graphs.forget(run._id).catch((error: unknown) => {
        logger.warn({ err: error, runId: run._id }, 'checkpoints of a finished run could not be removed');
      });
    },
    sweep: () => relay.sweep(),
  };
  return new Worker(parts, { owner: randomUUID(), ...config.runs });
}
