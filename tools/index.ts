import { createClient } from '#tools/apps/create-client.ts';
import { listClients } from '#tools/apps/list-clients.ts';
import { listConnectedApps } from '#tools/apps/list-connected-apps.ts';
import { removeClient } from '#tools/apps/remove-client.ts';
import { changeConnectedApp } from '#tools/apps/change-connected-app.ts';
import { revokeConnectedApp } from '#tools/apps/revoke-connected-app.ts';
import { listAuditRecords } from '#tools/audit/list-audit-records.ts';
import { answerChat } from '#tools/chat/answer-chat.ts';
import { askDocuments } from '#tools/chat/ask-documents.ts';
import { deleteConversation } from '#tools/chat/delete-conversation.ts';
import { getConversation } from '#tools/chat/get-conversation.ts';
import { listConversations } from '#tools/chat/list-conversations.ts';
import { getContext } from '#tools/core/get-context.ts';
import { getDataset } from '#tools/datasets/get-dataset.ts';
import { listDatasets } from '#tools/datasets/list-datasets.ts';
import { saveDataset } from '#tools/datasets/save-dataset.ts';
import { cancelExperiment } from '#tools/experiments/cancel-experiment.ts';
import { exportExperiment } from '#tools/experiments/export-experiment.ts';
import { getExperiment } from '#tools/experiments/get-experiment.ts';
import { improveWorkflow } from '#tools/experiments/improve-workflow.ts';
import { listExperiments } from '#tools/experiments/list-experiments.ts';
import { runExperiment } from '#tools/experiments/run-experiment.ts';
import { deleteDocument } from '#tools/documents/delete-document.ts';
import { findSimilarDocuments } from '#tools/documents/find-similar-documents.ts';
import { getDocument } from '#tools/documents/get-document.ts';
import { listDocumentCards } from '#tools/documents/list-document-cards.ts';
import { listDocumentRuns } from '#tools/documents/list-document-runs.ts';
import { listDocuments, listServiceDocuments } from '#tools/documents/list-documents.ts';
import { listOcrResults } from '#tools/documents/list-ocr-results.ts';
import { listSegmentations } from '#tools/documents/list-segmentations.ts';
import { readDocument } from '#tools/documents/read-document.ts';
import { exportText } from '#tools/reading/export-text.ts';
import { readDocumentText } from '#tools/reading/read-document-text.ts';
import { searchDocuments } from '#tools/documents/search-documents.ts';
import { exportDocuments } from '#tools/reading/export-documents.ts';
import { readPage } from '#tools/reading/read-page.ts';
import { updateDocument } from '#tools/documents/update-document.ts';
import { getUpload } from '#tools/uploads/get-upload.ts';
import { setDocumentVisibility, setVisibilityOfMany } from '#tools/documents/set-document-visibility.ts';
import { viewDocumentImage } from '#tools/documents/view-document-image.ts';
import { createApiKey } from '#tools/keys/create-api-key.ts';
import { listApiKeys } from '#tools/keys/list-api-keys.ts';
import { revokeApiKey } from '#tools/keys/revoke-api-key.ts';
import { rotateApiKey } from '#tools/keys/rotate-api-key.ts';
import { cancelInvitation } from '#tools/members/cancel-invitation.ts';
import { changeMemberRole } from '#tools/members/change-member-role.ts';
import { inviteMember } from '#tools/members/invite-member.ts';
import { listInvitations } from '#tools/members/list-invitations.ts';
import { listMembers } from '#tools/members/list-members.ts';
import { listProjectMembers } from '#tools/members/list-project-members.ts';
import { confirmMemberRole } from '#tools/members/confirm-member-role.ts';
import { requireSecondFactor } from '#tools/organizations/require-second-factor.ts';
import { removeMember } from '#tools/members/remove-member.ts';
import { setProjectRole } from '#tools/members/set-project-role.ts';
import { createProject } from '#tools/projects/create-project.ts';
import { getUsage } from '#tools/projects/get-usage.ts';
import { listProjects } from '#tools/projects/list-projects.ts';
import { renameProject } from '#tools/projects/rename-project.ts';
import { cancelRun } from '#tools/runs/cancel-run.ts';
import { cancelRuns } from '#tools/runs/many/cancel-runs.ts';
import { retryRuns } from '#tools/runs/many/retry-runs.ts';
import { getExecution } from '#tools/runs/get-execution.ts';
import { getRun } from '#tools/runs/get-run.ts';
import { listExecutions } from '#tools/runs/many/list-executions.ts';
import { listRunCards } from '#tools/runs/lists/list-run-cards.ts';
import { listRuns } from '#tools/runs/list-runs.ts';
import { queueWorkflow, queueWorkflowOnMany } from '#tools/runs/queue-workflow.ts';
import { readRun } from '#tools/runs/read-run.ts';
import { verifyReceipt } from '#tools/runs/results/verify-receipt.ts';
import { replayExecution } from '#tools/runs/replay-execution.ts';
import { answerRun } from '#tools/runs/results/answer-run.ts';
import { resumeRun } from '#tools/runs/resume-run.ts';
import { testNode } from '#tools/runs/drafts/test-node.ts';
import { runWorkflow } from '#tools/runs/run-workflow.ts';
import { changeView, createView, deleteView } from '#tools/operators/change-views.ts';
import { correctDescription, correctOcr, listDescriptions } from '#tools/operators/correct-texts.ts';
import { getStatistics } from '#tools/operators/get-statistics.ts';
import { listReviews } from '#tools/operators/list-reviews.ts';
import { listViews } from '#tools/operators/list-views.ts';
import { deleteDocuments, listTrash, restoreDocuments, trashDocuments } from '#tools/operators/move-documents.ts';
import { changePreferences, getPreferences } from '#tools/operators/preferences.ts';
import { correctRecord } from '#tools/records/correct-record.ts';
import { listRecordTypes } from '#tools/records/list-record-types.ts';
import { queryRecords } from '#tools/records/query-records.ts';
import { saveRecordType } from '#tools/records/save-record-type.ts';
import { createWebhook } from '#tools/webhooks/create-webhook.ts';
import { listWebhooks } from '#tools/webhooks/list-webhooks.ts';
import { changeWebhook } from '#tools/webhooks/change-webhook.ts';
import { deleteWebhook } from '#tools/webhooks/delete-webhook.ts';
import { rotateWebhookSecret } from '#tools/webhooks/rotate-webhook-secret.ts';
import { testWebhook } from '#tools/webhooks/test-webhook.ts';
import { listWebhookDeliveries } from '#tools/webhooks/list-webhook-deliveries.ts';
import { redeliverWebhook } from '#tools/webhooks/redeliver-webhook.ts';
import { deleteSecret } from '#tools/secrets/delete-secret.ts';
import { listSecrets } from '#tools/secrets/list-secrets.ts';
import { setSecret } from '#tools/secrets/set-secret.ts';
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

/** Lists every tool. A tool that is missing here exists for no facade. */
export const tools = {
  getContext,
  saveDataset,
  getDataset,
  listDatasets,
  runExperiment,
  improveWorkflow,
  getExperiment,
  listExperiments,
  exportExperiment,
  cancelExperiment,
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
  testNode,
  queueWorkflow,
  queueWorkflowOnMany,
  getRun,
  listRuns,
  listRunCards,
  listExecutions,
  cancelRun,
  cancelRuns,
  retryRuns,
  resumeRun,
  answerRun,
  replayExecution,
  readRun,
  verifyReceipt,
  getExecution,
  listDocuments,
  listServiceDocuments,
  searchDocuments,
  findSimilarDocuments,
  getDocument,
  exportText,
  readDocumentText,
  viewDocumentImage,
  askDocuments,
  listDocumentCards,
  readDocument,
  listOcrResults,
  listSegmentations,
  listDocumentRuns,
  readPage,
  exportDocuments,
  updateDocument,
  setDocumentVisibility,
  setVisibilityOfMany,
  deleteDocument,
  listRecordTypes,
  saveRecordType,
  queryRecords,
  correctRecord,
  getStatistics,
  listReviews,
  listTrash,
  trashDocuments,
  restoreDocuments,
  deleteDocuments,
  correctOcr,
  correctDescription,
  listDescriptions,
  listViews,
  createView,
  changeView,
  deleteView,
  getPreferences,
  changePreferences,
  presignUpload,
  acknowledgeUpload,
  uploadDocument,
  getUpload,
  getUsage,
  listProjects,
  createProject,
  renameProject,
  listMembers,
  changeMemberRole,
  confirmMemberRole,
  removeMember,
  requireSecondFactor,
  listProjectMembers,
  setProjectRole,
  listInvitations,
  inviteMember,
  cancelInvitation,
  listApiKeys,
  createApiKey,
  rotateApiKey,
  revokeApiKey,
  listConnectedApps,
  changeConnectedApp,
  revokeConnectedApp,
  listClients,
  createClient,
  removeClient,
  listSecrets,
  setSecret,
  deleteSecret,
  createWebhook,
  listWebhooks,
  changeWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  redeliverWebhook,
  listAuditRecords,
  answerChat,
  listConversations,
  getConversation,
  deleteConversation,
} as const;
