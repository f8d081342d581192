import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readAddresses } from '#app/compose/addresses.ts';
import { seed } from '#app/compose/seed.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError, withApp } from '#scripts/cli/with-app.ts';
import { dashboardExperiments } from '#src/contracts/dashboard/experiments.ts';
import { Reference, SaveDatasetBody } from '#src/contracts/experiments/dataset.ts';
import { experimentLimits, type ExperimentDetail } from '#src/contracts/experiments/experiment.ts';
import { Problem } from '#src/contracts/resources/problem.ts';
import { service } from '#src/contracts/service.ts';

const usage = helpText({
  usage: 'npm run -s experiment -- <file.json> [options]',
  does: 'Measures variants of workflows on documents and prints the verdict. A service must run on the data folder. The file has "dataset": an id, or { "name", "items": [{ "file", "reference"?, "split"?, "tags"? }] }; "variants": [{ "workflowId"?, "version"?, "operations"? }, ...], of Document intake where no workflow is named; and the other fields of POST /api/dashboard/experiments. Files are uploaded once. Ends with 0 for better and equivalent, 1 for errors, 2 for inconclusive, 3 for worse, 4 for no verdict, since too many runs or judgements failed.',
  options: [
    ['--dry-run', 'checks the file and estimates, measures nothing'],
    ['--json', 'JSON instead of text'],
  ],
  examples: ['npm run -s experiment -- experiment.json --dry-run', 'npm run -s experiment -- experiment.json'],
});

const codes = { better: 0, equivalent: 0, inconclusive: 2, worse: 3, no_verdict: 4 } as const;

const Item = SaveDatasetBody.shape.items
  .unwrap()
  .element.omit({ documentId: true })
  .extend({ file: z.string().min(1), reference: Reference.optional() });
const File = z.looseObject({
  dataset: z.union([z.string(), z.strictObject({ name: z.string().min(1), items: z.array(Item).min(1) })]),
  variants: z
    .array(z.looseObject({ workflowId: z.string().optional() }))
    .min(2)
    .max(experimentLimits.variants),
});

type Verdict = z.output<typeof ExperimentDetail>;

async function fileAt(path: string): Promise<z.output<typeof File>> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${path} cannot be read. Name a file of JSON.`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${path} is not JSON.`);
  }
  const { data, error } = File.safeParse(value);
  if (data !== undefined) return data;
  const [first] = error.issues;
  throw new UsageError(`${path}: /${first?.path.join('/') ?? ''}: ${first?.message ?? 'invalid'}.`);
}

/** Calls of the running service, with the key of a client. */
class Service {
  readonly #base: string;
  readonly #key: string;

  /** The seeded workflow. */
  readonly workflowId: string;

  constructor(base: string, { serviceKey, workflowId }: { readonly serviceKey: string; readonly workflowId: string }) {
    this.#base = base;
    this.#key = serviceKey;
    this.workflowId = workflowId;
  }

  /** Error: what the service said, as a mistake in the command line. */
  async call<Reply extends z.ZodType>(
    { method, path, reply }: { readonly method: string; readonly path: string; readonly reply: Reply },
    { query = '', body }: { readonly query?: string; readonly body?: unknown } = {},
  ): Promise<z.output<Reply>> {
    const answer = await fetch(new URL(`${path}${query}`, this.#base), {
      method,
      headers: { 'x-api-key': this.#key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const said: unknown = await answer.json();
    if (answer.ok) return reply.parse(said);
    const { code, detail } = Problem.parse(said);
    throw new UsageError(`${code}: ${detail}`);
  }

  /** Ids of stored documents by the digest of their bytes. */
  async documents(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    let query: string | null = '?limit=100';
    while (query !== null) {
      const page: z.output<typeof service.listDocuments.reply> = await this.call(service.listDocuments, { query });
      for (const { id, sha256 } of page.documents) if (sha256 !== null) found.set(sha256, id);
      query = page.nextCursor === null ? null : `?limit=100&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    return found;
  }

  async upload(bytes: Buffer, contentType: string, filename: string): Promise<string> {
    const wanted = { contentType, size: bytes.length, filename, visibility: 'private' };
    const place = await this.call(service.presign, { body: wanted });
    const put = await fetch(place.uploadUrl, { method: 'PUT', headers: place.headers, body: new Uint8Array(bytes) });
    if (!put.ok) throw new UsageError(`The upload was refused with ${put.status}.`);
    const { objectKey } = place;
    const { document } = await this.call(service.ack, { body: { objectKey, idempotencyKey: objectKey } });
    return document.id;
  }
}

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  heic: 'image/heic',
  gif: 'image/gif',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  pdf: 'application/pdf',
};

function contentTypeOf(file: string): string {
  const type = types[file.slice(file.lastIndexOf('.') + 1).toLowerCase()];
  if (type !== undefined) return type;
  throw new UsageError(`${file} is no scan. Use ${Object.keys(types).join(', ')}.`);
}

/** The dataset of a file: uploads scans that are not stored, and saves the dataset unless there is an equal one. */
async function datasetOf(running: Service, { dataset }: z.output<typeof File>, folder: string): Promise<string> {
  if (typeof dataset === 'string') return dataset;
  const stored = await running.documents();
  const items = [];
  for (const { file, ...item } of dataset.items) {
    const bytes = await readFile(resolve(folder, file)).catch(() => {
      throw new UsageError(`${resolve(folder, file)} cannot be read.`);
    });
    const digest = hash('sha256', bytes, 'hex');
    const documentId = stored.get(digest) ?? (await running.upload(bytes, contentTypeOf(file), basename(file)));
    stored.set(digest, documentId);
    items.push({ ...item, documentId });
  }
  const description = `From a file, ${hash('sha256', JSON.stringify(items), 'hex').slice(0, 16)}.`;
  const { datasets } = await running.call(dashboardExperiments.datasets, { query: '?limit=100' });
  const same = datasets.find((one) => one.name === dataset.name && one.description === description);
  if (same !== undefined) return same.datasetId;
  const body = { name: dataset.name, description, items };
  return (await running.call(dashboardExperiments.saveDataset, { body })).datasetId;
}

const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? '-' : value.toFixed(4);

/** The verdict first, then the means of each variant. */
function report({ out }: Terminal, { sentence, metrics, variants, comparisons, runs, failures }: Verdict): void {
  out(`${sentence}\n\n`);
  out(`${['variant', 'runs', 'failed', ...metrics].map((cell) => cell.padEnd(14)).join('')}\n`);
  for (const { name, runs: done, failed, metrics: means } of variants)
    out(
      `${[name, String(done), String(failed), ...metrics.map((metric) => shown(means[metric]?.mean))].map((cell) => cell.padEnd(14)).join('')}\n`,
    );
  out('\n');
  for (const { variant, metric, sentence: said } of comparisons) out(`${variant}, ${metric}: ${said}\n`);
  for (const line of failures) out(`${line}\n`);
  out(
    `\n${runs.done} runs, ${runs.cached} with steps from the cache, ${runs.failed} failed, ${runs.repeated} were repeated.\n`,
  );
}

interface Asked {
  readonly path: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

async function measure(terminal: Terminal, running: Service, { path, dryRun, json }: Asked): Promise<number> {
  const file = await fileAt(path);
  const { dataset: _dataset, variants, ...others } = file;
  const named = variants.map((variant) => ({ workflowId: running.workflowId, ...variant }));
  const datasetId = await datasetOf(running, file, dirname(resolve(path)));
  const body = { ...others, variants: named, datasetId, dryRun };
  const { experiment: started, plan } = await running.call(dashboardExperiments.run, { body });
  if (started === null) {
    terminal.out(`${JSON.stringify(plan, null, 2)}\n`);
    return 0;
  }
  const { method, reply } = dashboardExperiments.get;
  const row = { method, reply, path: `/api/dashboard/experiments/${started.experimentId}` };
  let state: Verdict;
  do {
    state = await running.call(row, { query: '?wait=10' });
    if (!json) terminal.err(`${state.runs.done} of ${state.runs.planned} runs have ended\n`);
  } while (state.status === 'running');
  if (json) terminal.out(`${JSON.stringify(state)}\n`);
  else report(terminal, state);
  return state.verdict === null ? 1 : codes[state.verdict];
}

/** `npm run experiment`: measures the variants of a file on a running service. Its exit code is the verdict. */
export const experiment = withHelp(usage, async (terminal) => {
  const { values, positionals } = parseArgs({
    args: [...terminal.args],
    options: {
      'dry-run': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new UsageError(usage);
  return withApp(terminal, async (app, config) => {
    const addresses = await readAddresses(config.dataDir);
    if (addresses === null)
      throw new UsageError('No service runs on this data folder. Start one with npm start, then repeat the command.');
    return measure(terminal, new Service(addresses.api, await seed(app, config)), {
      path,
      dryRun: values['dry-run'],
      json: values.json,
    });
  });
});

if (import.meta.main) await orExplain(experiment);
