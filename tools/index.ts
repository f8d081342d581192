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
import { listWorkflows } from '#tools/workflows/list-workflows.ts';

/** The registry: every use case, one line each. */
export const tools = {
  getContext,
  listWorkflows,
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
