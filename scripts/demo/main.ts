import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { publishAddresses, type Addresses } from '#app/compose/addresses.ts';

import { compose, type App } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { SearchResult } from '#src/contracts/resources/card.ts';
import { RecordPage } from '#src/contracts/records/record.ts';
import { Document, ReadTextResult } from '#src/contracts/resources/document.ts';
import { Execution } from '#src/contracts/resources/execution.ts';
import { version } from '#src/config/version.ts';
import { seed, type Seed } from '#app/compose/seed.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { createUploader, waitForExecution } from '#scripts/demo/http-client.ts';
import { Progress } from '#scripts/demo/progress.ts';
import { print, rule, showDashboard, showDocument, showHowTo, showRecords, showSearch } from '#scripts/demo/show.ts';

const fixtures = new URL('../../test/fixtures/', import.meta.url);
const Samples = z.array(z.object({ file: z.string(), contentType: z.string() }));
const queries = ['receipt number 004-118273', '"Tannery Road"', 'invoice total', 'passenger timetabel'];

async function samples(): Promise<z.output<typeof Samples>> {
  return Samples.parse(JSON.parse(await readFile(new URL('ground-truth.json', fixtures), 'utf8')));
}

type CallTool = <Result>(name: string, input: Record<string, unknown>, result: z.ZodType<Result>) => Promise<Result>;

async function connectMcp(url: string, key: string): Promise<{ client: Client; tool: CallTool }> {
  const client = new Client({ name: 'inkgraph-demo', version });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    client,
    async tool(name, input, schema) {
      const result = await client.callTool({ name, arguments: input });
      if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
      return schema.parse(result.structuredContent);
    },
  };
}

/** The first signal ends the demo, which removes its folder; the second ends the process. */
function untilInterrupted(): Promise<'interrupted'> {
  const { promise, resolve } = Promise.withResolvers<'interrupted'>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve('interrupted'));
  return promise;
}

const prefix = 'inkgraph-demo-';

/** Removes folders of demos that were killed. Their names have the process that made them. */
async function removeLeft(): Promise<void> {
  const isLeft = (name: string): boolean => {
    const pid = Number(/^inkgraph-demo-(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid === 0) return false;
    try {
      return !process.kill(pid, 0);
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ESRCH';
    }
  };
  for (const name of (await readdir(tmpdir())).filter((one) => isLeft(one)))
    await rm(join(tmpdir(), name), { recursive: true, force: true });
}

/** Uploads every sample as any client would, and waits for its run: document ids by file name. */
async function ingestAll(
  baseUrl: string,
  keys: { workflowKey: string; serviceKey: string },
): Promise<Map<string, string>> {
  const list = await samples();
  const uploader = createUploader(baseUrl, keys.workflowKey);
  const progress = new Progress(list.length);
  const ids = new Map<string, string>();
  await Promise.all(
    list.map(async ({ file, contentType }) => {
      const id = await uploader.upload(await readFile(new URL(file, fixtures)), contentType, file);
      ids.set(file, id);
      const { status, runs } = await waitForExecution(baseUrl, keys.serviceKey, id);
      if (status !== 'succeeded') throw new Error(`${file}: ${JSON.stringify(runs)}`);
      progress.step(file);
    }),
  );
  return new Map(list.map(({ file }) => [file, ids.get(file) ?? '']));
}

/** Samples that have totals, and some that "Triage" asks a person about. */
const further = {
  wf_receipt_extraction: ['receipt.jpg', 'receipt-faded.jpg'],
  wf_invoice_extraction: ['invoice.pdf'],
  wf_triage: ['letter.png', 'form.png', 'note.gif', 'photo-rotated.jpg'],
};

/** Makes records and open questions of some samples: what the tables and the inbox of the dashboard show. */
async function runFurther(tool: CallTool, ids: ReadonlyMap<string, string>): Promise<z.output<typeof RecordPage>> {
  await Promise.all(
    Object.entries(further).map(async ([workflowId, files]) => {
      const documentIds = files.flatMap((file) => ids.get(file) ?? []);
      const waitSeconds = 25;
      let { id: executionId, counts } = await tool('run_workflow', { workflowId, documentIds, waitSeconds }, Execution);
      while (counts.queued + counts.running > 0)
        ({ id: executionId, counts } = await tool('get_run', { executionId, waitSeconds }, Execution));
    }),
  );
  return tool('query_records', { recordType: 'receipt', sort: '-total' }, RecordPage);
}

const usage = helpText({
  usage: 'npm run demo [-- --exit]',
  does: 'Starts all services on a fresh folder, processes sample documents over the public HTTP and MCP interfaces, and goes on until Ctrl-C.',
  options: [['--exit', 'stops at the end of the samples; default: Ctrl-C']],
  examples: ['npm run demo'],
});

async function present(app: App, addresses: Addresses, seeded: Seed): Promise<void> {
  // Its build takes seconds, beside the samples.
  const pages = app.preparePages();
  print('Uploading sample documents and running "Document intake" on each');
  const ids = await ingestAll(addresses.api, seeded);
  const { client, tool } = await connectMcp(`${addresses.mcp}/mcp`, seeded.serviceKey);
  const fileOf = new Map([...ids].map(([file, id]) => [id, file]));
  for (const [file, id] of ids) {
    const [document, text] = await Promise.all([
      tool('get_document', { id }, Document),
      tool('read_document_text', { documentId: id, limit: 600 }, ReadTextResult),
    ]);
    showDocument(file, document, text.documentText);
  }
  rule('Records');
  showRecords(await runFurther(tool, ids), fileOf);
  rule('Search');
  for (const query of queries) {
    const { documents } = await tool('search_documents', { query, limit: 3 }, SearchResult);
    showSearch(query, documents, fileOf);
  }
  await client.close();
  showHowTo(addresses, seeded);
  if (await pages) showDashboard(addresses, seeded);
}

/** `npm run demo`. */
export const demo = withHelp(usage, async ({ args, env }) => {
  const { values } = parseArgs({ args: [...args], options: { exit: { type: 'boolean', default: false } } });
  const interrupted = untilInterrupted();
  await removeLeft();
  const dataDir = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  try {
    const config = loadConfig({ LOG_LEVEL: 'error', ...env, SERVICES: '', DATA_DIR: dataDir });
    print(`Inkgraph ${version}: starting all services on a fresh data folder`);
    await using app = await compose(config);
    const addresses = await app.start();
    await using _published = await publishAddresses(dataDir, addresses);
    const seeded = await seed(app, config);
    print(
      `  API ${addresses.api}   agents ${addresses.agents}   MCP ${addresses.mcp}/mcp   objects ${addresses.objects}\n`,
    );
    const end = await Promise.race([present(app, addresses, seeded), interrupted]);
    if (end === 'interrupted' || values.exit) return;
    print(`\nRunning until Ctrl-C. Data folder: ${dataDir}`);
    await interrupted;
    print('\nStopping.');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

if (import.meta.main) await orExplain(demo);
