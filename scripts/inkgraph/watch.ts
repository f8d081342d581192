import { watch as watchFolder, type FSWatcher } from 'node:fs';
import { parseArgs } from 'node:util';
import { Problem, type Client } from 'inkgraph/client';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { commonOptions, commonRows, connected, explained, lineOf } from './connection.ts';
import { findFiles, type Found } from './find-files.ts';
import { parallelOf, stateOf } from './push.ts';
import type { PushState } from './push-state.ts';
import { chosenWorkflow, runOver, workflowRow, type Chosen } from './run-over.ts';
import { uploadFiles } from './upload-files.ts';

const watchUsage = helpText({
  usage: 'npx inkgraph watch <folder> [options]',
  does: 'Uploads the files of a folder and those that come into it, and runs a workflow over them, until Ctrl-C. A file is taken when it has not changed for half a second.',
  options: [
    workflowRow,
    ['--parallel <n>', 'files at a time, 1 to 16; default: 4'],
    ['--state <file>', 'memory of the command; default: .inkgraph-push.jsonl in the folder'],
    ...commonRows,
  ],
  examples: ['npx inkgraph watch ./inbox --workflow wf_triage'],
});

const options = {
  ...commonOptions,
  workflow: { type: 'string' },
  parallel: { type: 'string' },
  state: { type: 'string' },
} as const;

const quietMs = 500;
const retryMs = 10_000;

interface Inbox {
  readonly client: Client;
  readonly state: PushState;
  readonly terminal: Terminal;
  readonly parallel: number;
  readonly folder: string;
  readonly workflow: Chosen | null;
}

/** Takes files as they come. Each folder has a watcher of its own: that sees files which are renamed into it. */
class Watch {
  readonly #inbox: Inbox;
  readonly #watchers = new Map<string, FSWatcher>();
  /** Files that were taken, or that failed as they are. */
  readonly #settled = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
  }

  /** Looks at the folder when nothing has happened in it for a while. */
  touch(ms = quietMs): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() => this.#look());
    }, ms);
  }

  async #look(): Promise<void> {
    const { folder, terminal } = this.#inbox;
    try {
      const found = await findFiles(folder);
      this.#follow(found);
      await this.#take(found);
    } catch (error) {
      terminal.err(`${lineOf(error)}\n`);
      if (!(error instanceof Problem || error instanceof UsageError)) throw error;
      this.touch(retryMs);
    }
  }

  #follow({ folders }: Found): void {
    for (const [folder, watcher] of this.#watchers)
      if (!folders.includes(folder)) {
        watcher.close();
        this.#watchers.delete(folder);
      }
    for (const folder of folders)
      if (!this.#watchers.has(folder)) {
        const watcher = watchFolder(folder, () => this.touch()).on('error', () => this.touch());
        this.#watchers.set(folder, watcher);
        // Files that came before the watcher was there.
        this.touch();
      }
  }

  async #take({ files }: Found): Promise<void> {
    const { client, workflow, terminal } = this.#inbox;
    const nameOf = ({ path, size, modifiedMs }: Found['files'][number]): string => `${path}\n${size}\n${modifiedMs}`;
    const fresh = files.filter((file) => !this.#settled.has(nameOf(file)));
    // A file that is still written changes meanwhile, and gets its turn at the next look.
    const quiet = fresh.filter(({ modifiedMs }) => Date.now() - modifiedMs >= quietMs || modifiedMs > Date.now());
    if (quiet.length < fresh.length) this.touch();
    if (quiet.length === 0) return;
    const { pushed } = await uploadFiles(this.#inbox, quiet);
    if (workflow !== null && pushed.length > 0) await runOver(client, workflow, pushed);
    for (const { path, document, isNew } of pushed) if (isNew) terminal.out(`${document.id} ${path}\n`);
    for (const file of quiet) this.#settled.add(nameOf(file));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    await this.#work;
  }
}

/** `inkgraph watch`: a folder whose files become documents. */
export const watch = withHelp(watchUsage, async (terminal) => {
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('Name one folder: npx inkgraph watch ./inbox');
  const parallel = parallelOf(values.parallel);
  const client = connected(terminal, values);
  const found = await findFiles(folder);
  if (found.folders.length === 0) throw new UsageError(`${folder} is a file. Name a folder, or use: npx inkgraph push`);
  const workflow = await explained(chosenWorkflow(client, values.workflow, terminal));
  const state = await stateOf(found, values.state, client.baseUrl);
  const watched = new Watch({ client, state, terminal, parallel, folder, workflow });
  terminal.err(`Watching ${folder}. Ctrl-C ends it.\n`);
  watched.touch(0);
  const stopped = Promise.withResolvers<void>();
  terminal.stop?.addEventListener('abort', () => stopped.resolve(), { once: true });
  await stopped.promise;
  await watched.close();
});
