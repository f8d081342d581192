import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

/**
 * The number a graph is published under. A version that was written but never became the published one, because its process died in
 * between, is taken up again by the same graph and passed over by another.
 */
export async function nextVersion(
  workflows: WorkflowStore,
  { _id, organizationId, publishedVersion }: WorkflowRecord,
  graphHash: string,
): Promise<number> {
  const [newest] = await workflows.listVersions(organizationId, _id, null, 1);
  if (newest === undefined) return (publishedVersion ?? 0) + 1;
  const left = newest.version > (publishedVersion ?? 0) && newest.graphHash === graphHash;
  return left ? newest.version : newest.version + 1;
}
