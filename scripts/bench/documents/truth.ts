import { access, readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { UsageError } from '#scripts/cli/with-app.ts';

/** A document and what stands on it. Documents of one `set` are judged together. */
export interface TruthDocument {
  readonly path: string;
  readonly set: string;
  readonly degraded: boolean;
  readonly text: string;
  /** Values by field of the record type `receipt`: dates as YYYY-MM-DD, money as its amount. */
  readonly fields: Readonly<Record<string, string | number>>;
}

const Fields = z.record(z.string(), z.union([z.string(), z.number()])).default({});
const Rows = z.array(
  z.object({
    file: z.string(),
    text: z.string(),
    set: z.string().optional(),
    degraded: z.boolean().default(false),
    fields: Fields,
  }),
);

export const fixturesFolder = fileURLToPath(new URL('../../../test/fixtures/', import.meta.url));
const groundTruth = 'ground-truth.json';

async function fromTable(folder: string): Promise<TruthDocument[]> {
  const rows = Rows.parse(JSON.parse(await readFile(join(folder, groundTruth), 'utf8')));
  return rows.map(({ file, set = basename(folder), degraded, text, fields }) => ({
    path: join(folder, file),
    set,
    degraded,
    text,
    fields,
  }));
}

async function fromNeighbours(folder: string): Promise<TruthDocument[]> {
  const names = new Set(await readdir(folder));
  const found: TruthDocument[] = [];
  for (const name of [...names].toSorted()) {
    const textFile = `${basename(name, extname(name))}.txt`;
    if (extname(name) === '.txt' || !names.has(textFile)) continue;
    const text = await readFile(join(folder, textFile), 'utf8');
    found.push({ path: join(folder, name), set: basename(folder), degraded: false, text, fields: {} });
  }
  return found;
}

/** By ground-truth.json, or by `<name>.txt` beside each image. Throws UsageError for a folder with neither. */
export async function truthOf(folder: string): Promise<TruthDocument[]> {
  const hasTable = await access(join(folder, groundTruth)).then(
    () => true,
    () => false,
  );
  const found = await (hasTable ? fromTable(folder) : fromNeighbours(folder)).catch((error: unknown) => {
    throw new UsageError(`--images ${folder}: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (found.length === 0) throw new UsageError(`--images ${folder}: no image has its text beside it as <name>.txt.`);
  return found;
}
