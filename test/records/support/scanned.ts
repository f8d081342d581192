import { expect } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { wide } from '#test/experiments/support/holdout.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { pageOf } from '#test/support/records.ts';
import type { TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

/** A published workflow whose only node extracts by a record type, from text that the execution brings. */
export const extracting = (app: TestApp, config: Record<string, unknown>): Promise<string> =>
  addWorkflow(
    app,
    graphOf({ take: { type: 'extract', config } }, ['START>take', 'take>END'], {
      state: { ocr: {}, fields: {} },
      outputs: { fields: 'fields' },
    }),
  );

/** A document of this width, with its text as recognized. */
export async function read(app: TestApp, width: number, text: string) {
  const documentId = await wide(app, width);
  const { organizationId, projectId } = app.seed;
  const origin = { organizationId, projectId, documentId, runId: newId('run'), nodeId: 'ocr' };
  const page = pageOf(text);
  const { ocrResultId, modelLabel } = await app.app.deps.results.saveOcr(origin, {
    modelLabel: 'test/1 eng',
    text,
    avgConfidence: 90,
    result: { engine: 'test/1', language: 'eng', pages: [page] },
  });
  return { documentId, ocr: { ocrResultId, characters: text.length, avgConfidence: 90, modelLabel } };
}

/** Runs the workflow on the document, and waits for its end or its question. */
export async function run(app: TestApp, workflowId: string, { documentId, ocr }: Awaited<ReturnType<typeof read>>) {
  const key = app.seed.agentKey;
  const { status, body } = await app.call('POST', '/api/service/workflow-executions', {
    key,
    body: { workflowId, documentIds: [documentId], initialState: { ocr } },
  });
  expect(status, JSON.stringify(body)).toBe(202);
  await app.app.idle();
  return (await app.call('GET', `/api/service/runs/${body.runs[0].runId}`, { key })).body;
}
