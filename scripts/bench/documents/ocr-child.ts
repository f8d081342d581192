import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { BenchContext } from '#scripts/bench/row.ts';
import type { PageFile, RecognizedPage } from '#scripts/bench/targets/ocr-pages.ts';

export interface Recognition {
  readonly elapsedMs: number;
  readonly recognized: readonly RecognizedPage[];
  /** CPU of the process by page, in milliseconds. */
  readonly cpuMs: number;
}

export interface OcrChild extends AsyncDisposable {
  /** The pages of a document, upright, as PNG files. */
  decode(path: string): Promise<PageFile[]>;
  recognize(pages: readonly PageFile[], workers: number): Promise<Recognition>;
  /** Pages with their lines and words. */
  read(pages: readonly PageFile[]): Promise<OcrPage[]>;
}

/** The service's text recognition in a process of its own. */
export async function startOcrChild(context: BenchContext): Promise<OcrChild> {
  const folder = await mkdtemp(join(context.scratch, 'pages-'));
  const child: Child = startChild(new URL('../targets/ocr-pages.ts', import.meta.url), {
    args: [folder],
    profiles: context.profiles,
  });
  return {
    decode: (path) => child.ask('decode', path),
    read: (pages) => child.ask('read', pages),
    async recognize(pages, workers) {
      const work = (): Promise<Omit<Recognition, 'cpuMs'>> => child.ask('recognize', { pages, workers });
      const { result, cpuMs } = await child.count(`ocr-${workers}`, work);
      return { ...result, cpuMs: cpuMs / pages.length };
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
