import { basename } from 'node:path';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import { localFinder } from '#src/domain/extract-locally/extract-locally.ts';
import type { FieldValue } from '#src/domain/extract-locally/field.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { rulesOf } from '#src/domain/records/from-fields.ts';
import { presets } from '#src/domain/records/presets.ts';
import { figureOf } from '#scripts/bench/figures.ts';
import { startOcrChild, type OcrChild } from '#scripts/bench/documents/ocr-child.ts';
import { truthOf, type TruthDocument } from '#scripts/bench/documents/truth.ts';
import type { Line, Row } from '#scripts/bench/row.ts';

type Values = Readonly<Record<string, string | number | null>>;

interface Read {
  readonly truth: TruthDocument;
  readonly ours: Values;
  readonly plain: Values;
}

const rules = rulesOf(presets.find(({ name }) => name === 'receipt')?.fields ?? {});

function written(value: FieldValue | null): string | number | null {
  if (typeof value === 'object' && value !== null) return 'amount' in value ? Number(value.amount) : null;
  return typeof value === 'boolean' ? String(value) : value;
}

/** Values as the product finds them without a model. */
function byRules(text: string, pages: readonly OcrPage[], names: readonly string[]): Values {
  const find = localFinder({ text, pages });
  return Object.fromEntries(
    names.map((name) => {
      const rule = rules[name];
      return [name, rule === undefined ? null : written(find(name, rule).value)];
    }),
  );
}

/** The peer: what a script of a few lines finds. */
function byPatterns(text: string): Values {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const amounts = lines
    .filter((line) => /total/i.test(line) && !/sub|tax|gst/i.test(line))
    .flatMap((line) => [...line.matchAll(/\d+[.,]\d{2}\b/g)].map(([amount]) => Number(amount.replace(',', '.'))));
  const [, day = '', month = '', year = ''] = /\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b/.exec(text) ?? [];
  return {
    merchant: lines[0] ?? null,
    total: amounts.at(-1) ?? null,
    date: day === '' ? null : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
  };
}

async function readOne(ocr: OcrChild, truth: TruthDocument): Promise<Read> {
  const pages = await ocr.read(await ocr.decode(truth.path));
  const text = pages.map((page) => page.text).join('\f');
  return { truth, ours: byRules(text, pages, Object.keys(truth.fields)), plain: byPatterns(text) };
}

/** Without spaces and marks, whose recognition is measured elsewhere. */
const even = (value: string | number): string => foldText(String(value)).replaceAll(/[^\p{L}\p{N}.]/gu, '');
const isRight = (found: string | number | null | undefined, wanted: string | number): boolean =>
  found !== null && found !== undefined && even(found) === even(wanted);

/** F1: the harmonic mean of the share of found values that are right and of right values that are found. */
function f1(reads: readonly Read[], name: string, of: (read: Read) => Values): number {
  const wanted = reads.filter(({ truth }) => truth.fields[name] !== undefined);
  const found = wanted.filter((read) => (of(read)[name] ?? null) !== null).length;
  const right = wanted.filter((read) => isRight(of(read)[name], read.truth.fields[name] ?? '')).length;
  return (2 * right) / (found + wanted.length);
}

function lineOf(folder: string, reads: readonly Read[], name: string): Line {
  return {
    id: 'G12',
    what: `${name} found in ${basename(folder)}, ${reads.length} document(s)`,
    unit: 'F1',
    ours: figureOf([f1(reads, name, ({ ours }) => ours)]),
    peer: { name: 'patterns of a few lines', figure: figureOf([f1(reads, name, ({ plain }) => plain)]) },
    goal: { of: 'ratio', atLeast: 1 },
    detail: reads.map(({ truth, ours, plain }) => ({
      file: basename(truth.path),
      wanted: truth.fields[name] ?? null,
      ours: ours[name] ?? null,
      plain: plain[name] ?? null,
    })),
  };
}

const missing = 'no folder of --images has a ground-truth.json with fields';

/** G12: fields of receipts that are found without a model, on our own recognition. The same every time, so it is read once. */
export const fields: Row = {
  id: 'G12',
  async measure(context) {
    await using ocr = await startOcrChild(context);
    const lines: Line[] = [];
    for (const folder of context.images) {
      const documents = (await truthOf(folder, context.truth)).filter((one) => Object.keys(one.fields).length > 0);
      const reads: Read[] = [];
      for (const [at, truth] of documents.entries()) {
        context.progress(`reading ${at + 1} of ${documents.length}`);
        reads.push(await readOne(ocr, truth));
      }
      const names = new Set(documents.flatMap((one) => Object.keys(one.fields)));
      lines.push(...[...names].map((name) => lineOf(folder, reads, name)));
    }
    return lines.length > 0
      ? lines
      : [{ id: 'G12', what: 'fields found without a model', unit: 'F1', ours: null, note: missing }];
  },
};
