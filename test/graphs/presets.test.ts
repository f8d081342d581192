import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invoiceExtraction } from '#graphs/invoice-extraction.workflow.ts';
import { receiptExtraction } from '#graphs/receipt-extraction.workflow.ts';
import { triage } from '#graphs/triage.workflow.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const ask = (method: string, path: string, body?: unknown) =>
  app.call(method, `/api/service/${path}`, { key: app.seed.serviceKey, ...(body === undefined ? {} : { body }) });

/** Runs the preset over a fixture until there is nothing left to do: the run, and the text of its document. */
async function run(preset: CodeWorkflow, file: string, contentType: string): Promise<any> {
  const workflowId = await addWorkflow(app, preset.graph);
  const document = await app.store(await fixture(file), contentType);
  const begun = await ask('POST', 'workflow-executions', { workflowId, documentIds: [document.id] });
  expect(begun, JSON.stringify(begun.body)).toMatchObject({ status: 202 });
  await app.app.idle();
  return detail(begun.body.runs[0].runId);
}

async function detail(runId: string): Promise<any> {
  const { status, body } = await ask('GET', `runs/${runId}`);
  expect(status).toBe(200);
  return body;
}

const pathsOf = ({ steps }: any): string[] => steps.map(({ nodeId }: any) => nodeId);

describe('Receipt extraction', () => {
  test('answers the fields of a receipt, each with the passage it is from, and makes it findable', async () => {
    const done = await run(receiptExtraction, 'receipt.jpg', 'image/jpeg');
    expect(done.error).toBeUndefined();
    expect(done.status).toBe('succeeded');
    expect(new Set(pathsOf(done))).toEqual(new Set(Object.keys(receiptExtraction.graph.nodes)));
    const { fields } = done.outputs;
    expect(fields.total).toMatchObject({ value: { amount: expect.any(Number) }, verified: true });
    expect(fields.date.value).toMatch(/^\d{4}-\d\d-\d\d$/);
    const stored = await app.app.deps.results.ocrById(app.seed.organizationId, fields.ocrResultId);
    const text = stored?.text ?? '';
    for (const name of ['total', 'date']) {
      const { evidence } = fields[name];
      expect(text.slice(evidence.start, evidence.end)).toBe(evidence.text);
    }
    expect(done.outputs.indexed.fields).toContain('ocrText');
  }, 120_000);
});

describe('Invoice extraction', () => {
  test('stores number, date, parties and sums of an invoice as a record, each with its place', async () => {
    const done = await run(invoiceExtraction, 'invoice.pdf', 'application/pdf');
    expect(done.error).toBeUndefined();
    expect(done.status).toBe('succeeded');
    const listed = await ask('GET', `records?recordType=invoice&documentId=${done.documentId}`);
    const [{ cells }] = listed.body.records;
    expect(cells).toMatchObject({
      number: { value: 'INV-2024-00873', page: 0 },
      date: { value: '2024-08-21', page: 0 },
      vendor: { value: 'Juniper Lane Joinery', page: 0 },
      customer: { value: 'Cafe Halcyon', page: 0 },
      total: { value: { amount: 870.72, currency: 'EUR' }, page: 0 },
    });
    const stored = await app.app.deps.results.ocrById(app.seed.organizationId, done.outputs.fields.ocrResultId);
    // The font of the file does not name its ligatures.
    expect(stored?.text).toContain('Cutting and edge \u{FFFD}nishing');
    expect(stored?.text).not.toMatch(/[^\P{Cc}\n]/u);
  }, 120_000);
});

describe('Triage', () => {
  test('reads the total of an invoice without a question, and returns its label', async () => {
    const done = await run(triage, 'invoice.pdf', 'application/pdf');
    expect(done).toMatchObject({ status: 'succeeded', outputs: { label: 'invoice' } });
    expect(pathsOf(done)).toContain('extract_fields');
    expect(pathsOf(done)).not.toContain('ask');
    expect(done.outputs.fields.total.value.amount).toBeGreaterThan(0);
    const events = await ask('GET', `workflow-executions/${done.executionId}/events`);
    expect(events.body).toContain('document.sorted');
  }, 120_000);

  test('a letter is sorted and indexed, and nothing is extracted', async () => {
    const done = await run(triage, 'letter.png', 'image/png');
    expect(done).toMatchObject({ status: 'succeeded', outputs: { label: 'letter' } });
    expect(pathsOf(done)).not.toContain('extract_fields');
    expect(done.outputs.indexed.documentId).toBe(done.documentId);
  }, 120_000);

  test('in doubt it waits for an answer, refuses one that is no label, and goes on with what was answered', async () => {
    const waiting = await run(triage, 'statement.tiff', 'image/tiff');
    expect(waiting.status).toBe('waiting');
    const [question] = waiting.waitingFor;
    expect(question).toMatchObject({ path: 'ask', data: { confidence: expect.any(Number) } });
    expect(question.promptText).toContain('What kind of document is this?');
    const answer = (value: unknown) => ask('POST', `runs/${waiting.runId}/resume`, { path: 'ask', answer: value });
    expect((await answer('poem')).status).toBe(400);
    expect((await answer('invoice')).status).toBe(200);
    await app.app.idle();
    const done = await detail(waiting.runId);
    expect(done).toMatchObject({ status: 'succeeded', outputs: { label: 'invoice' } });
    expect(pathsOf(done)).toContain('extract_fields');
    // Steps before the question are not run again.
    expect(pathsOf(done).filter((path) => path === 'recognize')).toHaveLength(1);
  }, 120_000);
});
