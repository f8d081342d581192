import { basename } from 'node:path';
import { characterErrorRate } from '#scripts/bench/documents/character-error-rate.ts';
import { figureOf } from '#scripts/bench/figures.ts';
import { nativeMissing, nativeTesseract, type NativeTesseract } from '#scripts/bench/documents/native-tesseract.ts';
import { startOcrChild, type OcrChild } from '#scripts/bench/documents/ocr-child.ts';
import { fixturesFolder, truthOf, type TruthDocument } from '#scripts/bench/documents/truth.ts';
import type { Line, Row } from '#scripts/bench/row.ts';

interface Read {
  readonly truth: TruthDocument;
  readonly ours: number;
  readonly native: number | null;
  readonly ourCpuMs: number;
  readonly nativeCpuMs: number;
  readonly pages: number;
  /** Sum over all pages. */
  readonly attempts: number;
}

/** Both sides read the same decoded, upright pages: only the recognition differs. */
async function readBoth(ocr: OcrChild, native: NativeTesseract | null, truth: TruthDocument): Promise<Read> {
  const pages = await ocr.decode(truth.path);
  const { recognized, cpuMs } = await ocr.recognize(pages, 1);
  const theirs = await native?.recognize(pages.map((page) => page.path));
  const rate = (texts: readonly string[]): number => characterErrorRate(truth.text, texts.join('\f'));
  return {
    truth,
    ours: rate(recognized.map((page) => page.text)),
    native: theirs === undefined ? null : rate(theirs.texts),
    ourCpuMs: cpuMs * pages.length,
    nativeCpuMs: (theirs?.cpuMs ?? 0) * pages.length,
    pages: pages.length,
    attempts: recognized.reduce((sum, page) => sum + page.attempts, 0),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function lineOf(name: string, reads: readonly Read[], native: NativeTesseract | null, atMost: number): Line {
  const pages = reads.reduce((sum, read) => sum + read.pages, 0);
  const cpu = (of: (read: Read) => number): number => reads.reduce((sum, read) => sum + of(read), 0) / pages;
  const figure = (values: readonly number[]) => figureOf([mean(values)], values);
  const line: Line = {
    id: 'G8',
    what: `characters wrong (CER), ${name}, ${reads.length} document(s)`,
    unit: 'share',
    ours: figure(reads.map((read) => read.ours)),
    cpuMs: cpu((read) => read.ourCpuMs),
    goal: { of: 'ratio', atMost },
    detail: reads.map(({ truth, ours, native: theirs, attempts }) => ({
      file: basename(truth.path),
      ours,
      native: theirs,
      attempts,
    })),
  };
  if (native === null) return { ...line, note: nativeMissing };
  const theirs = figure(reads.map((read) => read.native ?? 1));
  return { ...line, peer: { name: native.name, figure: theirs, cpuMs: cpu((read) => read.nativeCpuMs) } };
}

function linesOf(reads: readonly Read[], native: NativeTesseract | null): Line[] {
  const sets = [...Map.groupBy(reads, (read) => read.truth.set)];
  const degraded = reads.filter((read) => read.truth.degraded && read.truth.set === 'receipts');
  return [
    ...sets.map(([set, some]) => lineOf(set, some, native, 1)),
    ...(degraded.length === 0 ? [] : [lineOf('degraded receipts', degraded, native, 0.9)]),
  ];
}

/** G8: how much is read wrongly, set by set. The same every time, so it is read once. */
export const ocrErrors: Row = {
  id: 'G8',
  async measure(context) {
    await using ocr = await startOcrChild(context);
    const native = await nativeTesseract(context.scratch);
    const lines: Line[] = [];
    for (const folder of [fixturesFolder, ...context.images]) {
      const reads: Read[] = [];
      const table = folder === fixturesFolder ? null : context.truth;
      for (const truth of await truthOf(folder, table)) {
        if (truth.text === '' && Object.keys(truth.fields).length > 0) continue;
        context.progress(`reading ${truth.path}`);
        reads.push(await readBoth(ocr, native, truth));
      }
      lines.push(...linesOf(reads, native));
    }
    return lines;
  },
};
