import type { z } from 'zod';
import type { LatestRun } from '#src/contracts/lists/latest-run.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { ToolContext } from '#tools/define.ts';

type Shown = z.input<typeof LatestRun> | null;
type Reader = Pick<Principal, 'projectIds'>;

/** The latest run of a document. null for a public document of another project: its runs are not the reader's. */
export function presentLastRun(
  { projectIds }: Reader,
  { latestRun, projectId }: DocumentRecord,
  workflowName?: string,
): Shown {
  if (latestRun === undefined || !projectIds.includes(projectId)) return null;
  const { runId, workflowId, status, at, error } = latestRun;
  const named = workflowName === undefined ? {} : { workflowName };
  return { runId, workflowId, ...named, status, at: at.toISOString(), ...(error !== undefined && { error }) };
}

/** Present names of workflows that the caller can read, by id. Reads them in one query. */
export async function workflowNames(
  { deps, principal }: Pick<ToolContext<'workflows'>, 'deps' | 'principal'>,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(workflowIds)];
  const found = await Promise.all(ids.map((id) => deps.workflows.find(principal, id)));
  return new Map(found.flatMap((workflow) => (workflow === null ? [] : [[workflow._id, workflow.name]])));
}

/** The latest runs of documents, with the names of their workflows. Reads the workflows in one query. */
export async function latestRunsOf(
  ctx: Pick<ToolContext<'workflows'>, 'deps' | 'principal'>,
  records: readonly DocumentRecord[],
): Promise<(record: DocumentRecord) => Shown> {
  const names = await workflowNames(
    ctx,
    records.flatMap(({ latestRun }) => latestRun?.workflowId ?? []),
  );
  return (record) => presentLastRun(ctx.principal, record, names.get(record.latestRun?.workflowId ?? ''));
}
