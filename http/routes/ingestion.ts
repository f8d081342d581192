import type { Response, Router } from 'express';
import { ingestion } from '#src/contracts/ingestion.ts';
import type { Outcome } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import { bind, type Facade } from '#http/bind.ts';

export function createdOrFound(response: Response, _output: unknown, outcome: Outcome): void {
  response.status(outcome.created === true ? 201 : 200);
  if (outcome.replayed === true) response.setHeader('idempotent-replayed', 'true');
}

/** Workflow-key ingestion. Source: specification §4.1. */
export function mountIngestion(router: Router, facade: Facade): void {
  bind(router, facade, ingestion.presign, tools.presignUpload);
  bind(router, facade, ingestion.ack, tools.acknowledgeUpload, { present: createdOrFound });
}
