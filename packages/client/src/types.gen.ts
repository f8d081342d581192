// Written by `npm run gen` from src/contracts. Changes here are lost.
export type BoundedCount = { value: number; /** eq: exactly value; gte: value or more */ relation: 'eq' | 'gte'; };

export type Box = [number, number, number, number];

export type Document = { /** Document identifier */ id: string; /** Storage key of the object */ objectKey: string; filename: string | null; contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif' | 'image/tiff' | 'image/gif' | 'application/pdf'; /** Size in bytes */ sizeBytes: number; /** SHA-256 of the stored bytes, in hex */ sha256: string | null; /** First document with the same bytes */ duplicateOf?: string | undefined; /** Pixels of the first page, upright */ width: number; /** Pixels of the first page, upright */ height: number; pages: number; /** public: readable by every project of the organization */ visibility: 'private' | 'public'; projectId: string; /** Key that uploaded it */ apiKeyId: string | null; /** Derived documents: the original document */ parentDocumentId?: string | undefined; /** Derived documents: the segmentation it shows */ segmentationId?: string | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; /** null until a workflow writes one */ description: string | null; /** Model that wrote it */ descriptionModelLabel: string | null; title: string | null; tags: string[]; ocr: OcrSummary | null; /** Nodes that failed in the last run: retry_runs with degraded */ degraded?: string[] | undefined; /** Short-lived signed URL of a re-encoded image */ thumbnailUrl: string | null; links?: { /** Page of the dashboard, for people; absent without a dashboard */ web: string; } | undefined; };

export type DocumentCard = { /** Document identifier */ id: string; /** Storage key of the object */ objectKey: string; filename: string | null; contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif' | 'image/tiff' | 'image/gif' | 'application/pdf'; /** Size in bytes */ sizeBytes: number; /** SHA-256 of the stored bytes, in hex */ sha256: string | null; /** First document with the same bytes */ duplicateOf?: string | undefined; /** Pixels of the first page, upright */ width: number; /** Pixels of the first page, upright */ height: number; pages: number; /** public: readable by every project of the organization */ visibility: 'private' | 'public'; projectId: string; /** Key that uploaded it */ apiKeyId: string | null; /** Derived documents: the original document */ parentDocumentId?: string | undefined; /** Derived documents: the segmentation it shows */ segmentationId?: string | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; /** null until a workflow writes one */ description: string | null; /** Model that wrote it */ descriptionModelLabel: string | null; title: string | null; tags: string[]; ocr: OcrSummary | null; /** Nodes that failed in the last run: retry_runs with degraded */ degraded?: string[] | undefined; /** Short-lived signed URL of a re-encoded image */ thumbnailUrl: string | null; links?: { /** Page of the dashboard, for people; absent without a dashboard */ web: string; } | undefined; /** Run that was created last; null: none yet */ latestRun: LatestRun | null; /** Embedding distance, 1 - cosine; null when no embedding was compared */ distance: number | null; /** Search score, 0..1 plus 1 for an exact match; comparable within one reply only */ score: number | null; /** Retrievers that found the document; empty in a list */ matchedBy: ('exact' | 'lexical' | 'semantic')[]; /** Passages that matched the query; empty in a list */ highlights: Highlight[]; };

export type DocumentDetail = { /** Document identifier */ id: string; /** Storage key of the object */ objectKey: string; filename: string | null; contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif' | 'image/tiff' | 'image/gif' | 'application/pdf'; /** Size in bytes */ sizeBytes: number; /** SHA-256 of the stored bytes, in hex */ sha256: string | null; /** First document with the same bytes */ duplicateOf?: string | undefined; /** Pixels of the first page, upright */ width: number; /** Pixels of the first page, upright */ height: number; pages: number; /** public: readable by every project of the organization */ visibility: 'private' | 'public'; projectId: string; /** Key that uploaded it */ apiKeyId: string | null; /** Derived documents: the original document */ parentDocumentId?: string | undefined; /** Derived documents: the segmentation it shows */ segmentationId?: string | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; /** null until a workflow writes one */ description: string | null; /** Model that wrote it */ descriptionModelLabel: string | null; title: string | null; tags: string[]; ocr: OcrSummary | null; /** Nodes that failed in the last run: retry_runs with degraded */ degraded?: string[] | undefined; /** Short-lived signed URL of a re-encoded image */ thumbnailUrl: string | null; links?: { /** Page of the dashboard, for people; absent without a dashboard */ web: string; } | undefined; /** Run that was created last; null: none yet */ latestRun: LatestRun | null; /** Short-lived signed URLs of re-encoded pages; ?w=<pixels> sizes them, ?rotate=90|180|270 turns them */ pageImages: { page: number; url: string; }[]; /** Version of the description, which a correction names */ descriptionId: string | null; /** Short-lived signed URL of the uploaded bytes, as an attachment */ originalUrl: string; };

export type DocumentFacets = Record<string, { /** Most frequent first, at most 50; documents without a value are left out */ values: { value: string; /** Documents that have it */ count: number; }[]; /** gte: only the newest 10,000 documents that match are counted */ relation: 'eq' | 'gte'; }>;

export type DocumentPage = { documentId: string; /** Pages of the document */ pages: number; ocrResultId: string; /** ISO 8601, UTC, milliseconds */ ocrCreatedAt: string; /** Engine that recognized the text */ modelLabel: string; /** Short-lived signed URL of the page as a re-encoded image */ imageUrl: string; /** Lines, words and boxes; null: the result does not have this page */ page: { index: number; /** Pixels of the page after rotation; boxes are fractions of it */ width: number; height: number; /** Degrees clockwise that the page was turned before recognition */ rotation: number; text: string; confidence: number; lines: { text: string; confidence: number; box: Box; words: { text: string; confidence: number; box: Box; }[]; }[]; /** Recognition attempts with their outcome */ attempts: Record<string, unknown>[]; warnings: string[]; /** text-layer: the text that the PDF states, with a confidence of 100; ocr: recognized */ source: 'text-layer' | 'ocr'; } | null; };

export type DocumentRecord = { recordId: string; documentId: string; recordType: string; typeVersion: number; /** doubtful: problems says why; confirmed: a person or an agent has checked it */ status: 'proposed' | 'doubtful' | 'confirmed'; problems: ({ code: 'missing' | 'unsure' | 'rule'; /** Path of the cell, or name of the rule */ field: string; detail: string; })[]; /** Cells by path */ cells: Record<string, RecordCell>; /** Number of changed cells that the record remembers */ corrections: number; revision: number; /** ISO 8601, UTC, milliseconds */ createdAt: string; /** ISO 8601, UTC, milliseconds */ updatedAt: string; links?: { /** Page of the dashboard, for people; absent without a dashboard */ web: string; } | undefined; /** Pictures of the pages that the cells are on, by page; they expire */ pageUrls: Record<string, string>; };

export type DocumentWithRun = { /** Document identifier */ id: string; /** Storage key of the object */ objectKey: string; filename: string | null; contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif' | 'image/tiff' | 'image/gif' | 'application/pdf'; /** Size in bytes */ sizeBytes: number; /** SHA-256 of the stored bytes, in hex */ sha256: string | null; /** First document with the same bytes */ duplicateOf?: string | undefined; /** Pixels of the first page, upright */ width: number; /** Pixels of the first page, upright */ height: number; pages: number; /** public: readable by every project of the organization */ visibility: 'private' | 'public'; projectId: string; /** Key that uploaded it */ apiKeyId: string | null; /** Derived documents: the original document */ parentDocumentId?: string | undefined; /** Derived documents: the segmentation it shows */ segmentationId?: string | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; /** null until a workflow writes one */ description: string | null; /** Model that wrote it */ descriptionModelLabel: string | null; title: string | null; tags: string[]; ocr: OcrSummary | null; /** Nodes that failed in the last run: retry_runs with degraded */ degraded?: string[] | undefined; /** Short-lived signed URL of a re-encoded image */ thumbnailUrl: string | null; links?: { /** Page of the dashboard, for people; absent without a dashboard */ web: string; } | undefined; /** Run that was created last; null: none yet */ lastRun: LatestRun | null; };

export type EventDescriptionUpserted = { /** Same as the event name */ type: 'description.upserted'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; projectId: string; documentId: string; executionId: string; runId: string; nodeId: string; /** Description identifier */ descriptionId: string; modelLabel: string; /** Untrusted content */ title: string; /** Untrusted content; cut at 4,000 characters */ description: string; [name: string]: unknown; };

export type EventExecutionCompleted = { /** Same as the event name */ type: 'execution.completed'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; projectId: string; executionId: string; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'partially_succeeded'; counts: Record<string, number>; [name: string]: unknown; };

export type EventOcrCreated = { /** Same as the event name */ type: 'ocr.created'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; projectId: string; documentId: string; executionId: string; runId: string; nodeId: string; ocrResultId: string; modelLabel: string; avgConfidence: number; characters: number; warnings: PageWarning[]; [name: string]: unknown; };

export type EventReset = { /** Same as the event name */ type: 'reset'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; [name: string]: unknown; };

export type EventRunCompleted = { /** Same as the event name */ type: 'run.completed'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; projectId: string; documentId: string; executionId: string; runId: string; workflowId: string; version: number | null; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out'; /** Milliseconds since a worker took it; null: none did */ ms: number | null; error?: { code: string; message: string; /** Node that failed */ nodeId?: string | undefined; } | undefined; /** Nodes that failed while the run went on */ degraded?: string[] | undefined; [name: string]: unknown; };

export type EventRunCreated = { /** Same as the event name */ type: 'run.created'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; projectId: string; documentId: string; executionId: string; runId: string; workflowId: string; version: number | null; status: 'queued'; [name: string]: unknown; };

export type EventRunStepChanged = { /** Same as the event name */ type: 'run.step.changed'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; projectId: string; documentId: string; executionId: string; runId: string; nodeId: string; workflowId: string; version?: number | null | undefined; nodeType?: string | undefined; attempt?: number | undefined; /** Status of the step */ status: string; ms?: number | null | undefined; /** Status of the run */ runStatus: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out'; /** Open questions */ waitingFor?: ({ path: string; promptText: string; answerSchema: Record<string, unknown> | null; })[] | undefined; error?: { code: string; message: string; /** Node that failed */ nodeId?: string | undefined; } | undefined; [name: string]: unknown; };

export type EventSegmentationCreated = { /** Same as the event name */ type: 'segmentation.created'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; projectId: string; documentId: string; executionId: string; runId: string; nodeId: string; segmentationId: string; modelLabel: string; /** Prompt given to the model */ prompt: string; page: number; /** Number of segments */ segments: number; /** true: the model does not support this prompt */ unsupportedPrompt: boolean; /** Document made from the segments */ derivedDocumentId?: string | null | undefined; [name: string]: unknown; };

export type EventWorkflowEmitted = { /** Same as the event name */ type: 'workflow.emitted'; /** ISO 8601, UTC, milliseconds */ at: string; organizationId: string; projectId: string; documentId: string; executionId: string; runId: string; nodeId: string; /** Name of the event */ event: string; /** Value of the event: untrusted content */ data: unknown; [name: string]: unknown; };

export type Execution = { id: string; workflowId: string; workflowName: string | null; /** null until a worker takes the first run */ version: number | null; graphHash: string | null; /** Only for runs of a draft */ draft?: { /** null: a published version, of which one node was tried */ revision: number | null; /** Only this node ran */ nodeId?: string | undefined; } | undefined; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'partially_succeeded'; counts: { total: number; queued: number; running: number; waiting: number; succeeded: number; failed: number; canceled: number; timedOut: number; }; runs: RunSummary[]; /** Execution that this one replays */ replayOf?: string | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; startedAt: string | null; finishedAt: string | null; links: { self: string; }; };

export type ExecutionEvent = EventRunCreated | EventRunStepChanged | EventRunCompleted | EventOcrCreated | EventDescriptionUpserted | EventSegmentationCreated | EventWorkflowEmitted | EventReset | EventExecutionCompleted;

export type ExecutionRow = { id: string; workflowId: string; workflowName: string | null; /** null until a worker takes the first run */ version: number | null; graphHash: string | null; /** Only for runs of a draft */ draft?: { /** null: a published version, of which one node was tried */ revision: number | null; /** Only this node ran */ nodeId?: string | undefined; } | undefined; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'partially_succeeded'; counts: { total: number; queued: number; running: number; waiting: number; succeeded: number; failed: number; canceled: number; timedOut: number; }; /** Execution that this one replays */ replayOf?: string | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; startedAt: string | null; finishedAt: string | null; links: { self: string; }; };

export type Highlight = { field: 'title' | 'description' | 'ocr' | 'segmentation' | 'filename' | 'records' | 'objectKey'; /** Up to about 200 characters of the field as stored: untrusted content */ text: string; /** Matched words, in order */ spans: { start: number; end: number; }[]; /** Recognized text: index of the page */ page?: number | undefined; /** Places of the matches on the page, one for each line that they touch */ boxes?: Box[] | undefined; /** Degrees clockwise by which the page was turned when it was read; boxes are fractions of the turned page */ rotate?: 90 | 180 | 270 | undefined; };

export type LatestRun = { runId: string; workflowId: string; /** In the dashboard: its present name; absent when it is deleted */ workflowName?: string | undefined; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out'; /** Time of the last change of status */ at: string; error?: { code: string; message: string; /** Node that failed */ nodeId?: string | undefined; } | undefined; };

export type OcrResult = { ocrResultId: string; /** ISO 8601, UTC, milliseconds */ ocrCreatedAt: string; /** Engine that recognized the text */ modelLabel: string; /** Pages joined by a form feed; with page, the text of that page */ text: string; /** Pages of the document; pages has all of them, or the one that was asked for */ pageCount: number; /** Mean word confidence, weighted by word length */ avgConfidence: number; result: { engine: string; language: string; pages: ({ index: number; /** Pixels of the page after rotation; boxes are fractions of it */ width: number; height: number; /** Degrees clockwise that the page was turned before recognition */ rotation: number; text: string; confidence: number; lines: { text: string; confidence: number; box: Box; words: { text: string; confidence: number; box: Box; }[]; }[]; /** Recognition attempts with their outcome */ attempts: Record<string, unknown>[]; warnings: string[]; /** text-layer: the text that the PDF states, with a confidence of 100; ocr: recognized */ source: 'text-layer' | 'ocr'; })[]; }; /** Parts of pages that could not be read; empty if all was read */ warnings: PageWarning[]; /** Run that made the result; of a correction, the first version that it stems from */ runId: string; /** person and agent: a correction of another version */ source: 'run' | 'person' | 'agent'; /** Who corrected it; null: a run made it */ author: string | null; /** The version that was corrected */ basedOn: string | null; };

export type OcrSummary = { ocrResultId: string; /** ISO 8601, UTC, milliseconds */ ocrCreatedAt: string; /** Engine that recognized the text */ modelLabel: string; /** Mean word confidence, weighted by word length, 0..100 */ avgConfidence: number; characters: number; /** Parts that could not be read, the first 20 */ warnings: PageWarning[]; };

export type PageWarning = { /** Page index */ page: number; code: 'picture_too_large' | 'picture_damaged' | 'content_damaged' | 'recognition_incomplete'; detail: string; };

export type PresignedUpload = { /** URL to PUT the raw bytes to */ uploadUrl: string; method: 'PUT'; /** Headers to send with the PUT */ headers: Record<string, string>; /** Send this to ack */ objectKey: string; /** ISO 8601, UTC, milliseconds */ expiresAt: string; /** The declared size; the body must have exactly this length */ maxBytes: number; };

export type ProblemBody = { type: string; title: string; status: number; /** One or two sentences: what is wrong, and what to do */ detail: string; instance: string; /** area.reason */ code: string; requestId: string; errors?: { /** JSON Pointer into the request */ pointer: string; code: string; message: string; }[] | undefined; /** workflow.conflict: revision of the draft */ currentRevision?: number | undefined; /** workflow.conflict: edits since baseVersion */ operationsSince?: unknown[] | undefined; /** workflow.conflict: false when operationsSince is truncated */ complete?: boolean | undefined; /** workflow.invalid: issues of the graph */ issues?: unknown[] | undefined; /** quota.exceeded, upload.too_large: figures of the quota that has no room */ quota?: { scope: 'organization' | 'project' | 'key'; bytes: { used: number; limit: number | null; }; objects: { used: number; limit: number | null; }; } | undefined; /** auth.reauthentication_required: path that takes a POST with the password */ reauthenticate?: string | undefined; /** workflow.bound: API keys bound to the workflow */ keys?: unknown[] | undefined; };

export type ReceiptCheck = { runId: string; /** true: all values of the receipt follow from what is stored */ valid: boolean; /** Values that do not follow from the stored steps and outputs, the first 50 */ differences: { /** Path in the receipt */ at: string; /** Value in the receipt */ receipt: unknown; /** Value that follows */ computed: unknown; }[]; /** Parts that were deleted, so that nothing is compared */ unchecked: ('document' | 'outputs')[]; steps: number; /** Hash of the receipt */ hash: string; };

export type RecordCell = { value: string | number | boolean | { amount: number; /** ISO 4217 code, where known */ currency: string | null; } | null; /** The words in the document */ raw: string | null; confidence: number; /** true: the document contains it */ verified: boolean; /** Page, counted from 0 */ page: number | null; /** x, y, width and height as shares of the page */ box: [number, number, number, number] | null; by: 'rules' | 'model' | 'person' | 'agent'; /** ISO 8601, UTC, milliseconds */ at: string; runId: string | null; };

export type RecordType = { recordTypeId: string; name: string; title: string; projectId: string; /** 0: a preset that the project has not used yet */ version: number; fields: Record<string, { /** date: YYYY-MM-DD; money: { amount, currency } */ type: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'money' | 'enum'; /** What the field holds, for models */ description?: string | undefined; /** Other names of the field in documents */ aliases?: string[] | undefined; /** Values of an enum */ values?: string[] | undefined; /** true: a record without it is doubtful */ required?: boolean | undefined; } | { /** list: rows, such as the items of an invoice */ type: 'object' | 'list'; /** What the field holds, for models */ description?: string | undefined; /** Other names of the field in documents */ aliases?: string[] | undefined; fields: Record<string, { /** date: YYYY-MM-DD; money: { amount, currency } */ type: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'money' | 'enum'; /** What the field holds, for models */ description?: string | undefined; /** Other names of the field in documents */ aliases?: string[] | undefined; /** Values of an enum */ values?: string[] | undefined; /** true: a record without it is doubtful */ required?: boolean | undefined; }>; required?: boolean | undefined; }>; rules: { /** Name of a record type, such as invoice */ name: string; /** CEL over the fields, true where all is right: total.amount == net.amount + tax.amount */ expression: string; /** What is wrong where it is false */ message: string; }[]; updatedAt: string | null; };

export type Run = { runId: string; documentId: string; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out'; error?: { code: string; message: string; /** Node that failed */ nodeId?: string | undefined; } | undefined; /** Nodes that failed while the run went on */ degraded?: string[] | undefined; /** Open questions of a waiting run */ waitingFor?: ({ /** Node that asks; send it as path with the answer */ path: string; promptText: string; /** The author's words, with {1}, {2}, ... in place of values */ question?: string | undefined; /** The values: untrusted content */ valuesText?: string[] | undefined; answerSchema: Record<string, unknown> | null; })[] | undefined; executionId: string; workflowId: string; version: number | null; /** Only for runs of a draft */ draft?: { /** null: a published version, of which one node was tried */ revision: number | null; /** Only this node ran */ nodeId?: string | undefined; } | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; finishedAt: string | null; };

export type RunDetail = { runId: string; documentId: string; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out'; error?: { code: string; message: string; /** Node that failed */ nodeId?: string | undefined; } | undefined; /** Nodes that failed while the run went on */ degraded?: string[] | undefined; waitingFor?: ({ /** Node that asks; send it as path with the answer */ path: string; promptText: string; /** The author's words, with {1}, {2}, ... in place of values */ question?: string | undefined; /** The values: untrusted content */ valuesText?: string[] | undefined; data: unknown; answerSchema: Record<string, unknown> | null; /** ISO 8601, UTC, milliseconds */ askedAt: string; })[] | undefined; links?: { /** Page of the dashboard, for people; absent without a dashboard */ web: string; } | undefined; executionId: string; workflowId: string; version: number | null; /** Only for runs of a draft */ draft?: { /** null: a published version, of which one node was tried */ revision: number | null; /** Only this node ran */ nodeId?: string | undefined; } | undefined; graphHash: string | null; /** Times that a worker took the run */ attempts: number; /** Place of a queued run; null for other runs */ queue: { /** 1: the next run of its lane; at most 1001 are counted in each lane */ position: number; /** null while there is nothing to estimate it from */ estimatedStartSeconds: number | null; } | null; /** ISO 8601, UTC, milliseconds */ createdAt: string; startedAt: string | null; finishedAt: string | null; steps: ({ stepId: string; nodeId: string; type: string; attempt: number; status: 'running' | 'waiting' | 'succeeded' | 'failed' | 'continued' | 'canceled'; /** ISO 8601, UTC, milliseconds */ startedAt: string; finishedAt: string | null; ms: number | null; /** Failed step: start of its input */ inputText?: string | undefined; /** Failed step: the request that it sent, without secrets */ requestText?: string | undefined; outputPreview: string | null; /** Run whose cached result was used */ cachedFrom?: string | undefined; usage: { provider: string; model: string; inputTokens?: number | undefined; outputTokens?: number | undefined; costUsd?: number | undefined; ms: number; } | null; /** Tools of MCP servers that a model called */ toolCalls?: string[] | undefined; error: { code: string; message: string; /** Node that failed */ nodeId?: string | undefined; } | null; })[]; outputs?: Record<string, unknown> | null | undefined; receipt?: RunReceipt | null | undefined; /** With include=receiptCheck; null: no receipt */ receiptCheck?: ReceiptCheck | null | undefined; };

export type RunReceipt = { head: { runId: string; workflowId: string; version: number | null; graphHash: string | null; documentId: string; documentSha256: string | null; /** Experiment that the gate accepted for this version; null: an owner published without one */ evidence?: { experimentId: string | null; } | undefined; /** Only for runs of a draft */ draft?: { /** null: a published version, of which one node was tried */ revision: number | null; /** Only this node ran */ nodeId?: string | undefined; } | undefined; }; steps: ({ path: string; node: string; attempt: number; status: 'succeeded' | 'failed' | 'continued' | 'canceled'; modelLabel: string | null; outputDigest: string | null; cachedFrom: string | null; hash: string; })[]; stepsLeftOut: number; outputsDigest: string | null; hash: string; };

export type RunSummary = { runId: string; documentId: string; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out'; error?: { code: string; message: string; /** Node that failed */ nodeId?: string | undefined; } | undefined; /** Nodes that failed while the run went on */ degraded?: string[] | undefined; /** Open questions of a waiting run */ waitingFor?: ({ /** Node that asks; send it as path with the answer */ path: string; promptText: string; /** The author's words, with {1}, {2}, ... in place of values */ question?: string | undefined; /** The values: untrusted content */ valuesText?: string[] | undefined; })[] | undefined; };

export type SegmentationResult = { segmentationId: string; /** ISO 8601, UTC, milliseconds */ segmentationCreatedAt: string; /** Model that found the segments */ modelLabel: string; /** Prompt given to the model */ prompt: string; /** Page index; coordinates are fractions of this page */ page: number; segments: ({ label: string; score: number; bbox: Box; /** Points as fractions 0..1 of the page */ polygon: [number, number][]; /** Run lengths over the rows of the mask, starting with background */ mask?: { width: number; height: number; runs: number[]; } | undefined; text?: string | undefined; })[]; /** true: the model does not support this prompt, and segments is empty */ unsupportedPrompt: boolean; /** Document made from the segments, if one was stored */ derivedDocument?: Document | undefined; /** Run that made the result */ runId: string; };

export type SimilarDocument = { /** Document identifier */ id: string; /** Storage key of the object */ objectKey: string; filename: string | null; contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif' | 'image/tiff' | 'image/gif' | 'application/pdf'; /** Size in bytes */ sizeBytes: number; /** SHA-256 of the stored bytes, in hex */ sha256: string | null; /** First document with the same bytes */ duplicateOf?: string | undefined; /** Pixels of the first page, upright */ width: number; /** Pixels of the first page, upright */ height: number; pages: number; /** public: readable by every project of the organization */ visibility: 'private' | 'public'; projectId: string; /** Key that uploaded it */ apiKeyId: string | null; /** Derived documents: the original document */ parentDocumentId?: string | undefined; /** Derived documents: the segmentation it shows */ segmentationId?: string | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; /** null until a workflow writes one */ description: string | null; /** Model that wrote it */ descriptionModelLabel: string | null; title: string | null; tags: string[]; ocr: OcrSummary | null; /** Nodes that failed in the last run: retry_runs with degraded */ degraded?: string[] | undefined; /** Short-lived signed URL of a re-encoded image */ thumbnailUrl: string | null; links?: { /** Page of the dashboard, for people; absent without a dashboard */ web: string; } | undefined; /** Mean of the known ones */ similarity: number; /** Cosine of the pictures of the first pages; null: not among the nearest */ pictureSimilarity: number | null; /** Cosine of the texts; null: not among the nearest */ textSimilarity: number | null; /** Same bytes, or pictures that differ by little more than noise */ isNearDuplicate: boolean; };

export type Tag = string;

export type UpdatedDocument = { /** Document identifier */ id: string; filename: string | null; title: string | null; tags: string[]; };

export type Upload = { documentId: string; /** Status of the execution; null: it is gone, or the upload started none */ status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'partially_succeeded' | null; /** null until a worker stores it */ execution: { id: string; workflowId: string; workflowName: string | null; /** null until a worker takes the first run */ version: number | null; graphHash: string | null; /** Only for runs of a draft */ draft?: { /** null: a published version, of which one node was tried */ revision: number | null; /** Only this node ran */ nodeId?: string | undefined; } | undefined; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'partially_succeeded'; counts: { total: number; queued: number; running: number; waiting: number; succeeded: number; failed: number; canceled: number; timedOut: number; }; /** Execution that this one replays */ replayOf?: string | undefined; /** ISO 8601, UTC, milliseconds */ createdAt: string; startedAt: string | null; finishedAt: string | null; } | null; /** Runs of the execution, with their outputs */ runs: ({ runId: string; documentId: string; status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out'; error?: { code: string; message: string; /** Node that failed */ nodeId?: string | undefined; } | undefined; /** Nodes that failed while the run went on */ degraded?: string[] | undefined; /** Open questions of a waiting run */ waitingFor?: ({ /** Node that asks; send it as path with the answer */ path: string; promptText: string; /** The author's words, with {1}, {2}, ... in place of values */ question?: string | undefined; /** The values: untrusted content */ valuesText?: string[] | undefined; })[] | undefined; /** Outputs by name; null until the run has ended */ outputs: Record<string, unknown> | null; })[]; links: { self: string; }; };

export type Workflow = { /** Also called agentGraphId */ workflowId: string; /** Stands for workflowId everywhere, such as wf_triage; null for workflows not in code */ slug: string | null; name: string; description: string; publishedVersion: number; /** MCP tool that the published version is; null: none */ toolName: string | null; /** ISO 8601, UTC, milliseconds */ updatedAt: string; };

/** Codes of problems. A newer server may have more. */
export type ErrorCode =
  | 'request.malformed'
  | 'request.invalid'
  | 'request.cursor_invalid'
  | 'request.not_found'
  | 'request.method_not_allowed'
  | 'request.not_confirmed'
  | 'request.timeout'
  | 'request.length_required'
  | 'request.too_large'
  | 'request.media_type'
  | 'request.range_not_satisfiable'
  | 'request.rate_limited'
  | 'auth.unauthorized'
  | 'auth.forbidden'
  | 'auth.second_factor_required'
  | 'auth.reauthentication_required'
  | 'link.invalid'
  | 'mail.not_configured'
  | 'passkey.unavailable'
  | 'auth.email_taken'
  | 'upload.object_missing'
  | 'upload.changed'
  | 'upload.mismatch'
  | 'upload.not_found'
  | 'upload.too_large'
  | 'upload.content_type'
  | 'quota.exceeded'
  | 'object.signature_invalid'
  | 'object.expired'
  | 'object.exists'
  | 'object.deleted'
  | 'object.length_mismatch'
  | 'object.digest_mismatch'
  | 'object.not_found'
  | 'organization.not_found'
  | 'organization.slug_taken'
  | 'session.not_found'
  | 'passkey.not_found'
  | 'project.not_found'
  | 'project.name_taken'
  | 'member.not_found'
  | 'member.last_owner'
  | 'invitation.not_found'
  | 'invitation.member_already'
  | 'key.not_found'
  | 'key.spent'
  | 'app.not_found'
  | 'client.not_found'
  | 'secret.not_found'
  | 'conversation.not_found'
  | 'document.not_found'
  | 'document.conflict'
  | 'document.unread'
  | 'view.not_found'
  | 'webhook.not_found'
  | 'webhook.delivery_not_found'
  | 'webhook.too_many'
  | 'webhook.disabled'
  | 'webhook.url'
  | 'view.too_many'
  | 'workflow.not_found'
  | 'workflow.invalid'
  | 'workflow.version_not_found'
  | 'workflow.conflict'
  | 'workflow.operation_refused'
  | 'workflow.read_only'
  | 'workflow.bound'
  | 'expression.failed'
  | 'secret.unknown'
  | 'secret.unbound'
  | 'outbound.refused'
  | 'outbound.failed'
  | 'outbound.unexpected'
  | 'execution.not_found'
  | 'dataset.not_found'
  | 'dataset.version_not_found'
  | 'dataset.conflict'
  | 'dataset.split_conflict'
  | 'dataset.unfit'
  | 'record.not_found'
  | 'record.conflict'
  | 'record_type.not_found'
  | 'record_type.conflict'
  | 'experiment.not_found'
  | 'experiment.holdout_hidden'
  | 'experiment.model_missing'
  | 'experiment.too_large'
  | 'experiment.effect_refused'
  | 'experiment.unanswered'
  | 'workflow.gate_unmet'
  | 'run.not_found'
  | 'run.unfinished'
  | 'run.not_waiting'
  | 'run.effect_refused'
  | 'run.needs_input'
  | 'idempotency.key_reused'
  | 'image.undecodable'
  | 'image.too_large'
  | 'ocr.timeout'
  | 'ocr.failed'
  | 'model.refused'
  | 'model.failed'
  | 'model.unavailable'
  | 'model.output_invalid'
  | 'segmentation.failed'
  | 'run.poisoned'
  | 'run.worker_lost'
  | 'run.timed_out'
  | 'run.canceled'
  | 'run.step_timeout'
  | 'run.compute_exceeded'
  | 'run.step_limit'
  | 'storage.full'
  | 'service.unavailable'
  | 'service.internal';

/** Input and response of each row. */
export interface Rows {
  ingestion: {
    /** Get a signed URL to upload one file */
    presign: { input: { /** Media type of the file: image/png, image/jpeg, image/webp, image/avif, image/tiff, image/gif, application/pdf */ contentType: string; /** Exact size of the file in bytes */ size: number; /** MD5 digest of the file in base64. The store then refuses a body with another digest */ contentMd5?: string | undefined; /** Name of the file, for people and for search; folders and control characters are left out */ filename?: string | undefined; }; reply: PresignedUpload };
    /** Create a document from an uploaded file and start the workflow bound to the key */
    ack: { input: { objectKey: string; }; reply: { document: Document; /** Workflow keys: the execution that the upload starts */ execution?: { /** Execution over this document */ id: string; /** Status of this request; links.self has that of the execution */ status: 'queued'; links: { /** GET it for status and outputs, with the same key */ self: string; }; } | undefined; } };
    /** Get the status and the outputs of an upload of this key; with wait, reply when its runs have ended */
    upload: { input: { id: string; } & { /** Seconds to wait for the end of the execution, 0..30 */ wait?: string | number | undefined; }; reply: Upload };
  };
  service: {
    /** List the published workflows of the project */
    listWorkflows: { input: object; reply: { workflows: Workflow[]; } };
    /** Get a signed URL to upload one file, and set its visibility */
    presign: { input: { /** Media type of the file: image/png, image/jpeg, image/webp, image/avif, image/tiff, image/gif, application/pdf */ contentType: string; /** Exact size of the file in bytes */ size: number; /** MD5 digest of the file in base64. The store then refuses a body with another digest */ contentMd5?: string | undefined; /** Name of the file, for people and for search; folders and control characters are left out */ filename?: string | undefined; /** Set here; ack does not take it */ visibility: 'private' | 'public'; }; reply: PresignedUpload };
    /** Create a document from an uploaded file, without starting a workflow */
    ack: { input: { objectKey: string; idempotencyKey: string; }; reply: { document: Document; /** Workflow keys: the execution that the upload starts */ execution?: { /** Execution over this document */ id: string; /** Status of this request; links.self has that of the execution */ status: 'queued'; links: { /** GET it for status and outputs, with the same key */ self: string; }; } | undefined; } };
    /** Run a workflow on documents */
    execute: { input: { /** agentGraphId of the workflow to run */ workflowId: string; /** Explicit documents, 1..500, unique */ documentIds?: string[] | undefined; scope?: { /** true: documents uploaded with this key; false: the documents of the project */ apiKeyBound?: boolean | undefined; } | undefined; /** An identical retry returns the first response; different input returns 409 */ idempotencyKey?: string | undefined; /** Free-form keys and values; at most 64 KiB as JSON, 32 levels deep; keys __proto__, constructor, prototype and keys starting with $ are rejected */ initialState?: Record<string, unknown> | undefined; /** A published version, or "draft": documents and search do not change; default: the newest version */ version?: number | 'draft' | undefined; /** Fails unless the draft is at this revision */ revision?: number | undefined; /** URL that receives a signed POST when all runs have ended */ callbackUrl?: string | undefined; }; reply: Execution };
    /** List executions that have a run which meets all conditions, newest first */
    listExecutions: { input: { status?: string | ('queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out')[] | undefined; limit?: string | number | undefined; cursor?: string | undefined; workflowId?: string | undefined; documentId?: string | undefined; /** Key that started it */ apiKeyId?: string | undefined; /** Created at this time or later */ createdAfter?: string | undefined; /** Created before this time */ createdBefore?: string | undefined; /** Also runs of drafts */ drafts?: 'true' | 'false' | boolean | undefined; }; reply: { /** Newest first */ executions: ExecutionRow[]; nextCursor: string | null; } };
    /** Get an execution and its runs; with wait, reply when something changes */
    getExecution: { input: { id: string; } & { /** Seconds to wait for a change of an unfinished execution, 0..30 */ wait?: string | number | undefined; }; reply: Execution };
    /** Cancel the unfinished runs; finished runs keep their result */
    cancelExecution: { input: { id: string; }; reply: Execution };
    /** Cancel the unfinished runs that match a filter, up to limit at a time */
    cancelRuns: { input: { workflowId?: string | undefined; executionId?: string | undefined; /** Runs created at this time or later */ createdAfter?: string | undefined; /** Runs created before this time */ createdBefore?: string | undefined; /** Most runs of one call */ limit?: number | undefined; /** nextCursor of the call before */ cursor?: string | undefined; /** Default: all unfinished runs */ status?: ('queued' | 'running' | 'waiting')[] | undefined; }; reply: { canceled: number; /** null: all runs that match are canceled */ nextCursor: string | null; } };
    /** Run the failed runs that match a filter again, up to limit at a time */
    retryRuns: { input: { workflowId?: string | undefined; executionId?: string | undefined; /** Runs created at this time or later */ createdAfter?: string | undefined; /** Runs created before this time */ createdBefore?: string | undefined; /** Most runs of one call */ limit?: number | undefined; /** nextCursor of the call before */ cursor?: string | undefined; /** Default: failed and timed_out */ status?: ('failed' | 'timed_out' | 'canceled')[] | undefined; /** true: instead of status, runs that succeeded while some of their nodes failed */ degraded?: boolean | undefined; }; reply: { retried: number; /** Runs whose workflow or document is gone */ skipped: number; /** The new executions */ executionIds: string[]; /** null: all runs that match are retried */ nextCursor: string | null; } };
    /** Run the same documents with the same initial state again, in a new execution */
    replayExecution: { input: { id: string; } & { /** failed: only documents whose run failed, timed out or was canceled */ only?: 'all' | 'failed' | undefined; /** same: the version that ran; published: the newest published version */ version?: 'same' | 'published' | undefined; idempotencyKey?: string | undefined; }; reply: Execution };
    /** List the runs of an execution */
    executionRuns: { input: { id: string; } & { status?: string | ('queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out')[] | undefined; limit?: string | number | undefined; cursor?: string | undefined; }; reply: { runs: Run[]; nextCursor: string | null; /** With counts=true: runs by status, as if status was not given; exact up to 1,000 */ counts?: Record<string, BoundedCount> | undefined; } };
    /** Follow the runs of an execution, from its start or after Last-Event-ID, until all have ended */
    executionEvents: { input: { id: string; } & { /** Used when the header Last-Event-ID is absent */ lastEventId?: string | undefined; }; reply: ExecutionEvent };
    /** List runs, newest first; with counts, also their number by status */
    listRuns: { input: { status?: string | ('queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out')[] | undefined; limit?: string | number | undefined; cursor?: string | undefined; executionId?: string | undefined; workflowId?: string | undefined; documentId?: string | undefined; /** Key that started it */ apiKeyId?: string | undefined; /** Created at this time or later */ createdAfter?: string | undefined; /** Created before this time */ createdBefore?: string | undefined; /** Also runs of drafts */ drafts?: 'true' | 'false' | boolean | undefined; /** true: adds counts by status */ counts?: 'true' | 'false' | boolean | undefined; }; reply: { runs: Run[]; nextCursor: string | null; /** With counts=true: runs by status, as if status was not given; exact up to 1,000 */ counts?: Record<string, BoundedCount> | undefined; } };
    /** Check the hash chain of a run against its stored steps and outputs */
    verifyReceipt: { input: { id: string; }; reply: ReceiptCheck };
    /** Get a run with its steps, outputs, open questions and receipt */
    getRun: { input: { id: string; }; reply: RunDetail };
    /** Answer the question of a waiting run */
    resumeRun: { input: { id: string; } & { /** Path of the question; optional when only one is open */ path?: string | undefined; /** Any JSON value that fits the question's answerSchema */ answer: unknown; }; reply: RunDetail };
    /** List documents that meet all conditions, newest first unless sorted */
    listDocuments: { input: { /** Page size, 1..100 */ limit?: string | number | undefined; /** Documents created at this time or later */ createdAfter?: string | undefined; /** Documents created before this time */ createdBefore?: string | undefined; contentType?: string | ('image/png' | 'image/jpeg' | 'image/webp' | 'image/avif' | 'image/tiff' | 'image/gif' | 'application/pdf')[] | undefined; /** Of the latest run; none: without a run */ status?: string | ('queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'none')[] | undefined; /** avgConfidence of the text */ minConfidence?: string | number | undefined; /** As minConfidence */ maxConfidence?: string | number | undefined; /** Of the latest run */ workflowId?: string | undefined; /** Key that uploaded */ apiKeyId?: string | undefined; visibility?: 'private' | 'public' | undefined; /** false: without text */ hasText?: 'true' | 'false' | boolean | undefined; /** One of its tags */ tag?: Tag | undefined; projectId?: string | undefined; /** true: only documents uploaded with this key; false: all of the project */ apiKeyBound?: 'true' | 'false' | boolean | undefined; /** nextCursor of the previous page */ cursor?: string | undefined; /** Default: created; name is that of the file */ sort?: 'created' | 'name' | 'size' | 'confidence' | undefined; /** Default: desc; of names asc */ order?: 'asc' | 'desc' | undefined; /** true: adds the number of matches */ total?: 'true' | 'false' | boolean | undefined; /** Counts to add; a facet ignores its own filter */ facets?: string | ('type' | 'status' | 'visibility' | 'project' | 'workflow' | 'key')[] | undefined; /** Documents with these bytes: up to 50 digests in hex */ sha256?: string | string[] | undefined; }; reply: { documents: DocumentWithRun[]; /** Opaque; null on the last page */ nextCursor: string | null; total?: BoundedCount | undefined; facets?: DocumentFacets | undefined; } };
    /** Get a document, with its last run */
    getDocument: { input: { id: string; }; reply: DocumentWithRun };
    /** List documents that look or read like one, near duplicates first */
    similarDocuments: { input: { id: string; } & { /** Stored vectors to compare */ by?: 'picture' | 'text' | 'both' | undefined; /** Most documents */ limit?: string | number | undefined; /** Only documents of this project */ projectId?: string | undefined; }; reply: { /** Near duplicates first, then by similarity */ documents: SimilarDocument[]; /** Vectors that the document has */ compared: ('picture' | 'text')[]; } };
    /** Read the text of a document as plain text, Markdown, hOCR, ALTO or a searchable PDF */
    readText: { input: { id: string; } & { /** text: pages joined by a form feed; markdown: with tables; hocr; alto: 4.4; pdf: page images with text */ format?: 'text' | 'markdown' | 'hocr' | 'alto' | 'pdf' | undefined; /** Page index; default: all pages */ page?: string | number | undefined; }; reply: Response };
    /** Make documents private or public */
    setVisibility: { input: { documentIds: string[]; visibility: 'private' | 'public'; }; reply: { documents: ({ id: string; visibility: 'private' | 'public'; })[]; } };
  };
  results: {
    /** Export the documents that match a filter, newest first, as JSON Lines, CSV or a zip with their texts */
    exportDocuments: { input: { /** Documents created at this time or later */ createdAfter?: string | undefined; /** Documents created before this time */ createdBefore?: string | undefined; contentType?: string | ('image/png' | 'image/jpeg' | 'image/webp' | 'image/avif' | 'image/tiff' | 'image/gif' | 'application/pdf')[] | undefined; /** Of the latest run; none: without a run */ status?: string | ('queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'none')[] | undefined; /** avgConfidence of the text */ minConfidence?: string | number | undefined; /** As minConfidence */ maxConfidence?: string | number | undefined; /** Of the latest run */ workflowId?: string | undefined; /** Key that uploaded */ apiKeyId?: string | undefined; visibility?: 'private' | 'public' | undefined; /** false: without text */ hasText?: 'true' | 'false' | boolean | undefined; /** One of its tags */ tag?: Tag | undefined; projectId?: string | undefined; /** true: only documents uploaded with this key; false: all of the project */ apiKeyBound?: 'true' | 'false' | boolean | undefined; /** jsonl, csv: a line for each document; zip: a folder for each, with metadata.json and text.md */ format?: 'jsonl' | 'csv' | 'zip' | undefined; /** With zip: also the uploaded bytes */ files?: 'true' | 'false' | boolean | undefined; }; reply: Response };
    /** Get signed URLs of the uploaded bytes, the thumbnail and the pages of a document */
    files: { input: { id: string; }; reply: DocumentDetail };
    /** List the OCR results of a document with lines, words and boxes, newest first */
    ocr: { input: { id: string; } & { /** Newest first, 1..100 */ limit?: string | number | undefined; }; reply: { results: OcrResult[]; } };
    /** Get one page of a document: its lines, words and boxes, and the URL of its image */
    page: { input: { id: string; /** Page index, from 0 */ page: string | number; }; reply: DocumentPage };
    /** List the segmentation results of a document, newest first */
    segmentations: { input: { id: string; } & { /** Newest first, 1..100 */ limit?: string | number | undefined; }; reply: { results: SegmentationResult[]; } };
    /** Change the file name, the title and the tags of a document */
    update: { input: { id: string; } & { /** For people, search and downloads */ filename?: string | undefined; /** null: the generated one */ title?: string | null | undefined; /** Replaces all tags; []: none */ tags?: Tag[] | undefined; }; reply: UpdatedDocument };
    /** Delete a document permanently, with its file, results and search record; cancel its runs */
    remove: { input: { id: string; }; reply: { id: string; deleted: true; } };
    /** Search documents by words, phrases and identifiers, best match first */
    search: { input: { /** Words, a phrase in double quotes, or an identifier such as an invoice number */ query: string; limit?: string | number | undefined; }; reply: { documents: DocumentCard[]; nextCursor: null; /** Retrievers that failed for this search: retry later, or use other words */ degraded: ('exact' | 'lexical' | 'semantic')[]; } };
    /** Answer a question from the text of documents, with cited sources */
    ask: { input: { question: string; /** Only these documents */ documentIds?: string[] | undefined; /** Only documents of these projects */ projectIds?: string[] | undefined; }; reply: { /** Cites sources as [n]; untrusted content */ answerText: string; /** Indexes of the cited sources */ cited: number[]; /** Best first; excerpts have excerptText (untrusted), page, region and boxes of its lines for view_document_image, verified: the stored text contains it literally */ sources: ({ index: number; documentId: string; title: string | null; excerpts: ({ excerptText: string; page?: number | undefined; region?: { x: number; y: number; width: number; height: number; } | undefined; /** One for each line */ boxes?: Box[] | undefined; verified: boolean; })[]; })[]; /** local/extractive: quotes, no model */ modelLabel: string; /** sure, likely, or unsure: closest passages only */ certainty: 'sure' | 'likely' | 'unsure'; /** Quotations that no source has, at most 20 */ unverifiedQuotes: { quoteText: string; }[]; notice: 'model_failed' | 'model_broke_off' | null; } };
  };
  records: {
    /** List the record types of a project */
    types: { input: { /** Required when you have several projects */ projectId?: string | undefined; }; reply: { recordTypes: RecordType[]; } };
    /** Save a record type, or the next version of one */
    saveType: { input: { /** Name of a record type, such as invoice */ name: string; /** Required when you have several projects */ projectId?: string | undefined; /** Default: the name */ title?: string | undefined; /** Fields by name, in the order of the columns */ fields: Record<string, { /** date: YYYY-MM-DD; money: { amount, currency } */ type: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'money' | 'enum'; /** What the field holds, for models */ description?: string | undefined; /** Other names of the field in documents */ aliases?: string[] | undefined; /** Values of an enum */ values?: string[] | undefined; /** true: a record without it is doubtful */ required?: boolean | undefined; } | { /** list: rows, such as the items of an invoice */ type: 'object' | 'list'; /** What the field holds, for models */ description?: string | undefined; /** Other names of the field in documents */ aliases?: string[] | undefined; fields: Record<string, { /** date: YYYY-MM-DD; money: { amount, currency } */ type: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'money' | 'enum'; /** What the field holds, for models */ description?: string | undefined; /** Other names of the field in documents */ aliases?: string[] | undefined; /** Values of an enum */ values?: string[] | undefined; /** true: a record without it is doubtful */ required?: boolean | undefined; }>; required?: boolean | undefined; }>; /** Rules over the values. A record that breaks one is doubtful; a rule over a missing value is left out */ rules?: { /** Name of a record type, such as invoice */ name: string; /** CEL over the fields, true where all is right: total.amount == net.amount + tax.amount */ expression: string; /** What is wrong where it is false */ message: string; }[] | undefined; /** Version that the change is based on; required when the type exists. 0: a preset that nobody saved */ baseVersion?: number | undefined; }; reply: RecordType };
    /** Find, sort, group and add up records; as JSON, JSON Lines or CSV */
    query: { input: { /** Required, unless documentId is given */ recordType?: string | undefined; /** Required when you have several projects */ projectId?: string | undefined; /** Only the records of this document */ documentId?: string | undefined; status?: 'proposed' | 'doubtful' | 'confirmed' | undefined; /** Field, with - for descending; default: the newest first */ sort?: string | undefined; cursor?: string | undefined; /** Conditions as JSON: {"total":{"gt":500},"date":{"gte":"2026-05-01"}} */ filter?: string | undefined; /** Fields, separated by commas; dates by part: date:month */ groupBy?: string | undefined; /** count, sum(total), avg(total), min(date), max(date), separated by commas */ aggregate?: string | undefined; /** Default: 25 as JSON, 5000 as JSON Lines and CSV */ limit?: string | number | undefined; format?: 'json' | 'jsonl' | 'csv' | undefined; /** List whose rows are rows of the table */ explode?: string | undefined; /** false: values only, in jsonl */ cells?: 'true' | 'false' | boolean | undefined; /** true: in csv, two more columns for each field: its page, and its box as x y width height in shares of the page */ boxes?: 'true' | 'false' | boolean | undefined; }; reply: { recordType: { name: string; version: number; /** Paths that conditions take */ fields: string[]; lists: string[]; } | null; /** Empty with groupBy or aggregate */ records: DocumentRecord[]; /** The largest groups first; null without groupBy and aggregate */ groups: ({ key: Record<string, string | number | boolean | null>; /** Records; with a field of a list, its rows */ count: number; values: Record<string, string | number | boolean | null>; })[] | null; nextCursor: string | null; } };
    /** Set cells of a record, and confirm it */
    correct: { input: { recordId: string; } & { /** Refuse when the record has another revision meanwhile */ revision?: number | undefined; /** Values by path; null: the document has none. items.3.amount in a list of 3 rows adds a row */ set?: Record<string, string | number | boolean | { amount: number; /** ISO 4217 code, where known */ currency: string | null; } | null> | undefined; /** Rows to remove, such as items.2; done last */ remove?: string[] | undefined; /** false: leave the record unconfirmed */ confirm?: boolean | undefined; }; reply: DocumentRecord };
  };
}
