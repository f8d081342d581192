import type { Response, Request } from 'express';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import type { Outcome } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';
import { createdOrFound } from '#http/routes/service.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardExperiments } from '#src/contracts/dashboard/experiments.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import { AppError } from '#src/domain/app-error.ts';
import { documentsSender } from '#http/exports/documents.ts';
import { sendFile } from '#http/exports/file.ts';
import { sendExport } from '#http/exports/experiment.ts';

/** Documents, in the order of the rows. */
export function mountDashboardDocuments(bind: Bind): void {
  const rows = dashboardDocuments;
  bind(rows.presign, tools.presignUpload);
  bind(rows.ack, tools.acknowledgeUpload, { present: createdOrFound });
  bind(rows.run, tools.queueWorkflow, { rename: { id: 'documentId' } });
  bind(rows.list, tools.listDocumentCards, { present: degradedSearch });
  // Order matters: /documents/export must not match /documents/:id.
  bind(rows.exportDocuments, tools.exportDocuments, { send: documentsSender() });
  bind(rows.ocr, tools.listOcrResults);
  bind(rows.text, tools.exportText, { send: sendFile });
  bind(rows.similar, tools.findSimilarDocuments, { rename: { id: 'documentId' } });
  bind(rows.segmentations, tools.listSegmentations);
  bind(rows.runMany, tools.queueWorkflowOnMany);
  bind(rows.visibility, tools.setVisibilityOfMany);
  bind(rows.get, tools.readDocument);
  bind(rows.page, tools.readPage);
  bind(rows.update, tools.updateDocument, { rename: { id: 'documentId' } });
  bind(rows.runs, tools.listDocumentRuns);
  bind(rows.remove, tools.deleteDocument, { rename: { id: 'documentId' } });
}

/** Names the retrievers that had no part in the result. */
function degradedSearch(response: Response, _output: unknown, { degraded = [] }: Outcome): void {
  if (degraded.length > 0) response.setHeader('x-search-degraded', degraded.join(', '));
}

/** Stored conversations. */
export function mountDashboardChats(bind: Bind): void {
  const rename = { chatId: 'conversationId' };
  bind(dashboardLive.conversations, tools.listConversations);
  bind(dashboardLive.conversation, tools.getConversation, { rename });
  bind(dashboardLive.forgetConversation, tools.deleteConversation, { rename });
}

/** The caller's context, and the runs of the organization. */
export function mountDashboardRuns(bind: Bind): void {
  const rows = dashboardRuns;
  bind(rows.context, tools.getContext);
  bind(rows.list, tools.listRunCards);
  bind(rows.get, tools.readRun);
  bind(rows.verifyReceipt, tools.verifyReceipt);
  bind(rows.resume, tools.answerRun, { rename: { id: 'runId' } });
  bind(rows.executions, tools.listExecutions);
  bind(rows.execution, tools.getExecution);
  bind(rows.cancelRuns, tools.cancelRuns);
  bind(rows.retryRuns, tools.retryRuns);
  bind(rows.cancel, tools.cancelRun, { rename: { id: 'executionId' } });
}

/** Datasets and experiments. */
export function mountDashboardExperiments(bind: Bind): void {
  const rows = dashboardExperiments;
  bind(rows.datasets, tools.listDatasets);
  bind(rows.saveDataset, tools.saveDataset, { present: createdOrFound });
  bind(rows.dataset, tools.getDataset);
  bind(rows.list, tools.listExperiments);
  bind(rows.run, tools.runExperiment, { present: createdOrFound });
  bind(rows.improve, tools.improveWorkflow, { present: createdOrFound });
  bind(rows.get, tools.getExperiment);
  bind(rows.export, tools.exportExperiment, { send: sendExport });
  bind(rows.cancel, tools.cancelExperiment);
}

/** Projects, members, keys, programs, secrets and the audit log. */
export function mountDashboardOrganization(bind: Bind): void {
  const rows = dashboardOrganization;
  bind(rows.projects, tools.listProjects);
  bind(rows.createProject, tools.createProject);
  bind(rows.renameProject, tools.renameProject);
  bind(rows.change, tools.requireSecondFactor);
  bind(rows.usage, tools.getUsage);
  bind(rows.members, tools.listMembers);
  bind(rows.changeRole, tools.changeMemberRole);
  bind(rows.projectMembers, tools.listProjectMembers);
  bind(rows.setProjectRole, tools.setProjectRole);
  bind(rows.confirmRole, tools.confirmMemberRole);
  bind(rows.removeMember, tools.removeMember);
  bind(rows.invitations, tools.listInvitations);
  bind(rows.invite, tools.inviteMember);
  bind(rows.cancelInvitation, tools.cancelInvitation);
  bind(rows.keys, tools.listApiKeys);
  bind(rows.issueKey, tools.createApiKey);
  bind(rows.rotateKey, tools.rotateApiKey);
  bind(rows.revokeKey, tools.revokeApiKey);
  bind(rows.apps, tools.listConnectedApps);
  bind(rows.changeApp, tools.changeConnectedApp);
  bind(rows.revokeApp, tools.revokeConnectedApp);
  bind(rows.clients, tools.listClients);
  bind(rows.createClient, tools.createClient);
  bind(rows.removeClient, tools.removeClient);
  bind(rows.secrets, tools.listSecrets);
  bind(rows.setSecret, tools.setSecret);
  bind(rows.deleteSecret, tools.deleteSecret);
  bind(rows.audit, tools.listAuditRecords);
}

/** Workflows, their versions, and the node types. */
export function mountDashboardWorkflows(bind: Bind): void {
  const rows = dashboardWorkflows;
  bind(rows.list, tools.listWorkflows);
  bind(rows.create, tools.createWorkflow, {
    present(response, output) {
      response.setHeader('location', rows.get.path.replace(':workflowId', String(output['workflowId'])));
      revisionTag(response, output);
    },
  });
  bind(rows.validate, tools.validateWorkflow);
  bind(rows.get, tools.getWorkflow, { present: revisionTag });
  bind(rows.edit, tools.updateWorkflow, { prepare: ifMatch, present: revisionTag });
  bind(rows.remove, tools.deleteWorkflow);
  bind(rows.versions, tools.listWorkflowVersions);
  bind(rows.version, tools.getWorkflow);
  bind(rows.diff, tools.diffWorkflowVersions);
  bind(rows.publish, tools.publishWorkflow, {
    prepare: ifMatch,
    convert: (asked) => ('gate' in asked && asked.gate === null ? { ...asked, gate: 'none' } : asked),
    present(response, _, outcome) {
      if (outcome.created === false) response.status(200);
    },
  });
  bind(rows.restore, tools.restoreWorkflowVersion, { prepare: ifMatch, present: revisionTag });
  bind(rows.testNode, tools.testNode);
  bind(rows.nodeTypes, tools.describeNodeTypes);
}

/** Sends the draft's revision as the ETag that `If-Match` takes. */
function revisionTag(response: Response, { revision }: Record<string, unknown>): void {
  if (typeof revision === 'number') response.setHeader('etag', `"${revision}"`);
}

/** Copies the header `If-Match` to the field `baseVersion`. Error: `request.invalid` when both are sent and differ. */
function ifMatch(request: Request): unknown {
  const header = request.headers['if-match'];
  const body: unknown = request.body;
  if (header === undefined || typeof body !== 'object' || body === null) return body;
  const baseVersion = Number(/^"?([1-9][0-9]{0,8})"?$/.exec(header)?.[1] ?? NaN);
  const given = 'baseVersion' in body ? body.baseVersion : baseVersion;
  if (given === baseVersion) return { ...body, baseVersion };
  throw new AppError(
    'request.invalid',
    'If-Match and baseVersion differ, or If-Match is not a revision. Send the revision of the draft, such as "7", in one of them.',
    {
      errors: [{ pointer: '/baseVersion', code: 'conflict', message: 'differs from the header If-Match' }],
    },
  );
}
