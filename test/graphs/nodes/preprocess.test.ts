import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { characterErrorRate } from '#scripts/bench/documents/character-error-rate.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import { pageOf } from '#graphs/nodes/page.ts';
import { preprocess } from '#graphs/nodes/preprocess.ts';
import { Computing } from '#graphs/compute/computing.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import { fixture as scanned } from '#test/adapters/ocr/fixtures.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const images = createImageCodec();
const state = { document: {}, preprocessed: {}, ocr: {} };
const run = { runId: 'run_a', executionId: 'exec_a', organizationId: 'org_a', projectId: 'prj_a', documentId: 'doc_a' };
const signal = new AbortController().signal;

/** Findings of the node for these pages, and the first page as later nodes see it. */
async function prepared(pages: readonly PageImage[], config: object) {
  const document = { pages: pages.length, page: async (index: number) => pages[index] };
  const deps = { images, document: async () => document } as unknown as NodeDeps;
  const params = preprocess.params.parse(config);
  const runWorkflow = (): Promise<never> => Promise.reject(new Error('no workflow here'));
  const computing = new Computing().forRun(run.organizationId).forVisit('p');
  const openThread = (): never => expect.unreachable('no thread here');
  const facts = { deps, run, path: 'p', nodeId: 'p', state: {}, params, secrets: [], signal, computing };
  const call = { ...facts, runWorkflow, openThread };
  const { update } = await preprocess.run(call);
  return { found: update['preprocessed'], first: await pageOf({ deps, run, state: update, signal }, 0) };
}

describe('The node preprocess', () => {
  test('turns a page back that is 4 degrees askew, and names no other', async () => {
    const { page } = await scanned('letter.png');
    const turned = await images.transform(page, { rotate: 4 });
    const { found, first } = await prepared([page, { ...turned, index: 1 }], {});
    expect(found).toEqual({ pages: [{ index: 1, rotate: expect.closeTo(-4, 0) as number }], steps: ['rotate'] });
    expect(first).toBe(page);
  });

  test('leaves the pages as they are by default, unless they are askew: no filter, no black and white', async () => {
    const { page } = await scanned('columns.png');
    expect((await prepared([page], {})).found).toEqual({ pages: [], steps: [] });
  });

  test('does not turn further than it may, nor at all when told not to', async () => {
    const turned = await images.transform((await scanned('letter.png')).page, { rotate: 4 });
    expect((await prepared([turned], { deskew: false })).found).toEqual({ pages: [], steps: [] });
  });

  test('cuts the desk around a photographed sheet', async () => {
    const { page } = await scanned('photo-rotated.jpg');
    const { first } = await prepared([page], { crop: true, deskew: false });
    expect(first.width / page.width).toBeCloseTo(0.87, 1);
    expect(first.height / page.height).toBeCloseTo(0.89, 1);
  });

  test('grays, cleans, enlarges and binarizes on demand; a page that is large enough is not enlarged', async () => {
    const { page } = await scanned('note.gif');
    const longest = Math.max(page.width, page.height);
    const all = { deskew: false, grayscale: true, denoise: true, binarize: true };
    const { found, first } = await prepared([page], { ...all, upscaleTo: longest + 100 });
    expect(found).toMatchObject({ steps: ['grayscale', 'median', 'scale', 'binarize'] });
    expect(Math.max(first.width, first.height)).toBeGreaterThan(longest + 98);
    const small = await prepared([page], { deskew: false, upscaleTo: 500 });
    expect(small.found).toEqual({ pages: [], steps: [] });
  });

  test.each([{ maxAngle: 16 }, { upscaleTo: 10 }, { sharpen: true }])('%j is refused', (config) => {
    expect(preprocess.params.safeParse(config).success).toBe(false);
  });
});

describe('Recognition after preprocess', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { SERVICES: 'api,agents' } });
  });
  afterAll(() => app[Symbol.asyncDispose]());

  async function errorRate(
    png: Buffer,
    truth: string,
    edges: string[],
    nodes: Record<string, string>,
  ): Promise<number> {
    const workflowId = await addWorkflow(app, graphOf(nodes, edges, { state }));
    const document = await app.store(png, 'image/png');
    const path = '/api/service/workflow-executions';
    const key = app.seed.serviceKey;
    const { body } = await app.call('POST', path, { key, body: { workflowId, documentIds: [document.id] } });
    await app.app.idle();
    const ended = await app.call('GET', `${path}/${body.id}?wait=20`, { key });
    expect(ended.body).toMatchObject({ status: 'succeeded' });
    const { organizationId } = app.seed;
    const [read] = await app.app.deps.results.listOcr(organizationId, document.id, 1);
    return characterErrorRate(truth, read?.text ?? '');
  }

  test.each(['form.png', 'receipt.jpg'])('reads %s turned by 4 degrees, as it does without', async (file) => {
    const { page, text } = await scanned(file);
    const { png } = await images.transform(page, { rotate: 4 });
    const plain = await errorRate(png, text, ['START>load', 'load>read', 'read>END'], {
      load: 'load_image',
      read: 'ocr',
    });
    const straight = await errorRate(png, text, ['START>load', 'load>turn', 'turn>read', 'read>END'], {
      load: 'load_image',
      turn: 'preprocess',
      read: 'ocr',
    });
    expect(plain).toBeLessThan(0.02);
    expect(straight).toBeLessThan(0.02);
  });
});
