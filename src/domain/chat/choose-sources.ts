import type { Excerpt } from '#src/contracts/resources/chat.ts';
import { chatLimits } from '#src/contracts/resources/chat.ts';
import { rankPassages, type RankedPassage, type Ranking } from '#src/domain/chat/rank-passages.ts';
import type { Passage } from '#src/domain/chat/passages.ts';
import type { ReadQuestion, Term } from '#src/domain/chat/read-question.ts';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';

/** A document that a search found or that the request names, with its passages. */
export interface Candidate {
  readonly documentId: string;
  readonly title: string;
  /** Distance between the embeddings of document and question; null without embeddings. */
  readonly distance: number | null;
  readonly passages: readonly Passage[];
  /** true: the request names the document, or there is no other, so it can be summarized without a match. */
  readonly named: boolean;
}

export interface ChosenDocument {
  readonly documentId: string;
  /** Best first, at most three. */
  readonly passages: readonly RankedPassage[];
  readonly score: number;
}

/**
 * Required match. `likely`: the document shares terms with the question; a model then decides whether it answers. `certain`: the document
 * covers the subject of the question, for answers without a model.
 */
export type Certainty = 'likely' | 'certain';

export interface ChosenSources {
  /** Best first, at most eight. */
  readonly documents: readonly ChosenDocument[];
  readonly ranking: Ranking;
}

/** Share of the question's weight that a certain match must cover. */
const leastShare = 0.6;
/** Largest embedding distance that counts as a match without a common word, for other languages and synonyms. */
const near = 0.5;
/** Lowest score of a document, as a share of the best document's score. */
const leastScore = 0.35;

/** Chooses the documents and passages that an answer can cite; none if none answers the question. Source: docs/decisions/0041. */
export function chooseSources(
  question: ReadQuestion,
  candidates: readonly Candidate[],
  certainty: Certainty,
): ChosenSources {
  const ranking = rankPassages(
    question,
    candidates.flatMap(({ passages }) => passages),
  );
  const byDocument = Map.groupBy(ranking.passages, ({ documentId }) => documentId);
  const documents = candidates.flatMap((candidate): ChosenDocument[] => {
    const ranked = byDocument.get(candidate.documentId) ?? [];
    const has = new Set([...ranked.flatMap(({ terms }) => [...terms]), ...ranking.termsIn(candidate.title)]);
    const passes =
      certainty === 'likely'
        ? isLikely(question, candidate, ranked, has)
        : isCertain(question, candidate, { ranked, has, ranking });
    if (!passes) return [];
    const passages = ranked.length > 0 ? ranked : opening(candidate);
    if (passages.length === 0) return [];
    const score = weigh([...has], ranking) + (passages[0]?.score ?? 0);
    return [{ documentId: candidate.documentId, passages: passages.slice(0, chatLimits.excerpts), score }];
  });
  const sorted = documents.toSorted((one, other) => other.score - one.score);
  const best = sorted[0]?.score ?? 0;
  const kept = certainty === 'certain' ? sorted.filter(({ score }) => score >= leastScore * best) : sorted;
  return { documents: kept.slice(0, chatLimits.sources), ranking };
}

/** Passage that represents a whole document: its description, or the start of its text. */
function opening({ passages }: Candidate): RankedPassage[] {
  const first = passages.find(({ field }) => field === 'description') ?? passages[0];
  return first === undefined ? [] : [{ ...first, score: 0, terms: new Set(), codes: [] }];
}

function isLikely(
  question: ReadQuestion,
  candidate: Candidate,
  ranked: readonly RankedPassage[],
  has: ReadonlySet<Term>,
): boolean {
  if ((question.asksForGist && candidate.named) || ranked.some(({ terms }) => terms.size === 0)) return true;
  if (candidate.distance !== null && candidate.distance <= near) return true;
  return (
    [...has].some(({ role }) => role !== 'kind') || (has.size > 0 && question.terms.every((one) => one.role === 'kind'))
  );
}

function isCertain(
  question: ReadQuestion,
  candidate: Candidate,
  { ranked, has, ranking }: { ranked: readonly RankedPassage[]; has: ReadonlySet<Term>; ranking: Ranking },
): boolean {
  const codes = new Set([...ranked.flatMap((passage) => passage.codes), ...identifiersOf(candidate.title)]);
  if (!question.identifiers.every((code) => codes.has(code))) return false;
  if (question.phrases.length > 0 && !hasPhrases(question, candidate)) return false;
  if (question.asksForGist && candidate.named) return true;
  const about = focusOf(question.terms);
  const all = weigh(about, ranking);
  return (
    all > 0 &&
    weigh(
      about.filter((term) => has.has(term)),
      ranking,
    ) >=
      leastShare * all
  );
}

function hasPhrases({ phrases }: ReadQuestion, { passages }: Candidate): boolean {
  const flat = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ');
  const wholes = [...new Set(passages.map(({ whole }) => whole))].map(flat);
  return phrases.every((phrase) => wholes.some((whole) => whole.includes(flat(phrase))));
}

/** Terms for the subject of a question; terms for the kind of document or from the earlier question only if there are no others. */
export function focusOf(terms: readonly Term[]): readonly Term[] {
  for (const role of ['focus', 'kind', 'context'] as const) {
    const those = terms.filter((term) => term.role === role);
    if (those.length > 0) return those;
  }
  return [];
}

function weigh(terms: readonly Term[], { weightOf }: Ranking): number {
  return terms.reduce((sum, term) => sum + weightOf(term) * (term.role === 'focus' ? 1 : 0.5), 0);
}

/** A passage for clients. `verified` results from a comparison with the stored text. */
export function excerptOf({ field, resultId, whole, start, end, page, bbox }: Passage): Excerpt {
  const text = whole.slice(start, end).toWellFormed();
  return {
    field,
    resultId,
    text,
    start,
    end,
    ...(page !== undefined && { page }),
    ...(bbox !== undefined && { bbox: [...bbox] }),
    verified: whole.slice(start, end) === text,
  };
}
