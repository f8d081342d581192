import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { createModels, modelLabels } from '#src/adapters/models/create-models.ts';
import { createSemanticEmbedder } from '#src/adapters/models/local/semantic/semantic-embedder.ts';
import { createSentenceEncoder, startSentenceThread } from '#src/adapters/models/local/semantic/sentence-encoder.ts';
import { hashDistance } from '#test/domain/hash-distance.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

const codec = { forModel: async (page: PageImage) => page.png };
const models = createModels({ codec });
const openai = {
  apiKey: 'sk-test-1',
  visionModel: 'eye-1',
  embeddingModel: 'text-embedding-3-small',
  timeoutMs: 1000,
  maxRetries: 0,
};

/** Runs a module in a fresh process of this project and answers what it prints. */
function inFreshProcess(script: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    cwd: process.cwd(),
  });
}

async function pageOf(png: Buffer): Promise<PageImage> {
  const { width, height } = await sharp(png).metadata();
  return { index: 0, width, height, png };
}

/** Coloured waves with a box, 500 x 700. */
async function picture(shift: number): Promise<Buffer> {
  const [width, height] = [500, 700];
  const rgb = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const light = 150 + 90 * Math.sin((x + shift) / 47) * Math.cos((y + 2 * shift) / 83);
    const box = x > 100 + shift && x < 220 + shift && y > 400 && y < 600 ? 90 : 0;
    rgb.set([Math.max(0, light - box), light, 255 - light], pixel * 3);
  }
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

function cosine(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

test('without a key everything is local, and the labels say so', () => {
  const local = {
    describer: 'local/heuristic-3',
    textEmbeddings: 'local/lexical-1536',
    imageEmbeddings: 'local/visual-832',
  };
  expect(modelLabels(models)).toEqual(local);
  expect(modelLabels(createModels({ codec, openai: { ...openai, apiKey: '' } }))).toEqual(local);
});

test('with a key the describer and text vectors are remote, the picture vectors stay local', () => {
  expect(modelLabels(createModels({ codec, openai }))).toEqual({
    describer: 'openai/eye-1',
    textEmbeddings: 'openai/text-embedding-3-small',
    imageEmbeddings: 'local/visual-832',
  });
});

test('text vectors are the same in another process', async () => {
  const text = 'Delivery note DN-660318, 24 dinner plates, speckled white';
  const { vector, usage } = await models.text.embedDocument(text);
  const elsewhere = inFreshProcess(`
    const { createModels } = await import('#src/adapters/models/create-models.ts');
    const { createHash } = await import('node:crypto');
    const { vector } = await createModels({}).text.embedDocument(${JSON.stringify(text)});
    console.log(createHash('sha256').update(Buffer.from(vector.buffer)).digest('hex'));
  `);
  expect(elsewhere.trim()).toBe(createHash('sha256').update(Buffer.from(vector.buffer)).digest('hex'));
  expect(usage).toMatchObject({ provider: 'local', model: 'lexical-1536' });
});

test('choosing models loads neither sharp nor the vendor library', () => {
  const loaded = inFreshProcess(`
    import { registerHooks } from 'node:module';
    const asked = [];
    registerHooks({ resolve(specifier, context, next) { asked.push(specifier); return next(specifier, context); } });
    const { createModels } = await import('#src/adapters/models/create-models.ts');
    const models = createModels({ codec: {}, openai: ${JSON.stringify(openai)} });
    await createModels({}).text.embedDocument('some text');
    console.log(JSON.stringify(asked.filter((name) => !/^(#|\\.|node:)/.test(name))));
  `);
  expect(JSON.parse(loaded)).toEqual(['snowball-stemmers']);
});

test.each([
  ['half the size', (image: Sharp) => image.resize(250)],
  ['a third of the size', (image: Sharp) => image.resize(167)],
  ['gray', (image: Sharp) => image.grayscale()],
  ['JPEG of quality 40', (image: Sharp) => image.jpeg({ quality: 40 })],
])('%s, a picture is near to itself', async (_name, change) => {
  const original = await picture(0);
  const changed = await sharp(await change(sharp(original)).toBuffer())
    .png()
    .toBuffer();
  const before = await models.image.embedImage(await pageOf(original));
  const after = await models.image.embedImage(await pageOf(changed));
  expect(cosine(before.vector, after.vector)).toBeGreaterThanOrEqual(0.95);
  expect(hashDistance(before.blockHash, after.blockHash)).toBeLessThanOrEqual(6);
});

test('another picture is not near', async () => {
  const one = await models.image.embedImage(await pageOf(await picture(0)));
  const other = await models.image.embedImage(await pageOf(await picture(120)));
  expect(cosine(one.vector, other.vector)).toBeLessThan(0.9);
  expect(hashDistance(one.blockHash, other.blockHash)).toBeGreaterThan(12);
  expect(one.blockHash).toMatch(/^[0-9a-f]{16}$/);
});

test('bytes that are no picture are image.undecodable', async () => {
  const page = {
    index: 0,
    width: 10,
    height: 10,
    png: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  };
  await expect(models.image.embedImage({ ...page, png: Buffer.from('nothing') })).rejects.toMatchObject({
    code: 'image.undecodable',
  });
  await expect(models.image.embedImage(page)).rejects.toMatchObject({ code: 'image.undecodable' });
});

test('the local describer reads the picture for light and colour, and the text for the rest', async () => {
  const page = await pageOf(await picture(0));
  const { value, usage } = await models.describer.describe({ page, pages: 2, text: '', avgConfidence: 0 });
  expect(value.description).toContain('The image has 2 pages; the first is 500 x 700 pixels');
  expect(value.description).toContain('in colour');
  expect(usage).toMatchObject({ provider: 'local', model: 'heuristic-3' });
});

test('an aborted signal ends local models with its reason', async () => {
  const signal = AbortSignal.abort(new Error('run was canceled'));
  const page = await pageOf(await picture(0));
  await expect(models.text.embedQuery('text', signal)).rejects.toThrow('run was canceled');
  await expect(models.image.embedImage(page, signal)).rejects.toThrow('run was canceled');
  await expect(models.describer.describe({ page, pages: 1, text: '', avgConfidence: 0, signal })).rejects.toThrow(
    'run was canceled',
  );
});

test('the semantic embedder finds a request in other words, and ends its thread when it is idle', async () => {
  const ended = Promise.withResolvers<void>();
  const started: unknown[] = [];
  const start = () => {
    const thread = startSentenceThread();
    started.push(thread);
    const end = async () => {
      await thread.end();
      ended.resolve();
    };
    return { ...thread, call: thread.call, end, ended: false };
  };
  const text = createSemanticEmbedder(createSentenceEncoder(start, 1));
  expect(models.text.label).toBe('local/lexical-1536');
  expect([text.label, text.dimensions]).toEqual(['local/semantic-1536', 1536]);
  const vector = async (words: string) => (await text.embedDocument(words)).vector;
  const [asked, near, far, german] = await Promise.all([
    text.embedQuery('What does the automobile cost?').then((one) => one.vector),
    vector('The price of the car is high.'),
    vector('Our choir sings on Sunday evening.'),
    vector('Der Preis des Autos ist hoch und die Rechnung liegt bei.'),
  ]);
  expect(cosine(asked, near)).toBeGreaterThan(cosine(asked, far) + 0.15);
  expect(german.slice(1024).some((value) => value !== 0)).toBe(false);
  expect((await vector('')).some((value) => value !== 0)).toBe(false);
  // The longest passages fit into the memory of the thread.
  const long = `the ${'qxzjkvwb'.repeat(8)} `.repeat(120);
  expect((await vector(long)).slice(1024).some((value) => value !== 0)).toBe(true);
  await ended.promise;
  expect(started).toHaveLength(1);
});

test('a sentence encoder that fails is an error of the model', async () => {
  const broken = createSemanticEmbedder({ encode: async () => Promise.reject(new Error('thread ended')) });
  await expect(broken.embedDocument('The car is red.')).rejects.toMatchObject({ code: 'model.failed' });
});
