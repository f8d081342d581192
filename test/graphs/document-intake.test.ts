import { readFile } from 'node:fs/promises';
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectionsOf } from '#src/stores/collections.ts';
import { migrate } from '#src/stores/migrate.ts';
import { createResultStore } from '#src/stores/results.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { AppError } from '#src/domain/app-error.ts';
import { catalog } from '#graphs/catalog.ts';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { checkGraph } from '#graphs/check.ts';
import { graphOf, runGraph, StepLog } from '#test/graphs/support/graph-fixtures.ts';
import { temporaryDatabase } from '#test/graphs/support/embedded-database.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import type { OcrEngine, OcrOptions, OcrPage } from '#src/domain/ports/ocr-engine.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
beforeAll(async () => {
  database = await temporaryDatabase();
  await migrate(database.db);
});
afterAll(() => database.close());

/** An engine that reads what the test says, page by page: recognition itself is proved elsewhere. */
function engineReading(...pages: readonly (readonly [text: string, confidence: number][])[]) {
  const asked: { index: number; options: OcrOptions }[] = [];
  const engine: OcrEngine = {
    label: 'test/1',
    language: 'eng',
    async recognize(page, options): Promise<OcrPage> {
      asked.push({ index: page.index, options });
      const box = [0, 0, 1, 1] as const;
      const words = (pages[page.index] ?? []).map(([text, confidence]) => ({ text, confidence, box }));
      const text = words.map((word) => word.text).join(' ');
      const lines = [{ text, confidence: 50, box, words }];
      const { index, width, height } = page;
      const letters = words.reduce((sum, word) => sum + word.text.length, 0);
      const weighted = words.reduce((sum, word) => sum + word.confidence * word.text.length, 0);
      const confidence = letters === 0 ? 0 : weighted / letters;
      return { index, width, height, rotation: 0, text, confidence, lines, attempts: [], warnings: [] };
    },
    installed: () => ['eng'],
    recent: () => null,
    close: async () => undefined,
  };
  return { engine, asked };
}

async function depsFor(fixture: string, ocr: OcrEngine): Promise<NodeDeps> {
  const collections = collectionsOf(database.db);
  const codec = createImageCodec();
  const search = createSearchIndex(collections, { mode: 'lexical', embedder: createLocalModels().text });
  const bytes = await readFile(new URL(`../fixtures/${fixture}`, import.meta.url));
  const { contentType, pages } = await codec.inspect(bytes);
  return {
    document: async () => ({
      objectKey: `uploads/org_a/prj_a/${fixture}`,
      sha256: null,
      contentType,
      sizeBytes: bytes.length,
      pages,
      visibility: 'private',
      apiKeyId: null,
      createdAt: new Date(0),
      page: (index, signal) => codec.page(bytes, index, { signal }),
      text: (index, signal) => codec.text(bytes, index, { signal }),
    }),
    results: createResultStore(database.client, collections),
    search: {
      ...search,
      async upsert(update) {
        await search.upsert(update);
        return undefined;
      },
    },
    ocr,
    models: createLocalModels(),
    images: codec,
  } satisfies Partial<NodeDeps> as unknown as NodeDeps;
}

const letterWords: [string, number][] = [
  ['Invoice', 90],
  ['INV-2024/0042', 60],
  ['Total', 80],
];

describe('Document intake', () => {
  test('the workflow checks, without a warning', () => {
    expect(checkGraph(JSON.parse(JSON.stringify(documentIntake.graph)), catalog).issues).toEqual([]);
  });

  test('recognizes, describes, embeds and indexes a document', async () => {
    const { engine } = engineReading(letterWords);
    const deps = await depsFor('letter.png', engine);
    const log = new StepLog();
    const { outputs } = await runGraph(documentIntake.graph, { catalog, deps, log, runId: 'run_intake' });
    expect(outputs).toMatchObject({
      ocr: { characters: 27, modelLabel: 'test/1 eng' },
      description: { modelLabel: deps.models.describer.label },
      imageEmbedding: { modelLabel: deps.models.image.label, dimensions: deps.models.image.dimensions },
      textEmbedding: { modelLabel: deps.models.text.label, dimensions: deps.models.text.dimensions },
      indexed: {
        documentId: 'doc_a',
        fields: ['title', 'description', 'ocrText', 'identifiers', 'embeddings.text', 'embeddings.image'],
      },
    });
    expect(log.finished.map((step) => step.type).toSorted()).toEqual(
      ['load_image', 'ocr', 'embed_image', 'describe', 'embed_text', 'index'].toSorted(),
    );
    expect(log.finished.find((step) => step.type === 'describe')?.usage?.provider).toBeTypeOf('string');
    const record = await database.db.collection('searchRecords').findOne({ organizationId: 'org_a' });
    expect(record?.['identifiers']).toEqual(expect.arrayContaining(['inv20240042', '2024', '0042']));
    expect(record?.['ocrText']).toBe('Invoice INV-2024/0042 Total');
  });

  test('image and text are worked on side by side, and indexing waits for both', async () => {
    const { engine } = engineReading(letterWords);
    const log = new StepLog();
    await runGraph(documentIntake.graph, {
      catalog,
      deps: await depsFor('letter.png', engine),
      log,
      runId: 'run_order',
    });
    const superstep = new Map(log.started.map((step) => [step.path, step.superstep]));
    expect(superstep.get('embed_image')).toBe(superstep.get('recognize'));
    expect(superstep.get('index')).toBe(5);
    expect(log.started.filter((step) => step.path === 'index')).toHaveLength(1);
  });

  test('every page is recognized in turn, joined by a form feed, and words count by their length', async () => {
    const { engine, asked } = engineReading([['aaaa', 90]], [['bb', 30]]);
    const deps = await depsFor('statement.tiff', engine);
    const graph = graphOf(
      {
        load: 'load_image',
        read: { type: 'ocr', config: { language: 'eng+deu', pageSegmentationMode: 6, timeoutMs: 5_000 } },
      },
      ['START>load', 'load>read', 'read>END'],
      { state: { document: {}, ocr: {} }, outputs: { ocr: 'ocr' } },
    );
    const { outputs } = await runGraph(graph, { catalog, deps, runId: 'run_pages' });
    const pages = asked.map(({ index }) => index);
    expect(pages).toEqual(pages.map((_, at) => at));
    expect(pages.length).toBeGreaterThan(1);
    expect(asked[0]?.options).toMatchObject({ language: 'eng+deu', pageSegmentationMode: 6, timeoutMs: 5_000 });
    const { ocrResultId } = outputs['ocr'] as { ocrResultId: string };
    const stored = await deps.results.ocrById('org_a', ocrResultId);
    expect(stored?.text).toBe(['aaaa', 'bb', ...pages.slice(2).map(() => '')].join('\f'));
    expect(stored?.avgConfidence).toBeCloseTo((4 * 90 + 2 * 30) / 6);
    expect(await deps.results.ocrById('org_other', ocrResultId)).toBeNull();
  });

  test('a run that is repeated from the start stores nothing twice and says the same', async () => {
    const { engine } = engineReading(letterWords);
    const deps = await depsFor('letter.png', engine);
    const once = await runGraph(documentIntake.graph, { catalog, deps, runId: 'run_twice' });
    const again = await runGraph(documentIntake.graph, {
      catalog,
      deps,
      runId: 'run_twice',
      checkpointer: new MemorySaver(),
    });
    expect(again).toEqual(once);
    for (const name of ['ocrResults', 'descriptions']) {
      expect(await database.db.collection(name).countDocuments({ runId: 'run_twice' })).toBe(1);
    }
    expect(await database.db.collection('embeddings').countDocuments({ runId: 'run_twice' })).toBe(2);
  });

  test('a document can be indexed without text recognition', async () => {
    const { engine, asked } = engineReading();
    const graph = graphOf(
      { load: 'load_image', explain: 'describe', put: 'index' },
      ['START>load', 'load>explain', 'explain>put', 'put>END'],
      { state: { document: {}, description: {}, indexed: {} }, outputs: { indexed: 'indexed' } },
    );
    expect(checkGraph(JSON.parse(JSON.stringify(graph)), catalog).issues).toEqual([]);
    const { outputs } = await runGraph(graph, {
      catalog,
      deps: await depsFor('letter.png', engine),
      runId: 'run_no_text',
    });
    expect(asked).toEqual([]);
    expect(outputs['indexed']).toMatchObject({ fields: expect.arrayContaining(['title']) as string[] });
  });

  test('a document without words has no text vector in its search record', async () => {
    const { engine } = engineReading();
    const graph = graphOf({ turn: 'embed_text', put: 'index' }, ['START>turn', 'turn>put', 'put>END'], {
      state: { ocr: {}, description: {}, textEmbedding: {}, indexed: {} },
      outputs: { indexed: 'indexed' },
    });
    const deps = await depsFor('letter.png', engine);
    const { outputs } = await runGraph(graph, { catalog, deps, runId: 'run_wordless' });
    expect(await database.db.collection('embeddings').countDocuments({ runId: 'run_wordless' })).toBe(1);
    expect(outputs['indexed']).toMatchObject({ fields: [] });
    const { documentId } = outputs['indexed'] as { documentId: string };
    const row = await collectionsOf(database.db).searchRecords.findOne({ _id: documentId });
    expect(row?._id).toBe(documentId);
    expect(row?.embedding.text).toBeUndefined();
  });

  test('results that were deleted while the run went on end it as document.not_found', async () => {
    const { engine } = engineReading(letterWords);
    const graph = graphOf({ explain: 'describe' }, ['START>explain', 'explain>END'], {
      state: { document: { default: null }, ocr: {}, description: {} },
    });
    const ocr = { ocrResultId: 'ocr_gone', characters: 1, avgConfidence: 1, modelLabel: 'x' };
    const run = runGraph(graph, {
      catalog,
      deps: await depsFor('letter.png', engine),
      initialState: { ocr },
      runId: 'run_gone',
    });
    await expect(run).rejects.toMatchObject({ code: 'document.not_found' });
  });

  test('an initial state of another shape is refused where it is read', async () => {
    const { engine } = engineReading(letterWords);
    const graph = graphOf({ explain: 'describe' }, ['START>explain', 'explain>END'], {
      state: { document: { default: null }, ocr: {}, description: {} },
    });
    const deps = await depsFor('letter.png', engine);
    const run = runGraph(graph, { catalog, deps, initialState: { ocr: { $ne: 1 } }, runId: 'run_shape' });
    await expect(run).rejects.toMatchObject({ code: 'workflow.invalid' });
  });

  test('a page that never ends recognizing is stopped with its run', async () => {
    const begun = Promise.withResolvers<void>();
    const stuck: OcrEngine = {
      label: 'test/1',
      language: 'eng',
      recognize: (_page, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new AppError('ocr.failed', 'Stopped.')));
          begun.resolve();
        }),
      installed: () => ['eng'],
      recent: () => null,
      close: async () => undefined,
    };
    const controller = new AbortController();
    const log = new StepLog();
    const deps = await depsFor('letter.png', stuck);
    const run = runGraph(documentIntake.graph, { catalog, deps, log, runId: 'run_stuck', signal: controller.signal });
    const outcome = expect(run).rejects.toMatchObject({ code: 'run.canceled' });
    await begun.promise;
    controller.abort(new AppError('run.canceled', 'Canceled.'));
    await outcome;
    expect(log.finished.find((step) => step.type === 'ocr')?.status).toBe('canceled');
  });
});

describe('The catalogue', () => {
  test.each(catalog.definitions.map((definition) => [definition.type, definition] as const))(
    '%s has an example that it takes, described fields, and a summary',
    (type, definition) => {
      expect(type).toMatch(/^[a-z][a-z_]*$/);
      expect(definition.params.safeParse(definition.example).success).toBe(true);
      expect(definition.params.safeParse({ ...definition.example, nonsense: 1 }).success).toBe(false);
      const fields = Object.values(definition.params.shape) as { description?: string }[];
      for (const { description } of fields) expect(description).toBeTruthy();
      expect(definition.summary).toMatch(/^[A-Z].*[^.]$/);
    },
  );
});
