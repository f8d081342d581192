import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sortMail } from '#examples/sort-mail.workflow.ts';
import { graphs } from '#scripts/graphs.ts';
import { runCommand } from '#test/support/command.ts';
import { browserTest, LazyBrowser } from '#test/support/servers/browser.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { runExample, startExample } from './run-example.ts';

const receipt = 'test/fixtures/receipt.jpg';
let app: TestApp;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  app = await startTestApp();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await folder.remove();
});

/** Asks for an execution again until it ends. */
async function finished(id: string): Promise<{ status: string; runs: { runId: string }[] }> {
  for (;;) {
    const { body } = await app.call('GET', `/api/service/workflow-executions/${id}?wait=20`, {
      key: app.seed.serviceKey,
    });
    if (body.finishedAt !== null) return body;
  }
}

test('upload-with-curl uploads a scan and prints its document', async () => {
  const { workflowKey: WORKFLOW_KEY } = app.seed;
  const out = await runExample('upload-with-curl.sh', [receipt], { WORKFLOW_KEY, BASE_URL: app.addresses.api });
  expect(JSON.parse(out)).toMatchObject({
    document: { contentType: 'image/jpeg', id: expect.stringMatching(/^doc_/) },
  });
});

test('upload-with-curl prints the problem and fails when the key is wrong', async () => {
  const WORKFLOW_KEY = app.seed.serviceKey;
  const run = runExample('upload-with-curl.sh', [receipt], { WORKFLOW_KEY, BASE_URL: app.addresses.api });
  await expect(run).rejects.toThrow('auth.forbidden');
});

test('upload-with-node uploads a scan, waits for its workflow and prints the result', async () => {
  const { serviceKey: SERVICE_KEY } = app.seed;
  const out = await runExample('upload-with-node.ts', [receipt], { SERVICE_KEY, BASE_URL: app.addresses.api });
  expect(out).toMatch(
    /^Uploaded doc_\w+\nDocument intake: succeeded\n\d+ characters recognized, [\d.]+ % confidence\n\S/,
  );
});

test.each(['gif', 'webp', 'avif', 'tiff'] as const)('upload-with-node reads the text of a .%s file', async (format) => {
  const path = join(folder.path, `scan.${format}`);
  await writeFile(path, await sharp(readFileSync('test/fixtures/note.gif')).toFormat(format).toBuffer());
  const { serviceKey: SERVICE_KEY } = app.seed;
  const out = await runExample('upload-with-node.ts', [path], { SERVICE_KEY, BASE_URL: app.addresses.api });
  const id = /^Uploaded (doc_\w+)\n/.exec(out)?.[1];
  const { body } = await app.call('GET', `/api/service/documents/${id}`, { key: SERVICE_KEY });
  expect(body).toMatchObject({ contentType: `image/${format}` });
  expect(out).toMatch(/atlas/i);
});

test('upload-with-node refuses a file of another type in one line', async () => {
  const { serviceKey: SERVICE_KEY } = app.seed;
  const run = runExample('upload-with-node.ts', ['README.md'], { SERVICE_KEY, BASE_URL: app.addresses.api });
  await expect(run).rejects.toThrow(
    /: README\.md: expected \.jpg, \.jpeg, \.png, \.webp, \.avif, \.gif, \.tif, \.tiff or \.pdf\n$/,
  );
});

test.each([
  ['upload-with-curl.sh', 'WORKFLOW_KEY'],
  ['upload-with-node.ts', 'SERVICE_KEY'],
  ['agent-over-mcp.ts', 'AGENT_KEY'],
  ['chat-page/server.ts', 'EMAIL'],
  ['folder-to-csv.ts', 'SERVICE_KEY'],
  ['folder-to-csv.sh', 'SERVICE_KEY'],
])('%s names the missing %s and where to get it, in one line', async (file, name) => {
  const run = runExample(file, [receipt], {});
  await expect(run).rejects.toThrow(
    new RegExp(`ended with \\d+: [^\\n]*${name}[^\\n]*npm run -s seed -- --env[^\\n]*\\n$`),
  );
});

test('upload-with-curl without a file prints how to call it', async () => {
  await expect(runExample('upload-with-curl.sh', [], { WORKFLOW_KEY: 'x' })).rejects.toThrow(/: usage: [^\n]+\n$/);
});

test('agent-over-mcp lists the tools, finds the scan and reads its text', async () => {
  const { agentKey: AGENT_KEY } = app.seed;
  const out = await runExample('agent-over-mcp.ts', ['receipt'], { AGENT_KEY, MCP_URL: app.addresses.mcp });
  expect(out).toMatch(/^\d+ tools: .*search_documents/);
  expect(out).toMatch(/Found [1-9]\d* for "receipt"\ndoc_/);
  expect(out).toContain('004-118273');
});

test('sort-mail is a workflow without findings that is imported, published and run', async () => {
  const file = 'examples/sort-mail.workflow.ts';
  const checked = await runCommand(graphs, ['check', file]);
  expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/^ok {6}\S+ {2}5 nodes, 6 edges\n$/) });
  const imported = await runCommand(graphs, ['import', file, '--json'], { env: { DATA_DIR: app.dataDir } });
  const { workflowId, revision, valid } = JSON.parse(imported.out);
  expect(valid).toBe(true);
  const { agentKey, serviceKey } = app.seed;
  const published = await app.call('POST', `/api/dashboard/workflows/${workflowId}/publish`, {
    key: agentKey,
    body: { baseVersion: revision },
  });
  expect(published.body).toMatchObject({ version: 1, graphHash: sortMail.graphHash });
  const document = await app.store(readFileSync(receipt), 'image/jpeg');
  const started = await app.call('POST', '/api/service/workflow-executions', {
    key: serviceKey,
    body: { workflowId, documentIds: [document.id] },
  });
  const { status, runs } = await finished(started.body.id);
  expect(status).toBe('succeeded');
  const run = await app.call('GET', `/api/service/runs/${runs[0]?.runId}`, { key: serviceKey });
  expect(run.body.outputs).toMatchObject({ classification: { label: 'bill' }, fields: { total: { value: {} } } });
});

browserTest('chat-page answers a question in a real browser, with its sources', async () => {
  const { operatorEmail: EMAIL, operatorPassword: PASSWORD } = app.seed;
  const server = startExample('chat-page/server.ts', [], { EMAIL, PASSWORD, PORT: '0', BASE_URL: app.addresses.api });
  await using browser = new LazyBrowser();
  try {
    const { value: line } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
    const page = await browser.newPage();
    await page.goto(/http:\S+/.exec(String(line))?.[0] ?? '');
    await page.getByLabel('Question').fill('What is the receipt number?');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('004-118273').waitFor();
    expect(await page.getByRole('listitem').count()).toBeGreaterThan(0);
  } finally {
    server.kill();
  }
});
