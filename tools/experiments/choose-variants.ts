import type { z } from 'zod';
import { applyOperations } from '#graphs/edit/apply.ts';
import { serverUrlsOf } from '#graphs/models/server-tools.ts';
import { graphHash } from '#graphs/hash.ts';
import type { RunExperimentBody } from '#src/contracts/experiments/experiment.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { VariantRecord } from '#src/domain/experiments/experiment.ts';
import type { ToolContext } from '#tools/define.ts';
import { checkWorkflow, invalidGraph, type CheckDeps } from '#tools/workflows/check-workflow.ts';
import { chooseVersion, requireWorkflow } from '#tools/workflows/require-workflow.ts';

type Asked = z.output<typeof RunExperimentBody>['variants'][number];

export interface ChosenVariant {
  readonly record: VariantRecord;
  readonly graph: StoredGraph;
}

/** Reads, changes and checks the graph of a variant. Errors: those of workflows and operations; `experiment.effect_refused`. */
export async function chooseVariant(
  ctx: ToolContext<CheckDeps>,
  { name: given, workflowId, version: ref, operations }: Asked,
  at: number,
): Promise<ChosenVariant> {
  const name = given ?? (at === 0 ? 'baseline' : `v${at}`);
  const pointer = `/variants/${at}`;
  const workflow = await requireWorkflow(ctx, workflowId);
  const chosen = await chooseVersion(ctx, workflow, ref);
  const graph = operations === undefined ? chosen.graph : applyOperations(chosen.graph, operations).graph;
  const check = await checkWorkflow(ctx, graph, workflowId);
  if (!check.valid) throw invalidGraph(check, `Variant "${name}" has errors`, `${pointer}/graph`);
  refuseEffects(graph, name, pointer);
  return {
    graph,
    record: {
      name,
      workflowId,
      workflowProjectId: workflow.projectId,
      workflowName: graph.name,
      version: operations === undefined ? chosen.version : null,
      revision: operations === undefined ? chosen.revision : null,
      graphHash: operations === undefined ? chosen.graphHash : graphHash(graph),
      operations: operations ?? null,
    },
  };
}

/** A request that changes something elsewhere would be sent for every document, variant and trial. */
function refuseEffects(graph: StoredGraph, name: string, pointer: string): void {
  const found = Object.entries(graph.nodes).find(([, { type, config }]) => {
    const { method = 'GET' } = config as { method?: unknown };
    if (type === 'agent') return serverUrlsOf(config).length > 0;
    return type === 'http' && method !== 'GET' && method !== 'HEAD';
  });
  if (found === undefined) return;
  throw new AppError(
    'experiment.effect_refused',
    `Variant "${name}" sends requests that change something elsewhere (node "${found[0]}"). Remove the node with operations.`,
    { errors: [{ pointer, code: 'effect', message: `node "${found[0]}" sends requests other than GET` }] },
  );
}

/** Errors: `request.invalid` for two variants of one name or one graph. */
export function refuseEqual(variants: readonly VariantRecord[]): void {
  const seen = new Map<string, string>();
  for (const [at, { name, graphHash: hash }] of variants.entries()) {
    for (const [key, what] of [
      [`name ${name}`, `the name "${name}"`],
      [`graph ${hash}`, 'the same graph'],
    ] as const) {
      const before = seen.get(key);
      if (before !== undefined)
        throw new AppError('request.invalid', `Variants "${before}" and "${name}" have ${what}. Change one of them.`, {
          errors: [{ pointer: `/variants/${at}`, code: 'duplicate', message: `same as "${before}"` }],
        });
      seen.set(key, name);
    }
  }
}
