import type { Response } from 'express';
import { service } from '#src/contracts/service.ts';
import type { Outcome } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';
import { idempotencyHeader } from '#http/guard/idempotency-header.ts';
import { createdOrFound } from '#http/routes/ingestion.ts';

function accepted(response: Response, output: Record<string, unknown>, outcome: Outcome): void {
  response.setHeader('location', service.getExecution.path.replace(':id', String(output['id'])));
  if (outcome.replayed === true) response.setHeader('idempotent-replayed', 'true');
}

/** Service orchestration, in the specification's order. Source: specification §4.2. */
export function mountService(bind: Bind): void {
  bind(service.listWorkflows, tools.listPublishedWorkflows);
  bind(service.presign, tools.presignUpload);
  bind(service.ack, tools.acknowledgeUpload, { prepare: idempotencyHeader, present: createdOrFound });
  bind(service.execute, tools.runWorkflow, { prepare: idempotencyHeader, present: accepted });
  bind(service.getExecution, tools.getExecution);
  bind(service.cancelExecution, tools.cancelRun, { rename: { id: 'executionId' } });
  bind(service.replayExecution, tools.replayExecution, {
    prepare: idempotencyHeader,
    rename: { id: 'executionId' },
    present: accepted,
  });
  bind(service.executionRuns, tools.listRuns, { rename: { id: 'executionId' } });
  bind(service.getRun, tools.readRun);
  bind(service.resumeRun, tools.resumeRun, { rename: { id: 'runId' } });
  bind(service.listDocuments, tools.listDocuments);
  bind(service.getDocument, tools.getDocument);
  bind(service.setVisibility, tools.setDocumentVisibility);
}
