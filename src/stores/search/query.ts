import type { RetrieverRank } from '#src/domain/search/fuse.ts';

/** `lexical` matches words. `hybrid` fuses words with the nearest embeddings of the query. */
export type SearchMode = 'lexical' | 'hybrid';

/** Retriever of a search: exact identifiers and phrases, words by BM25, or nearest embeddings. */
export type SearchRetriever = 'exact' | 'lexical' | 'semantic';

export interface SearchQuery {
  readonly organizationId: string;
  /** Projects to search. Public documents of the organization are searched too. */
  readonly projectIds: readonly string[];
  /** Excludes public documents of other projects. */
  readonly ownOnly?: boolean;
  /** Restricts the search to these documents. */
  readonly documentIds?: readonly string[];
  /** Restricts the search to documents that these keys uploaded. */
  readonly apiKeyIds?: readonly string[];
  readonly text: string;
  readonly limit: number;
  /** Hits that words may have, for searches with pages: all pages rank the same hits. Default: a few more than `limit`. */
  readonly depth?: number;
  /** Overrides the configured mode. */
  readonly mode?: SearchMode;
}

export interface SearchHit {
  readonly documentId: string;
  /** 0..1, plus one for an exact match. Higher is better. Comparable within one response only. */
  readonly score: number;
  readonly matchedBy: readonly SearchRetriever[];
  /** 1 - cosine of the embeddings. Set for hits of the semantic retriever. */
  readonly distance: number | null;
  readonly ranks: Readonly<Partial<Record<SearchRetriever, RetrieverRank>>>;
}

export interface SearchAnswer {
  /** Best first, each document once. */
  readonly hits: readonly SearchHit[];
  /** Retrievers that contributed nothing: they failed, took too long, or (`semantic`) had no embedding to compare. */
  readonly degraded: readonly SearchRetriever[];
}

/** Documents to highlight, and the text that was searched. */
export interface HighlightQuery extends Pick<SearchQuery, 'organizationId' | 'projectIds' | 'text'> {
  readonly documentIds: readonly string[];
}
