import type { Highlight } from '#src/contracts/resources/card.ts';
import type { LegRank } from '#src/domain/search/fuse.ts';

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
  /** What was looked for on the pages, and the words found there. */
  readonly segmentationText: string;
  /** Numbers and codes found in the text, folded to lower case letters and digits: matched exactly. */
  readonly identifiers: readonly string[];
  /** Without a vector of zeros: such a text or picture has none. */
  readonly embeddings: {
    readonly text?: { readonly label: string; readonly vector: Float32Array };
    readonly image?: { readonly label: string; readonly vector: Float32Array; readonly blockHash?: string };
  };
}

/** `lexical`: words; `hybrid`: words and the neighbours of the query's embedding, fused. */
export type SearchMode = 'lexical' | 'hybrid';
/** A way of searching: identifiers and phrases as they stand, words by BM25, nearest embeddings. */
export type SearchRetriever = 'exact' | 'lexical' | 'semantic';

export interface SearchQuery {
  readonly organizationId: string;
  /** Only documents of these projects, or public ones of the organization. */
  readonly projectIds: readonly string[];
  /** Leaves out what is public in other projects. */
  readonly ownOnly?: boolean;
  /** Narrows to these documents. */
  readonly documentIds?: readonly string[];
  /** Narrows to what these keys uploaded. */
  readonly apiKeyIds?: readonly string[];
  readonly text: string;
  readonly limit: number;
  /** Instead of the configured one. */
  readonly mode?: SearchMode;
}

export interface SearchHit {
  readonly documentId: string;
  /** 0..1, and one more for an exact match; higher is better, comparable within one answer only. */
  readonly score: number;
  readonly matchedBy: readonly SearchRetriever[];
  /** 1 - cosine of the embeddings, where these found it. */
  readonly distance: number | null;
  readonly legs: Readonly<Partial<Record<SearchRetriever, LegRank>>>;
}

export interface SearchAnswer {
  /** Best first, each document once. */
  readonly hits: readonly SearchHit[];
  /** Legs that had no part in it: they failed, took too long, or (`semantic`) had no embedding to compare. */
  readonly degraded: readonly SearchRetriever[];
}

/** Which documents of an answer to show, and what was searched. */
export interface HighlightQuery extends Pick<SearchQuery, 'organizationId' | 'projectIds' | 'text'> {
  readonly documentIds: readonly string[];
}

/**
 * Search with exact identifiers and quoted phrases pinned on top. A document may become searchable a moment after `upsert` answers.
 * Faults of `search`: `service.unavailable`.
 */
export interface SearchIndex {
  upsert(record: SearchRecord): Promise<void>;
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** Where the text matched, by document; one that the caller may not read, or that is gone, is not among them. One read for all. */
  highlights(query: HighlightQuery): Promise<ReadonlyMap<string, readonly Highlight[]>>;
  /** A document that is deleted is not found any more. */
  delete(organizationId: string, documentId: string): Promise<void>;
  /** Keeps the record's visibility filter in step with the document. */
  setVisibility(
    organizationId: string,
    documentIds: readonly string[],
    visibility: 'private' | 'public',
  ): Promise<void>;
  /** Rejects when searching is not possible. */
  check(): Promise<void>;
}
