import type { SpanAttributes } from '#src/domain/ports/tracer.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

/** Attributes of all spans of a run. */
export function runAttributes(run: RunRecord): SpanAttributes {
  return {
    'inkgraph.organization.id': run.organizationId,
    'inkgraph.project.id': run.projectId,
    'inkgraph.workflow.id': run.workflowId,
    'inkgraph.document.id': run.documentId,
    'inkgraph.execution.id': run.executionId,
    'inkgraph.run.id': run._id,
  };
}
