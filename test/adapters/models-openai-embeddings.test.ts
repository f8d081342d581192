import { expect, test } from 'vitest';
import { createOpenAiTextEmbedder } from '#src/adapters/models/openai/text-embedder.ts';
import {
  embeddingAnswer,
  errorAnswer,
  redirectTo,
  startOpenAiServer,
  type Behaviour,
} from '#test/support/servers/openai-server.ts';

const apiKey = 'sk-test-9f8e7d6c5b4a';

async function withModel(
  embeddings: readonly Behaviour[],
  more: { embeddingDimensions?: number; timeoutMs?: number } = { embeddingDimensions: 3 },
) {
  const server = await startOpenAiServer({ embeddings });
  const model = createOpenAiTextEmbedder({
    apiKey,
    baseUrl: server.baseUrl,
    visionModel: 'eye-1',
    embeddingModel: 'text-embedding-3-small',
    timeoutMs: 60_000,
    maxRetries: 1,
    retryDelayMs: 1,
    ...more,
  });
  return { server, model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('a vector comes back normalised, with the tokens it took', async () => {
  await using it = await withModel([embeddingAnswer([3, 0, 4])]);
  const { vector, usage } = await it.model.embedDocument('some text\nof two lines');
  expect([...vector].map((value) => value.toFixed(3))).toEqual(['0.600', '0.000', '0.800']);
  expect(usage).toMatchObject({ provider: 'openai', model: 'text-embedding-3-small', inputTokens: 7 });
  expect(it.model.label).toBe('openai/text-embedding-3-small');
  expect(it.server.seen[0]?.body).toEqual({
    model: 'text-embedding-3-small',
    input: 'some text\nof two lines',
    dimensions: 3,
    encoding_format: 'float',
  });
  expect(it.server.seen[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
});

test('dimensions are not asked for unless configured, and known models have theirs', async () => {
  await using it = await withModel([embeddingAnswer(Array.from({ length: 1536 }, () => 1))], {});
  await it.model.embedQuery('text');
  expect(it.model.dimensions).toBe(1536);
  expect(it.server.seen[0]?.body).not.toHaveProperty('dimensions');
});

test('a vector of other dimensions is model.failed and says both numbers', async () => {
  await using it = await withModel([embeddingAnswer([1, 2])]);
  await expect(it.model.embedQuery('text')).rejects.toMatchObject({
    code: 'model.failed',
    detail:
      'openai/text-embedding-3-small answered 2 dimensions instead of 3. Check the embedding model and its dimensions.',
  });
});

test.each([[[1, null, 2]], [['a', 'b', 'c']], [[0, 0, 0]]])('%j is no vector', async (vector) => {
  await using it = await withModel([embeddingAnswer(vector)]);
  await expect(it.model.embedQuery('text')).rejects.toMatchObject({ code: 'model.failed' });
});

test('text without a letter or digit has the zero vector and costs no call', async () => {
  await using it = await withModel([embeddingAnswer([1, 2, 3])]);
  expect([...(await it.model.embedDocument(' \n—')).vector]).toEqual([0, 0, 0]);
  expect(it.server.seen).toHaveLength(0);
});

test('a text too long for the model is halved until it fits', async () => {
  const tooLong = errorAnswer(400, "This model's maximum context length is 8192 tokens", {
    code: 'context_length_exceeded',
  });
  await using it = await withModel([tooLong, tooLong, embeddingAnswer([1, 0, 0])]);
  await it.model.embedDocument('x'.repeat(100_000));
  expect(it.server.seen.map(({ body }) => body.input.length)).toEqual([24_000, 12_000, 6000]);
});

test('server errors are tried again, then model.failed', async () => {
  await using it = await withModel([
    errorAnswer(503, 'down'),
    embeddingAnswer([1, 0, 0]),
    errorAnswer(500, `key ${apiKey}`),
  ]);
  await it.model.embedQuery('text');
  expect(it.server.seen).toHaveLength(2);
  await expect(it.model.embedQuery('text')).rejects.toMatchObject({
    code: 'model.failed',
    detail: 'The server of openai/text-embedding-3-small failed (500) (2 attempts).',
  });
});

test('a redirect is not followed: text and credential go to the configured server only', async () => {
  await using other = await startOpenAiServer({ embeddings: [embeddingAnswer([1, 0, 0])] });
  await using it = await withModel([redirectTo(`${other.baseUrl}/embeddings`)]);
  await expect(it.model.embedQuery('text')).rejects.toMatchObject({
    detail: expect.stringContaining('answered with status 307') as string,
  });
  expect(other.seen).toEqual([]);
});

test('an abort ends the call and its connection', async () => {
  await using it = await withModel(['hang']);
  const controller = new AbortController();
  const work = it.model.embedDocument('text', controller.signal);
  const request = await it.server.arrival(0);
  controller.abort(new Error('run was canceled'));
  await expect(work).rejects.toThrow('run was canceled');
  expect(await request.closed).toBe('broken off');
});

test('a body that never ends is given up after timeoutMs', async () => {
  await using it = await withModel(['stall', embeddingAnswer([1, 0, 0])], { embeddingDimensions: 3, timeoutMs: 300 });
  expect([...(await it.model.embedDocument('text')).vector]).toEqual([1, 0, 0]);
  expect(await it.server.seen[0]?.closed).toBe('broken off');
});

test('calls at the same time do not mix their signals or tokens', async () => {
  await using it = await withModel([embeddingAnswer([1, 0, 0])]);
  const aborted = it.model.embedDocument('one', AbortSignal.abort(new Error('gone')));
  const others = Promise.all(['two', 'three'].map((text) => it.model.embedDocument(text)));
  await expect(aborted).rejects.toThrow('gone');
  expect((await others).map(({ usage }) => usage.inputTokens)).toEqual([7, 7]);
});
