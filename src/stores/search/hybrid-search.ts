import { AppError } from '#src/domain/app-error.ts';
import type { TextEmbedder } from '#src/domain/ports/models.ts';
import { fuse, type FusedHit } from '#src/domain/search/fuse.ts';
import { readQuery, type ReadQuery } from '#src/domain/search/read-query.ts';
import type { SearchAnswer, SearchHit, SearchRetriever, SearchMode, SearchQuery } from '#src/stores/search/query.ts';

export interface RetrieverHit {
  readonly documentId: string;
  /** Higher is better. */
  readonly score: number;
}

/** What one retriever is asked: at most `depth` hits, best first, none of another tenant. */
export interface RetrieverRequest {
  readonly scope: Omit<SearchQuery, 'text' | 'limit' | 'mode'>;
  readonly query: ReadQuery;
  readonly depth: number;
  /** Aborts when the retriever's time is over. */
  readonly signal: AbortSignal;
}

/** The ways of searching that a database has. */
export interface SearchRetrievers {
  /** Documents with an identifier or a phrase of the query: 1 for an identifier, and up to 1 for how much it is about a phrase. */
  exact(request: RetrieverRequest): Promise<readonly RetrieverHit[]>;
  lexical(request: RetrieverRequest): Promise<readonly RetrieverHit[]>;
  /** Nearest vectors of this label; the score is the cosine. */
  semantic(
    request: RetrieverRequest,
    embedded: { readonly label: string; readonly vector: Float32Array },
  ): Promise<readonly RetrieverHit[]>;
}

export type RetrieverOutcome = 'found' | 'empty' | 'failed' | 'late';

export interface SearchOptions {
  readonly mode: SearchMode;
  readonly embedder: Pick<TextEmbedder, 'label' | 'embedQuery'>;
  /** Longest that an answer waits for a retriever, its embedding included. */
  readonly retrieverTimeoutMs?: number;
  /** Hears how each retriever went; `error` where it failed or was late. */
  readonly observe?: (outcome: {
    retriever: SearchRetriever;
    outcome: RetrieverOutcome;
    seconds: number;
    error?: unknown;
  }) => void;
}

const weights: Readonly<Record<SearchRetriever, number>> = { exact: 1, lexical: 1, semantic: 1 };
/** Of an embedder that compares spelling: words that are there as they were asked for say more. Measured: docs/decisions/0039. */
const spellingWeight = 0.5;
const comparesSpelling = (label: string): boolean => label.startsWith('local/');
/** Ranks beyond the page count, too: a document may be in the middle of both retrievers and so above the ends of each. */
const leastDepth = 50;

interface RetrieverAnswer {
  readonly retriever: SearchRetriever;
  readonly outcome: RetrieverOutcome;
  readonly hits: readonly RetrieverHit[];
  readonly error?: unknown;
}

/**
 * Runs the retrievers side by side and fuses what they found. A retriever that fails, or exceeds its time, is left out, and the answer says so;
 * `semantic` counts as left out also where it finds nothing, because nothing was embedded with this label. Faults:
 * `service.unavailable` when no retriever that ranks answered. Source: docs/decisions/0016, 0024.
 */
export function createHybridSearch(retrievers: SearchRetrievers, options: SearchOptions) {
  const { embedder, observe, retrieverTimeoutMs = 2_000 } = options;

  const semantic = async (request: RetrieverRequest): Promise<readonly RetrieverHit[]> => {
    const { vector } = await embedder.embedQuery(request.query.text, request.signal);
    // The cosine to a vector of zeros is not defined.
    if (vector.every((value) => value === 0)) return [];
    return retrievers.semantic(request, { label: embedder.label, vector });
  };

  const run = async (
    retriever: SearchRetriever,
    request: Omit<RetrieverRequest, 'signal'>,
  ): Promise<RetrieverAnswer> => {
    const signal = AbortSignal.timeout(retrieverTimeoutMs);
    const work = retriever === 'semantic' ? semantic : retrievers[retriever];
    const started = performance.now();
    let answer: RetrieverAnswer;
    try {
      const hits = await orAbort(work({ ...request, signal }), signal);
      answer = { retriever, hits, outcome: hits.length === 0 ? 'empty' : 'found' };
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

  return async ({ text, limit, mode = options.mode, ...scope }: SearchQuery): Promise<SearchAnswer> => {
    const query = readQuery(text);
    const asked = retrieversFor(query, mode);
    const depth = Math.max(leastDepth, limit);
    const answers = await Promise.all(asked.map((retriever) => run(retriever, { scope, query, depth })));
    refuseSilence(answers);
    const fused = fuse(
      answers.map(({ retriever, hits }) => ({
        retriever,
        weight: retriever === 'semantic' && comparesSpelling(embedder.label) ? spellingWeight : weights[retriever],
        pins: retriever === 'exact',
        // A nearest neighbour is always found, however far: at a right angle it has nothing in common with the query.
        hits: retriever === 'semantic' ? hits.filter(({ score }) => score > 0) : hits,
      })),
      limit,
    );
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

const isBroken = ({ outcome }: RetrieverAnswer): boolean => outcome === 'failed' || outcome === 'late';
const isUnheard = ({ retriever, outcome }: RetrieverAnswer): boolean => retriever === 'semantic' && outcome === 'empty';

/** Pins alone would look like all there is: without a retriever that ranks, nobody knows what else would have been found. */
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

/** The work's outcome, or the signal's reason as soon as it aborts, for work that does not listen. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, promise]);
}
