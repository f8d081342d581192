import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect } from 'vitest';
import { labels, setLabel, sizedDocuments, type Sized } from '#test/experiments/support/sized-documents.ts';
import { showInHost } from '#test/mcp/app-host.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { browserTest, LazyBrowser } from '#test/support/servers/browser.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let at: TestApp;
let agent: Client;
let sized: Sized;
const browser = new LazyBrowser();

beforeAll(async () => {
  at = await startTestApp();
  agent = await modernClient(new URL('/mcp', at.addresses.mcp), at.seed.agentKey);
  sized = await sizedDocuments(at, 20, 8);
  const title = '<i>Scan</i>';
  for (const documentId of sized.documentIds)
    await agent.callTool({ name: 'update_document', arguments: { documentId, title } });
}, 60_000);
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await agent.close();
  await at[Symbol.asyncDispose]();
});

function run(more: object) {
  const { workflowId, datasetId } = sized;
  const variants = [{ workflowId }, { workflowId, operations: setLabel(labels.poor) }];
  return agent.callTool({ name: 'run_experiment', arguments: { datasetId, variants, ...more } });
}

browserTest(
  'an experiment is followed to its verdict, its intervals and the documents that lost, with page and outputs',
  async () => {
    const name = '<img src=x onerror=alert(1)>';
    const { page, view, errors } = await showInHost({ agent, browser }, 'run_experiment', await run({ name }));
    await view.locator('.pill', { hasText: 'worse' }).waitFor();
    expect(await view.locator('h1').textContent()).toBe(name);
    expect(await view.locator('.verdict').textContent()).toMatch(/^v1: Worse/);
    const estimate = view.locator('.estimate');
    expect(await estimate.count()).toBe(1);
    expect(await estimate.locator('text').last().textContent()).toMatch(/^−\.\d{3} \[−\.\d{3}, −\.\d{3}\]$/);
    const lost = view.locator('details').first();
    await lost.locator('img').waitFor();
    expect(await lost.locator('img').evaluate(({ naturalWidth }: any) => naturalWidth)).toBeGreaterThan(0);
    expect(await lost.locator('summary').textContent()).toContain(' <i>Scan</i> ');
    expect(await lost.locator('mark.lost').allTextContents()).toEqual(['{"label":"?"}']);
    expect(errors).toEqual([]);
    await page.close();
  },
);

browserTest('an experiment on the holdout shows its verdict and no document', async () => {
  const started = await run({ split: 'holdout' });
  const { view, errors } = await showInHost({ agent, browser }, 'run_experiment', started);
  await view.locator('section p', { hasText: 'shown to nobody' }).waitFor();
  expect(await view.locator('details').count()).toBe(0);
  expect(errors).toEqual([]);
});
