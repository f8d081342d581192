import { limits } from '#src/contracts/fields.ts';
import { callerWith } from '#src/domain/access/rights.ts';
import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { allows, isDiscoverable } from '#mcp/rights.ts';
import type { CallersTools, McpTool } from '#mcp/tool.ts';
import { hasToolset } from '#mcp/view.ts';
import { watchTools } from '#mcp/updates/tool-list.ts';
import { workflowTool } from '#mcp/workflow-tools/workflow-tool.ts';

const scope = 'runs:execute';

/** Characters of the workflow's id at the end of a name that two workflows have. */
const suffixCharacters = 8;
const longestName = 64;

/** The name of a tool among those that a caller sees. Source: docs/decisions/0194. */
function shownName(name: string, workflowId: string, isAmbiguous: boolean): string {
  if (!isAmbiguous) return name;
  return `${name.slice(0, longestName - suffixCharacters - 1)}_${workflowId.slice(-suffixCharacters)}`;
}

/** True when the caller's connection offers such tools, now or after a step-up. */
function isOffered(caller: McpCaller): boolean {
  return !caller.view.readOnly && hasToolset(caller.view, 'runs') && isDiscoverable(caller, [scope]);
}

/** Published workflows that are tools, for callers who may run workflows in their projects. */
export function workflowTools(deps: ToolDeps): CallersTools {
  const recordsFor = async (caller: McpCaller): Promise<readonly WorkflowRecord[]> => {
    if (!isOffered(caller)) return [];
    const { principal } = caller;
    const reader = allows(caller, scope) ? callerWith(scope, principal) : principal;
    const found = await deps.workflows.listTools(reader, limits.workflowToolsListed);
    const builtIn = await deps.builtInTools();
    // A later release can bring a tool of that name.
    return found.filter(({ tool }) => tool !== undefined && !builtIn.has(tool.name));
  };
  return {
    scope,
    async list(caller: McpCaller): Promise<readonly McpTool[]> {
      const found = await recordsFor(caller);
      const bearers = Map.groupBy(found, ({ tool }) => tool?.name);
      return found.flatMap((workflow) => {
        const { _id, tool } = workflow;
        if (tool === undefined) return [];
        const name = shownName(tool.name, _id, (bearers.get(tool.name)?.length ?? 0) > 1);
        return [workflowTool({ ...workflow, tool }, name, deps)];
      });
    },
    watch: (caller, changed) => (isOffered(caller) ? watchTools(deps, caller, changed) : () => undefined),
  };
}
