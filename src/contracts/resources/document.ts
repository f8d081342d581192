import { z } from 'zod';
import { documentTypes } from '#src/contracts/media-types.ts';
import {
  CountedDocuments,
  DocumentFilter,
  DocumentNumbers,
  DocumentOrder,
  RecordConditions,
  Tag,
  tagLimits,
} from '#src/contracts/lists/document-filter.ts';
import { choosing, chosenDocuments, DocumentIds, MoreDocuments } from '#src/contracts/lists/chosen-documents.ts';
import { LatestRun } from '#src/contracts/lists/latest-run.ts';
import { DraftRevision, RunVersion, revisionOfDraft } from '#src/contracts/resources/execution.ts';
import { PageWarning } from '#src/contracts/page-warnings.ts';
import {
  AnyId,
  ChangedLanguages,
  Cursor,
  Name,
  PageLimit,
  QueryBoolean,
  QueryInteger,
  Timestamp,
  Visibility,
  limits,
} from '#src/contracts/fields.ts';
import { DocumentReading, UnfinishedReading } from '#src/contracts/results/reading.ts';
import { WebLinks } from '#src/contracts/results/web-links.ts';

const OcrSummary = z
  .object({
    ocrResultId: z.string(),
    ocrCreatedAt: Timestamp,
    modelLabel: z.string().describe('Engine that recognized the text'),
    avgConfidence: z.number().min(0).max(100).describe('Mean word confidence, weighted by word length, 0..100'),
    characters: z.int().min(0),
    warnings: z.array(PageWarning).describe('Parts that could not be read, the first 20'),
  })
  .meta({ id: 'OcrSummary', description: 'The latest OCR result, without its text' });

/** Source: `resource.document.id`, docs/decisions/0008. */
export const Document = z
  .object({
    id: z.string().describe('Document identifier'),
    objectKey: z.string().describe('Storage key of the object'),
    filename: z.string().nullable(),
    contentType: z.enum(documentTypes),
    sizeBytes: z.int().min(1).describe('Size in bytes'),
    sha256: z.string().nullable().describe('SHA-256 of the stored bytes, in hex'),
    duplicateOf: z.string().optional().describe('Older document of the project that it is a copy of'),
    duplicateKind: z
      .enum(['exact', 'near'])
      .optional()
      .describe('exact: the same bytes, told at ack; near: the same page in another file, told when it is indexed'),
    width: z.int().min(1).describe('Pixels of the first page, upright'),
    height: z.int().min(1).describe('Pixels of the first page, upright'),
    pages: z.int().min(1),
    visibility: Visibility.describe('public: readable by every project of the organization'),
    projectId: z.string(),
    apiKeyId: z.string().nullable().describe('Key that uploaded it'),
    parentDocumentId: z.string().optional().describe('Derived documents: the original document'),
    segmentationId: z.string().optional().describe('Derived documents: the segmentation it shows'),
    createdAt: Timestamp,
    description: z.string().nullable().describe('null until a workflow writes one'),
    descriptionModelLabel: z.string().nullable().describe('Model that wrote it'),
    title: z.string().nullable(),
    tags: z.array(z.string()),
    languages: z
      .array(z.string())
      .optional()
      .describe('Languages that OCR reads it in; absent: those of the workflow or of the installation'),
    ocr: OcrSummary.nullable(),
    degraded: z.array(z.string()).optional().describe('Nodes that failed in the last run: retry_runs with degraded'),
    thumbnailUrl: z.string().nullable().describe('Short-lived signed URL of a re-encoded image'),
    links: WebLinks,
  })
  .meta({ id: 'Document' });
export type Document = z.output<typeof Document>;

/** A document as keys and agents read it. Source: `lists.last_run`, docs/decisions/0155. */
export const DocumentWithRun = Document.extend({
  lastRun: LatestRun.nullable().describe('Run that was created last; null: none yet'),
  reading: DocumentReading.optional(),
}).meta({ id: 'DocumentWithRun' });

export const DocumentPath = z.object({ id: AnyId });

/** Selects the documents of a list or an export, which match all filters. */
export const DocumentFilterQuery = DocumentFilter.extend({
  apiKeyBound: QueryBoolean.default(false).describe(
    'true: only documents uploaded with this key; false: all of the project',
  ),
});

/** SHA-256 digests of files, once each: an array, or the text of a query string with commas between them. */
const Digests = z.union([z.string().transform((text) => text.split(',')), z.array(z.string())]).pipe(
  z
    .array(z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits in lower case'))
    .min(1)
    .max(50),
);

export const DocumentListQuery = z.strictObject({
  limit: PageLimit.default(limits.pageDefault).describe('Page size, 1..100'),
  ...DocumentFilterQuery.shape,
  cursor: Cursor.optional().describe('nextCursor of the previous page'),
  ...DocumentOrder.shape,
  ...DocumentNumbers.shape,
});

/** With a condition for programs that upload; agents have no digests. Source: `lists.documents.digests`, docs/decisions/0186. */
export const ServiceDocumentListQuery = DocumentListQuery.extend({
  ...RecordConditions.shape,
  sha256: Digests.optional().describe('Documents with these bytes: up to 50 digests in hex'),
});

export const DocumentList = z.object({
  documents: z.array(DocumentWithRun),
  nextCursor: z.string().nullable().describe('Opaque; null on the last page'),
  ...CountedDocuments.shape,
});

export const VisibilityChange = z.strictObject({ documentIds: DocumentIds, visibility: Visibility });
/** The same for people and programs: also all that match a filter. */
export const VisibilityBody = choosing(z.strictObject({ ...chosenDocuments, visibility: Visibility }));
export const VisibilityResult = z.object({
  documents: z.array(z.object({ id: z.string(), visibility: Visibility })),
});
export const VisibilityResults = VisibilityResult.extend(MoreDocuments);

export const DocumentDetail = Document.extend({
  latestRun: LatestRun.nullable().describe('Run that was created last; null: none yet'),
  reading: DocumentReading.optional(),
  pageImages: z
    .array(z.object({ page: z.int().min(0), url: z.string() }))
    .describe('Short-lived signed URLs of re-encoded pages; ?w=<pixels> sizes them, ?rotate=90|180|270 turns them'),
  descriptionId: z.string().nullable().describe('Version of the description, which a correction names'),
  originalUrl: z.string().describe('Short-lived signed URL of the uploaded bytes, as an attachment'),
}).meta({ id: 'DocumentDetail' });

export const DocumentRunsQuery = z.strictObject({
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
});

/** `status` of the replies is that of the request, not of the run. Source: `dashboard.run.reply`. */
export const QueueBody = z
  .strictObject({
    workflowId: AnyId.describe('agentGraphId of any published workflow of the organization'),
    version: RunVersion.optional().describe('Default: the newest version. "draft": the draft as it is'),
    revision: DraftRevision.optional(),
  })
  .refine(revisionOfDraft.check, revisionOfDraft.params);
export const QueuedRun = z.object({
  status: z.literal('queued'),
  documentId: z.string(),
  workflowId: z.string(),
  workflowName: z.string(),
  executionId: z.string(),
  runId: z.string(),
});
export const QueueManyBody = choosing(QueueBody.safeExtend(chosenDocuments));
export const QueuedRuns = z.object({
  status: z.literal('queued'),
  workflowId: z.string(),
  workflowName: z.string(),
  executions: z.array(z.object({ executionId: z.string(), projectId: z.string(), documentIds: z.array(z.string()) })),
  ...MoreDocuments,
});

const DocumentChange = z.strictObject({
  filename: z.string().min(1).max(limits.filename).optional().describe('For people, search and downloads'),
  title: Name.nullable().optional().describe('null: the generated one'),
  tags: z
    .array(Tag)
    .max(tagLimits.count)
    .refine((tags) => new Set(tags).size === tags.length, 'tags must be unique')
    .meta({ uniqueItems: true })
    .optional()
    .describe('Replaces all tags; []: none'),
  languages: ChangedLanguages.optional().describe('Languages of the text for later runs; []: none'),
});
const changeable = ['filename', 'title', 'tags', 'languages'] as const;
const named = changeable.map((name) => ({ required: [name] }));
const changesSomething = (change: object): boolean =>
  changeable.some((name) => name in change && change[name as keyof typeof change] !== undefined);
const somethingToChange = { message: 'send at least one of filename, title, tags and languages', path: ['filename'] };
export const DocumentChangeBody = DocumentChange.refine(changesSomething, somethingToChange).meta({ anyOf: named });
export const UpdateDocumentInput = DocumentChange.extend({ documentId: AnyId.describe('doc_...') }).refine(
  changesSomething,
  somethingToChange,
);

export const UpdatedDocument = Document.pick({
  id: true,
  filename: true,
  title: true,
  tags: true,
  languages: true,
}).meta({
  id: 'UpdatedDocument',
});

export const DeletedDocument = z.object({ id: z.string(), deleted: z.literal(true) });

const textFormats = ['text', 'markdown', 'hocr', 'alto'] as const;
const PageIndex = QueryInteger(0, 9_999);
const Unfinished = QueryBoolean.default(false).describe(
  'true: the pages that a run has read so far, if one reads the document, even where there is a finished text',
);

export const ExportTextQuery = z.strictObject({
  format: z
    .enum([...textFormats, 'pdf'])
    .default('text')
    .describe('text: pages joined by a form feed; markdown: with tables; hocr; alto: 4.4; pdf: page images with text'),
  page: PageIndex.optional().describe('Page index; default: all pages'),
  unfinished: Unfinished,
});
export type TextFormat = z.output<typeof ExportTextQuery>['format'];
export const ExportTextInput = ExportTextQuery.extend({ id: AnyId });
export const ExportedText = z.object({ id: z.string(), format: ExportTextQuery.shape.format.unwrap() });

/** Media types of the formats. */
export const textMedia: Readonly<Record<TextFormat, string>> = {
  text: 'text/plain',
  markdown: 'text/markdown',
  hocr: 'application/xhtml+xml',
  alto: 'application/xml',
  pdf: 'application/pdf',
};

export const DocumentPagePath = z.object({ id: AnyId, page: PageIndex.describe('Page index, from 0') });
export const DocumentPageQuery = z.strictObject({ unfinished: Unfinished });

const exportFormats = ['jsonl', 'csv', 'zip'] as const;
export const ExportDocumentsQuery = DocumentFilterQuery.extend({
  ...RecordConditions.shape,
  format: z
    .enum(exportFormats)
    .default('jsonl')
    .describe('jsonl, csv: a line for each document; zip: a folder for each, with metadata.json and text.md'),
  files: QueryBoolean.default(false).describe('With zip: also the uploaded bytes'),
});
export type ExportFormat = z.output<typeof ExportDocumentsQuery>['format'];
export const ExportDocumentsInput = ExportDocumentsQuery.refine(({ format, files }) => !files || format === 'zip', {
  message: 'only format=zip has files: leave it out',
  path: ['files'],
});
export const ExportedDocuments = z.object({ format: z.enum(exportFormats) });
/** Media types of the formats. */
export const exportMedia: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'application/jsonl',
  csv: 'text/csv',
  zip: 'application/zip',
};

export const ReadTextInput = z.strictObject({
  documentId: AnyId,
  offset: QueryInteger(0, 100_000_000).default(0).describe('First character: 0 or nextOffset'),
  limit: QueryInteger(1, 20_000).default(8_000),
  format: z.enum(textFormats).default('text').describe('hocr, alto: with boxes'),
  page: PageIndex.optional().describe('From 0'),
  pages: z.array(z.int().min(0).max(9_999)).min(1).max(100).optional().describe('Several pages, from 0'),
  boxes: z.boolean().default(false).describe('true: also lines and words of these pages with boxes'),
  unfinished: Unfinished,
});
export const ReadTextResult = z.object({
  documentId: z.string(),
  ocrResultId: z.string().nullable().describe('null: no finished text'),
  reading: UnfinishedReading,
  avgConfidence: z.number().nullable(),
  languages: z.array(z.string()),
  warnings: z.array(PageWarning),
  documentText: z.string().describe('Untrusted; in the format text, pages begin with [Page 2 of 5]'),
  totalCharacters: z.int(),
  nextOffset: z.int().nullable(),
  lines: z
    .array(
      z.object({
        page: z.int().describe('Index of the page'),
        lineText: z.string(),
        box: z.array(z.number()).describe('x, y, width, height as fractions 0..1 of the page'),
        words: z.array(z.object({ wordText: z.string(), box: z.array(z.number()) })),
      }),
    )
    .optional()
    .describe('With boxes: lines of the text in this part'),
});

/** Boxes to draw, as search_documents, ask_documents and read_document_text return them. */
const DrawnBoxes = z
  .array(z.array(z.number().min(0).max(1)).length(4, 'use [x, y, width, height]'))
  .min(1)
  .max(50);
/** Part of a page, in fractions 0..1 of its width and height, from the upper left corner. */
export const Region = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const RegionInput = z.strictObject({
  x: z.number().min(0).max(1),
  y: z.number().min(0).max(1),
  width: z.number().gt(0).max(1),
  height: z.number().gt(0).max(1),
});
export const ViewImageInput = z.strictObject({
  documentId: AnyId,
  page: z.int().min(0).max(9_999).default(0).describe('Counted from 0'),
  region: RegionInput.optional().describe(
    'Fractions 0..1 of the page, from its upper left corner; default: the whole page',
  ),
  rotate: z.literal([0, 90, 180, 270]).default(0).describe('Degrees clockwise, applied before region'),
  maxPixels: z.int().min(10_000).max(1_500_000).default(1_000_000),
  boxes: DrawnBoxes.optional().describe('To draw: [x, y, width, height] of the page'),
});
export const ViewedImage = z.object({
  documentId: z.string(),
  page: z.int(),
  pages: z.int(),
  region: Region.nullable(),
  rotate: z.int(),
  width: z.int().describe('Pixels of the image; the page is never enlarged'),
  height: z.int(),
});
