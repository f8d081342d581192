import type { RetrieverRank } from '#src/domain/search/fuse.ts';

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
  readonly ranks: Readonly<Partial<Record<SearchRetriever, RetrieverRank>>>;
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
