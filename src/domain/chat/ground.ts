import type { Excerpt } from '#src/contracts/resources/chat.ts';
import { chatLimits } from '#src/contracts/resources/chat.ts';
import { rankPassages, type RankedPassage, type Ranking } from '#src/domain/chat/rank-passages.ts';
import type { Passage } from '#src/domain/chat/passages.ts';
import type { ReadQuestion, Term } from '#src/domain/chat/read-question.ts';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';

/** A document that a search found, or that was named, and its passages. */
export interface Candidate {
  readonly documentId: string;
  readonly title: string;
  /** Of its embedding to the question's; null where none took part. */
  readonly distance: number | null;
  readonly passages: readonly Passage[];
  /** It was named, or is all there is: nothing has to be found in it for it to be summed up. */
  readonly named: boolean;
}

export interface GroundedDocument {
  readonly documentId: string;
  /** Best first, at most three. */
  readonly passages: readonly RankedPassage[];
  readonly score: number;
}

/**
 * `likely`: has something in common with the question; a model reads it and says whether it answers. `certain`: has what the question
 * is about; nobody reads it any more.
 */
export type Certainty = 'likely' | 'certain';

export interface Ground {
  /** Best first, at most eight. */
  readonly documents: readonly GroundedDocument[];
  readonly ranking: Ranking;
}

/** Of the weight of what is asked about. */
const leastShare = 0.6;
/** A neighbour this near counts without a word in common: another language, other words. */
const near = 0.5;
/** Of the best document's score. */
const leastScore = 0.35;

/** Chooses what an answer may rest on. Nothing passes where nothing answers: docs/decisions/0041. */
export function ground(question: ReadQuestion, candidates: readonly Candidate[], certainty: Certainty): Ground {
  const ranking = rankPassages(
    question,
    candidates.flatMap(({ passages }) => passages),
  );
  const byDocument = Map.groupBy(ranking.passages, ({ documentId }) => documentId);
  const documents = candidates.flatMap((candidate): GroundedDocument[] => {
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

/** What stands for the whole of a document: its description, or else how its text begins. */
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

/** What is asked about: not what kind of document it is in, nor what was asked before, as long as there is anything else. */
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

/** As it is told: `verified` is a comparison with the stored text, not a promise. */
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
