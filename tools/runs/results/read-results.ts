import type { z } from 'zod';
import type { RunResults } from '#src/contracts/resources/run-results.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';
import { presentExecution } from '#tools/runs/present.ts';
import { requireExecution } from '#tools/runs/require-run.ts';

type Results = z.input<typeof RunResults>;
type Row = Results['documents'][number];
type Cell = Row['runs'][number];

interface Asked {
  readonly executionIds: readonly string[];
  readonly differencesOnly: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Bytes after which a page ends, so that an agent sees the whole of it. */
const pageBytes = 16_000;
/** Documents whose runs are read at a time. */
const readAtOnce = 20;
/** Characters of the input and the request of a failed node. */
const shownCharacters = 1_500;

/** Ids of stored results, which differ between any two runs. */
const resultIds: ReadonlySet<string> = new Set(['ocrResultId', 'descriptionId', 'embeddingId', 'segmentationId']);

/** A value as it is compared: without the ids of stored results. */
function compared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compared);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !resultIds.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, compared(member)]));
}

/** Removes outputs that are the same in all cells. Null if nothing differs. */
function differing(row: Row): Row | null {
  const names = new Set(row.runs.flatMap(({ outputs }) => Object.keys(outputs ?? {})));
  const forms = (name: string): ReadonlySet<string> =>
    new Set(row.runs.map(({ outputs }) => canonicalJson(compared(outputs?.[name] ?? null))));
  const differ = new Set([...names].filter((name) => forms(name).size > 1));
  const statuses = new Set(row.runs.map(({ status, error }) => `${status} ${error?.code ?? ''}`));
  if (differ.size === 0 && statuses.size === 1) return null;
  const part = (outputs: Cell['outputs']) =>
    Object.fromEntries(Object.entries(outputs ?? {}).filter(([name]) => differ.has(name)));
  return {
    ...row,
    runs: row.runs.map((cell) => (cell.outputs === undefined ? cell : { ...cell, outputs: part(cell.outputs) })),
  };
}

async function cellOf({ deps }: ToolContext<'steps'>, run: RunRecord): Promise<Cell> {
  const { _id: runId, executionId, status, error, outputs } = run;
  const cell: Cell = { executionId, runId, status, ...(outputs !== undefined && { outputs: { ...outputs } }) };
  if (error === null) return cell;
  const failed = (await deps.steps.listOf(run)).findLast((step) => step.status === 'failed');
  return {
    ...cell,
    error,
    ...(typeof failed?.inputPreview === 'string' && { inputText: failed.inputPreview.slice(0, shownCharacters) }),
    ...(typeof failed?.requestPreview === 'string' && { requestText: failed.requestPreview.slice(0, shownCharacters) }),
  };
}

async function rowsOf(
  ctx: ToolContext<'executions' | 'steps' | 'thumbnails'>,
  executions: readonly ExecutionRecord[],
  documentIds: readonly string[],
): Promise<Row[]> {
  const ids = executions.map(({ _id }) => _id);
  const runs = await ctx.deps.executions.resultsOf(ctx.principal.organizationId, ids, documentIds);
  const ofDocument = Map.groupBy(runs, (run) => run.documentId);
  return Promise.all(
    documentIds.map(async (documentId) => {
      const found = (ofDocument.get(documentId) ?? []).toSorted(
        (a, b) => ids.indexOf(a.executionId) - ids.indexOf(b.executionId),
      );
      return { documentId, runs: await Promise.all(found.map((run) => cellOf(ctx, run))) };
    }),
  );
}

async function columnOf(
  ctx: ToolContext<'executions' | 'thumbnails'>,
  execution: ExecutionRecord,
): Promise<Results['executions'][0]> {
  const runs = await ctx.deps.executions.runsOf(execution.organizationId, execution._id);
  const { id, workflowId, version, status } = presentExecution(execution, runs, ctx);
  return { executionId: id, workflowId, version, status };
}

/**
 * Puts the results of executions side by side, a row for each document in the order of the first execution. A page ends at `limit` rows or
 * 16 kB. Errors: `execution.not_found`, `request.cursor_invalid`.
 */
export async function readResults(
  ctx: ToolContext<'cursorSecret' | 'executions' | 'steps' | 'thumbnails'>,
  { executionIds, differencesOnly, limit, cursor }: Asked,
): Promise<Results> {
  const { deps, principal } = ctx;
  const executions = await Promise.all([...new Set(executionIds)].map((id) => requireExecution(ctx, id)));
  const documentIds = [...new Set(executions.flatMap((execution) => execution.documentIds))];
  const binding = JSON.stringify(['results', principal.organizationId, executionIds, differencesOnly]);
  // The documents of an execution never change, so the id of the position is a plain number.
  const start = cursor === undefined ? 0 : Number(decodeCursor(deps.cursorSecret, binding, cursor).id);
  const documents: Row[] = [];
  let bytes = 0;
  let same = 0;
  let next = start;
  const full = (): boolean => documents.length >= limit || bytes >= pageBytes;
  while (next < documentIds.length && !full()) {
    const rows = await rowsOf(ctx, executions, documentIds.slice(next, next + readAtOnce));
    for (const row of rows) {
      const shown = differencesOnly ? differing(row) : row;
      const size = shown === null ? 0 : Buffer.byteLength(JSON.stringify(shown));
      if (documents.length > 0 && (documents.length >= limit || bytes + size > pageBytes)) {
        bytes = pageBytes;
        break;
      }
      next += 1;
      bytes += size;
      if (shown === null) same += 1;
      else documents.push(shown);
    }
  }
  return {
    executions: await Promise.all(executions.map((execution) => columnOf(ctx, execution))),
    ...(differencesOnly && { same }),
    documents,
    nextCursor:
      next < documentIds.length
        ? encodeCursor(deps.cursorSecret, binding, { createdAt: new Date(0), id: String(next) })
        : null,
  };
}
