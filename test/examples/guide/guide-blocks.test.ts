import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { createClient } from 'inkgraph/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { publishAddresses } from '#app/compose/addresses.ts';
import { defineNode } from '#graphs/define.ts';
import * as facts from '#graphs/nodes/facts.ts';
import { evaluate } from '#scripts/eval/main.ts';
import { graphs } from '#scripts/graphs.ts';
import { mcp } from '#scripts/mcp.ts';
import { loadConfig } from '#src/config/config.ts';
import { callNode } from '#test/graphs/support/call-node.ts';
import { entriesOf } from '#test/spec/support/zip-entries.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { allBlocks, blocksOf, guidesFolder, plan } from './plan.ts';
import { runBlocks, runLines } from './run-blocks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const receipt = readFileSync('test/fixtures/receipt.jpg');
const seedBlock = 'eval "$(npm run -s seed -- --env)"';
let app: TestApp;
let published: AsyncDisposable;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guide-'));
  app = await startTestApp();
  published = await publishAddresses(app.dataDir, app.addresses);
});
afterAll(async () => {
  await published[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Files that commands write go to a folder of their own. */
const elsewhere = (block: string): string =>
  block
    .replaceAll(/ (-o|--out) (\w+\.\w+)/g, ` $1 ${folder}/$2`)
    .replaceAll(/ triage\.json/g, ` ${folder}/triage.json`);

/** Runs the code of a block as the body of a function, with its imports as parameters; resolves to the last constant that it names. */
async function evaluated(block: string, scope: Readonly<Record<string, unknown>>, result: string): Promise<unknown> {
  const code = block.replaceAll(/^import .*\n/gm, '').replaceAll(/^export /gm, '');
  const AsyncFunction = (async () => undefined).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<unknown>;
  return new AsyncFunction(...Object.keys(scope), `${code}\nreturn ${result};`)(...Object.values(scope));
}

/** Cookies of the operator, as `curl -b` takes them. */
const signedIn = async (): Promise<string> => app.signIn();

test('every block of every guide is tried, or has a reason', () => {
  const guides = readdirSync(guidesFolder).filter((name) => name.endsWith('.md'));
  const counts = Object.fromEntries(guides.map((guide) => [guide, allBlocks(guide).length]));
  expect(Object.fromEntries(Object.entries(plan).map(([guide, ways]) => [guide, ways.length]))).toEqual(counts);
});

test('the commands of the first scan run as they are written: upload, wait, sign in, search and ask', async () => {
  const out = await runBlocks(blocksOf('first-scan.md', 'shell').map(elsewhere), app.dataDir);
  expect(out).not.toContain('urn:inkgraph:');
  expect(out).toMatch(/Document intake: succeeded/);
  expect(out).toContain('"matchedBy"');
  expect(out).toContain('"words"');
  expect(out).toContain('[DONE]');
});

test('the commands of the first workflow publish an imported workflow and run it', async () => {
  const lines = blocksOf('first-workflow.md', 'program').map(elsewhere);
  const drawn = await runLines(lines.join(''), { graphs }, { env: { DATA_DIR: app.dataDir } });
  expect(drawn).toContain('graph');
  expect(readFileSync(join(folder, 'triage.svg'), 'utf8')).toMatch(/^<svg/);
  await app.store(receipt, 'image/jpeg');
  const out = await runBlocks(blocksOf('first-workflow.md', 'shell'), app.dataDir);
  expect(out).not.toContain('urn:inkgraph:');
  expect(out).toContain('"version":1');
  expect(out).toContain('"status":"queued"');
});

test('the commands of the results read, name, export and delete a document, and follow an upload', async () => {
  const out = await runBlocks([seedBlock, ...blocksOf('results.md', 'shell').map(elsewhere)], app.dataDir);
  expect(out).not.toContain('urn:inkgraph:');
  expect(out).toContain('Receipt extraction: succeeded');
  expect(out).toContain('"title":"Groceries, May"');
  expect(out).toContain('groceries.jpg,"Groceries, May"');
  expect(out).toContain('"deleted":true');
  expect(out).toMatch(/"status":"succeeded","execution":/);
  const [page, found, original, zip] = await Promise.all(
    ['page.json', 'found.json', 'original.jpg', 'documents.zip'].map((name) => readFile(join(folder, name))),
  );
  expect(JSON.parse(String(page)).page.lines[0].words[0].box).toHaveLength(4);
  expect(JSON.parse(String(found)).documents[0].highlights).not.toEqual([]);
  expect(original).toEqual(receipt);
  expect([...entriesOf(zip ?? Buffer.alloc(0)).keys()].map((path) => path.slice(path.indexOf('/') + 1))).toEqual([
    'metadata.json',
    'text.md',
    'original/groceries.jpg',
  ]);
});

test('the commands of the client push a folder, search, ask and export', async () => {
  const blocks = blocksOf('client.md', 'shell').map((block) => block.replaceAll(/(scans|\w+\.csv)\b/g, `${folder}/$1`));
  const out = await runBlocks([seedBlock, ...blocks], app.dataDir);
  // The workflow may have run over these bytes before: then no run begins.
  expect(out).toMatch(
    /^1 uploaded, 0 there already, 0 failed, 1 run succeeded\.$|^0 uploaded, 1 there already, 0 failed(, 1 run succeeded)?\.$/m,
  );
  expect(out).toContain('004-118273');
  const tables = await Promise.all(['fields.csv', 'receipts.csv'].map((name) => readFile(join(folder, name), 'utf8')));
  expect(tables).toEqual([expect.stringMatching(/,total,29\.41,/), expect.stringContaining('29.41')]);
});

test('the code of the client uploads, runs a workflow and waits', async () => {
  const [block = ''] = blocksOf('client.md', 'ts');
  const env = { BASE_URL: app.addresses.api, SERVICE_KEY: app.seed.serviceKey };
  const scope = { createClient, process: { env }, file: new Blob([new Uint8Array(receipt)], { type: 'image/jpeg' }) };
  expect(await evaluated(block, scope, 'status')).toBe('succeeded');
});

test('the commands of the records ask for fields, correct one and add a record type', async () => {
  const [use = ''] = blocksOf('records.md', 'json');
  expect(JSON.parse(use)).toEqual({ type: 'extract', config: { recordType: 'receipt' } });
  const out = await runBlocks([seedBlock, ...blocksOf('records.md', 'shell')], app.dataDir);
  expect(out).not.toContain('urn:inkgraph:');
  expect(out).toContain('Receipt extraction: succeeded');
  expect(out).toMatch(/"groups":\[\{/);
  expect(out).toContain('"name":"delivery-note"');
});

test('the commands of the first agent list, search and read over MCP, and its settings name files that are there', async () => {
  const [settings = ''] = blocksOf('first-agent.md', 'json');
  const { mcpServers } = JSON.parse(settings.replaceAll('"/…/', `"${root}`)) as {
    mcpServers: { inkgraph: { command: string; args: string[] } };
  };
  const { command, args } = mcpServers.inkgraph;
  expect([command, ...args].filter((file) => !existsSync(file))).toEqual([]);
  const env = { DATA_DIR: app.dataDir, MCP_KEY: app.seed.agentKey };
  const [lines = ''] = blocksOf('first-agent.md', 'program');
  const said = await runLines(lines, { mcp }, { env, more: ['--url', `${app.addresses.mcp}/mcp`] });
  expect(said).toMatch(/^search_documents {2}/m);
  expect(said).toContain('inkgraph://node-types');
  const out = await runBlocks(blocksOf('first-agent.md', 'shell'), app.dataDir);
  expect(out).toContain('PEPPERCORN');
});

test('the evals list their jobs', async () => {
  const [lines = ''] = blocksOf('build-an-agent.md', 'first line');
  const [first = ''] = lines.split('\n');
  expect(await runLines(first, { eval: evaluate }, { env: {} })).toMatch(/^diagnose-and-mend$/m);
});

test('the node of the first node runs as its test says', async () => {
  const [node = '', call = ''] = blocksOf('first-node.md', 'ts');
  const wordCount = await evaluated(node, { z, defineNode, ...facts }, 'wordCount');
  expect(await evaluated(call, { callNode, wordCount, expect }, 'update')).toEqual({ words: 0 });
});

test('the commands for members invite, change one project, show what a removal ends, and remove', async () => {
  const { organizationId, projectId } = app.seed;
  const person = await app.addPerson('viewer');
  const { body } = await app.call('GET', '/api/dashboard/members', { cookie: await signedIn() });
  const { memberId } = body.members.find((one: { userId: string }) => one.userId === person.userId);
  const keys = await Promise.all(
    ['one', 'two'].map((name) =>
      issueKey(app.app.deps, { organizationId, projectId, createdBy: person.userId, kind: 'service', name }),
    ),
  );
  const ids = keys.map(({ record }) => record._id);
  const filled = [...blocksOf('accounts.md', 'shell'), ...blocksOf('members-and-roles.md', 'shell')].map((block) =>
    block
      .replaceAll(/mbr_(\.\.\.|…)/g, memberId)
      .replaceAll('prj_…', projectId)
      .replaceAll('key_…,key_…', ids.join(','))
      .replaceAll('"password":"…"', `"password":"${app.seed.operatorPassword}"`),
  );
  const [invite = '', change = '', leave = '', again = ''] = filled;
  const cookies = [`COOKIES='${await signedIn()}'; API=$BASE_URL/api/dashboard`];
  const out = await runBlocks([seedBlock, ...cookies, again, invite, change, leave], app.dataDir);
  expect(out).not.toContain('urn:inkgraph:');
  expect(out).toContain('ann@example.com');
  expect(out).toContain('"role":"editor"');
});

test('the copy of a backup has the database and the objects', async () => {
  const [block = ''] = blocksOf('going-to-production.md', 'shell');
  const here = block.replaceAll('./backups/', `${folder}/backups/`).replaceAll(' data/', ` ${app.dataDir}/`);
  expect(await runBlocks([here], app.dataDir)).toMatch(/\d+ documents, \d+ bytes, checked/);
  expect(readdirSync(join(folder, 'backups'))).toEqual([
    expect.stringMatching(/^inkgraph-.*\.sqlite$/),
    'objects',
    'objects.secret',
  ]);
});

test('the settings of the guides are settings', () => {
  for (const guide of ['accounts.md', 'going-to-production.md', 'operations.md'] as const) {
    const blocks = blocksOf(guide, 'settings');
    expect(blocks, guide).toHaveLength(1);
    const secret = Buffer.alloc(32, 1).toString('base64');
    const variables = parseEnv(blocks.join('').replace('SECRET=...', `SECRET=${secret}`));
    expect(loadConfig(variables).warnings, guide).toEqual([]);
  }
});

test('the gate of an experiment is JSON with an id to fill in', () => {
  const [block = ''] = blocksOf('experiments.md', 'json');
  expect(JSON.parse(block)).toMatchObject({ gate: { datasetId: 'ds_...', maxRegression: 0.02 } });
});
