import { tools } from '#tools/index.ts';
import type { AnyTool } from '#tools/define.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpTool } from '#mcp/tool.ts';
import type { Toolset } from '#mcp/view.ts';

/** What MCP shows, in the order agents read it. REST-only steps of another tool (presign, acknowledge, execution, run) stay out. */
export const shownTools: Readonly<Record<Exclude<Toolset, 'experiments'>, readonly AnyTool[]>> = {
  core: [tools.getContext],
  workflows: [
    tools.listWorkflows,
    tools.getWorkflow,
    tools.describeNodeTypes,
    tools.validateWorkflow,
    tools.listWorkflowVersions,
    tools.diffWorkflowVersions,
    tools.createWorkflow,
    tools.updateWorkflow,
    tools.restoreWorkflowVersion,
    tools.publishWorkflow,
    tools.deleteWorkflow,
  ],
  runs: [tools.runWorkflow, tools.getRun, tools.listRuns, tools.cancelRun, tools.resumeRun, tools.replayExecution],
  documents: [
    tools.listDocuments,
    tools.searchDocuments,
    tools.getDocument,
    tools.readDocumentText,
    tools.uploadDocument,
    tools.setDocumentVisibility,
  ],
  keys: [],
};

/** Whether the caller's credential has the scope of a tool. */
export function allows({ principal }: McpCaller, { scope }: Pick<McpTool, 'scope'>): boolean {
  return scope === null || principal.scopes.has(scope);
}

/** Whether the connection was opened for such a tool. Source: mcp.md "Endpoint". */
export function isInView({ view }: McpCaller, { toolset, definition }: McpTool): boolean {
  if (view.readOnly && !definition.annotations.readOnlyHint) return false;
  return toolset === 'core' || view.toolsets === null || view.toolsets.has(toolset);
}

/**
 * Listed for a caller: of its view, and callable. People behind OAuth see all of the view, since they can step up to the scope that
 * is missing. Source: mcp.md "Scopes".
 */
export function isListed(caller: McpCaller, tool: McpTool): boolean {
  const mayStepUp = caller.principal.grant?.person === true;
  return isInView(caller, tool) && (mayStepUp || allows(caller, tool));
}
