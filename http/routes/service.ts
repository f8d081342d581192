import type { Router } from 'express';
import { service } from '#src/contracts/service.ts';
import { tools } from '#tools/index.ts';
import { bind, type Facade } from '#http/bind.ts';
import { idempotencyHeader } from '#http/guard/idempotency-header.ts';
import { createdOrFound } from '#http/routes/ingestion.ts';

/** Service orchestration, in the specification's order. Source: specification §4.2. */
export function mountService(router: Router, facade: Facade): void {
  bind(router, facade, service.listWorkflows, tools.listWorkflows);
  bind(router, facade, service.presign, tools.presignUpload);
  bind(router, facade, service.ack, tools.acknowledgeUpload, { prepare: idempotencyHeader, present: createdOrFound });
  bind(router, facade, service.execute, tools.runWorkflow, {
    expensive: true,
    prepare: idempotencyHeader,
    present(response, output, outcome) {
      response.setHeader('location', service.getExecution.path.replace(':id', String(output['id'])));
      if (outcome.replayed === true) response.setHeader('idempotent-replayed', 'true');
    },
  });
  bind(router, facade, service.getExecution, tools.getExecution);
  bind(router, facade, service.listDocuments, tools.listDocuments);
  bind(router, facade, service.getDocument, tools.getDocument);
  bind(router, facade, service.setVisibility, tools.setDocumentVisibility);
}
