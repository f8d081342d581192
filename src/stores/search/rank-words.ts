import type { Document } from 'mongodb';
import type { LexicalAnswer, RetrieverHit, RetrieverRequest } from '#src/stores/search/hybrid-search.ts';
import { foldedForms, looseWords } from '#src/domain/search/word-forms.ts';

/** Runs `$search` with these clauses, at least one of which a document must match. */
export type RunSearch = (request: RetrieverRequest, should: Document[]) => Promise<readonly RetrieverHit[]>;

/**
 * Groups of fields with the weight of a word in them. Title and description repeat words of the text, so that a word there counts less: in
 * full, the first words of a text would count three times. Measured: docs/decisions/0131.
 */
const contentFields = [
  { path: ['title', 'description'], weight: 0.5 },
  { path: ['ocrText', 'segmentationText'], weight: 1 },
] as const;

/** Limit on the words of a joint match: longer queries never match all. */
const mostTogether = 8;

/**
 * Shortest word to widen, and the shortest with two edits: shorter words have too many neighbours. Lucene allows 1,024 clauses in all, each
 * close word being one.
 */
const widening = { letters: 4, lettersOfTwoEdits: 7, prefixLength: 1, maxExpansions: 15, words: 5 } as const;
/** Words of a few hits are widened although the index knows them, for texts with a recognition error. An exact word weighs 1. */
const loosely = {
  fuzzy: { maxEdits: 1, prefixLength: 2, maxExpansions: 5 },
  weight: 0.2,
  below: 10,
  words: 12,
} as const;

/** Share of a word that a close one stands for. */
const nearShare = 0.5;

const textClause = (query: string, path: readonly string[], weight: number, fuzzy?: Document): Document => ({
  text: {
    query,
    path: [...path],
    ...(fuzzy && { fuzzy }),
    ...(weight !== 1 && { score: { boost: { value: weight } } }),
  },
});

const spellings = (words: readonly string[]): string =>
  [...new Set(words.flatMap((word) => [word, ...foldedForms(word)]))].join(' ');

const looseClauses = (words: readonly string[]): Document[] =>
  looseWords(words.join(' ')).map((forms) => ({ text: { query: forms.join(' '), path: 'looseText' } }));

/** Clauses of the words as they are written. */
function exactClauses(words: readonly string[]): Document[] {
  const query = spellings(words);
  return [
    ...contentFields.map(({ path, weight }) => textClause(query, path, weight)),
    textClause(query, ['objectKey', 'filename', 'recordText'], 1),
    ...looseClauses(words),
  ];
}

/** Boosts documents with all words, or all but one: BM25 alone ranks one rare word above many common ones. */
function togetherClauses(words: readonly string[]): Document[] {
  const loose = looseClauses(words);
  if (loose.length < 2 || loose.length > mostTogether) return [];
  const all = { compound: { must: loose } };
  const allButOne = { compound: { should: loose, minimumShouldMatch: loose.length - 1 } };
  return loose.length > 2 ? [all, allButOne] : [all];
}

/** Edits that an unknown word may be away. */
const editsOf = (word: string): Document => ({
  maxEdits: word.length >= widening.lettersOfTwoEdits ? 2 : 1,
  prefixLength: widening.prefixLength,
  maxExpansions: widening.maxExpansions,
});

/** Clauses of words that are close to an unknown one, with their full weight less the edits. */
const nearClauses = (word: string): Document[] =>
  contentFields.map(({ path, weight }) => textClause(word, path, weight, editsOf(word)));

/** The same by the normalized spelling: an error in the ending of a word changes its stem more than the word. */
const nearLooseClauses = (word: string): Document[] =>
  looseWords(word).map((forms) => textClause(forms.join(' '), ['looseText'], 1, editsOf(word)));

/** A number one digit off is another number. */
const mayWiden = (word: string): boolean => word.length >= widening.letters && !/\p{N}/u.test(word);

/** The same caller without a choice among its documents: a word is unknown if nothing that the caller may read has it. */
const everywhere = (request: RetrieverRequest): RetrieverRequest => {
  const { documentIds: _, apiKeyIds: __, ...scope } = request.scope;
  return { ...request, scope, depth: 1 };
};

const isEverywhere = ({ scope }: RetrieverRequest): boolean =>
  scope.documentIds === undefined && scope.apiKeyIds === undefined;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * Ranks documents by the words of a query, and widens only words that the caller's documents do not have, by up to two edits. A short list
 * is filled with documents that have a word with one wrong letter. Each word is asked for on its own as well: its best score stands for its
 * rarity. Source: docs/decisions/0131.
 */
export async function rankWords(run: RunSearch, request: RetrieverRequest): Promise<LexicalAnswer> {
  const words = [...new Set(request.query.words.map((word) => word.toLowerCase()))];
  const best = async (should: Document[]): Promise<number> => (await run(everywhere(request), should))[0]?.score ?? 0;
  const clauses = [...exactClauses(words), ...togetherClauses(words)];
  const isAlone = words.length === 1 && isEverywhere(request);
  const [hits, own] = await Promise.all([
    run(request, clauses),
    isAlone ? null : Promise.all(words.map((word) => best(exactClauses([word])))),
  ]);
  // The hits of the only word say what a question of its own would.
  const known = own ?? [hits[0]?.score ?? 0];
  const unknown = words.filter((word, at) => known[at] === 0 && mayWiden(word)).slice(0, widening.words);
  const isShort = hits.length < loosely.below;
  if (unknown.length === 0 && !isShort) return answerOf(hits, known, []);
  const all = spellings(words.slice(0, loosely.words));
  const more = [
    ...unknown.flatMap((word) => [...nearClauses(word), ...nearLooseClauses(word)]),
    ...(isShort
      ? contentFields.map(({ path, weight }) => textClause(all, path, weight * loosely.weight, loosely.fuzzy))
      : []),
  ];
  const [widened, near] = await Promise.all([
    run(request, [...clauses, ...more]),
    Promise.all(words.map(async (word) => (unknown.includes(word) ? best(nearClauses(word)) : 0))),
  ]);
  return answerOf(widened, known, near);
}

/** A word that no document has is taken to be as rare as the rarest of the others. A word close to an unknown one may be another word. */
function answerOf(hits: readonly RetrieverHit[], known: readonly number[], near: readonly number[]): LexicalAnswer {
  const found = known.map((score, at) => score + (near[at] ?? 0));
  const rarest = Math.max(...found, 0);
  const total = sum(found.map((score) => (score === 0 ? rarest : score)));
  if (hits.length === 0 || total === 0) return { hits, known: 0, covered: 0 };
  return {
    hits,
    known: (sum(known) + nearShare * sum(near)) / total,
    covered: Math.min(1, (hits[0]?.score ?? 0) / total),
  };
}
