import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createModels } from '#src/adapters/models/create-models.ts';
import { describe as describeNode } from '#graphs/nodes/describe.ts';
import { embedImage } from '#graphs/nodes/embed-image.ts';
import { embedText } from '#graphs/nodes/embed-text.ts';
import { ocr } from '#graphs/nodes/ocr.ts';
import { apiKey, attempt, modelBench, type ModelBench } from '#test/graphs/support/model-nodes.ts';
import { pageOf } from '#test/support/records.ts';
import { chatAnswer, embeddingAnswer, startOpenAiServer } from '#test/support/servers/openai-server.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';

let bench: ModelBench;
beforeAll(async () => {
  bench = await modelBench();
});
afterAll(() => bench.close());

/** The nodes of the intake over a remote describer and embedder; pages are read as the test says. */
async function remote() {
  const server = await startOpenAiServer({
    chat: [
      chatAnswer({
        title: 'Rent',
        description: 'A letter.',
        language: 'en',
        documentType: 'letter',
        keyFields: [],
        tags: [],
      }),
    ],
    embeddings: [embeddingAnswer(Array.from({ length: 1536 }, () => 1))],
  });
  const codec = createImageCodec();
  const bytes = await readFile(new URL('../../fixtures/letter.png', import.meta.url));
  const openai = {
    apiKey,
    baseUrl: server.baseUrl,
    visionModel: 'eye-1',
    embeddingModel: 'vector-1',
    timeoutMs: 30_000,
    maxRetries: 0,
  };
  const { deps } = await bench.deps(null, {
    models: createModels({ codec, openai }),
    ocr: {
      label: 'test/1',
      language: 'eng',
      recognize: async (page) => pageOf('Rent 810', page.index),
      installed: () => ['eng'],
      recent: () => null,
      close: async () => undefined,
    },
    document: async () => ({
      objectKey: 'uploads/letter.png',
      sha256: null,
      contentType: 'image/png',
      sizeBytes: bytes.length,
      pages: 1,
      visibility: 'private',
      apiKeyId: null,
      createdAt: new Date(0),
      page: (index, signal) => codec.page(bytes, index, { signal }),
      text: (index, signal) => codec.text(bytes, index, { signal }),
    }),
  });
  return { deps, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('describe tells the model and its usage', async () => {
  await using ready = await remote();
  const { usage, modelLabel, update } = await attempt(describeNode, { deps: ready.deps, config: {} });
  expect(update['description']).toMatchObject({ title: 'Rent', modelLabel: 'openai/eye-1' });
  expect(modelLabel).toBe('openai/eye-1');
  expect(usage).toMatchObject({ provider: 'openai', model: 'eye-1', inputTokens: 100, outputTokens: 20 });
});

test('ocr, embed_text and embed_image tell what made their results', async () => {
  await using ready = await remote();
  const { deps } = ready;
  const read = await attempt(ocr, { deps, config: {} });
  expect(read.modelLabel).toBe('test/1 eng');
  const text = await attempt(embedText, { deps, config: {}, state: read.update });
  expect(text).toMatchObject({ modelLabel: 'openai/vector-1', usage: { inputTokens: 7 } });
  const image = await attempt(embedImage, { deps, config: {} });
  expect(image.modelLabel).toBe(deps.models.image.label);
});

test('their outcomes depend on the engine or model behind', () => {
  const deps = {
    ocr: { label: 'test/2', language: 'deu' },
    models: { describer: { label: 'a' }, text: { label: 'b' }, image: { label: 'c' } },
  } as unknown as NodeDeps;
  expect(ocr.dependsOn?.(deps, ocr.params.parse({}))).toEqual(['test/2', 'pdf/text-layer-1', 'deu']);
  expect(ocr.dependsOn?.(deps, ocr.params.parse({ language: 'eng' }))).toEqual(['test/2', 'pdf/text-layer-1', 'eng']);
  expect(describeNode.dependsOn?.(deps, describeNode.params.parse({}))).toEqual(['a']);
  expect(embedText.dependsOn?.(deps, embedText.params.parse({}))).toEqual(['b']);
  expect(embedImage.dependsOn?.(deps, embedImage.params.parse({}))).toEqual(['c']);
});
