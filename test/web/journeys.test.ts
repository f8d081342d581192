import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { browserTest } from '#test/support/servers/browser.ts';
import { fixture, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { lookAtDialogs } from '#test/web/dialogs.ts';
import { expectAccessible, go, startSite, visit, type OwnSite, type Site, type Tab } from '#test/web/site.ts';

const markup = '<img src=x onerror=fetch(1)> with a name that is longer than any phone is wide.png';

let started: OwnSite;
let app: TestApp;
let site: Site;
let cookie: string;
let receiptId: string;
let triageId: string;
let runId: string;
let experimentId: string;
const tabs: { readonly tab: Tab; readonly close: () => Promise<void> }[] = [];

beforeAll(async () => {
  started = await startSite('api,agents,mcp');
  ({ app, site, cookie } = started);
  receiptId = (await app.ingest(await fixture('receipt.jpg'), 'image/jpeg', 'receipt.jpg')).id;
  const tiny = await app.ingest(tinyPng, 'image/png', 'tiny.png');
  await app.app.idle();
  const { body } = await app.call('GET', '/api/service/workflows', { key: app.seed.serviceKey });
  const workflowOf = (name: string) => body.workflows.find((one: { name: string }) => one.name === name).workflowId;
  for (const name of ['Receipt extraction', 'Triage'])
    await app.call('POST', '/api/dashboard/documents/run', {
      cookie,
      body: { workflowId: workflowOf(name), documentIds: [receiptId] },
    });
  triageId = workflowOf('Triage');
  await app.call('PATCH', `/api/dashboard/documents/${tiny.id}`, { cookie, body: { title: markup } });
  const { body: listed } = await app.call('GET', '/api/dashboard/documents', { cookie });
  const documentIds = listed.documents.map(({ id }: { id: string }) => id);
  await app.call('POST', '/api/dashboard/documents/run', {
    cookie,
    body: { workflowId: workflowOf('Triage'), documentIds },
  });
  experimentId = await compare([workflowOf('Triage'), workflowOf('Receipt extraction')]);
  await app.app.idle();
  const key = app.seed.serviceKey;
  runId = (await app.call('GET', `/api/service/documents/${receiptId}`, { key })).body.lastRun.runId;
}, 120_000);
afterEach(async () => {
  for (const { close } of tabs.splice(0)) await close();
});
afterAll(() => started[Symbol.asyncDispose]());

/** An experiment on the receipt, started. */
async function compare(workflowIds: readonly string[]): Promise<string> {
  const post = async (path: string, body: object) =>
    (await app.call('POST', `/api/dashboard/${path}`, { cookie, body })).body;
  const items = [{ documentId: receiptId, split: 'dev', reference: { text: 'Peppercorn' } }];
  const { datasetId } = await post('datasets', { name: 'Receipts', items });
  const variants = workflowIds.map((workflowId) => ({ workflowId }));
  return (await post('experiments', { datasetId, variants })).experiment.experimentId;
}

/** A new tab of a person; of one browser with the scripts in its cache where nothing else is asked for. */
async function open(options?: Parameters<Site['open']>[1], whose: string | null = cookie): Promise<Tab> {
  const isUsual = options === undefined && whose === cookie;
  const tab = isUsual ? await site.openNext(cookie) : await site.open(whose, options);
  tabs.push({ tab, close: () => (isUsual ? tab.page.close() : tab.page.context().close()) });
  return tab;
}

const routes = (): readonly string[] => [
  '/',
  '/documents',
  `/documents/${receiptId}`,
  ...['fields', 'description', 'segmentations', 'similar', 'runs', 'ask'].map(
    (tab) => `/documents/${receiptId}?tab=${tab}`,
  ),
  `/workflows/${triageId}`,
  '/records',
  '/reviews',
  '/reviews?kind=record',
  '/runs',
  `/runs/${runId}`,
  '/workflows',
  '/experiments',
  `/experiments/${experimentId}`,
  '/chat',
  '/feed',
  '/trash',
  '/settings',
  '/settings?section=keys',
  '/settings?section=audit',
  '/no-such-page',
];

/**
 * Finds words that no table of words has, and words that are cut off. What comes from documents and people is marked by `dir=auto`, or drawn; times,
 * keys and code are no words.
 */
const foreignWords = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (!/^\\P{Number}*\\p{Letter}{2}\\P{Number}*$/u.test(text) || !element.checkVisibility()) continue;
    if (element.closest('[dir=auto], svg text, time, kbd, code, script, style, .react-flow__attribution') !== null) continue;
    if (!/^\\[.*~\\]$/su.test(text)) found.push('literal: ' + text);
    const { overflowX } = getComputedStyle(element);
    if (overflowX !== 'visible' && overflowX !== 'auto' && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1) found.push('cut: ' + text);
  }
  return found;
})()`;

/** Visits every page in one theme and width. */
async function lookAtAll(width: number, colorScheme: 'light' | 'dark'): Promise<void> {
  const tab = await open({ colorScheme, viewport: { width, height: 800 } });
  await visit(tab, site.api);
  for (const path of routes()) {
    await go(tab, path);
    const wide = await tab.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect({ path, wide }).toEqual({ path, wide: 0 });
    // A further tab brings its panel alone.
    await expectAccessible(
      tab,
      `${path}, ${colorScheme} at ${width}`,
      path.includes('tab=') ? '[role=tabpanel]' : 'html',
    );
  }
  expect(tab.complaints()).toEqual([]);
}

verifies('links.web', async () => {
  const { key, page } = { key: app.seed.serviceKey, page: (path: string) => ({ links: { web: site.api + path } }) };
  const read = async (path: string) => (await app.call('GET', `/api/service/${path}`, { key })).body;
  const shown = page(`/documents/${receiptId}`);
  const document = await read(`documents/${receiptId}`);
  expect(document).toMatchObject(shown);
  expect((await read('documents')).documents).toContainEqual(expect.objectContaining(shown));
  expect(await read(`runs/${runId}`)).toMatchObject(page(`/runs/${runId}`));
  const agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  const said = async (name: string, input: object) =>
    (await agent.callTool({ name, arguments: { ...input } })).structuredContent as any;
  expect((await said('search_documents', { query: 'peppercorn' })).documents[0]).toMatchObject(shown);
  expect(await said('get_workflow', { workflowId: triageId })).toMatchObject(page(`/workflows/${triageId}`));
  expect((await said('get_run', { runId })).run).toMatchObject(page(`/runs/${runId}`));
  const listed = (await said('list_runs', { documentId: receiptId })).runs;
  expect(listed).toContainEqual(expect.objectContaining({ runId, ...page(`/runs/${runId}`) }));
  const { workflows } = await said('list_workflows', {});
  expect(workflows).toContainEqual(expect.objectContaining(page(`/workflows/${triageId}`)));
  const { executionId } = listed[0];
  const { web } = page(`/runs?execution=${executionId}`).links;
  const one = { links: { self: `/api/service/workflow-executions/${executionId}`, web } };
  expect(await read(`workflow-executions/${executionId}`)).toMatchObject(one);
  expect((await read('workflow-executions')).executions).toContainEqual(expect.objectContaining(one));
  expect((await said('get_run', { executionId })).execution).toMatchObject(one);
  const { records } = await said('query_records', { recordType: 'receipt' });
  expect(records).toContainEqual(expect.objectContaining(page(`/documents/${receiptId}?tab=fields`)));
  const tried = { experimentId, ...page(`/experiments/${experimentId}`) };
  expect(await said('get_experiment', { experimentId })).toMatchObject(tried);
  const { body } = await app.call('GET', '/api/dashboard/experiments', { cookie });
  expect(body.experiments).toContainEqual(expect.objectContaining(tried));
  await agent.close();
  expect((await fetch(shown.links.web, { headers: { accept: 'text/html' } })).status).toBe(200);
});

describe('The dashboard', () => {
  browserTest(
    'shows every page without violations of WCAG or of its policy, light and narrow, dark and wide',
    async () => {
      await Promise.all([lookAtAll(360, 'light'), lookAtAll(1280, 'dark')]);
    },
    90_000,
  );

  browserTest(
    'opens every dialog without violations of WCAG or of its policy, light and narrow, dark and wide',
    async () => {
      const { body } = await app.call('POST', '/api/dashboard/workflows', {
        cookie,
        body: { preset: 'wf_document_intake', name: 'Intake of dialogs' },
      });
      const looks = [
        { width: 360, colorScheme: 'light' },
        { width: 1280, colorScheme: 'dark' },
      ] as const;
      await Promise.all(
        looks.map(async ({ width, colorScheme }) => {
          const tab = await open({ colorScheme, viewport: { width, height: 800 } });
          await visit(tab, site.api);
          await lookAtDialogs(tab, `${colorScheme} at ${width}`, receiptId, body.workflowId);
          expect(tab.complaints()).toEqual([]);
        }),
      );
    },
    90_000,
  );

  browserTest('uploads chosen files, refuses one that it does not read, and lists them as they arrive', async () => {
    const tab = await open();
    const { page } = tab;
    await visit(tab, `${site.api}/documents`);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const files = ['first.png', 'second.png'].map((name, at) => ({
      name,
      mimeType: 'image/png',
      buffer: Buffer.concat([tinyPng, Buffer.from([at])]),
    }));
    const bad = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') };
    await page.locator('dialog input[type=file]').setInputFiles([...files, bad]);
    const then = page.getByRole('dialog').getByLabel('Then run');
    expect(await then.locator('option:checked').textContent()).toBe('Document intake');
    await then.selectOption({ label: 'Nothing' });
    await page.locator('dialog button[type=submit]').click();
    await page.getByText('notes.txt is no image or PDF').waitFor();
    await page.getByText('2 of 2 files uploaded').waitFor();
    // Files of this tab are listed as they arrive; those of others wait for a press.
    const list = page.locator('main');
    for (const { name } of files) await list.getByRole('link', { name }).waitFor();
    await app.store(Buffer.concat([tinyPng, Buffer.from('other')]), 'image/png');
    await page.getByRole('button', { name: 'Show 1 new document' }).click();
    await page.getByRole('button', { name: /new document/ }).waitFor({ state: 'detached' });
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('marks what a search found, and shows markup of documents as text', async () => {
    const tab = await open();
    const { page } = tab;
    await visit(tab, `${site.api}/documents?query=peppercorn`);
    expect(await page.locator('mark').first().textContent()).toMatch(/peppercorn/i);
    await visit(tab, `${site.api}/documents`);
    await page.getByText(markup).first().waitFor();
    expect(await page.locator('main img[src="x"]').count()).toBe(0);
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('answers a question with a source that opens at its place on the page', async () => {
    const tab = await open();
    const { page } = tab;
    await visit(tab, `${site.api}/chat`);
    await page.getByLabel('Your question').fill('What is the receipt number of Peppercorn Grocers?');
    await page.keyboard.press('Enter');
    const source = page.locator('a[href*="box="]').first();
    await source.waitFor();
    await source.click();
    await page.waitForURL(/\/documents\/doc_.*box=/);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('names the documents of an experiment, and leads from their outputs to them', async () => {
    const tab = await open();
    const { page } = tab;
    await visit(tab, `${site.api}/experiments/${experimentId}`);
    const { body } = await app.call('GET', `/api/dashboard/documents/${receiptId}`, { cookie });
    const name = body.title ?? body.filename;
    expect(name).toMatch(/\w/);
    const compared = page.getByRole('button', { name: `Compare outputs of ${name}` });
    expect(await compared.textContent()).toBe(name);
    expect(await compared.getAttribute('title')).toBe(receiptId);
    await compared.click();
    await page.getByRole('dialog').getByRole('link', { name, exact: true }).click();
    await page.waitForURL(new RegExp(`/documents/${receiptId}`));
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('takes the answer to a question by keyboard, and goes on with the next', async () => {
    const tab = await open();
    const { page } = tab;
    await visit(tab, `${site.api}/reviews?kind=question`);
    await page.locator('main [aria-current=true]').waitFor();
    const before = Number(
      await page
        .getByRole('tab', { name: /Questions/ })
        .locator('span')
        .textContent(),
    );
    const answer = page.getByLabel('Answer');
    await answer.focus();
    // Nobody sends the first of the answers by mistake: without a choice the form leads back to it.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('select:focus').waitFor();
    expect(await answer.inputValue()).toBe('');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Answer sent').waitFor();
    await expect
      .poll(async () =>
        Number(
          await page
            .getByRole('tab', { name: /Questions/ })
            .locator('span')
            .textContent(),
        ),
      )
      .toBe(before - 1);
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('works by keyboard alone: sign-in, shortcuts, the palette, a document', async () => {
    const tab = await open({}, null);
    const { page } = tab;
    await page.goto(site.api);
    await page.getByLabel('E-mail address').focus();
    await page.keyboard.type(app.seed.operatorEmail);
    await page.keyboard.press('Tab');
    await page.keyboard.type(app.seed.operatorPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to anything' }).waitFor();
    await page.keyboard.type('peppercorn');
    await page
      .getByRole('option', { name: /peppercorn/i })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /peppercorn/i, level: 1 }).waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('goes back to where a list was scrolled to, and tells of an address without a page', async () => {
    const tab = await open({ viewport: { width: 1280, height: 400 } });
    const { page } = tab;
    await visit(tab, `${site.api}/documents?view=large`);
    const scrolled = (): Promise<number> => page.evaluate('scrollY');
    await page.evaluate('scrollTo(0, 120)');
    expect(await scrolled()).toBe(120);
    await page.getByRole('list', { name: 'Documents' }).getByRole('link').last().click();
    await page.waitForURL(/\/documents\/doc_/);
    await tab.quiet();
    expect(await scrolled()).toBe(0);
    await page.goBack();
    await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe('?view=large');
    await expect.poll(scrolled).toBeGreaterThan(0);
    await page.goForward();
    await page.waitForURL(/\/documents\/doc_/);
    const [fresh] = await Promise.all([
      page.context().waitForEvent('page'),
      page
        .getByRole('link', { name: 'Runs', exact: true })
        .first()
        .click({ modifiers: ['Control'] }),
    ]);
    await fresh.waitForURL(/\/runs/);
    await fresh.close();
    await visit(tab, `${site.api}/no/such/page`);
    await page.getByRole('main').getByRole('link').click();
    await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('follows one stream of events for all tabs, and the next tab takes over', async () => {
    const tab = await open({});
    const streams: string[] = [];
    const context = tab.page.context();
    context.on('request', (request) => {
      if (request.url().includes('/realtime')) streams.push(request.url());
    });
    await visit(tab, `${site.api}/feed`);
    await expect.poll(() => streams.length).toBe(1);
    const second = await site.watch(await context.newPage());
    await visit(second, `${site.api}/feed`);
    await app.store(Buffer.concat([tinyPng, Buffer.from('tabs')]), 'image/png');
    await second.page.getByText('Document uploaded').first().waitFor();
    expect(streams).toHaveLength(1);
    await tab.page.close();
    await expect.poll(() => streams.length).toBe(2);
    await app.store(Buffer.concat([tinyPng, Buffer.from('tabs again')]), 'image/png');
    await expect.poll(() => second.page.getByText('Document uploaded').count()).toBe(2);
    expect(second.complaints()).toEqual([]);
  });

  browserTest('shows a new key once, and a viewer no button that its role may not press', async () => {
    const tab = await open();
    const { page } = tab;
    await visit(tab, `${site.api}/settings?section=keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Scanner');
    await page.getByLabel('Languages of its documents').fill('eng, pol');
    await page.getByRole('dialog').getByRole('button', { name: 'New key' }).click();
    await page.getByText('npm run languages -- add pol').waitFor();
    await page.getByLabel('Languages of its documents').fill('eng');
    await page.getByRole('dialog').getByRole('button', { name: 'New key' }).click();
    const secret = page.getByRole('dialog').locator('code').first();
    await secret.waitFor();
    expect(await secret.textContent()).toMatch(/^ink_wf_/);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('Scanner').waitFor();
    expect(await page.getByText(/ink_wf_\w{20}/).count()).toBe(0);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Report');
    await page.getByLabel('Kind').selectOption('service');
    await page.getByLabel('May').selectOption({ label: 'Read only: workflows, runs and documents' });
    await page.getByRole('dialog').getByRole('button', { name: 'New key' }).click();
    expect(await secret.textContent()).toMatch(/^ink_svc_/);
    await page.keyboard.press('Escape');
    const report = await page.getByRole('row').filter({ hasText: 'Report' }).innerText();
    expect(report).toContain('documents:read');
    expect(report).not.toMatch(/:write|:execute/);
    expect(tab.complaints()).toEqual([]);
    const viewer = await open({}, (await app.addPerson('viewer')).cookie);
    await visit(viewer, `${site.api}/documents/${receiptId}`);
    expect(await viewer.page.getByRole('button', { name: 'Run workflow' }).count()).toBe(0);
    await visit(viewer, `${site.api}/settings`);
    expect(await viewer.page.getByRole('tab', { name: 'API keys' }).count()).toBe(0);
  });

  browserTest('adds a webhook whose secret is shown once, tries it, and deletes it', async () => {
    const tab = await open();
    const { page } = tab;
    await visit(tab, `${site.api}/settings?section=webhooks`);
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('Address').fill('https://10.0.0.1/hook');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a webhook' }).click();
    await dialog.getByText('public https address').last().waitFor();
    const url = 'https://receiver.example.com/hook';
    await page.getByLabel('Address').fill(url);
    await dialog.getByRole('button', { name: 'Add a webhook' }).click();
    await dialog.locator('code').waitFor();
    expect(await dialog.locator('code').textContent()).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    expect(await page.getByText(/whsec_/).count()).toBe(0);
    await expectAccessible(tab, 'webhooks');
    await page.getByRole('button', { name: `Deliveries to ${url}` }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('cell', { name: 'ping' }).waitFor();
    await page.getByRole('button', { name: 'Details of' }).click();
    await page.getByText('"type":"ping"').waitFor();
    await expectAccessible(tab, 'deliveries');
    await page.getByRole('button', { name: 'All webhooks' }).click();
    await page.getByRole('button', { name: `Delete ${url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks').waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('names people in the audit log and beside corrections, and has their ids as a hint', async () => {
    const colleague = await app.addPerson('admin');
    const path = `/api/dashboard/documents/${receiptId}`;
    const change = { cookie: colleague.cookie, body: { tags: ['audited'] } };
    expect((await app.call('PATCH', path, change)).status).toBe(200);
    const { body } = await app.call('GET', '/api/dashboard/members', { cookie });
    const { name } = body.members.find(({ userId }: { userId: string }) => userId === colleague.userId);
    const tab = await open();
    const { page } = tab;
    await visit(tab, `${site.api}/settings?section=audit`);
    const row = page.getByRole('row').filter({ hasText: receiptId, has: page.getByText('document.update') });
    const who = row.getByRole('cell', { name }).first();
    expect(await who.getAttribute('title')).toBe(colleague.userId);
    expect(await who.textContent()).not.toContain(colleague.userId);
    await page
      .getByRole('cell', { name: /^you\b/ })
      .first()
      .waitFor();
    const { id } = await app.store(Buffer.concat([tinyPng, Buffer.from('corrected')]), 'image/png');
    const correction = { baseDescriptionId: null, description: 'A green square' };
    const corrected = { cookie: colleague.cookie, body: correction };
    expect((await app.call('PATCH', `/api/dashboard/documents/${id}/description`, corrected)).status).toBe(200);
    await visit(tab, `${site.api}/documents/${id}?tab=description`);
    await page.getByRole('button', { name: 'Versions' }).click();
    expect(await page.getByText(`Corrected by ${name}`).getAttribute('title')).toBe(colleague.userId);
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('tells that the connection is lost, and goes on without losing an event when it is back', async () => {
    const tab = await open({});
    const { page } = tab;
    // The feed shows what comes after its stream is open.
    const stream = page.waitForResponse(/\/realtime/);
    await visit(tab, `${site.api}/feed`);
    await stream;
    await app.store(Buffer.concat([tinyPng, Buffer.from('online')]), 'image/png');
    await page.getByText('Document uploaded').first().waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline').waitFor();
    await app.store(Buffer.concat([tinyPng, Buffer.from('offline')]), 'image/png');
    await page.context().setOffline(false);
    await expect.poll(() => page.getByText('Document uploaded').count()).toBe(2);
  });

  browserTest(
    'goes on with an upload that a lost connection cut in the middle, and makes one document of it',
    async () => {
      const tab = await open({});
      const { page } = tab;
      await visit(tab, `${site.api}/documents`);
      const line = await page.context().newCDPSession(page);
      // So slow that the connection is lost before the end.
      const connect = (offline: boolean, uploadThroughput: number) =>
        line.send('Network.emulateNetworkConditions', {
          offline,
          latency: 0,
          downloadThroughput: -1,
          uploadThroughput,
        });
      await connect(false, 100_000);
      const tail = Buffer.alloc(1_000_000, 7);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const file = { name: 'cut.png', mimeType: 'image/png', buffer: Buffer.concat([tinyPng, tail]) };
      await page.locator('dialog input[type=file]').setInputFiles(file);
      await page.getByRole('dialog').getByLabel('Then run').selectOption({ label: 'Document intake' });
      await page.locator('dialog button[type=submit]').click();
      const share = page.getByRole('progressbar', { name: 'cut.png' });
      await expect.poll(() => share.getAttribute('value').then(Number)).toBeGreaterThan(0.05);
      await connect(true, 0);
      await page.getByText('The connection was lost').waitFor();
      await connect(false, -1);
      await page.getByText('1 of 1 file uploaded').waitFor();
      await app.app.idle();
      const { body } = await app.call('GET', '/api/dashboard/documents?limit=100', { cookie });
      const stored = body.documents.filter(({ filename }: { filename: string }) => filename === 'cut.png');
      expect(stored).toMatchObject([{ latestRun: { status: 'succeeded' } }]);
      expect(tab.complaints()).toEqual([]);
    },
  );

  browserTest(
    'shows what an agent and a second person changed in a draft while a person typed, and keeps all',
    async () => {
      const { body: made } = await app.call('POST', '/api/dashboard/workflows', {
        cookie,
        body: { preset: 'wf_document_intake', name: 'Shared draft' },
      });
      const { workflowId } = made;
      const tab = await open();
      const { page } = tab;
      await visit(tab, `${site.api}/workflows/${workflowId}?tab=settings`);
      const description = page.getByRole('textbox', { name: 'Description' });
      await description.fill('Written by a person');
      // A second person, in a browser of their own, has typed something else.
      const colleague = await open({}, (await app.addPerson('editor')).cookie);
      await visit(colleague, `${site.api}/workflows/${workflowId}?tab=settings`);
      const name = colleague.page.getByRole('textbox', { name: 'Name', exact: true });
      await name.fill('Draft of three');
      const agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
      const operations = [{ op: 'set_limits', limits: { maxSteps: 77 } }];
      const edit = { name: 'update_workflow', arguments: { workflowId, baseVersion: made.revision, operations } };
      expect((await agent.callTool(edit)).isError).not.toBe(true);
      await agent.close();
      // The page follows the agent, and keeps what the person typed.
      await expect.poll(() => page.getByLabel('Most steps').inputValue()).toBe('77');
      expect(await description.inputValue()).toBe('Written by a person');
      await description.press('Control+Enter');
      const conflict = page.getByRole('dialog', { name: 'Somebody else changed this draft' });
      await conflict.getByText('Limits changed: maxSteps = 77').waitFor();
      await conflict.getByText('description of the workflow changed').waitFor();
      await expectAccessible(tab, 'conflict', 'dialog[open]');
      await conflict.getByRole('button', { name: 'Apply mine on top' }).click();
      await conflict.waitFor({ state: 'detached' });
      await tab.quiet();
      await expect.poll(() => colleague.page.getByLabel('Most steps').inputValue()).toBe('77');
      await name.press('Control+Enter');
      const theirs = colleague.page.getByRole('dialog', { name: 'Somebody else changed this draft' });
      await theirs.getByText('Limits changed: maxSteps = 77').waitFor();
      await theirs.getByText('description of the workflow changed').waitFor();
      await theirs.getByRole('button', { name: 'Apply mine on top' }).click();
      await theirs.waitFor({ state: 'detached' });
      // The first person sees it without a reload.
      await page.getByRole('heading', { name: 'Draft of three', level: 1 }).waitFor();
      const { body } = await app.call('GET', `/api/dashboard/workflows/${workflowId}`, { cookie });
      expect(body.graph).toMatchObject({
        name: 'Draft of three',
        description: 'Written by a person',
        limits: { maxSteps: 77 },
      });
      expect(colleague.complaints()).toEqual([]);
      expect(tab.complaints()).toEqual([]);
    },
  );

  browserTest('has no word of its own outside the tables, and room for longer ones', async () => {
    const tab = await open({ viewport: { width: 1280, height: 800 } });
    await visit(tab, `${site.api}/?lang=en-XA`);
    const found: string[] = [];
    for (const path of routes()) {
      await go(tab, path);
      for (const word of (await tab.page.evaluate(foreignWords)) as string[]) found.push(`${path}: ${word}`);
    }
    expect(found).toEqual([]);
  });
});
