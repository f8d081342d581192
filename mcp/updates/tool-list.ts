import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { Coalescer } from '#mcp/updates/coalescer.ts';

/** Minimum time between two notifications about the list of tools. */
const pauseMs = 1_000;

/**
 * Calls back when the tools of the caller's projects change, in any process whose events reach this one. Nothing is read for it. Source:
 * docs/decisions/0194.
 */
export function watchTools(
  { events }: Pick<ToolDeps, 'events'>,
  { principal: { organizationId, projectIds } }: McpCaller,
  changed: () => void,
): () => void {
  const changes = new Coalescer<null>(pauseMs, changed);
  const stop = events.subscribe(organizationId, ({ type, projectId, data }) => {
    if (type === 'workflow.changed' && data?.['toolsChanged'] === true && projectIds.includes(projectId ?? ''))
      changes.add('tools', null);
  });
  return () => {
    stop();
    changes.close();
  };
}
