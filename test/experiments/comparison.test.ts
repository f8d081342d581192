import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'csv-parse/sync';
import { endedExperiment } from '#test/experiments/support/ended-experiment.ts';
import { labels, setLabel, sizedDocuments, type Sized } from '#test/experiments/support/sized-documents.ts';
import { tableOf } from '#http/exports/experiment.ts';
import { accessOf } from '#test/mcp/access/access-tokens.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
let sized: Sized;

beforeAll(async () => {
  app = await startTestApp();
  cookie = await app.signIn();
  sized = await sizedDocuments(app, 40, 20);
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const variantsOf = (...changed: string[]) => [
  { workflowId: sized.workflowId },
  ...changed.map((label) => ({ workflowId: sized.workflowId, operations: setLabel(label) })),
];

async function start(body: Record<string, unknown>) {
  return app.call('POST', '/api/dashboard/experiments', { cookie, body: { datasetId: sized.datasetId, ...body } });
}

async function ended(body: Record<string, unknown>) {
  const started = await start(body);
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  const { experimentId } = started.body.experiment;
  const got = await endedExperiment(app, cookie, experimentId);
  expect(got).toMatchObject({ experimentId, status: 'succeeded' });
  return got;
}

let planted: Promise<any> | undefined;
/** An experiment in dev whose second variant is wrong on most documents; run once. */
const regression = (): Promise<any> => (planted ??= ended({ variants: variantsOf(labels.poor) }));

async function agentOf(authorization: string) {
  const client = await modernClient(new URL('/mcp', app.addresses.mcp), authorization.replace('Bearer ', ''));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

test('a variant that is right more often is better, and its sentence says how many documents may be harmed', async () => {
  const [baseline, better] = [labels.poor, labels.right].map((label) => ({
    workflowId: sized.workflowId,
    operations: setLabel(label),
  }));
  const got = await ended({ variants: [baseline, better] });
  expect(got).toMatchObject({
    verdict: 'better',
    best: 'v1',
    primary: 'label_accuracy',
    items: { total: 20, done: 20 },
  });
  expect(got.sentence).toMatch(/^v1: Better .* could lose/);
  expect(got.runs).toMatchObject({ planned: 40, done: 40, failed: 0 });
}, 60_000);

test('a planted regression is worse, and its documents are listed by loss with both outputs', async () => {
  const got = await regression();
  expect(got).toMatchObject({ verdict: 'worse' });
  const { body } = await app.call('GET', `/api/dashboard/experiments/${got.experimentId}?view=regressions&limit=3`, {
    cookie,
  });
  expect(body.documents).toHaveLength(3);
  expect(body.documents[0]).toMatchObject({ difference: -1, baseline: { value: 1 }, variant: { value: 0 } });
}, 60_000);

test('an experiment is downloaded as JSON and as a table that a spreadsheet takes for text', async () => {
  const got = await regression();
  const path = `/api/dashboard/experiments/${got.experimentId}/export`;
  const json = await app.call('GET', path, { cookie });
  expect(json.headers.get('content-disposition')).toBe(`attachment; filename="${got.experimentId}.json"`);
  expect(json.body).toMatchObject({ experiment: { experimentId: got.experimentId }, cells: { length: 40 } });
  const csv = await fetch(new URL(`${path}?format=csv`, app.addresses.api), { headers: { cookie } });
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const rows = parse<Record<string, string>>(await csv.text(), { columns: true });
  expect(rows).toHaveLength(40);
  const told = rows.map(({ documentId, variant, label_accuracy: value }) => ({ documentId, variant, value }));
  const measured = json.body.cells.map((cell: any) => ({
    documentId: cell.documentId,
    variant: cell.variant,
    value: String(cell.scores.label_accuracy.value),
  }));
  expect(told).toEqual(measured);
  const [cell] = json.body.cells;
  expect(tableOf({ ...json.body, cells: [{ ...cell, outputText: '=1+1' }] })).toContain(`'=1+1`);
}, 60_000);

test('failed runs count as failures', async () => {
  const got = await ended({ variants: variantsOf(labels.fails) });
  expect(got).toMatchObject({ verdict: 'worse', runs: { failed: 20 } });
  expect(got.variants[1]).toMatchObject({ runs: 20, failed: 20, metrics: { label_accuracy: { mean: 0 } } });
}, 60_000);

test('variants that are equal in effect are not called better or worse', async () => {
  const got = await ended({ variants: variantsOf(`(${labels.usual})`) });
  expect(['equivalent', 'inconclusive']).toContain(got.verdict);
}, 60_000);

test('an anytime experiment ends as soon as it is decided', async () => {
  const got = await ended({ variants: variantsOf(labels.fails), stop: 'when_decided', maxConcurrency: 2 });
  expect(got).toMatchObject({ stopped: 'decided', verdict: 'worse' });
  expect(got.items.done).toBeLessThan(20);
}, 60_000);

test('the holdout answers with the verdict alone, and each look is charged', async () => {
  const before = await app.call('GET', `/api/dashboard/datasets/${sized.datasetId}`, { cookie });
  const got = await ended({ variants: variantsOf(labels.right), split: 'holdout' });
  expect(got).toMatchObject({ split: 'holdout', alpha: before.body.ledger.nextAlpha });
  expect(got.variants.map((one: { metrics: object }) => one.metrics)).toEqual([{}, {}]);
  for (const view of ['items', 'regressions']) {
    const hidden = await app.call('GET', `/api/dashboard/experiments/${got.experimentId}?view=${view}`, { cookie });
    expect(hidden).toMatchObject({ status: 409, body: { code: 'experiment.holdout_hidden' } });
  }
  const exported = await app.call('GET', `/api/dashboard/experiments/${got.experimentId}/export`, { cookie });
  expect(exported).toMatchObject({ status: 409, body: { code: 'experiment.holdout_hidden' } });
  const after = await app.call('GET', `/api/dashboard/datasets/${sized.datasetId}`, { cookie });
  expect(after.body.ledger.confirmations).toBe(before.body.ledger.confirmations + 1);
  expect(after.body.ledger.nextAlpha).toBe(before.body.ledger.nextAlpha / 2);
}, 60_000);

test('two confirmations at once are charged twice and get different levels', async () => {
  const [one, two] = await Promise.all(
    [labels.right, labels.poor].map((label) => ended({ variants: variantsOf(label), split: 'holdout' })),
  );
  const { body } = await app.call('GET', `/api/dashboard/datasets/${sized.datasetId}`, { cookie });
  expect(new Set([one?.alpha, two?.alpha]).size).toBe(2);
  expect(Math.min(one?.alpha, two?.alpha)).toBe(body.ledger.nextAlpha * 2);
}, 60_000);

test('an experiment leaves documents, their lists of runs, search and the feed as they are', async () => {
  const [documentId] = sized.documentIds;
  const seen: string[] = [];
  const stop = app.app.deps.events.subscribe(app.seed.organizationId, ({ type }) => seen.push(type));
  await ended({ variants: variantsOf(labels.right) });
  stop();
  expect(new Set(seen)).toEqual(new Set(['experiment.changed']));
  const runs = await app.app.deps.executions.listRuns(
    { organizationId: app.seed.organizationId, projectIds: [app.seed.projectId] },
    { documentId: documentId ?? '' },
    null,
    10,
  );
  expect(runs).toEqual([]);
}, 60_000);

test('a dry run starts nothing and says what so many documents can show', async () => {
  const { status, body } = await start({ variants: variantsOf(labels.right), dryRun: true, trials: 2 });
  expect(status).toBe(200);
  expect(body).toMatchObject({ experiment: null, plan: { runs: 80, items: 20 } });
  expect(body.plan.detectable).toBeGreaterThan(0.05);
});

test('a retry with the same idempotencyKey starts nothing more', async () => {
  const body = { variants: variantsOf(labels.right), idempotencyKey: 'again' };
  const [first, second] = [await start(body), await start(body)];
  const { experimentId } = first.body.experiment;
  expect(second.body.experiment.experimentId).toBe(experimentId);
  await app.call('POST', `/api/dashboard/experiments/${experimentId}/cancel`, { cookie, body: {} });
});

test('a canceled experiment ends without a verdict, and its runs with it', async () => {
  const started = await start({ variants: variantsOf(labels.right), trials: 5, maxConcurrency: 2 });
  const { experimentId } = started.body.experiment;
  const canceled = await app.call('POST', `/api/dashboard/experiments/${experimentId}/cancel`, { cookie, body: {} });
  expect(canceled.body).toMatchObject({ status: 'canceled' });
  await app.app.idle();
  const { body } = await app.call('GET', `/api/dashboard/experiments/${experimentId}`, { cookie });
  expect(body).toMatchObject({ status: 'canceled', verdict: null });
  expect(body.runs.done).toBeLessThan(100);
});

test('what cannot be measured is refused before anything runs', async () => {
  const { workflowId } = sized;
  // The mean of few documents would tell what each of them is like.
  const items = sized.documentIds.slice(0, 8).map((documentId, at) => ({
    documentId,
    split: at < 4 ? 'holdout' : 'dev',
    reference: { label: 'wide' },
  }));
  const few = await app.call('POST', '/api/dashboard/datasets', { cookie, body: { name: 'Few', items } });
  const unfit = await start({ datasetId: few.body.datasetId, variants: variantsOf(labels.right), split: 'holdout' });
  expect(unfit.body).toMatchObject({ code: 'dataset.unfit' });
  expect(await start({ variants: [{ workflowId }, { workflowId }] })).toMatchObject({ status: 400 });
  expect(await start({ variants: variantsOf(labels.right, labels.poor), split: 'holdout' })).toMatchObject({
    status: 400,
  });
  expect(await start({ variants: variantsOf(labels.right), budget: { maxRuns: 10 } })).toMatchObject({
    status: 422,
    body: { code: 'experiment.too_large' },
  });
  expect(await start({ variants: variantsOf('nonsense +') })).toMatchObject({
    status: 422,
    body: { code: 'workflow.invalid' },
  });
  expect(await start({ variants: variantsOf(labels.right), datasetId: 'ds_unknown' })).toMatchObject({ status: 404 });
});

test('documents of an experiment have their title or file name; a deleted one has none, and readers of runs alone see none', async () => {
  const got = await regression();
  const asked = { experimentId: got.experimentId, view: 'regressions', limit: 3 };
  const path = `/api/dashboard/experiments/${got.experimentId}?view=regressions&limit=3`;
  const titles = ({ documents }: any) => documents.map(({ title }: { title: string | null }) => title);
  const { body: before } = await app.call('GET', path, { cookie });
  expect(titles(before)).toEqual([null, null, null]);
  const change = async (at: number, method: string, body?: object) => {
    const document = `/api/dashboard/documents/${before.documents[at].documentId}`;
    expect((await app.call(method, document, { cookie, ...(body && { body }) })).status).toBeLessThan(300);
  };
  await change(0, 'PATCH', { title: 'Bread of May', filename: 'bread.png' });
  await change(1, 'PATCH', { filename: 'rail.png' });
  await change(2, 'PATCH', { title: 'Deleted soon' });
  await change(2, 'DELETE');
  expect(titles((await app.call('GET', path, { cookie })).body)).toEqual(['Bread of May', 'rail.png', null]);

  const { userId } = await app.addPerson('editor');
  const readAs = async (scopes: Parameters<typeof accessOf>[2]['scopes']): Promise<any> => {
    const { authorization } = await accessOf(app, userId, { scopes });
    await using agent = await agentOf(authorization);
    return await agent.client.callTool({ name: 'get_experiment', arguments: asked });
  };
  const reader = await readAs(['runs:read', 'documents:read']);
  expect(titles(reader.structuredContent)).toEqual(['Bread of May', 'rail.png', null]);
  // Names are words of others: between the tags for untrusted text, not in the JSON beside them.
  const [json, ...blocks] = reader.content[0].text.split('<untrusted-document');
  expect(json).not.toContain('Bread of May');
  expect(blocks.join('')).toContain('Bread of May');
  const ofRuns = await readAs(['runs:read']);
  expect(titles(ofRuns.structuredContent)).toEqual([null, null, null]);
  expect(JSON.stringify(ofRuns)).not.toContain('Bread of May');
}, 60_000);
