import { createHash } from 'node:crypto';
import { items, type Client, type Execution } from 'inkgraph/client';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { plain } from './connection.ts';
import type { PushedFile } from './upload-files.ts';

const documentsPerExecution = 500;

/** The option of commands that upload. */
export const workflowRow = [
  '--workflow <id>',
  'workflow to run over the documents: an id, a slug such as wf_receipt_extraction, or a name; none: upload only; default: wf_document_intake, over documents that no workflow has read',
] as const;

const usual = 'wf_document_intake';

/** A workflow that runs over uploaded documents. */
export interface Chosen {
  readonly workflowId: string;
  /** True: documents that another workflow has run over are left out. */
  readonly onlyUnread: boolean;
}

/** The workflow of `--workflow`; null: none runs. Error: UsageError, which names those that there are. */
export async function chosenWorkflow(
  client: Client,
  name: string | undefined,
  { err }: Pick<Terminal, 'err'>,
): Promise<Chosen | null> {
  if (name === 'none') return null;
  const { workflows } = await client.service.listWorkflows();
  const wanted = name ?? usual;
  const found = workflows.find(({ workflowId, slug, name: title }) => [workflowId, slug, title].includes(wanted));
  if (found !== undefined) return { workflowId: found.workflowId, onlyUnread: name === undefined };
  const names = workflows.map(({ slug, name: title }) => slug ?? `"${plain(title)}"`).join(', ');
  if (name !== undefined)
    throw new UsageError(`The project has no published workflow ${name}. Choose one of: ${names}.`);
  err(`The project has no workflow ${usual}, so nothing reads the documents. Name one with --workflow: ${names}.\n`);
  return null;
}

/** Documents without a run of the workflow as their last run, or with one that failed. */
function withoutRun(pushed: readonly PushedFile[], { workflowId, onlyUnread }: Chosen): string[] {
  const ids = pushed
    .filter(({ document }) => {
      const run = 'lastRun' in document ? document.lastRun : null;
      if (run?.workflowId === workflowId) return ['failed', 'canceled', 'timed_out'].includes(run.status);
      return run === null || !onlyUnread;
    })
    .map(({ document }) => document.id);
  return [...new Set(ids)];
}

/** Executions of the workflow that still work on some of the documents. */
async function unfinished(client: Client, workflowId: string, pushed: readonly PushedFile[]): Promise<string[]> {
  const ours = new Set(pushed.map(({ document }) => document.id));
  const found = new Set<string>();
  const asked = { workflowId, status: 'queued,running', limit: 100 };
  for await (const run of items(client.service.listRuns, 'runs', asked))
    if (ours.has(run.documentId)) found.add(run.executionId);
  return [...found];
}

/**
 * Runs a workflow over the documents that it has not read yet. Ids of the executions that work on them: those of this call, and those of an
 * earlier one that broke off. A repetition after a crash starts nothing twice.
 */
export async function runOver(client: Client, chosen: Chosen, pushed: readonly PushedFile[]): Promise<string[]> {
  const { workflowId } = chosen;
  const executions = await unfinished(client, workflowId, pushed);
  const documentIds = withoutRun(pushed, chosen);
  for (let at = 0; at < documentIds.length; at += documentsPerExecution) {
    const some = documentIds.slice(at, at + documentsPerExecution).toSorted();
    // Failed runs of these documents make another key: they run again.
    const runs = pushed
      .map(({ document }) => ('lastRun' in document ? (document.lastRun?.runId ?? '') : ''))
      .toSorted();
    const idempotencyKey = createHash('sha256')
      .update(JSON.stringify([workflowId, some, runs]))
      .digest('hex');
    executions.push((await client.service.execute({ workflowId, documentIds: some, idempotencyKey })).id);
  }
  return [...new Set(executions)];
}

export interface RunCounts {
  readonly failed: number;
  readonly succeeded: number;
}

/** Waits for executions, and tells their errors. Runs that wait for a person count as neither. */
export async function waitFor(
  client: Client,
  executions: readonly string[],
  { err }: Pick<Terminal, 'err'>,
): Promise<RunCounts> {
  let [failed, succeeded] = [0, 0];
  const ended: Execution[] = await Promise.all(executions.map((id) => client.wait(id)));
  for (const { runs, counts } of ended) {
    for (const run of runs)
      if (run.error !== undefined) err(`${run.documentId}: ${plain(run.error.message).replaceAll(/\s+/g, ' ')}\n`);
    failed += counts.failed + counts.timedOut + counts.canceled;
    succeeded += counts.succeeded;
    if (counts.waiting > 0) err(`${counts.waiting} runs wait for an answer of a person.\n`);
  }
  return { failed, succeeded };
}
