import type { Certainty } from '#src/contracts/resources/chat.ts';
import { focusOf } from '#src/domain/chat/choose-sources.ts';
import type { Ranking } from '#src/domain/chat/rank-passages.ts';
import { isOfKind, type ReadQuestion, type Term } from '#src/domain/chat/read-question.ts';
import { saysTheSame } from '#src/domain/chat/certainty/same-statement.ts';
import { functionWordSet } from '#src/domain/embed-locally/stop-words.ts';
import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';

/** Words that turn a statement around. */
const negations = new Set(
  `not never no none nor without cannot less least fewer nicht nie niemals kein keine keinen keiner ohne weniger
   pas jamais aucun aucune sans moins`.split(/\s+/),
);
/** Words of time and degree, which mostly are no subject, but decide whether a sentence answers. */
const relations = new Set(
  `before after first last only until since more most over under above below between during also
   vor nach erste ersten letzte letzten nur bis seit mehr uber unter zwischen wahrend auch
   avant apres premier premiere dernier derniere seulement depuis plus sous entre pendant aussi`.split(/\s+/),
);
/** Words that ask: a sentence that answers need not have them. */
const asking = new Set(
  `whom whose why many much does
   welche welcher welches welchen welchem wer wen wem wessen wann wo warum wieso viel viele wieviel hoch lautet
   quel quelle quels quelles quand pourquoi comment combien`.split(/\s+/),
);
/** Begins a sentence whose subject is in another one. */
const pointsBack =
  /^(all of )?(it|this|these|that|those|they|he|she|er|sie|es|dies|diese|dieser|il|elle|ils|elles|cela|ce)\b/;
const asksForNumber = /\b(how many|wie ?viele|combien de)\b/;
/** An explanation is not known by its form. */
const asksForReason =
  /\b(why|how(?! (many|much|long|old|far|high|big|large|tall|often))|warum|wieso|weshalb|pourquoi|comment)\b/;
const aNumber =
  /\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf|hundert|tausend|deux|trois|quatre|cinq|sept|huit|neuf|dix|cent|mille)\b/;
/** Fewest words of the question's subject that a certain match needs. */
const fewest = 2;
/** Largest distance, in words, of two words of the question that belong together: `fall of Warsaw`. */
const together = 2;
/** Largest distance of such words in the sentence. */
const nearby = 3;
/** Share of the question's weight that a probable match has. */
const mostOf = 0.6;

/**
 * Judges whether a sentence answers a question. Similar sentences that do not answer are common, so that `sure` needs every word of the
 * subject, in the same groups, with the same negations, and a date or an amount where one is asked for. Source: docs/decisions/0133.
 */
export function certaintyOf(question: ReadQuestion, sentence: string, ranking: Ranking): Certainty {
  // The document has the long numbers of the question; the sentence need not repeat them.
  const focus = focusOf(question.terms).filter(({ word }) => !isInCode(question, word));
  const terms = ranking.termsIn(sentence);
  const common = focus.filter((term) => terms.has(term));
  if (focus.length >= fewest && common.length === focus.length && isExact(question, sentence, { focus, ranking }))
    return 'sure';
  const weigh = (some: readonly Term[]): number => some.reduce((sum, term) => sum + ranking.weightOf(term), 0);
  return weigh(common) >= mostOf * weigh(focus) ? 'likely' : 'unsure';
}

function isInCode({ codes }: ReadQuestion, word: string): boolean {
  return codes.some((code) => code.includes(word));
}

function isExact(
  question: ReadQuestion,
  sentence: string,
  { focus, ranking: { sequenceIn } }: { readonly focus: readonly Term[]; readonly ranking: Ranking },
): boolean {
  const { terms, text, asksFor, stem } = question;
  if (asksFor !== null && !isOfKind(asksFor, sentence)) return false;
  const [asked, said] = [foldText(text), foldText(sentence)];
  if (asksForReason.test(asked) || pointsBack.test(said)) return false;
  if (asksForNumber.test(asked) && !aNumber.test(said)) return false;
  const words = wordsOf(said);
  if (isNegative(asked) || isNegative(said)) return false;
  const stems = new Set(words.map(stem));
  const own = (part: string): (Term | null)[] =>
    sequenceIn(part).map((term) => (term !== null && focus.includes(term) ? term : null));
  const has = (word: string): boolean => {
    const term = terms.find((one) => one.word === word);
    return (term?.stems ?? [stem(word)]).some((one) => stems.has(one)) || term?.role === 'kind';
  };
  return (
    neededWords(question, asked).every(has) &&
    sameGroups(own(text), sequenceIn(sentence)) &&
    saysTheSame(question, sentence)
  );
}

const isNegative = (folded: string): boolean =>
  /n['’]t\b/.test(folded) || wordsOf(folded).some((word) => negations.has(word));

/** Words of the question that a sentence must have. */
function neededWords(question: ReadQuestion, folded: string): string[] {
  const skipped = functionWordSet(question.language);
  const words = wordsOf(folded).filter((word) => !isInCode(question, word));
  return words.filter((word) => relations.has(word) || (word.length > 1 && !skipped.has(word) && !asking.has(word)));
}

/** True if terms that stand together in the question are close in the sentence. */
function sameGroups(asked: readonly (Term | null)[], said: readonly (Term | null)[]): boolean {
  return asked.every((term, at) => {
    const next = asked.slice(at + 1, at + 1 + together).find((one) => one !== null);
    if (term === null || next === undefined || next === null || next === term) return true;
    return said.some(
      (one, place) => one === term && said.slice(Math.max(0, place - nearby), place + nearby + 1).includes(next),
    );
  });
}
