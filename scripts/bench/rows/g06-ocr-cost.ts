import { figureOf, median } from '#scripts/bench/figures.ts';
import { busyMs } from '#scripts/bench/machine.ts';
import { allCores, nativeMissing, nativeTesseract } from '#scripts/bench/documents/native-tesseract.ts';
import { startOcrChild, type OcrChild } from '#scripts/bench/documents/ocr-child.ts';
import { fixturesFolder, truthOf } from '#scripts/bench/documents/truth.ts';
import { interleave, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import type { PageFile } from '#scripts/bench/targets/ocr-pages.ts';

/** Pages that the service reads in one attempt: the second one of hard pages buys quality, which G8 shows with its cost. */
async function plainPages(context: BenchContext, ocr: OcrChild): Promise<PageFile[]> {
  context.progress('decoding the fixtures');
  const pages: PageFile[] = [];
  for (const { path } of await truthOf(fixturesFolder)) pages.push(...(await ocr.decode(path)));
  const { recognized } = await ocr.recognize(pages, 1);
  const plain = pages.filter((_, index) => recognized[index]?.attempts === 1);
  return plain.slice(0, Math.max(2, Math.round(8 * context.scale)));
}

async function costLine(context: BenchContext, ocr: OcrChild, pages: readonly PageFile[]): Promise<Line> {
  const line = { id: 'G6', what: `OCR, CPU a page, warm, ${pages.length} fixtures`, unit: 'ms' };
  const goal = { of: 'ratio', atMost: 1.6 } as const;
  const native = await nativeTesseract(context.scratch);
  if (native === null) return { ...line, ours: null, goal, note: nativeMissing };
  const results = await interleave(context, {
    ours: async () => (await ocr.recognize(pages, 1)).cpuMs,
    peer: async () => (await native.recognize(pages.map((page) => page.path))).cpuMs,
  });
  return { ...line, ours: figureOf(results.ours), peer: { name: native.name, figure: figureOf(results.peer) }, goal };
}

async function scalingLine(context: BenchContext, ocr: OcrChild, some: readonly PageFile[]): Promise<Line> {
  // Enough pages that the last one's tail does not leave the other cores idle for long.
  const pages = [...some, ...some, ...some].slice(0, Math.max(6 * allCores, some.length));
  const perSecond = async (workers: number) => {
    const before = busyMs();
    const { elapsedMs, cpuMs } = await ocr.recognize(pages, workers);
    const others = Math.max(0, busyMs() - before - cpuMs * pages.length) / elapsedMs;
    return { perSecond: (pages.length / elapsedMs) * 1_000, cpuMs, others };
  };
  const { ours, peer } = await interleave(context, { ours: () => perSecond(allCores), peer: () => perSecond(1) });
  const others = median(ours.map((one) => one.others));
  return {
    id: 'G6',
    what: `OCR, pages a second with ${allCores} workers`,
    unit: 'pages/s',
    ours: figureOf(ours.map((one) => one.perSecond)),
    cpuMs: median(ours.map((one) => one.cpuMs)),
    peer: {
      name: 'the same with 1 worker',
      figure: figureOf(peer.map((one) => one.perSecond)),
      cpuMs: median(peer.map((one) => one.cpuMs)),
    },
    goal: { of: 'ratio', atLeast: 0.9 * allCores },
    note: `other processes used ${others.toFixed(2)} of ${allCores} cores meanwhile`,
  };
}

/** G6: what WebAssembly and our preparation cost beside the native command, and whether workers add up. */
export const ocrCost: Row = {
  id: 'G6',
  async measure(context) {
    await using ocr = await startOcrChild(context);
    const pages = await plainPages(context, ocr);
    return [await costLine(context, ocr, pages), await scalingLine(context, ocr, pages)];
  },
};
