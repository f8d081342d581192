import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { newId } from '#src/domain/ids.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';

/** Ids of a tenant that nobody else has. */
export function freshTenant(): { organizationId: string; projectIds: [string] } {
  return { organizationId: newId('organization'), projectIds: [newId('project')] };
}

/** A valid execution over two documents; `more` says what matters to the test. */
export function executionRecord(more: Partial<ExecutionRecord> = {}): ExecutionRecord {
  const { organizationId, projectIds } = freshTenant();
  return {
    _id: newId('execution'),
    schemaVersion: 1,
    organizationId,
    projectId: projectIds[0],
    workflowId: newId('workflow'),
    workflowName: 'Test',
    version: 1,
    graphHash: 'hash',
    source: 'service',
    apiKeyId: newId('key'),
    documentIds: [newId('document'), newId('document')],
    initialState: null,
    createdAt: new Date(),
    ...more,
  };
}

/** A valid document with nothing in its outbox. */
export function documentRecord(more: Partial<DocumentRecord> = {}): DocumentRecord {
  const { organizationId, projectIds } = freshTenant();
  const _id = newId('document');
  return {
    _id,
    schemaVersion: 1,
    organizationId,
    projectId: projectIds[0],
    family: 'workflow-key',
    apiKeyId: newId('key'),
    objectKey: `uploads/${_id}.png`,
    pinnedKey: `uploads/${_id}.png`,
    etag: 'etag',
    sha256: null,
    contentType: 'image/png',
    sizeBytes: 1,
    width: 1,
    height: 1,
    pages: 1,
    visibility: 'private',
    createdAt: new Date(),
    ocr: null,
    description: null,
    pendingEvents: [],
    ...more,
  };
}

/** A document whose outbox asks for the workflow, as an ack with a workflow key writes it. */
export function uploadedDocument(workflowId: string, more: Partial<DocumentRecord> = {}): DocumentRecord {
  const document = documentRecord(more);
  const { _id: documentId, objectKey, organizationId, projectId } = document;
  const executionId = documentId.replace('doc_', 'exec_');
  return {
    ...document,
    pendingEvents: [
      {
        id: `document/process.upload:${documentId}`,
        name: 'document/process.upload',
        ts: document.createdAt,
        data: {
          documentId,
          objectKey,
          organizationId,
          projectId,
          apiKeyId: document.apiKeyId ?? '',
          agentGraphId: workflowId,
          executionId,
        },
      },
    ],
  };
}

export function realtimeEvent(organizationId: string, more: Partial<RealtimeEvent> = {}): RealtimeEvent {
  const documentId = newId('document');
  return {
    dedupeId: `document.created:${documentId}`,
    type: 'document.created',
    at: new Date(),
    organizationId,
    projectId: newId('project'),
    documentId,
    ...more,
  };
}
/** A page whose lines lie under each other, a word as wide as it has letters. */
export function pageOf(text: string, index = 0): OcrPage {
  const lines = text.split('\n').map((line, row) => {
    const words = [...line.matchAll(/\S+/g)].map((match) => ({
      text: match[0],
      confidence: 90,
      box: [match.index / 100, row / 50, match[0].length / 100, 0.015] as const,
    }));
    return { text: line, confidence: 90, box: [0, row / 50, line.length / 100, 0.015] as const, words };
  });
  return { index, width: 1000, height: 1400, rotation: 0, text, confidence: 90, lines, attempts: [], warnings: [] };
}
