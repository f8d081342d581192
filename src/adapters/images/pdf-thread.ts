import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { encodePage, pictureOfPixels } from '#src/adapters/images/decode.ts';
import { renderPdfPage, readPdfFacts } from '#src/adapters/images/pdf-render.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { PictureSize } from '#src/domain/ports/image-codec.ts';

export type PdfRequest =
  | { readonly action: 'facts'; readonly bytes: Uint8Array }
  | { readonly action: 'page'; readonly bytes: Uint8Array; readonly index: number }
  | { readonly action: 'picture'; readonly bytes: Uint8Array; readonly index: number; readonly size: PictureSize };

/** Entry point of the thread that reads PDFs. It speaks the protocol of guarded-thread.ts and gets one call at a time. */
type Packet = { readonly jobId: number } & (
  | { readonly action: 'start'; readonly payload: null }
  | { readonly action: PdfRequest['action']; readonly payload: PdfRequest }
);

parentPort?.on('message', (packet: Packet) => {
  void answer(packet);
});

async function answer({ jobId, payload }: Packet): Promise<void> {
  try {
    const data = payload === null ? null : await perform(payload);
    parentPort?.postMessage({ jobId, status: 'resolve', data }, []);
  } catch (error) {
    parentPort?.postMessage({ jobId, status: 'reject', data: nameOf(error) }, []);
  }
  // The process is killed when it is idle: without this, the next one would compile everything again.
  flushCompileCache();
}

/** Encodes in this process as well: the pixels of a page stay here. */
async function perform(request: PdfRequest): Promise<unknown> {
  if (request.action === 'facts') return readPdfFacts(request.bytes);
  const pixels = await renderPdfPage(request.bytes, request.index);
  return request.action === 'page' ? encodePage(pixels, request.index) : pictureOfPixels(pixels, request.size);
}

function nameOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
