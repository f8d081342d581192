import { Binary, type MongoClient } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { insertShown, rowId, shown, uncorrectedSince } from '#src/stores/insert-result.ts';
import { createOcrResults } from '#src/stores/ocr-results.ts';
import type { DescriptionRow, EmbeddingRow, SegmentationRow } from '#src/stores/result-rows.ts';
import type {
  Correctable,
  DescriptionResult,
  EmbeddingResult,
  ResultOrigin,
  SegmentationResult,
  MadeBy,
} from '#src/domain/documents/results.ts';
import type { DocumentDescription, ModelUsage } from '#src/domain/ports/models.ts';

const toDescription = ({ _id, createdAt, modelLabel, value }: DescriptionRow): DescriptionResult => ({
  descriptionId: _id,
  createdAt,
  modelLabel,
  value,
});

const toEmbedding = ({ _id, kind, modelLabel, vector, blockHash }: EmbeddingRow): EmbeddingResult => ({
  embeddingId: _id,
  kind,
  modelLabel,
  vector: vector.toFloat32Array(),
  ...(blockHash === undefined ? {} : { blockHash }),
});

const toSegmentation = (row: SegmentationRow): SegmentationResult => ({
  segmentationId: row._id,
  createdAt: row.createdAt,
  modelLabel: row.modelLabel,
  prompt: row.prompt,
  page: row.page,
  segments: row.segments,
  unsupportedPrompt: row.unsupportedPrompt,
  derivedDocumentId: row.derivedDocumentId,
});

const createEmbeddings = (
  client: MongoClient,
  { documents, embeddings }: Pick<Collections, 'documents' | 'embeddings'>,
) => ({
  /** `seen` is called if the document was there after the vector was stored. */
  async saveEmbedding(
    origin: ResultOrigin,
    { kind, modelLabel, vector, blockHash }: Omit<EmbeddingResult, 'embeddingId'>,
    seen?: () => void,
  ): Promise<EmbeddingResult> {
    const row: EmbeddingRow = {
      ...origin,
      _id: rowId('embedding', origin, kind),
      createdAt: new Date(),
      kind,
      modelLabel,
      vector: Binary.fromFloat32Array(vector),
      ...(blockHash === undefined ? {} : { blockHash }),
    };
    return toEmbedding(await insertShown(client, { rows: embeddings, documents }, { row, seen }));
  },
  /** Block hashes of first pages, by document. Documents that no workflow embedded as an image have none. */
  async blockHashes(organizationId: string, documentIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await embeddings
      .find({ organizationId, documentId: { $in: [...documentIds] }, blockHash: { $exists: true } })
      .project<Pick<EmbeddingRow, 'blockHash' | 'documentId'>>({ documentId: 1, blockHash: 1 })
      .toArray();
    return new Map(rows.map(({ documentId, blockHash = '' }) => [documentId, blockHash]));
  },
  async embeddingById(organizationId: string, embeddingId: string): Promise<EmbeddingResult | null> {
    const row = await embeddings.findOne({ _id: embeddingId, organizationId });
    return row === null ? null : toEmbedding(row);
  },
});

const createSegmentations = (
  client: MongoClient,
  { documents, segmentationResults }: Pick<Collections, 'documents' | 'segmentationResults'>,
) => ({
  /** `seen` is called if the document was there after the segmentation was stored. */
  async saveSegmentation(
    origin: ResultOrigin,
    {
      modelLabel,
      prompt,
      page,
      segments,
      unsupportedPrompt,
      derivedDocumentId,
    }: Omit<SegmentationResult, 'segmentationId' | 'createdAt'>,
    seen?: () => void,
  ): Promise<SegmentationResult> {
    const result = { modelLabel, prompt, page, segments, unsupportedPrompt, derivedDocumentId };
    const row = { ...origin, ...result, _id: rowId('segmentation', origin), createdAt: new Date() };
    const at = { rows: segmentationResults, documents };
    return toSegmentation(await insertShown<SegmentationRow>(client, at, { row, seen }));
  },
  /** Lists newest first, with the run that made each. */
  async listSegmentations(
    organizationId: string,
    documentId: string,
    limit: number,
  ): Promise<readonly MadeBy<SegmentationResult>[]> {
    const newest = segmentationResults.find({ organizationId, documentId, ...shown }).sort({ createdAt: -1 });
    return (await newest.limit(limit).toArray()).map((row) => ({ ...toSegmentation(row), runId: row.runId }));
  },
  /** Id that `saveSegmentation` will assign for this origin, for objects that are written before and carry it. */
  segmentationIdOf: (origin: ResultOrigin): string => rowId('segmentation', origin),
  async segmentationById(organizationId: string, segmentationId: string): Promise<SegmentationResult | null> {
    const row = await segmentationResults.findOne({ _id: segmentationId, organizationId });
    return row === null ? null : toSegmentation(row);
  },
});

interface Described extends Correctable {
  readonly modelLabel: string;
  readonly value: DocumentDescription;
  readonly usage: ModelUsage;
}

/** Summary of a description on its document. */
const shownDescription = ({ _id: descriptionId, createdAt, modelLabel, value }: DescriptionRow) => ({
  description: { descriptionId, createdAt, modelLabel, title: value.title, text: value.description },
});

export function createResultStore(
  client: MongoClient,
  collections: Pick<
    Collections,
    'documents' | 'ocrResults' | 'ocrPages' | 'descriptions' | 'embeddings' | 'segmentationResults'
  >,
) {
  const { documents, ocrResults, ocrPages, descriptions, embeddings, segmentationResults } = collections;
  return {
    ...createOcrResults(client, collections),
    /** `seen` is called if the document was there after the description was stored. */
    async saveDescription(
      origin: ResultOrigin,
      { modelLabel, value, usage, baseAt }: Described,
      seen?: () => void,
    ): Promise<DescriptionResult> {
      const _id = rowId('description', origin);
      const row = { ...origin, _id, createdAt: new Date(), modelLabel, value, usage };
      const stored = { row, latest: shownDescription, onlyIf: uncorrectedSince('description', baseAt), seen };
      return toDescription(await insertShown<DescriptionRow>(client, { rows: descriptions, documents }, stored));
    },
    async descriptionById(organizationId: string, descriptionId: string): Promise<DescriptionResult | null> {
      const row = await descriptions.findOne({ _id: descriptionId, organizationId });
      return row === null ? null : toDescription(row);
    },
    /** Ids that `save*` assigns for this origin. */
    idsOf: (origin: ResultOrigin) => ({
      ocr: rowId('ocr', origin),
      description: rowId('description', origin),
      segmentation: rowId('segmentation', origin),
    }),
    ...createEmbeddings(client, collections),
    ...createSegmentations(client, collections),
    /** Deletes all results of a document. */
    async deleteOf(organizationId: string, documentId: string): Promise<void> {
      const ofDocument = { organizationId, documentId };
      await Promise.all([
        ocrResults.deleteMany(ofDocument),
        ocrPages.deleteMany(ofDocument),
        descriptions.deleteMany(ofDocument),
        embeddings.deleteMany(ofDocument),
        segmentationResults.deleteMany(ofDocument),
      ]);
    },
  };
}

/**
 * Results of runs, stored exactly once each. `save*` returns the stored row: the new one, or the one of an earlier attempt of the same
 * node. Saving also updates the latest summary on the document. Every read is by organization.
 */
export type ResultStore = ReturnType<typeof createResultStore>;
