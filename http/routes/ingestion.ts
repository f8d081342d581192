import type { Response } from 'express';
import { ingestion } from '#src/contracts/ingestion.ts';
import type { Outcome } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';

export function createdOrFound(response: Response, _output: unknown, outcome: Outcome): void {
  response.status(outcome.created === true ? 201 : 200);
  if (outcome.replayed === true) response.setHeader('idempotent-replayed', 'true');
}

/** Workflow-key ingestion. Source: specification §4.1. */
export function mountIngestion(bind: Bind): void {
  bind(ingestion.presign, tools.presignUpload);
  bind(ingestion.ack, tools.acknowledgeUpload, { present: createdOrFound });
}
