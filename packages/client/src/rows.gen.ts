// Written by `npm run gen` from src/contracts. Changes here are lost.
/** Rows of the service API. */
export const rows = {
  ingestion: {
    presign: ['POST', '/api/uploads/presign', 'json'],
    ack: ['POST', '/api/uploads/ack', 'json'],
    upload: ['GET', '/api/uploads/:id', 'json'],
  },
  service: {
    listWorkflows: ['GET', '/api/service/workflows', 'json'],
    presign: ['POST', '/api/service/uploads/presign', 'json'],
    ack: ['POST', '/api/service/uploads/ack', 'json'],
    execute: ['POST', '/api/service/workflow-executions', 'json'],
    listExecutions: ['GET', '/api/service/workflow-executions', 'json'],
    getExecution: ['GET', '/api/service/workflow-executions/:id', 'json'],
    cancelExecution: ['POST', '/api/service/workflow-executions/:id/cancel', 'json'],
    cancelRuns: ['POST', '/api/service/runs/cancel', 'json'],
    retryRuns: ['POST', '/api/service/runs/retry', 'json'],
    replayExecution: ['POST', '/api/service/workflow-executions/:id/replay', 'json'],
    executionRuns: ['GET', '/api/service/workflow-executions/:id/runs', 'json'],
    executionEvents: ['GET', '/api/service/workflow-executions/:id/events', 'events'],
    listRuns: ['GET', '/api/service/runs', 'json'],
    verifyReceipt: ['GET', '/api/service/runs/:id/receipt/verify', 'json'],
    getRun: ['GET', '/api/service/runs/:id', 'json'],
    resumeRun: ['POST', '/api/service/runs/:id/resume', 'json'],
    listDocuments: ['GET', '/api/service/documents', 'json'],
    getDocument: ['GET', '/api/service/documents/:id', 'json'],
    similarDocuments: ['GET', '/api/service/documents/:id/similar', 'json'],
    readText: ['GET', '/api/service/documents/:id/text', 'file'],
    setVisibility: ['POST', '/api/service/documents/visibility', 'json'],
  },
  results: {
    exportDocuments: ['GET', '/api/service/documents/export', 'file'],
    files: ['GET', '/api/service/documents/:id/files', 'json'],
    ocr: ['GET', '/api/service/documents/:id/ocr', 'json'],
    page: ['GET', '/api/service/documents/:id/pages/:page', 'json'],
    segmentations: ['GET', '/api/service/documents/:id/segmentations', 'json'],
    update: ['PATCH', '/api/service/documents/:id', 'json'],
    remove: ['DELETE', '/api/service/documents/:id', 'json'],
    search: ['GET', '/api/service/search', 'json'],
    ask: ['POST', '/api/service/ask', 'json'],
  },
  records: {
    types: ['GET', '/api/service/record-types', 'json'],
    saveType: ['POST', '/api/service/record-types', 'json'],
    query: ['GET', '/api/service/records', 'json'],
    correct: ['PATCH', '/api/service/records/:recordId', 'json'],
  },
} as const;

/** Media types of documents, by the extension of a file. */
export const mediaTypes = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  heic: 'image/heic',
  heif: 'image/heif',
  tiff: 'image/tiff',
  gif: 'image/gif',
  pdf: 'application/pdf',
  jpeg: 'image/jpeg',
  tif: 'image/tiff',
} as const;
