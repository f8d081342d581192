import { getContext } from '#tools/core/get-context.ts';
import type { AnyTool } from '#tools/define.ts';
import { getDocument } from '#tools/documents/get-document.ts';
import { listDocuments } from '#tools/documents/list-documents.ts';
import { readDocumentText } from '#tools/documents/read-document-text.ts';
import { searchDocuments } from '#tools/documents/search-documents.ts';
import { setDocumentVisibility } from '#tools/documents/set-document-visibility.ts';
import { cancelRun } from '#tools/runs/cancel-run.ts';
import { getExecution } from '#tools/runs/get-execution.ts';
import { getRun } from '#tools/runs/get-run.ts';
import { listRuns } from '#tools/runs/list-runs.ts';
import { readRun } from '#tools/runs/read-run.ts';
import { replayExecution } from '#tools/runs/replay-execution.ts';
import { resumeRun } from '#tools/runs/resume-run.ts';
import { runWorkflow } from '#tools/runs/run-workflow.ts';
import { acknowledgeUpload } from '#tools/uploads/acknowledge-upload.ts';
import { presignUpload } from '#tools/uploads/presign-upload.ts';
import { uploadDocument } from '#tools/uploads/upload-document.ts';
import { createWorkflow } from '#tools/workflows/create-workflow.ts';
import { deleteWorkflow } from '#tools/workflows/delete-workflow.ts';
import { describeNodeTypes } from '#tools/workflows/describe-node-types.ts';
import { diffWorkflowVersions } from '#tools/workflows/diff-workflow-versions.ts';
import { getWorkflow } from '#tools/workflows/get-workflow.ts';
import { listPublishedWorkflows } from '#tools/workflows/list-published-workflows.ts';
import { listWorkflowVersions } from '#tools/workflows/list-workflow-versions.ts';
import { listWorkflows } from '#tools/workflows/list-workflows.ts';
import { publishWorkflow } from '#tools/workflows/publish-workflow.ts';
import { restoreWorkflowVersion } from '#tools/workflows/restore-workflow-version.ts';
import { updateWorkflow } from '#tools/workflows/update-workflow.ts';
import { validateWorkflow } from '#tools/workflows/validate-workflow.ts';

/** The registry: every use case, one line each. */
export const tools = {
  getContext,
  listWorkflows,
  listPublishedWorkflows,
  getWorkflow,
  describeNodeTypes,
  validateWorkflow,
  listWorkflowVersions,
  diffWorkflowVersions,
  createWorkflow,
  updateWorkflow,
  restoreWorkflowVersion,
  publishWorkflow,
  deleteWorkflow,
  runWorkflow,
  getRun,
  listRuns,
  cancelRun,
  resumeRun,
  replayExecution,
  readRun,
  getExecution,
  listDocuments,
  searchDocuments,
  getDocument,
  readDocumentText,
  setDocumentVisibility,
  presignUpload,
  acknowledgeUpload,
  uploadDocument,
} as const;

export const allTools: readonly AnyTool[] = Object.values(tools);
