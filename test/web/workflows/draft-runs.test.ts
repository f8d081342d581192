import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { browserTest } from '#test/support/servers/browser.ts';
import { tinyPng, type TestApp } from '#test/support/test-app.ts';
import { expectAccessible, startSite, visit, type OwnSite, type Site, type Tab } from '#test/web/site.ts';

let own: OwnSite;
let app: TestApp;
let site: Site;
let cookie: string;
let documentId: string;
let askingId: string;

beforeAll(async () => {
  own = await startSite();
  ({ app, site, cookie } = own);
  documentId = (await app.store(Buffer.concat([tinyPng, Buffer.from('draft')]), 'image/png')).id;
  askingId = await draftOf('Asking', 'ask');
}, 120_000);
afterAll(() => own[Symbol.asyncDispose]());

/** A workflow that was never published. */
async function draftOf(name: string, first: 'ask' | 'load'): Promise<string> {
  const way = first === 'ask' ? ['load', 'ask', 'say'] : ['load', 'say'];
  const graph: StoredGraphInput = {
    schemaVersion: 1,
    name,
    state: { document: {}, answer: {}, note: {} },
    nodes: {
      load: { type: 'load_image' },
      ...(first === 'ask' && { ask: { type: 'review', config: { prompt: 'Is it green?', answer: ['yes', 'no'] } } }),
      say: { type: 'transform', config: { set: { note: first === 'ask' ? '"it is " + answer' : '"all done"' } } },
    },
    edges: ['START', ...way, 'END'].flatMap((to, at, all) => (at === 0 ? [] : [{ from: all[at - 1] ?? '', to }])),
    outputs: { note: 'note' },
  };
  const { status, body } = await app.call('POST', '/api/dashboard/workflows', { cookie, body: { graph } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.workflowId;
}

/** The test panel of a workflow, with its document chosen. */
async function panel(workflowId: string): Promise<Tab> {
  const tab = await site.open(cookie);
  await visit(tab, `${site.api}/workflows/${workflowId}?tab=test&document=${documentId}`);
  return tab;
}

const isStream = (url: string): boolean => /\/executions\/[^/]+\/events/.test(url);

const result = ({ page }: Tab) => page.getByRole('region', { name: 'Result' });

async function runDraft({ page }: Tab): Promise<string> {
  await page.getByRole('button', { name: 'Run the draft (revision 1)' }).click();
  await page.waitForURL(/run=run_/);
  return new URL(page.url()).searchParams.get('run') ?? '';
}

/** A run of the asking draft that waits. */
async function waitingRun(): Promise<string> {
  const body = { workflowId: askingId, version: 'draft' };
  const { body: queued } = await app.call('POST', `/api/dashboard/documents/${documentId}/run`, { cookie, body });
  await app.app.idle();
  return queued.runId;
}

async function answer(runId: string): Promise<void> {
  const body = { path: 'ask', answer: 'yes' };
  const { status } = await app.call('POST', `/api/dashboard/runs/${runId}/resume`, { cookie, body });
  expect(status).toBe(200);
}

describe('A run of a draft', () => {
  browserTest('shows its result in the editor as soon as it has ended', async () => {
    const tab = await panel(await draftOf('Quick', 'load'));
    await runDraft(tab);
    await result(tab).getByText('Succeeded').first().waitFor();
    await result(tab).getByText('all done').waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('asks in the editor, takes the answer there, and shows its end', async () => {
    const tab = await panel(askingId);
    await runDraft(tab);
    const shown = result(tab);
    await shown.getByText('Is it green?').waitFor();
    await expectAccessible(tab, 'the question of a draft');
    await shown.getByLabel('Answer').selectOption('yes');
    await shown.getByRole('button', { name: 'Send the answer' }).click();
    await shown.getByText('it is yes').waitFor();
    await shown.getByText('Succeeded').first().waitFor();
    await shown.getByText('Is it green?').waitFor({ state: 'detached' });
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('moves on its own page, asks no more than it must, and follows no stream after its end', async () => {
    const runId = await waitingRun();
    const tab = await site.open(cookie);
    const { page } = tab;
    const streams: Request[] = [];
    const asked: Request[] = [];
    const ended = Promise.withResolvers<void>();
    page.on('request', (request) => {
      if (isStream(request.url())) streams.push(request);
      if (request.url().endsWith(`/api/dashboard/runs/${runId}`)) asked.push(request);
    });
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', (request) => {
        if (isStream(request.url())) ended.resolve();
      });
    const stream = page.waitForResponse((response) => isStream(response.url()));
    await page.goto(`${site.api}/runs/${runId}`);
    await page.getByText('Is it green?').waitFor();
    await stream;
    await answer(runId);
    await page.getByText('it is yes', { exact: true }).waitFor();
    await page.getByText('Succeeded').first().waitFor();
    await ended.promise;
    expect(streams).toHaveLength(1);
    // The first look, the events of the past, those of the end: each gathered.
    expect(asked.length).toBeLessThan(8);
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('is followed further after the connection was lost', async () => {
    const runId = await waitingRun();
    const tab = await site.open(cookie);
    const { page } = tab;
    const stream = page.waitForResponse((response) => isStream(response.url()));
    await page.goto(`${site.api}/runs/${runId}`);
    await page.getByText('Is it green?').waitFor();
    await stream;
    await page.context().setOffline(true);
    await page.getByText('You are offline').waitFor();
    await answer(runId);
    await app.app.idle();
    await page.context().setOffline(false);
    await page.getByText('it is yes', { exact: true }).waitFor();
    await page.getByText('Succeeded').first().waitFor();
  });

  browserTest('tells in the editor that it was canceled elsewhere', async () => {
    const tab = await panel(askingId);
    const runId = await runDraft(tab);
    await result(tab).getByText('Is it green?').waitFor();
    const { body } = await app.call('GET', `/api/dashboard/runs/${runId}`, { cookie });
    const canceled = await app.call('POST', `/api/dashboard/executions/${body.executionId}/cancel`, {
      cookie,
      body: {},
    });
    expect(canceled.status).toBe(200);
    await result(tab).getByText('Canceled').first().waitFor();
  });
});
