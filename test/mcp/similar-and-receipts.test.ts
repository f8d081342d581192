import sharp from 'sharp';
import { expect } from 'vitest';
import { modernClient } from '#test/mcp/listener.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addTheirThings } from '#test/support/neighbour.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { verify } from '#scripts/graphs/commands.ts';
import { productCode } from '#graphs/code/code.ts';
import { storeOf } from '#scripts/graphs/store.ts';
import { afterAll, beforeAll } from 'vitest';

let app: TestApp;
let receipt: string;
let copy: string;
let letter: string;
beforeAll(async () => {
  app = await startTestApp();
  const bytes = await fixture('receipt.jpg');
  receipt = (await app.ingest(bytes, 'image/jpeg')).id;
  // Another scan of the same paper: darker, and compressed again.
  const again = await sharp(bytes).modulate({ brightness: 0.95 }).jpeg({ quality: 60 }).toBuffer();
  copy = (await app.ingest(again, 'image/jpeg')).id;
  letter = (await app.ingest(await fixture('letter.png'), 'image/png')).id;
  await app.app.idle();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

verifies('document.similar', async () => {
  const key = app.seed.serviceKey;
  const { status, body } = await app.call('GET', `/api/service/documents/${receipt}/similar?by=picture&limit=5`, {
    key,
  });
  expect(status).toBe(200);
  expect(body.compared).toEqual(['picture']);
  expect(body.documents.map(({ id }: { id: string }) => id)).toEqual([copy, letter]);
  expect(body.documents[0]).toMatchObject({ isNearDuplicate: true, textSimilarity: null });
  expect(body.documents[0].similarity).toBeGreaterThan(body.documents[1].similarity);
  expect(body.documents[1].isNearDuplicate).toBe(false);

  const cookie = await app.signIn();
  const path = `/api/dashboard/documents/${receipt}/similar?organizationId=${app.seed.organizationId}`;
  const both = await app.call('GET', path, { cookie });
  expect(both.body.compared).toEqual(['picture', 'text']);
  expect(both.body.documents[0]).toMatchObject({ id: copy, isNearDuplicate: true });

  const agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  const told: any = await agent.callTool({
    name: 'find_similar_documents',
    arguments: { documentId: receipt, by: 'text' },
  });
  expect(told.structuredContent.compared).toEqual(['text']);
  expect(told.structuredContent.documents[0].id).toBe(copy);
  await agent.close();

  // Others see nothing of it, and a document without vectors says what to do.
  const their = await addTheirThings(app, 'organization');
  expect((await app.call('GET', `/api/service/documents/${their.ids.document}/similar`, { key })).status).toBe(404);
  const unread = await app.store(await fixture('form.png'), 'image/png');
  const early = await app.call('GET', `/api/service/documents/${unread.id}/similar`, { key });
  expect([early.status, early.body.detail]).toEqual([409, expect.stringContaining('Run a workflow')]);
});

verifies('run.receipt.verify', async () => {
  const key = app.seed.serviceKey;
  const { deps } = app.app;
  const cookie = await app.signIn();
  const listed = await app.call(
    'GET',
    `/api/dashboard/runs?organizationId=${app.seed.organizationId}&documentId=${receipt}`,
    { cookie },
  );
  const { runId } = listed.body.runs[0];
  const path = `/api/service/runs/${runId}/receipt/verify`;
  const fine = await app.call('GET', path, { key });
  expect(fine.body).toMatchObject({ runId, valid: true, differences: [], unchecked: [] });
  expect(fine.body.steps).toBeGreaterThan(2);

  const { organizationId, projectId } = app.seed;
  const said: string[] = [];
  const request = {
    terminal: { out: (text: string) => void said.push(text) },
    refs: [runId],
    code: productCode,
    format: undefined,
    out: undefined,
    json: false,
  };
  const store = storeOf(app.app, { organizationId, projectId });
  expect(await verify(request, store)).toBeUndefined();
  expect(said.join('')).toContain(`ok      ${runId}`);

  // One stored value is changed behind the back of the service.
  const run = await deps.executions.findRun({ organizationId, projectIds: [projectId] }, runId);
  const steps = await deps.steps.listOf(run as never);
  const [first] = steps;
  const tampered = {
    ...deps.steps,
    listOf: async () => steps.map((step) => (step === first ? { ...step, outputDigest: 'f'.repeat(64) } : step)),
  };
  const check = await callTool(
    tools.verifyReceipt,
    { ...store.runs, deps: { ...store.runs.deps, steps: tampered } },
    { id: runId },
  );
  expect(check.valid).toBe(false);
  expect(check.differences.map(({ at }) => at)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^steps\.\d+\.outputDigest$/), 'hash']),
  );

  const agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  const told: any = await agent.callTool({
    name: 'get_run',
    arguments: { runId, include: ['receiptCheck'], detail: 'summary' },
  });
  expect(told.structuredContent.run.receiptCheck).toMatchObject({ valid: true });
  await agent.close();
  const dashboard = `/api/dashboard/runs/${runId}/receipt/verify?organizationId=${organizationId}`;
  expect((await app.call('GET', dashboard, { cookie })).body).toEqual(fine.body);
});
