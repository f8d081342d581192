/** Decoding and text recognition as the service does them, without the service. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import type { OcrEngine, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import { inLanes } from '#scripts/bench/processes/http-send.ts';
import { serve } from '#scripts/bench/processes/serve.ts';

/** A decoded, upright page on disk: what both sides recognize. */
export interface PageFile extends Omit<PageImage, 'png'> {
  readonly path: string;
}

export interface RecognizedPage {
  readonly text: string;
  readonly attempts: number;
}

const [folder = ''] = process.argv.slice(2);
const codec = createImageCodec();
const engines = new Map<number, OcrEngine>();
let written = 0;

async function decode(path: string): Promise<PageFile[]> {
  const bytes = await readFile(path);
  const { pages } = await codec.inspect(bytes);
  const files: PageFile[] = [];
  for (let index = 0; index < pages; index += 1) {
    const { png, ...page } = await codec.page(bytes, index);
    const file = join(folder, `page-${(written += 1)}.png`);
    await writeFile(file, png);
    files.push({ ...page, path: file });
  }
  return files;
}

function engineWith(workers: number): OcrEngine {
  const engine = engines.get(workers) ?? createTesseractEngine({ workers, idleMs: 600_000 });
  engines.set(workers, engine);
  return engine;
}

async function recognize({ pages, workers }: { pages: readonly PageFile[]; workers: number }) {
  const engine = engineWith(workers);
  const recognized: RecognizedPage[] = [];
  const { elapsedMs } = await inLanes(pages.length, workers, async (index) => {
    const { path, ...page } = pages[index] as PageFile;
    const { text, attempts } = await engine.recognize({ ...page, png: await readFile(path) }, { timeoutMs: 120_000 });
    recognized[index] = { text, attempts: attempts.length };
  });
  return { elapsedMs, recognized };
}

/** Pages with their lines and words. */
async function read(pages: readonly PageFile[]): Promise<OcrPage[]> {
  const found: OcrPage[] = [];
  for (const { path, ...page } of pages)
    found.push(await engineWith(1).recognize({ ...page, png: await readFile(path) }, { timeoutMs: 120_000 }));
  return found;
}

serve({ decode, recognize, read });
process.channel?.ref();
