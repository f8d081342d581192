import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { DomainEvent } from '#src/domain/events/events.ts';
import type { Span, Tracer } from '#src/domain/ports/tracer.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import { failureCode } from '#src/domain/traces/failure-code.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import type { TraceContext } from '#src/domain/traces/trace-context.ts';

type UploadEvent = Extract<DomainEvent, { name: 'document/process.upload' }>;

/** Execution that `document/process.upload` requests: the workflow bound to the key, over this document. */
function executionOf({ data: event, ts }: UploadEvent, trace: TraceContext | undefined): ExecutionRecord {
  return {
    _id: event.executionId,
    schemaVersion: 1,
    organizationId: event.organizationId,
    projectId: event.projectId,
    workflowId: event.agentGraphId,
    workflowName: null,
    version: null,
    graphHash: null,
    source: 'upload',
    apiKeyId: event.apiKeyId,
    documentIds: [event.documentId],
    initialState: null,
    ...(event.callbackUrl !== undefined && { callbackUrl: event.callbackUrl, callbackPending: true }),
    ...(trace !== undefined && { trace }),
    createdAt: ts,
  };
}

function spanOf(tracer: Tracer, { data, trace }: UploadEvent): Span {
  const attributes = {
    'inkgraph.organization.id': data.organizationId,
    'inkgraph.project.id': data.projectId,
    'inkgraph.document.id': data.documentId,
    'inkgraph.execution.id': data.executionId,
  };
  return tracer.start({ name: 'relay', kind: 'consumer', parent: trace ?? null, attributes });
}

/** Calls `store` with the executions that the outboxes of these documents request, each in a span of its own. */
export async function requestedBy(
  documents: readonly DocumentRecord[],
  tracer: Tracer = noTracer,
  store: (wanted: readonly ExecutionRecord[]) => Promise<void>,
): Promise<void> {
  const uploads = documents
    .flatMap((document) => document.pendingEvents)
    .filter((event) => event.name === 'document/process.upload')
    .map((event) => ({ event, span: spanOf(tracer, event) }));
  const end = (failure?: string): void => {
    for (const { span } of uploads) span.end(failure);
  };
  try {
    await store(uploads.map(({ event, span }) => executionOf(event, span.context ?? event.trace)));
    end();
  } catch (error) {
    end(failureCode(error));
    throw error;
  }
}
