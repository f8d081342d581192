import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { isFolderOfRun } from '#scripts/check/memory-folder.ts';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import type { OcrEngine, OcrOptions, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

// Its threads keep the model and their compiled code while apps come and go.
const engine = createTesseractEngine({ idleMs: 600_000 });
const read = new LRUCache<string, OcrPage>({ max: 200 });

/** The engine reads a page for itself alone: its result depends on nothing but these. */
function keyOf({ png, ...page }: PageImage, options: OcrOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([page, { ...options, signal: undefined }]))
    .update(png)
    .digest('base64url');
}

/** Pages that the other worker of the same test run has read. It goes with the run: a changed engine finds nothing of an older one. */
const shared = isFolderOfRun(tmpdir()) ? join(tmpdir(), 'read-pages') : null;

async function readElsewhere(key: string): Promise<OcrPage | null> {
  if (shared === null) return null;
  try {
    return deserialize(await readFile(join(shared, key))) as OcrPage;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function share(key: string, page: OcrPage): Promise<void> {
  if (shared === null) return;
  await mkdir(shared, { recursive: true });
  const draft = join(shared, `${key}.${process.pid}`);
  await writeFile(draft, serialize(page));
  await rename(draft, join(shared, key));
}

/**
 * OCR of all test apps of a run. Tesseract reads each page once for each set of options; another app gets that result. An app with settings
 * of OCR has an engine of its own, and test/adapters/ocr tests the engine itself.
 */
export const warmOcr: OcrEngine = {
  ...engine,
  async recognize(page, options) {
    options.signal?.throwIfAborted();
    const key = keyOf(page, options);
    const known = read.get(key);
    if (known !== undefined) return structuredClone(known);
    const found = await readElsewhere(key);
    const result = found ?? (await engine.recognize(page, options));
    read.set(key, structuredClone(result));
    if (found === null) await share(key, result);
    return result;
  },
};
