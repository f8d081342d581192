import { AppError } from '#src/domain/app-error.ts';
import type { TextEmbedder } from '#src/domain/ports/models.ts';
import { hasSentences } from '#src/domain/embed-locally/semantic-text.ts';
import {
  fuse,
  weightOfMeaning,
  weightOfSentences,
  weightOfSpelling,
  type FusedHit,
  type RankedHits,
} from '#src/domain/search/fuse.ts';
import { readQuery, type ReadQuery } from '#src/domain/search/read-query.ts';
import type { Quantization } from '#src/stores/search/vector-form.ts';
import type { SearchAnswer, SearchHit, SearchRetriever, SearchMode, SearchQuery } from '#src/stores/search/query.ts';

export interface RetrieverHit {
  readonly documentId: string;
  /** Higher is better. */
  readonly score: number;
}

/** Input of one retriever. It returns at most `depth` hits of this tenant, best first. */
export interface RetrieverRequest {
  readonly scope: Omit<SearchQuery, 'text' | 'limit' | 'mode' | 'depth'>;
  readonly query: ReadQuery;
  readonly depth: number;
  /** Aborts when the retriever's time is over. */
  readonly signal: AbortSignal;
}

/** Hits of words, with how much of the query they answer: shares of its words, weighed by rarity. */
export interface LexicalAnswer {
  readonly hits: readonly RetrieverHit[];
  /** Words that the caller's documents have, also with a typing error. 0..1. */
  readonly known: number;
  /** Words that the best document has. 0..1. */
  readonly covered: number;
}

/** Retrievers that the database implements. */
export interface SearchRetrievers {
  /** Documents with an identifier or a phrase of the query. Scores 1 for an identifier, and up to 1 for the relevance of a phrase. */
  exact(request: RetrieverRequest): Promise<readonly RetrieverHit[]>;
  lexical(request: RetrieverRequest): Promise<LexicalAnswer>;
  /** Nearest vectors of this label. The score is the cosine. */
  semantic(
    request: RetrieverRequest,
    embedded: { readonly label: string; readonly vector: Float32Array },
  ): Promise<readonly RetrieverHit[]>;
}

export type RetrieverOutcome = 'found' | 'empty' | 'failed' | 'late';

export interface SearchOptions {
  readonly mode: SearchMode;
  readonly embedder: Pick<TextEmbedder, 'label' | 'embedQuery'>;
  /** Form of the vectors in the index. Default: none. */
  readonly quantization?: Quantization;
  /** Limit on the wait for a retriever, its embedding included. */
  readonly retrieverTimeoutMs?: number;
  /** Receives the outcome of each retriever. `error` is set when it failed or was late. */
  readonly observe?: (outcome: {
    retriever: SearchRetriever;
    outcome: RetrieverOutcome;
    seconds: number;
    error?: unknown;
  }) => void;
}

/** Weights of a best hit beside 1 for words. An exact hit is pinned besides. */
const exactWeight = 2;
/** Nature of the likeness that a query vector finds. */
type Likeness = 'spelling' | 'sentences' | 'meaning';

/** The local embedders compare spelling; the semantic one also English sentences, if the query is read as English. Others compare meaning. */
function likenessOf(label: string, vector: Float32Array): Likeness {
  if (label.startsWith('local/lexical-')) return 'spelling';
  if (!label.startsWith('local/semantic-')) return 'meaning';
  return hasSentences(vector) ? 'sentences' : 'spelling';
}
/** Reads more ranks than a page needs: a document in the middle of both retrievers may beat the last ones of each. */
const leastDepth = 50;

interface RetrieverAnswer {
  readonly retriever: SearchRetriever;
  readonly outcome: RetrieverOutcome;
  readonly hits: readonly RetrieverHit[];
  /** Set by `lexical`. */
  readonly shares?: Omit<LexicalAnswer, 'hits'>;
  /** Set by `semantic`. */
  readonly likeness?: Likeness;
  readonly error?: unknown;
}

/**
 * Runs the retrievers in parallel and fuses their hits. Leaves out a retriever that fails or exceeds its time, and reports it in
 * `degraded`. `semantic` counts as left out also when it finds nothing, because nothing was embedded with this label. Errors:
 * `service.unavailable` when no ranking retriever responded. Source: docs/decisions/0016, 0024.
 */
export function createHybridSearch(retrievers: SearchRetrievers, options: SearchOptions) {
  const { embedder, observe, retrieverTimeoutMs = 2_000 } = options;

  const semantic = async (request: RetrieverRequest): Promise<Pick<RetrieverAnswer, 'hits' | 'likeness'>> => {
    const { label } = embedder;
    const { vector } = await embedder.embedQuery(request.query.text, request.signal);
    // The cosine to a vector of zeros is undefined.
    if (vector.every((value) => value === 0)) return { hits: [] };
    return { hits: await retrievers.semantic(request, { label, vector }), likeness: likenessOf(label, vector) };
  };

  const find = async (
    retriever: SearchRetriever,
    request: RetrieverRequest,
  ): Promise<Pick<RetrieverAnswer, 'hits' | 'shares' | 'likeness'>> => {
    if (retriever === 'exact') return { hits: await retrievers.exact(request) };
    if (retriever === 'semantic') return semantic(request);
    const { hits, ...shares } = await retrievers.lexical(request);
    return { hits, shares };
  };

  const run = async (
    retriever: SearchRetriever,
    request: Omit<RetrieverRequest, 'signal'>,
  ): Promise<RetrieverAnswer> => {
    const signal = AbortSignal.timeout(retrieverTimeoutMs);
    const started = performance.now();
    let answer: RetrieverAnswer;
    try {
      const found = await orAbort(find(retriever, { ...request, signal }), signal);
      answer = { retriever, ...found, outcome: found.hits.length === 0 ? 'empty' : 'found' };
    } catch (error) {
      answer = { retriever, hits: [], outcome: signal.aborted ? 'late' : 'failed', error };
    }
    const { outcome, error } = answer;
    observe?.({
      retriever,
      outcome,
      seconds: (performance.now() - started) / 1_000,
      ...(error !== undefined && { error }),
    });
    return answer;
  };

  return async ({
    text,
    limit,
    mode = options.mode,
    depth: wordDepth,
    ...scope
  }: SearchQuery): Promise<SearchAnswer> => {
    const query = readQuery(text);
    const asked = retrieversFor(query, mode);
    const depth = wordDepth === undefined ? Math.max(leastDepth, limit) : leastDepth;
    // Neighbours and identifiers in many documents say little: only words go deeper.
    const depthOf = (retriever: SearchRetriever): number =>
      retriever === 'lexical' ? Math.max(depth, wordDepth ?? 0) : depth;
    const answers = await Promise.all(
      asked.map((retriever) => run(retriever, { scope, query, depth: depthOf(retriever) })),
    );
    refuseSilence(answers);
    const fused = fuse(rankedOf(answers), limit);
    const degraded = answers
      .filter((answer) => isBroken(answer) || isUnheard(answer))
      .map(({ retriever }) => retriever);
    return { hits: fused.map(toHit), degraded };
  };
}

function retrieversFor({ words, phrases, identifiers }: ReadQuery, mode: SearchMode): SearchRetriever[] {
  return [
    ...(identifiers.length + phrases.length > 0 ? (['exact'] as const) : []),
    ...(words.length > 0 ? (['lexical'] as const) : []),
    ...(mode === 'hybrid' && words.length + phrases.length > 0 ? (['semantic'] as const) : []),
  ];
}

/** Weighs the retrievers by how much of the query the words answer. Source: docs/decisions/0131, 0144. */
function rankedOf(answers: readonly RetrieverAnswer[]): RankedHits<SearchRetriever>[] {
  const { known, covered } = answers.find(({ shares }) => shares !== undefined)?.shares ?? { known: 0, covered: 0 };
  return answers.map(({ retriever, hits, likeness }) => {
    if (retriever === 'exact') return { retriever, hits, weight: exactWeight, pins: true };
    if (retriever === 'lexical') return { retriever, hits, weight: 1, pins: false };
    // There is always a nearest neighbour. At a right angle it has nothing in common with the query.
    const near = hits.filter(({ score }) => score > 0);
    if (likeness === 'spelling') return { retriever, hits: near, weight: weightOfSpelling(known), pins: false };
    // The last neighbour stands for texts that have nothing to do with the query: they are not at a right angle there.
    const floor = near.at(-1)?.score ?? 0;
    const weight = likeness === 'sentences' ? weightOfSentences(covered) : weightOfMeaning(covered);
    return { retriever, hits: near, weight, floor, pins: false };
  });
}

const isBroken = ({ outcome }: RetrieverAnswer): boolean => outcome === 'failed' || outcome === 'late';
const isUnheard = ({ retriever, outcome }: RetrieverAnswer): boolean => retriever === 'semantic' && outcome === 'empty';

/** Exact matches alone would look complete: without a ranking retriever, other hits are missing. */
function refuseSilence(answers: readonly RetrieverAnswer[]): void {
  const ranking = answers.filter(({ retriever }) => retriever !== 'exact');
  const needed = ranking.length > 0 ? ranking : answers;
  if (needed.length === 0 || !needed.every(isBroken)) return;
  throw new AppError('service.unavailable', 'Search does not respond. Retry in a few seconds.', {
    cause: needed[0]?.error,
  });
}

function toHit({ documentId, score, ranks }: FusedHit<SearchRetriever>): SearchHit {
  return {
    documentId,
    score,
    matchedBy: (['exact', 'lexical', 'semantic'] as const).filter((retriever) => ranks[retriever] !== undefined),
    distance: ranks.semantic === undefined ? null : 1 - ranks.semantic.score,
    ranks,
  };
}

/** Settles with the work, or rejects with the signal's reason on abort, for work that ignores the signal. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, promise]);
}
