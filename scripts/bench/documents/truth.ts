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
  /** Empty: what stands on it is not known. */
  readonly text: string;
  /** Values by field of the record type `receipt`: dates as YYYY-MM-DD, money as its amount. */
  readonly fields: Readonly<Record<string, string | number>>;
}

const Fields = z.record(z.string(), z.union([z.string(), z.number()])).default({});
const Rows = z.array(
  z.object({
    file: z.string(),
    text: z.string().default(''),
    set: z.string().optional(),
    degraded: z.boolean().default(false),
    fields: Fields,
  }),
);

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export const fixturesFolder = fileURLToPath(new URL('../../../test/fixtures/', import.meta.url));
const groundTruth = 'ground-truth.json';

async function fromTable(folder: string, table: string): Promise<TruthDocument[]> {
  const rows = Rows.parse(JSON.parse(await readFile(table, 'utf8')));
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

/**
 * By `table`, by ground-truth.json, or by `<name>.txt` beside each image. Throws UsageError for a folder with none of them, and for a table
 * that cannot be read or names an image that is not there.
 */
export async function truthOf(folder: string, table: string | null = null): Promise<TruthDocument[]> {
  const own = join(folder, groundTruth);
  const used = table ?? ((await exists(own)) ? own : null);
  const found = await (used === null ? fromNeighbours(folder) : fromTable(folder, used)).catch((error: unknown) => {
    const option = table === null ? `--images ${folder}` : `--truth ${table}`;
    throw new UsageError(`${option}: ${error instanceof Error ? error.message : String(error)}`);
  });
  for (const { path } of found)
    if (!(await exists(path)))
      throw new UsageError(`${used ?? folder}: there is no image ${path}. Name files as they are in --images.`);
  if (found.length === 0) throw new UsageError(`--images ${folder}: no image has its text beside it as <name>.txt.`);
  return found;
}
