import type { Principal } from '#src/domain/access/principal.ts';
import type { AnyTool } from '#tools/define.ts';
import { tools } from '#tools/index.ts';

/** What MCP shows, in the order agents read it. REST-only steps of another tool (presign, acknowledge, execution, run) stay out. */
export const mcpTools: readonly AnyTool[] = [
  tools.getContext,
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
  tools.runWorkflow,
  tools.getRun,
  tools.listRuns,
  tools.cancelRun,
  tools.resumeRun,
  tools.replayExecution,
  tools.listDocuments,
  tools.searchDocuments,
  tools.getDocument,
  tools.readDocumentText,
  tools.uploadDocument,
  tools.setDocumentVisibility,
];

/** Listed for a principal: what its scopes let it call. */
export function allows(principal: Principal, tool: AnyTool): boolean {
  return tool.scope === null || principal.scopes.has(tool.scope);
}
