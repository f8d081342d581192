import { createNodeCache } from '#src/stores/node-cache.ts';
import { createRetention } from '#src/stores/retention.ts';
import { Authenticator } from '#src/auth/authenticate.ts';
import { isolatedCache, isolatedDeps } from '#app/agents/experiments/isolation.ts';
import type { Scarce } from '#app/compose/processes/scarce.ts';
import { createOcr, nodeDepsOf } from '#app/compose/agents.ts';
import type { Core } from '#app/compose/core.ts';
import type { Data } from '#app/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import { callerWith } from '#src/domain/access/rights.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId } from '#src/domain/ids.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import type { Code } from '#graphs/code/code.ts';
import { Computing } from '#graphs/compute/computing.ts';
import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';
import { compileInside } from '#graphs/run/hosted/compile-hosted.ts';
import type { HostedParts, HostedRun } from '#graphs/run/hosted/host.ts';
import type { RunFacts } from '#graphs/node-deps.ts';
import { requireDocument } from '#tools/documents/require-document.ts';

interface HostingParts {
  readonly config: Config;
  readonly data: Data;
  readonly core: Core;
  readonly code: Code;
  readonly scarce: Scarce;
  /** Closed by the composing program. Default: an engine of the process. */
  readonly ocr?: OcrEngine | undefined;
}

/** Runs of LangGraph's tools over this installation. */
export interface Hosting {
  /**
   * Begins a run with the rights of a service key, which is read anew. Errors: `auth.unauthorized`, `auth.forbidden` without
   * `runs:execute`, `document.not_found`.
   */
  begin(key: string, graphName: string, run: HostedRun): Promise<HostedParts>;
}

const dayMs = 86_400_000;

const refused = (method: string): AppError =>
  new AppError(
    'run.effect_refused',
    `A run of LangGraph's tools sends no ${method} requests, and this one was not sent. Run the workflow in Inkgraph to send it.`,
  );

/** Ids of the run. They follow from LangGraph's, so that a repeated attempt finds the results of the first. */
function factsOf(place: Pick<RunFacts, 'organizationId' | 'projectId'>, graphName: string, run: HostedRun): RunFacts {
  const { organizationId, projectId } = place;
  const { threadId, runId, documentId } = run;
  const parts = ['langgraph', organizationId, projectId, documentId, graphName, threadId, runId];
  const ids = { runId: derivedId('run', ...parts), executionId: derivedId('execution', ...parts) };
  return { ...ids, organizationId, projectId, documentId, isolated: true };
}

/** Hosts runs like those of drafts: their results are for the run alone, and they change nothing elsewhere. Source: docs/decisions/0197. */
export function createHosting(
  { config, data, core, code: { catalog }, scarce, ocr }: HostingParts,
  stack: AsyncDisposableStack,
): Hosting {
  const { deps } = core;
  const { logger, secrets, audit, workflows } = deps;
  const nodeDeps = isolatedDeps(nodeDepsOf({ core, ocr: ocr ?? createOcr(config, scarce, stack) }), refused);
  const stored = createNodeCache(data.collections, logger, { days: config.retention.nodeCache });
  stack.defer(() => stored.idle());
  const cache = isolatedCache(stored, { trial: 1, hidden: false });
  const computing = new Computing(core.compute, config.compute);
  const authenticator = new Authenticator(deps.apiKeys, logger);

  const reveal = async (
    { actorId }: Principal,
    { organizationId, projectId, runId }: RunFacts,
    names: readonly string[],
  ) => {
    const revealed = await secrets.reveal(organizationId, projectId, names);
    await Promise.all(
      [...revealed.keys()].map((name) => {
        const target = `${projectId}/${name}`;
        const entry = {
          organizationId,
          actor: actorId,
          action: 'secret.use',
          target,
          detail: { surface: 'langgraph' },
        };
        return audit.noteOnce(entry, [runId, '', name]);
      }),
    );
    return revealed;
  };

  const inner = async (
    { organizationId, projectId }: RunFacts,
    id: string,
    version: number,
  ): Promise<CompiledWorkflow> => {
    const owner = await workflows.find({ organizationId, projectIds: [projectId] }, id);
    const found = owner === null ? null : await workflows.findVersion(organizationId, id, version);
    if (found !== null) return compileInside(found.graph, catalog);
    throw new AppError('workflow.version_not_found', `The project has no workflow ${id} with a version ${version}.`);
  };

  const retention = createRetention(data.database.db, data.collections);
  const deleteOld = async (run: RunFacts): Promise<void> => {
    const before = new Date(Date.now() - config.retention.experimentRuns * dayMs);
    try {
      await retention.deleteHosted(run, before);
    } catch (error) {
      logger.warn({ err: error, documentId: run.documentId }, 'results of earlier runs could not be deleted');
    }
  };

  return {
    async begin(key, graphName, hosted) {
      const principal = callerWith('runs:execute', await authenticator.byKey(key, 'service-key'));
      const run = factsOf(await requireDocument(deps, principal, hosted.documentId), graphName, hosted);
      await deleteOld(run);
      return {
        deps: nodeDeps,
        run,
        cache,
        computing: computing.forRun(run.organizationId),
        revealSecrets: (names) => reveal(principal, run, names),
        loadWorkflow: (workflowId, version) => inner(run, workflowId, version),
      };
    },
  };
}
