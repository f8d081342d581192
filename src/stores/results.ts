import { Binary, type Collection } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey, processSafe } from '#src/stores/connect.ts';
import type { DescriptionRow, EmbeddingRow, OcrRow, SegmentationRow } from '#src/stores/result-rows.ts';
import { derivedId, type IdKind } from '#src/domain/ids.ts';
import type {
  DescriptionResult,
  EmbeddingResult,
  OcrResult,
  ResultOrigin,
  SegmentationResult,
  MadeBy,
} from '#src/domain/documents/results.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { DocumentDescription, ModelUsage } from '#src/domain/ports/models.ts';

const rowId = (kind: IdKind, origin: ResultOrigin, key = ''): string =>
  derivedId(kind, origin.runId, origin.nodeId, key);

/** Matches the document that shows the latest of its results. A document that is being deleted shows nothing. */
const latestOf = ({ documentId, organizationId }: ResultOrigin) => ({
  _id: documentId,
  organizationId,
  deletedAt: { $exists: false },
});

/** Leaves out results of experiments. */
const shown = { isolated: { $exists: false } } as const;

/** Inserts the row, or returns the one of an earlier attempt of the same node. */
async function insertOnce<Row extends { _id: string; organizationId: string }>(
  rows: Collection<Row>,
  row: Row,
): Promise<Row> {
  try {
    await rows.insertOne(row as never, processSafe);
    return row;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const earlier = await rows.findOne({ _id: row._id, organizationId: row.organizationId } as never);
  if (earlier === null) throw new Error('a result row was deleted between two reads');
  return earlier as unknown as Row;
}

const toOcr = ({ _id, createdAt, modelLabel, text, avgConfidence, result }: OcrRow): OcrResult => ({
  ocrResultId: _id,
  createdAt,
  modelLabel,
  text,
  avgConfidence,
  result,
});

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

const createEmbeddings = (embeddings: Collections['embeddings']) => ({
  async saveEmbedding(
    origin: ResultOrigin,
    { kind, modelLabel, vector, blockHash }: Omit<EmbeddingResult, 'embeddingId'>,
  ): Promise<EmbeddingResult> {
    const row = await insertOnce<EmbeddingRow>(embeddings, {
      ...origin,
      _id: rowId('embedding', origin, kind),
      createdAt: new Date(),
      kind,
      modelLabel,
      vector: Binary.fromFloat32Array(vector),
      ...(blockHash === undefined ? {} : { blockHash }),
    });
    return toEmbedding(row);
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

const createSegmentations = (segmentationResults: Collections['segmentationResults']) => ({
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
  ): Promise<SegmentationResult> {
    const result = { modelLabel, prompt, page, segments, unsupportedPrompt, derivedDocumentId };
    const row = { ...origin, ...result, _id: rowId('segmentation', origin), createdAt: new Date() };
    return toSegmentation(await insertOnce<SegmentationRow>(segmentationResults, row));
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

export function createResultStore({
  documents,
  ocrResults,
  descriptions,
  embeddings,
  segmentationResults,
}: Pick<Collections, 'documents' | 'ocrResults' | 'descriptions' | 'embeddings' | 'segmentationResults'>) {
  const showLatest = async (origin: ResultOrigin, latest: Partial<DocumentRecord>): Promise<void> => {
    if (origin.isolated !== true) await documents.updateOne(latestOf(origin), { $set: latest }, processSafe);
  };
  return {
    async saveOcr(origin: ResultOrigin, result: Omit<OcrResult, 'ocrResultId' | 'createdAt'>): Promise<OcrResult> {
      const row = await insertOnce(ocrResults, {
        ...origin,
        ...result,
        _id: rowId('ocr', origin),
        createdAt: new Date(),
      });
      const { _id: ocrResultId, createdAt, modelLabel, avgConfidence, text } = row;
      await showLatest(origin, {
        ocr: { ocrResultId, createdAt, modelLabel, avgConfidence, characters: text.length },
      });
      return toOcr(row);
    },
    async latestOcr(organizationId: string, documentId: string): Promise<OcrResult | null> {
      const row = await ocrResults.findOne({ organizationId, documentId, ...shown }, { sort: { createdAt: -1 } });
      return row === null ? null : toOcr(row);
    },
    /** Lists newest first, with the run that made each. */
    async listOcr(organizationId: string, documentId: string, limit: number): Promise<readonly MadeBy<OcrResult>[]> {
      const rows = await ocrResults
        .find({ organizationId, documentId, ...shown })
        .sort({ createdAt: -1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => ({ ...toOcr(row), runId: row.runId }));
    },
    async ocrById(organizationId: string, ocrResultId: string): Promise<OcrResult | null> {
      const row = await ocrResults.findOne({ _id: ocrResultId, organizationId });
      return row === null ? null : toOcr(row);
    },
    async saveDescription(
      origin: ResultOrigin,
      { modelLabel, value, usage }: { modelLabel: string; value: DocumentDescription; usage: ModelUsage },
    ): Promise<DescriptionResult> {
      const row = await insertOnce(descriptions, {
        ...origin,
        _id: rowId('description', origin),
        createdAt: new Date(),
        modelLabel,
        value,
        usage,
      });
      const latest = {
        descriptionId: row._id,
        createdAt: row.createdAt,
        modelLabel: row.modelLabel,
        title: row.value.title,
        text: row.value.description,
      };
      await showLatest(origin, { description: latest });
      return toDescription(row);
    },
    async descriptionById(organizationId: string, descriptionId: string): Promise<DescriptionResult | null> {
      const row = await descriptions.findOne({ _id: descriptionId, organizationId });
      return row === null ? null : toDescription(row);
    },
    ...createEmbeddings(embeddings),
    ...createSegmentations(segmentationResults),
    /** Deletes all results of a document. */
    async deleteOf(organizationId: string, documentId: string): Promise<void> {
      const ofDocument = { organizationId, documentId };
      await Promise.all([
        ocrResults.deleteMany(ofDocument),
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
