import type { Collection, Document } from 'mongodb';
import { copyKeys, evidenceFor } from '#src/domain/documents/copies/copies.ts';
import type { SearchRow, SearchUpdate } from '#src/stores/search/rows/row.ts';

/** A document that may be a copy, and the evidence that decides. */
export interface PossibleCopy {
  readonly documentId: string;
  readonly createdAt: Date;
  readonly evidence: readonly ('pixels' | 'text')[];
}

type Asked = Pick<SearchUpdate, 'documentId' | 'organizationId' | 'projectId' | 'ocrText' | 'embeddings'>;
type Found = Pick<SearchRow, '_id' | 'createdAt' | 'embedding'>;

/** Rows that are compared, the oldest first. More share a key in projects with thousands of pages of one form. */
const mostCompared = 100;

/** Copies of a document within its project, by the index of `copyKeys`. */
export function createCopies(searchRecords: Collection<SearchRow>) {
  return {
    /** Documents of the same project whose pictures look the same, the oldest first. */
    async possibleCopies({ documentId, organizationId, projectId, ocrText = '', embeddings }: Asked) {
      const { label, vector, blockHash } = embeddings.image ?? {};
      if (label === undefined || vector === undefined || blockHash === undefined) return [];
      const keys = copyKeys(blockHash, ocrText);
      if (keys.length === 0) return [];
      const filter = {
        organizationId,
        projectId,
        copyKeys: { $in: keys },
        _id: { $ne: documentId },
        'embedding.image.label': label,
      };
      const rows = (await searchRecords
        .find(filter as Document, { projection: { createdAt: 1, 'embedding.image': 1 } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(mostCompared)
        .toArray()) as Found[];
      return rows.flatMap(({ _id, createdAt, embedding: { image } }): PossibleCopy[] => {
        if (image?.blockHash === undefined) return [];
        const other = { blockHash: image.blockHash, vector: image.vector.toFloat32Array() };
        const evidence = evidenceFor({ blockHash, vector }, other);
        return evidence.length === 0 ? [] : [{ documentId: _id, createdAt, evidence }];
      });
    },
    /** Recognized text of an indexed document; null: there is none. */
    async textOf(organizationId: string, documentId: string): Promise<string | null> {
      const row = await searchRecords.findOne({ _id: documentId, organizationId }, { projection: { ocrText: 1 } });
      return row?.ocrText ?? null;
    },
  };
}
