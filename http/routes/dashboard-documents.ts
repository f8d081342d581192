import type { Response } from 'express';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import type { Outcome } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';
import { createdOrFound } from '#http/routes/ingestion.ts';

/** Documents as operators work with them, in the order of the rows. Source: specification §4.3. */
export function mountDashboardDocuments(bind: Bind): void {
  const rows = dashboardDocuments;
  bind(rows.presign, tools.presignUpload);
  bind(rows.ack, tools.acknowledgeUpload, { present: createdOrFound });
  bind(rows.run, tools.queueWorkflow, { rename: { id: 'documentId' } });
  bind(rows.list, tools.listDocumentCards, { present: degradedSearch });
  bind(rows.ocr, tools.listOcrResults);
  bind(rows.segmentations, tools.listSegmentations);
  bind(rows.runMany, tools.queueWorkflowOnMany);
  bind(rows.visibility, tools.setDocumentVisibility);
  bind(rows.get, tools.readDocument);
  bind(rows.runs, tools.listDocumentRuns);
  bind(rows.remove, tools.deleteDocument);
}

/** Which ways of searching had no part in the answer. Source: contracts.md "Search". */
function degradedSearch(response: Response, _output: unknown, { degraded = [] }: Outcome): void {
  if (degraded.length > 0) response.setHeader('x-search-degraded', degraded.join(', '));
}
