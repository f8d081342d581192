import { referencesOf, type References } from '#graphs/check/references.ts';
import { errorAt, pointer, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { nearest } from '#graphs/check/nearest.ts';
import { fields, type GraphOutline } from '#graphs/check/outline.ts';
import { configRefs } from '#graphs/expression/config.ts';

const hint = 'Ask an admin to set it for the project, with the host that it is sent to. Until then the node fails.';

/**
 * SECRET_MISSING: the project has no secret of this name or of a similar one, or a nested workflow needs one that it does not have. A warning,
 * since people set secrets, often after the workflow is published; a name that looks misspelt is SECRET_UNKNOWN.
 */
export function checkMissingSecrets(graph: GraphOutline): GraphIssue[] {
  const { secrets } = graph.context;
  if (secrets === undefined) return [];
  const known = [...new Set(secrets.map(({ name }) => name))];
  return [...graph.nodes.values()].flatMap((node) => {
    const own = configRefs(node.config)
      .secrets.filter(({ name }) => !known.includes(name) && nearest(name, known).length === 0)
      .map(({ name, path }) => {
        const at = pointer('nodes', node.id, 'config', ...path, '$secret');
        const message = `The project has no secret "${name.slice(0, 80)}".`;
        return warning({ ...errorAt('SECRET_MISSING', at, message, hint), nodeId: node.id });
      });
    const at = pointer('nodes', node.id, 'config', 'workflowId');
    const nested = [...neededInside(graph, node.type, node.config)]
      .filter((name) => !known.includes(name))
      .map((name) => {
        const message = `The workflow that node "${node.id}" runs needs the secret "${name.slice(0, 80)}", which the project does not have.`;
        return warning({ ...errorAt('SECRET_MISSING', at, message, hint), nodeId: node.id });
      });
    return [...own, ...nested];
  });
}

/** Secrets of the workflow that a node runs, and of those inside it. */
function neededInside({ context: { subgraphs } }: GraphOutline, type: unknown, config: unknown): ReadonlySet<string> {
  const open: References['workflows'][number][] = [
    ...referencesOf({ nodes: { node: { type, config: fields(config) } } }).workflows,
  ];
  const seen = new Set<string>();
  const needed = new Set<string>();
  for (const { workflowId, version } of open) {
    const name = `${workflowId} ${version}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const { secrets, workflows } = referencesOf(subgraphs?.(workflowId, version));
    for (const secret of secrets) needed.add(secret);
    open.push(...workflows);
  }
  return needed;
}
