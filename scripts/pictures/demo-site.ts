import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { chromium, type Browser, type Page } from 'playwright-core';
import { z } from 'zod';
import { compose } from '#app/compose.ts';
import { seed } from '#app/compose/seed.ts';
import { loadConfig } from '#src/config/config.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { createUploader, waitForExecution } from '#scripts/demo/http-client.ts';

const fixtures = new URL('../../test/fixtures/', import.meta.url);
const Samples = z.array(z.object({ file: z.string(), contentType: z.string() }));

const Workflows = z.object({ workflows: z.array(z.object({ workflowId: z.string(), name: z.string() })) });
const Made = z.object({ id: z.string() });
const Counts = z.object({ counts: z.object({ queued: z.int(), running: z.int() }) });

export interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

/** The product on free ports with the samples in it, and a browser in which the operator is signed in. */
export interface DemoSite extends AsyncDisposable {
  readonly api: string;
  readonly documentIds: readonly string[];
  newPage(look: Look): Promise<Page>;
}

/** Makes records of all samples, and has some triaged, which asks a person about a few of them. */
async function runAlso(api: string, key: string, documentIds: readonly string[]): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const listed = await fetch(`${api}/api/service/workflows`, { headers });
  const { workflows } = Workflows.parse(await listed.json());
  for (const name of ['Receipt extraction', 'Triage']) {
    const workflowId = workflows.find((one) => one.name === name)?.workflowId;
    if (workflowId === undefined) continue;
    const body = JSON.stringify({ workflowId, documentIds });
    const made = await fetch(`${api}/api/service/workflow-executions`, { method: 'POST', headers, body });
    const { id } = Made.parse(await made.json());
    // Until every run has ended or asks a question.
    for (let left = true; left;) {
      const answer = await fetch(`${api}/api/service/workflow-executions/${id}?wait=30`, { headers });
      const { counts } = Counts.parse(await answer.json());
      left = counts.queued + counts.running > 0;
    }
  }
}

/** Uploads the samples of the demo and waits for their runs. */
async function fill(api: string, keys: { workflowKey: string; serviceKey: string }): Promise<string[]> {
  const samples = Samples.parse(JSON.parse(await readFile(new URL('ground-truth.json', fixtures), 'utf8')));
  const uploader = createUploader(api, keys.workflowKey);
  const ids: string[] = [];
  for (const { file, contentType } of samples) {
    const id = await uploader.upload(await readFile(new URL(file, fixtures)), contentType, file);
    await waitForExecution(api, keys.serviceKey, id);
    ids.push(id);
  }
  await runAlso(api, keys.serviceKey, ids);
  return ids;
}

/** Opens the site over `dataDir`; a folder that has the samples already is used as it is. */
export async function openDemoSite(dataDir: string): Promise<DemoSite> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new UsageError(`No browser at ${executablePath}. Install Chromium, or set CHROMIUM to its path.`);
  await using opening = new AsyncDisposableStack();
  const ports = { API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
  const config = loadConfig({ ...ports, RATE_LIMITS: 'off', LOG_LEVEL: 'error', DATA_DIR: dataDir });
  const app = opening.use(await compose(config));
  const { api } = await app.start();
  const made = await seed(app, config);
  if (!(await app.preparePages())) throw new UsageError('The dashboard could not be built.');
  const listed = async (): Promise<string[]> => {
    const response = await fetch(`${api}/api/service/documents?limit=100`, {
      headers: { 'x-api-key': made.serviceKey },
    });
    return ((await response.json()) as { documents: { id: string }[] }).documents.map(({ id }) => id);
  };
  if ((await listed()).length === 0) await fill(api, made);
  const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  opening.defer(() => browser.close());
  const signedIn = await browser.newContext();
  const first = await signedIn.newPage();
  await first.goto(`${api}/sign-in`);
  await first.getByLabel('E-mail address').fill(made.operatorEmail);
  await first.getByLabel('Password').fill(made.operatorPassword);
  await first.getByRole('button', { name: 'Sign in', exact: true }).click();
  await first.waitForURL((url) => url.pathname !== '/sign-in');
  const storageState = await signedIn.storageState();
  const documentIds = await listed();
  const stack = opening.move();
  return {
    api,
    documentIds,
    newPage: ({ theme, width, height }) =>
      browser.newPage({ storageState, viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
