import type { Response, Request } from 'express';
import { serviceResults } from '#src/contracts/results/service-rows.ts';
import { service } from '#src/contracts/service.ts';
import type { dashboardWebhooks, serviceWebhooks } from '#src/contracts/webhooks/rows.ts';
import type { Outcome } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';
import { documentsSender } from '#http/exports/documents.ts';
import { sendFile } from '#http/exports/file.ts';
import { ingestion } from '#src/contracts/ingestion.ts';
import { AppError } from '#src/domain/app-error.ts';

/** Copies the header `Idempotency-Key` to the field `idempotencyKey`. Error: `request.invalid` when both are sent and differ. */
function idempotencyHeader(request: Request): unknown {
  const header = request.headers['idempotency-key'];
  const body: unknown = request.body;
  if (header === undefined || typeof body !== 'object' || body === null) return body;
  const field = 'idempotencyKey' in body ? body.idempotencyKey : header;
  if (field !== header)
    throw new AppError(
      'request.invalid',
      'The header Idempotency-Key and the field idempotencyKey differ. Send one of them.',
      {
        errors: [{ pointer: '/idempotencyKey', code: 'conflict', message: 'differs from the header Idempotency-Key' }],
      },
    );
  return { ...body, idempotencyKey: header };
}

export function createdOrFound(response: Response, _output: unknown, outcome: Outcome): void {
  response.status(outcome.created === true ? 201 : 200);
  if (outcome.replayed === true) response.setHeader('idempotent-replayed', 'true');
}

/** Ingestion with workflow keys. */
export function mountIngestion(bind: Bind): void {
  bind(ingestion.presign, tools.presignUpload);
  bind(ingestion.ack, tools.acknowledgeUpload, { present: createdOrFound });
  bind(ingestion.upload, tools.getUpload);
}

function accepted(response: Response, output: Record<string, unknown>, outcome: Outcome): void {
  response.setHeader('location', service.getExecution.path.replace(':id', String(output['id'])));
  if (outcome.replayed === true) response.setHeader('idempotent-replayed', 'true');
}

/** Results of documents, in the order of the rows: /documents/export must not match /documents/:id. */
export function mountServiceResults(bind: Bind): void {
  const rows = serviceResults;
  bind(rows.exportDocuments, tools.exportDocuments, { send: documentsSender() });
  bind(rows.files, tools.readDocument);
  bind(rows.ocr, tools.listOcrResults);
  bind(rows.page, tools.readPage);
  bind(rows.segmentations, tools.listSegmentations);
  bind(rows.update, tools.updateDocument, { rename: { id: 'documentId' } });
  bind(rows.remove, tools.deleteDocument, { rename: { id: 'documentId' } });
  bind(rows.search, tools.searchDocuments);
  bind(rows.ask, tools.askDocuments);
}

/** Service orchestration, in the order of the rows. */
export function mountService(bind: Bind): void {
  bind(service.listWorkflows, tools.listPublishedWorkflows);
  bind(service.presign, tools.presignUpload);
  bind(service.ack, tools.acknowledgeUpload, { prepare: idempotencyHeader, present: createdOrFound });
  bind(service.execute, tools.runWorkflow, { prepare: idempotencyHeader, present: accepted });
  bind(service.listExecutions, tools.listExecutions);
  bind(service.getExecution, tools.getExecution);
  bind(service.cancelExecution, tools.cancelRun, { rename: { id: 'executionId' } });
  bind(service.cancelRuns, tools.cancelRuns);
  bind(service.retryRuns, tools.retryRuns);
  bind(service.replayExecution, tools.replayExecution, {
    prepare: idempotencyHeader,
    rename: { id: 'executionId' },
    present: accepted,
  });
  bind(service.executionRuns, tools.listRuns, { rename: { id: 'executionId' } });
  bind(service.listRuns, tools.listRuns);
  bind(service.verifyReceipt, tools.verifyReceipt);
  bind(service.getRun, tools.readRun);
  bind(service.resumeRun, tools.answerRun, { rename: { id: 'runId' } });
  bind(service.listDocuments, tools.listServiceDocuments);
  bind(service.getDocument, tools.getDocument, { rename: { id: 'documentId' } });
  bind(service.similarDocuments, tools.findSimilarDocuments, { rename: { id: 'documentId' } });
  bind(service.readText, tools.exportText, { send: sendFile });
  bind(service.setVisibility, tools.setVisibilityOfMany);
}

/** Webhooks of projects, for either family of rows. */
export function mountWebhooks(bind: Bind, rows: typeof dashboardWebhooks | typeof serviceWebhooks): void {
  bind(rows.list, tools.listWebhooks);
  bind(rows.create, tools.createWebhook);
  bind(rows.change, tools.changeWebhook);
  bind(rows.remove, tools.deleteWebhook);
  bind(rows.rotate, tools.rotateWebhookSecret);
  bind(rows.test, tools.testWebhook);
  bind(rows.deliveries, tools.listWebhookDeliveries);
  bind(rows.redeliver, tools.redeliverWebhook);
}
