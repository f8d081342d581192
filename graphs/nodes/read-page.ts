import type { NodeCall } from '#graphs/define.ts';
import { pageOf } from '#graphs/nodes/page.ts';
import { AppError } from '#src/domain/app-error.ts';
import { hasMarks, marksSide } from '#src/domain/documents/has-marks.ts';
import { flawOf, layerPage } from '#src/domain/documents/text-layer.ts';
import type { PageText } from '#src/domain/ports/image-codec.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

interface Params {
  readonly language?: string | undefined;
  readonly overridesDocument?: boolean | undefined;
  readonly pageSegmentationMode?: number | undefined;
  readonly textLayers: boolean;
  readonly timeoutMs: number;
}

export type ReadCall = Pick<NodeCall<Params>, 'deps' | 'run' | 'state' | 'params' | 'signal'>;

/** A page by the text that its PDF states, or else by recognition. Source: docs/decisions/0135. */
export async function readPage(call: ReadCall, index: number, language: string): Promise<OcrPage> {
  const text = call.params.textLayers ? await statedText(call, index) : null;
  if (text === null) return recognize(call, index, language);
  const flaw = flawOf(text);
  if (flaw === null) return layerPage(index, text);
  const page = await recognize(call, index, language);
  if (flaw === 'short') return page;
  return { ...page, warnings: [...page.warnings, `The text that the PDF states for this page was not used: ${flaw}.`] };
}

/** null also for a page whose text takes too much time or memory: it may be possible to draw it all the same. */
async function statedText({ deps, run, signal }: ReadCall, index: number): Promise<PageText | null> {
  const document = await deps.document(run);
  try {
    return await document.text(index, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && error.code === 'image.undecodable') return null;
    throw error;
  }
}

async function recognize(call: ReadCall, index: number, language: string): Promise<OcrPage> {
  const { deps, params, signal } = call;
  const { pageSegmentationMode, timeoutMs } = params;
  const mode = pageSegmentationMode === undefined ? {} : { pageSegmentationMode };
  const image = await pageOf(call, index);
  const page = await deps.ocr.recognize(image, { language, timeoutMs, signal, ...mode });
  const losses = [...new Set([...(image.losses ?? []), ...(page.losses ?? [])])];
  if (page.text.trim() === '' && hasMarks(await deps.images.raster(image, marksSide, signal)))
    losses.push('text_not_found');
  return losses.length === 0 ? page : { ...page, losses };
}
