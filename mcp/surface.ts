import { tools } from '#tools/index.ts';
import { grantScopes, type Scope } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { scopesOfRole } from '#src/domain/access/role.ts';
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
    tools.viewDocumentImage,
    tools.askDocuments,
    tools.uploadDocument,
    tools.setDocumentVisibility,
    tools.deleteDocument,
  ],
  keys: [tools.listApiKeys, tools.createApiKey, tools.revokeApiKey],
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

/** What a client asks for to get one scope more: the complete set, since a new token replaces the old one. Source: RFC 6750 §3.1. */
export function stepUpScopes({ scopes }: Pick<Principal, 'scopes'>, missing: Scope): readonly Scope[] {
  return grantScopes.filter((scope) => scope === missing || scopes.has(scope));
}

/** Why a tool is not there for this connection, for the agent and whoever set the connection up. */
export function outsideOfView({ view }: McpCaller, { toolset, definition }: McpTool): string {
  const { name } = definition;
  if (view.readOnly && !definition.annotations.readOnlyHint)
    return `${name} is not offered here: the address of this connection says read_only=true. tools/list has what is.`;
  const kept = [...(view.toolsets ?? [])].join(',');
  return `${name} is not offered here: the address of this connection says toolsets=${kept}, and it is of ${toolset}. tools/list has what is.`;
}

/** Whether more scopes could come of asking for them: not where the role of the person in front of a program has no such scope. */
export function helpsToAsk({ principal }: McpCaller, scope: Scope): boolean {
  const role = principal.grant?.member?.role;
  return role === undefined || scopesOfRole(role).has(scope);
}

/**
 * Listed for a caller: of its view, and callable. People behind OAuth see all of the view, since they can step up to the scope that
 * is missing. Source: mcp.md "Scopes".
 */
export function isListed(caller: McpCaller, tool: McpTool): boolean {
  const isPerson = caller.principal.grant?.person === true;
  return isInView(caller, tool) && (isPerson || allows(caller, tool));
}
