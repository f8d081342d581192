import { figureOf } from '#scripts/bench/figures.ts';
import { ingest, readScan, type Scan } from '#scripts/bench/documents/ingest.ts';
import { fixturesFolder, truthOf } from '#scripts/bench/documents/truth.ts';
import { startInkgraph, type Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { startLoadClient, type LoadClient } from '#scripts/bench/processes/load-client.ts';
import { scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';

interface Cost {
  /** CPU by document, in milliseconds: of everything but Tesseract's threads, and of all. */
  readonly outsideMs: number;
  readonly allMs: number;
}

const isPdf = ({ contentType }: Scan): boolean => contentType === 'application/pdf';

async function costOf(inkgraph: Inkgraph, client: LoadClient, scans: readonly Scan[]): Promise<Cost> {
  const work = (): Promise<void> => ingest(inkgraph, client, scans);
  const { cpuMs, tesseractMs } = await inkgraph.service.count(scans.some(isPdf) ? 'G7-pdf' : 'G7-images', work);
  return { allMs: cpuMs / scans.length, outsideMs: (cpuMs - tesseractMs) / scans.length };
}

function lineOf(what: string, costs: readonly Cost[]): Line {
  return {
    id: 'G7',
    what: `CPU outside Tesseract by document, upload to index, ${what}`,
    unit: 'ms',
    ours: figureOf(costs.map((cost) => cost.outsideMs)),
    peer: { name: 'all of its CPU', figure: figureOf(costs.map((cost) => cost.allMs)) },
  };
}

async function measure(
  context: BenchContext,
  sides: { inkgraph: Inkgraph; client: LoadClient },
  scans: readonly Scan[],
) {
  const costs: Cost[] = [];
  for (let run = 0; run <= context.runs; run += 1) {
    context.progress(run === 0 ? 'warming up' : `run ${run} of ${context.runs}`);
    const cost = await costOf(sides.inkgraph, sides.client, scans);
    if (run > 0) costs.push(cost);
  }
  return costs;
}

/** G7: what the service itself adds to recognizing text, over the fixtures; every run sends them all the way. */
export const outsideOcr: Row = {
  id: 'G7',
  async measure(context) {
    await using inkgraph = await startInkgraph(context, 'api,agents', { OCR_WORKERS: '1' });
    await using client = startLoadClient();
    const scans = await Promise.all((await truthOf(fixturesFolder)).map(({ path }) => readScan(path)));
    const images = scans.filter((scan) => !isPdf(scan)).slice(0, scaled(context, scans.length));
    const ofImages = await measure(context, { inkgraph, client }, images);
    const pdfs = scans.filter(isPdf);
    const ofPdfs = await measure(context, { inkgraph, client }, pdfs);
    const mean = (one: number, other: number): number =>
      (one * images.length + other * pdfs.length) / (images.length + pdfs.length);
    const together = ofImages.map((cost, run): Cost => {
      const pdf = ofPdfs[run] ?? cost;
      return { outsideMs: mean(cost.outsideMs, pdf.outsideMs), allMs: mean(cost.allMs, pdf.allMs) };
    });
    return [
      { ...lineOf(`${images.length + pdfs.length} fixtures`, together), goal: { of: 'ratio', atMost: 0.08 } },
      lineOf(`${images.length} images`, ofImages),
      lineOf(`${pdfs.length} PDF`, ofPdfs),
    ];
  },
};
