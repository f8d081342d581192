import type { Binary } from 'mongodb';

/** One search record per document; `_id` is the document's. */
export interface SearchRow {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string | null;
  readonly visibility: 'private' | 'public';
  readonly objectKey: string;
  readonly createdAt: Date;
  readonly title: string;
  readonly description: string;
  readonly ocrText: string;
  /** Rows from before segmentation have none. */
  readonly segmentationText?: string;
  readonly identifiers: readonly string[];
  readonly embedding: {
    readonly text?: { readonly label: string; readonly vector: Binary };
    readonly image?: { readonly label: string; readonly vector: Binary; readonly blockHash?: string };
  };
}
