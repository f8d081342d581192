import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from 'inkgraph/client';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { cellsCsv } from './cells-csv.ts';
import { commonOptions, commonRows, connected, explained, lineOf } from './connection.ts';
import { findFiles, type Found, type FoundFile } from './find-files.ts';
import { PushState } from './push-state.ts';
import { chosenWorkflow, runOver, waitFor, workflowRow, type Chosen, type RunCounts } from './run-over.ts';
import { uploadFiles, type Uploads } from './upload-files.ts';

const pushUsage = helpText({
  usage: 'npx inkgraph push <file or folder>... [options]',
  does: 'Uploads documents, with the folders below, and runs a workflow over them. Bytes that the project has are not uploaded again: a push that broke off continues. Ends with 0, or with 1 when a file or a run failed.',
  options: [
    workflowRow,
    ['--wait', 'waits for the runs'],
    ['--csv <file>', 'waits, then writes the records: a row for each field, with its page and box; default: none'],
    ['--languages <a,b>', 'languages of new documents, such as deu,eng; default: those of the key or of the workflow'],
    ['--parallel <n>', 'files at a time, 1 to 16; default: 4'],
    ['--state <file>', 'memory of the push; default: .inkgraph-push.jsonl in the first folder'],
    ...commonRows,
  ],
  examples: [
    'npx inkgraph push ./scans --wait',
    'npx inkgraph push ./scans --workflow wf_receipt_extraction --csv out.csv',
  ],
});

const options = {
  ...commonOptions,
  workflow: { type: 'string' },
  wait: { type: 'boolean', default: false },
  csv: { type: 'string' },
  languages: { type: 'string' },
  parallel: { type: 'string' },
  state: { type: 'string' },
} as const;

/** Number of files at a time. */
export function parallelOf(text = '4'): number {
  if (/^([1-9]|1[0-6])$/.test(text)) return Number(text);
  throw new UsageError(`--parallel must be a whole number, 1 to 16, and not ${text}.`);
}

/** State of pushes from a place, for one server. */
export function stateOf(found: Found, file: string | undefined, server: string): Promise<PushState> {
  const folder = found.folders[0] ?? dirname(found.files[0]?.path ?? '.');
  return PushState.open(file ?? join(folder, '.inkgraph-push.jsonl'), server);
}

async function allFiles(paths: readonly string[]): Promise<Found> {
  const found: Found[] = [];
  for (const path of paths) found.push(await findFiles(path));
  // A path may be named twice.
  const files = new Map(found.flatMap((one) => one.files.map((file): [string, FoundFile] => [file.path, file])));
  return {
    files: [...files.values()],
    folders: found.flatMap(({ folders }) => folders),
    others: found.reduce((sum, { others }) => sum + others, 0),
  };
}

interface Summary {
  readonly uploads: Uploads;
  readonly executions: readonly string[];
  /** Zeroes where nobody waited. */
  readonly runs: RunCounts;
  readonly others: number;
}

const runsIn = (count: number): string => (count === 1 ? '1 run' : `${count} runs`);

function summarize({ out }: Terminal, { uploads, executions, runs, others }: Summary, json: boolean): void {
  const { pushed, failed } = uploads;
  if (json) {
    const files = pushed.map(({ path, document, isNew }) => ({ path, documentId: document.id, isNew }));
    return out(`${JSON.stringify({ files, failed, executions, failedRuns: runs.failed })}\n`);
  }
  const fresh = pushed.filter(({ isNew }) => isNew).length;
  const parts = [`${fresh} uploaded`, `${pushed.length - fresh} there already`, `${failed} failed`];
  if (runs.succeeded > 0) parts.push(`${runsIn(runs.succeeded)} succeeded`);
  if (runs.failed > 0) parts.push(`${runsIn(runs.failed)} failed`);
  if (others > 0) parts.push(`${others} of other types left out`);
  out(`${parts.join(', ')}.\n`);
}

async function ranOver(
  { client, terminal, workflow }: { client: Client; terminal: Terminal; workflow: Chosen | null },
  { pushed }: Uploads,
  isAwaited: boolean,
): Promise<Pick<Summary, 'executions' | 'runs'>> {
  const none = { failed: 0, succeeded: 0 };
  if (workflow === null) return { executions: [], runs: none };
  const executions = await runOver(client, workflow, pushed);
  if (isAwaited && executions.length > 0) terminal.err('waiting for the runs\n');
  return { executions, runs: isAwaited ? await waitFor(client, executions, terminal) : none };
}

/** `inkgraph push`: files and folders to documents, runs and a table. */
export const push = withHelp(pushUsage, async (terminal) => {
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  if (positionals.length === 0) throw new UsageError('Name a file or a folder: npx inkgraph push ./scans');
  const parallel = parallelOf(values.parallel);
  const languages = values.languages?.split(',').map((code) => code.trim());
  const client = connected(terminal, values);
  const found = await allFiles(positionals);
  return explained(
    (async () => {
      // A misspelt name ends the push before anything is uploaded.
      const workflow = await chosenWorkflow(client, values.workflow, terminal);
      const state = await stateOf(found, values.state, client.baseUrl);
      const uploads = await uploadFiles({ client, state, terminal, parallel, languages }, found.files);
      const isAwaited = values.wait || values.csv !== undefined;
      const ran = await ranOver({ client, terminal, workflow }, uploads, isAwaited);
      if (values.csv !== undefined) {
        const { csv } = values;
        const text = await cellsCsv(client, uploads.pushed, parallel);
        await writeFile(csv, text).catch((error: unknown) => {
          throw new UsageError(`${csv} cannot be written (${lineOf(error)}). Choose another place.`);
        });
      }
      summarize(terminal, { uploads, ...ran, others: found.others }, values.json);
      return uploads.failed + ran.runs.failed > 0 ? 1 : 0;
    })(),
  );
});
