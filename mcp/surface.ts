import { tools } from '#tools/index.ts';
import type { AnyTool } from '#tools/define.ts';
import type { Toolset } from '#mcp/view.ts';

/** Tools offered over MCP, in the order of `tools/list`. REST-only steps (presign, acknowledge, execution, run) are left out, and calls on many runs. */
export const shownTools: Readonly<Record<Toolset, readonly AnyTool[]>> = {
  core: [tools.getContext],
  workflows: [
    tools.listWorkflows,
    tools.getWorkflow,
    tools.describeNodeTypes,
    tools.validateWorkflow,
    tools.testNode,
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
    tools.findSimilarDocuments,
    tools.getDocument,
    tools.readDocumentText,
    tools.viewDocumentImage,
    tools.askDocuments,
    tools.uploadDocument,
    tools.updateDocument,
    tools.setDocumentVisibility,
    tools.deleteDocument,
  ],
  records: [tools.queryRecords, tools.correctRecord, tools.listRecordTypes, tools.saveRecordType],
  experiments: [
    tools.saveDataset,
    tools.getDataset,
    tools.runExperiment,
    tools.getExperiment,
    tools.improveWorkflow,
    tools.cancelExperiment,
  ],
  keys: [tools.listApiKeys, tools.createApiKey, tools.revokeApiKey],
};
