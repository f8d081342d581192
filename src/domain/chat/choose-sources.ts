import type { Excerpt } from '#src/contracts/resources/chat.ts';
import { chatLimits } from '#src/contracts/resources/chat.ts';
import { rankPassages, type RankedPassage, type Ranking } from '#src/domain/chat/rank-passages.ts';
import { joinWords } from '#src/domain/chat/sentences.ts';
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
  /** true: has every long number and quoted phrase of the question. Quotes come from such documents only. */
  readonly fits: boolean;
}

/** Decides about documents: a model, which gets every likely one, or the rules here, which leave out those far below the best. */
export type Reader = 'model' | 'rules';

export interface ChosenSources {
  /** Best first, at most eight. */
  readonly documents: readonly ChosenDocument[];
  readonly ranking: Ranking;
  /** true: the documents are about something else, so that not even the closest passages help. */
  readonly offTopic: boolean;
}

/** Lowest relation of the best passage to a question, below which the question is off topic. Source: docs/decisions/0133. */
const leastRelation = 0.69;
/** Passages of a document that are compared with the question, best first. */
const mostCompared = 4;
/** Share of the relation for each word in common: three of seven words say more than one of two. */
const forEachWord = 0.1;
/** Weight of names and numbers. */
const forName = 2;
/** Largest embedding distance that counts as a match without a common word, for other languages and synonyms. */
const near = 0.5;
/** Lowest score of a document, as a share of the best document's score. */
const leastScore = 0.35;

/** Chooses the documents and passages that an answer can cite; none for questions off topic. Source: docs/decisions/0041, 0133. */
export function chooseSources(question: ReadQuestion, candidates: readonly Candidate[], reader: Reader): ChosenSources {
  const ranking = rankPassages(
    question,
    candidates.flatMap(({ passages }) => passages),
  );
  const byDocument = Map.groupBy(ranking.passages, ({ documentId }) => documentId);
  const matched = candidates.map((candidate): Matched => {
    const ranked = byDocument.get(candidate.documentId) ?? [];
    return { candidate, ranked, inTitle: ranking.termsIn(candidate.title) };
  });
  const offTopic = !matched.some((one) => isRelated(question, one, ranking));
  const documents = matched.flatMap((one, at): (ChosenDocument & { readonly isFirst: boolean })[] => {
    const fits = isFitting(question, one);
    if ((reader === 'rules' && (offTopic || !fits)) || !isLikely(question, one)) return [];
    const passages = one.ranked.length > 0 ? one.ranked : opening(one.candidate);
    if (passages.length === 0) return [];
    const score = weigh(termsOf(one), ranking) + (passages[0]?.score ?? 0);
    const { documentId } = one.candidate;
    return [{ documentId, passages: passages.slice(0, chatLimits.excerpts), score, fits, isFirst: at === 0 }];
  });
  const sorted = documents.toSorted((one, other) => other.score - one.score);
  const least = reader === 'rules' ? leastScore * (sorted[0]?.score ?? 0) : 0;
  const kept = sorted.filter(({ score, isFirst }) => isFirst || score >= least);
  return { documents: kept.slice(0, chatLimits.sources), ranking, offTopic };
}

/** A candidate with the passages that share terms with the question. */
interface Matched {
  readonly candidate: Candidate;
  readonly ranked: readonly RankedPassage[];
  readonly inTitle: ReadonlySet<Term>;
}

/** Passage that represents a whole document: its description, or the start of its text. */
function opening({ passages }: Candidate): RankedPassage[] {
  const first = passages.find(({ field }) => field === 'description') ?? passages[0];
  return first === undefined ? [] : [{ ...first, score: 0, terms: new Set(), codes: [] }];
}

function termsOf({ ranked, inTitle }: Matched): ReadonlySet<Term> {
  return new Set([...ranked.flatMap(({ terms }) => [...terms]), ...inTitle]);
}

function isLikely(question: ReadQuestion, one: Matched): boolean {
  const { candidate, ranked } = one;
  if ((question.asksForGist && candidate.named) || ranked.some(({ terms }) => terms.size === 0)) return true;
  if (candidate.distance !== null && candidate.distance <= near) return true;
  const has = [...termsOf(one)];
  return (
    has.some(({ role }) => role !== 'kind') || (has.length > 0 && question.terms.every(({ role }) => role === 'kind'))
  );
}

/** True if a document has every long number and phrase that the question names. */
function isFitting(question: ReadQuestion, { candidate, ranked }: Matched): boolean {
  const codes = new Set([...ranked.flatMap((passage) => passage.codes), ...identifiersOf(candidate.title)]);
  if (!question.codes.every((code) => codes.has(code))) return false;
  return question.phrases.length === 0 || hasPhrases(question, candidate);
}

/** True if a document has to do with the question. */
function isRelated(question: ReadQuestion, one: Matched, ranking: Ranking): boolean {
  const { candidate, ranked, inTitle } = one;
  if (!isFitting(question, one)) return false;
  if (question.asksForGist && candidate.named) return true;
  if (candidate.distance !== null && candidate.distance <= near) return true;
  if (candidate.named && termsOf(one).size > 0) return true;
  if (focusOf(question.terms).length === 0) return question.identifiers.length + question.phrases.length > 0;
  return ranked
    .slice(0, mostCompared)
    .some((passage) => relationOf(question, passage, { inTitle, ranking }) >= leastRelation);
}

/** Share of the question that a passage covers as a whole, and that its best sentence covers: chance matches are spread. */
function relationOf(
  question: ReadQuestion,
  { terms, whole, sentences }: RankedPassage,
  { inTitle, ranking }: { readonly inTitle: ReadonlySet<Term>; readonly ranking: Ranking },
): number {
  const about = focusOf(question.terms);
  const weightOf = (term: Term): number => ranking.weightOf(term) * (term.isName ? forName : 1);
  const all = about.reduce((sum, term) => sum + weightOf(term), 0);
  const covers = (has: ReadonlySet<Term>): number => {
    const common = about.filter((term) => has.has(term));
    return common.reduce((sum, term) => sum + weightOf(term), 0) / all + forEachWord * common.length;
  };
  const bySentence = sentences.map(({ start, end }) => covers(ranking.termsIn(joinWords(whole.slice(start, end)))));
  return (covers(new Set([...terms, ...inTitle])) + Math.max(0, ...bySentence)) / 2;
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

function weigh(terms: ReadonlySet<Term>, { weightOf }: Ranking): number {
  return [...terms].reduce((sum, term) => sum + weightOf(term) * (term.role === 'focus' ? 1 : 0.5), 0);
}

/** A passage for clients. `verified` results from a comparison with the stored text. */
export function excerptOf({ field, resultId, whole, start, end, page, bbox, boxes }: Passage): Excerpt {
  const text = whole.slice(start, end).toWellFormed();
  return {
    field,
    resultId,
    text,
    start,
    end,
    ...(page !== undefined && { page }),
    ...(bbox !== undefined && { bbox: [...bbox] }),
    ...(boxes !== undefined && { boxes: boxes.map((box): [number, number, number, number] => [...box]) }),
    verified: whole.slice(start, end) === text,
  };
}
