import type { GraphCheck } from '#graphs/check.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { checkWorkflow } from '#tools/workflows/check-workflow.ts';

interface Declared {
  readonly check: GraphCheck;
  /** The graph with the declarations; undefined if its shape is invalid. */
  readonly graph: StoredGraph | undefined;
  /** `set_state_field` for each channel that a node writes and `state` left out. */
  readonly declarations: readonly Operation[];
}

/**
 * Checks a graph after declaring the channels that its nodes write, so that an edit can leave `set_state_field` out. A channel that
 * `operations` remove stays out. Source: docs/decisions/0169.
 */
export async function checkDeclared(
  who: Parameters<typeof checkWorkflow>[0],
  raw: unknown,
  {
    workflowId,
    operations = [],
  }: { readonly workflowId?: string | undefined; readonly operations?: readonly Operation[] },
): Promise<Declared> {
  const check = await checkWorkflow(who, raw, workflowId);
  const removed = new Set(operations.flatMap((one) => (one.op === 'remove_state_field' ? [one.name] : [])));
  const declarations = check.declarations.filter((one) => one.op !== 'set_state_field' || !removed.has(one.name));
  if (check.graph === undefined || declarations.length === 0) return { check, graph: check.graph, declarations: [] };
  const { graph } = applyOperations(check.graph, declarations);
  return { check: await checkWorkflow(who, graph, workflowId), graph, declarations };
}
