/** What is searched of one document: one record per document, replaced as a whole by the `index` node. */
export interface SearchRecord {
  readonly documentId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string | null;
  readonly visibility: 'private' | 'public';
  readonly objectKey: string;
  readonly createdAt: Date;
  readonly title: string;
  readonly description: string;
  readonly ocrText: string;
  /** Numbers and codes found in the text, folded to lower case letters and digits: matched exactly. */
  readonly identifiers: readonly string[];
  readonly embeddings: {
    readonly text?: { readonly label: string; readonly vector: Float32Array };
    readonly image?: { readonly label: string; readonly vector: Float32Array; readonly blockHash?: string };
  };
}

export interface SearchQuery {
  readonly organizationId: string;
  /** Only documents of these projects, or public ones of the organization. */
  readonly projectIds: readonly string[];
  readonly text: string;
  readonly limit: number;
}

/** `score` is BM25-like, higher is better, comparable within one answer only. */
export interface SearchHit {
  readonly documentId: string;
  readonly score: number;
  readonly matchedBy: readonly ('lexical' | 'exact')[];
}

/** Lexical search with exact identifiers pinned on top. A document may become searchable a moment after `upsert` answers. */
export interface SearchIndex {
  upsert(record: SearchRecord): Promise<void>;
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /** Keeps the record's visibility filter in step with the document. */
  setVisibility(
    organizationId: string,
    documentIds: readonly string[],
    visibility: 'private' | 'public',
  ): Promise<void>;
  /** Rejects when searching is not possible. */
  check(): Promise<void>;
}
