import { z } from 'zod';
import { defineNode, type NodeCall } from '#graphs/define.ts';
import { OcrFacts, originOf, readFacts, SegmentationFacts } from '#graphs/nodes/facts.ts';
import { pageOf } from '#graphs/nodes/page.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import type { Segment, Segmenter } from '#src/domain/ports/segmenter.ts';

const Params = z.strictObject({
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .describe(
      'Regions to find: words of the text, text, lines, words, blocks, foreground, page, date, money, email, phone, url, number, ' +
        '"value of total"; a remote engine also finds objects, such as "signature"',
    ),
  page: z.int().min(0).max(199).default(0).describe('Page index, counted from 0'),
  engine: z
    .enum(['auto', 'local', 'remote'])
    .default('auto')
    .describe('auto: the remote engine if one is configured, otherwise the local one'),
  maxSegments: z.int().min(1).max(1_000).default(100).describe('Most segments to keep, best first'),
  minScore: z.number().min(0).max(1).default(0).describe('Lowest score to keep'),
  derive: z
    .enum(['none', 'crop', 'masked'])
    .default('none')
    .describe('Store the segments as a document of their own; crop: cut out; masked: cut out, with the rest white'),
});
type Call = NodeCall<z.output<typeof Params>>;

export const segment = defineNode({
  type: 'segment',
  version: 1,
  summary: 'Find regions of a page by a prompt and store them, optionally also as a document of their own',
  params: Params,
  reads: [],
  readsIfPresent: ['ocr', 'preprocessed'],
  writes: ['segmentation'],
  outputs: { segmentation: SegmentationFacts },
  // Stores a derived document besides its result row, which is a side effect.
  pure: false,
  defaultTimeoutMs: 180_000,
  example: { prompt: 'value of total', derive: 'crop' },
  async run(call) {
    const { deps, run, params, signal } = call;
    const segmenter = segmenterOf(deps, params.engine);
    const document = await deps.document(run);
    if (params.page >= document.pages)
      throw new AppError(
        'run.needs_input',
        `"page" is ${params.page}, but the document has ${document.pages} pages, counted from 0. Use a smaller index.`,
      );
    const page = await pageOf(call, params.page);
    const { prompt, maxSegments } = params;
    const answer = await segmenter.segment({ page, ocr: await ocrPage(call), prompt, maxSegments, signal });
    const segments = answer.segments.filter(({ score }) => score >= params.minScore).slice(0, maxSegments);
    const { unsupportedPrompt } = answer;
    const found = { modelLabel: segmenter.label, prompt, page: params.page, segments, unsupportedPrompt };
    const derivedDocumentId = await derive(call, page, segments);
    const saved = await deps.results.saveSegmentation(originOf(call), { ...found, derivedDocumentId });
    const labels = [...new Set(saved.segments.map(({ label }) => label.slice(0, 100)))].slice(0, 20);
    return {
      update: {
        segmentation: {
          segmentationId: saved.segmentationId,
          segments: saved.segments.length,
          labels,
          unsupportedPrompt: saved.unsupportedPrompt,
          derivedDocumentId: saved.derivedDocumentId,
          modelLabel: saved.modelLabel,
        },
      },
      modelLabel: saved.modelLabel,
    };
  },
});

function segmenterOf({ segmenters }: NodeDeps, engine: 'auto' | 'local' | 'remote'): Segmenter {
  if (engine === 'local') return segmenters.local;
  if (segmenters.remote !== null) return segmenters.remote;
  if (engine === 'auto') return segmenters.local;
  throw new AppError(
    'model.unavailable',
    'No remote segmentation engine is configured. Set SEGMENTATION_URL, or use the engine "local".',
  );
}

async function ocrPage({ deps, run, state, params }: Call): Promise<OcrPage | null> {
  const facts = readFacts(state, 'ocr', OcrFacts);
  if (facts === null) return null;
  return deps.results.ocrPage(run.organizationId, facts.ocrResultId, params.page);
}

/** Stores the picture before the result row: both refer to each other by derived ids, so a repeated attempt finds both. */
async function derive(call: Call, page: PageImage, segments: readonly Segment[]): Promise<string | null> {
  const { deps, run, path, params, signal } = call;
  if (params.derive === 'none' || segments.length === 0) return null;
  const keepPolygons = segments.map(({ polygon }) => polygon);
  const kept = params.derive === 'masked' ? await deps.images.transform(page, { keepPolygons }, signal) : page;
  const picture = await deps.images.transform(kept, { crop: around(segments) }, signal);
  const { png, width, height } = picture;
  const segmentationId = deps.results.segmentationIdOf(originOf(call));
  return deps.storeDerived(run, path, { png, width, height, segmentationId });
}

function around(segments: readonly Segment[]): [number, number, number, number] {
  const left = Math.min(...segments.map(({ box }) => box[0]));
  const top = Math.min(...segments.map(({ box }) => box[1]));
  const right = Math.max(...segments.map(({ box }) => box[0] + box[2]));
  const bottom = Math.max(...segments.map(({ box }) => box[1] + box[3]));
  return [left, top, right - left, bottom - top];
}
