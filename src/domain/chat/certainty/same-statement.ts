import type { ReadQuestion } from '#src/domain/chat/read-question.ts';
import { functionWordSet } from '#src/domain/embed-locally/stop-words.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';

/** Prepositions that turn a relation round: `fled from` is not `fled to`, and `defeated by` is not `defeated`. */
const directions = new Set(
  `from to into by with for against through onto towards
   von aus nach zu zum zur durch gegen mit fur bei
   par vers contre avec pour depuis chez`.split(/\s+/),
);
const articles = new Set(
  'a an the his her its their der die das den dem des ein eine einen einem einer le la les un une l'.split(' '),
);
const being = new Set('is are was were means ist sind war waren bedeutet est sont etait etaient'.split(' '));
const helping = new Set(
  'is are was were be been being do does did has have had can could will would shall should may might must'.split(' '),
);
const asksWho = /\b(who|whom|whose|wer|wen|wem|wessen|qui)\b/;
const asksWhere = /\b(where|wo|woher|wohin|ou)\b/;
const asksWhat = /^\W*(what|was)\b/;
const asksForNumber = /\b(how many|how much|when|wie ?viele?|wann|combien|quand)\b/;
/** Content words, at most, of a question that only asks what a thing is. */
const mostDefined = 3;
/** Least share of a sentence's content words that the question has. A long sentence says much else. */
const leastShare = 0.15;

interface Word {
  readonly folded: string;
  readonly stem: string;
  readonly isCapital: boolean;
  /** Written with `'s`. */
  readonly isOwner: boolean;
  readonly isContent: boolean;
}

interface Pair {
  readonly asked: readonly Word[];
  readonly said: readonly Word[];
  /** The question, folded. */
  readonly folded: string;
}

/**
 * False if a sentence has the words of a question, but says something else with them: other prepositions, another owner, another order,
 * or nothing of the kind that is asked for. Source: docs/decisions/0228.
 */
export function saysTheSame(question: ReadQuestion, sentence: string): boolean {
  const pair = {
    asked: wordsOf(question.text, question),
    said: wordsOf(sentence, question),
    folded: foldText(question.text),
  };
  return [sameDirections, sameOwners, sameForms, sameOrder, subjectIsFirst, hasAsked, definesIt, isMostly].every(
    (holds) => holds(pair),
  );
}

function wordsOf(text: string, { language, stem }: ReadQuestion): Word[] {
  const skipped = functionWordSet(language);
  const isEmpty = (word: string): boolean =>
    skipped.has(word) || articles.has(word) || helping.has(word) || directions.has(word);
  return [...text.matchAll(/([\p{L}\p{N}]+)(['’]s(?!\p{L}))?/gu)].map(([, word = '', owner]) => {
    const folded = foldText(word);
    return {
      folded,
      stem: stem(folded),
      isCapital: /^\p{Lu}/u.test(word),
      isOwner: owner !== undefined,
      isContent: !isEmpty(folded),
    };
  });
}

const placesOf = (words: readonly Word[], { stem }: Word): number[] =>
  words.flatMap((one, at) => (one.stem === stem ? [at] : []));

/** The preposition right before a word, or before its article. */
function directionBefore(words: readonly Word[], at: number): string | null {
  const before = words[at - 1];
  const word = before !== undefined && articles.has(before.folded) ? words[at - 2] : before;
  return word !== undefined && directions.has(word.folded) ? word.folded : null;
}

/** True if `holds` for each content word of the question that the sentence has. */
function everyCommon({ asked, said }: Pair, holds: (word: Word, at: number, places: readonly number[]) => boolean) {
  return asked.every((word, at) => {
    const places = word.isContent ? placesOf(said, word) : [];
    return places.length === 0 || holds(word, at, places);
  });
}

function sameDirections(pair: Pair): boolean {
  return everyCommon(pair, (_, at, places) => {
    const wanted = directionBefore(pair.asked, at);
    return (at === 0 && wanted === null) || places.some((place) => directionBefore(pair.said, place) === wanted);
  });
}

/** `Edgar` is not `Edgar's sister`. */
function sameOwners(pair: Pair): boolean {
  return everyCommon(
    pair,
    ({ isOwner }, _, places) => isOwner || places.some((at) => pair.said[at]?.isOwner === false),
  );
}

/** `ended` is not `the end`. */
function sameForms(pair: Pair): boolean {
  const isVerb = (at: number): boolean =>
    /(ed|ing)$/.test(pair.said[at]?.folded ?? '') || !articles.has(pair.said[at - 1]?.folded ?? '');
  return everyCommon(pair, ({ folded }, _, places) => !folded.endsWith('ed') || places.some(isVerb));
}

/** Words side by side in the question stand in that order in the sentence. */
function sameOrder(pair: Pair): boolean {
  return everyCommon(pair, (_, at, places) => {
    const next = pair.asked[at + 1];
    const after = next?.isContent === true ? placesOf(pair.said, next) : [];
    return after.length === 0 || Math.min(...places) < Math.max(...after);
  });
}

/** `What did the bishop sign?`: the bishop stands before the signing. */
function subjectIsFirst({ asked, said }: Pair): boolean {
  const help = asked.findIndex(({ folded }) => /^(did|does|do)$/.test(folded));
  const from = asked.findIndex(({ isContent }, at) => at > help && isContent);
  const subject = asked[from];
  if (help === -1 || subject === undefined) return true;
  let to = from;
  while (asked[to + 1]?.isContent === true) to += 1;
  const isVerbLater = to === from || helping.has(asked[to + 1]?.folded ?? '');
  const verb = isVerbLater ? asked.find(({ isContent }, at) => at > to && isContent) : asked[to];
  const [subjects, verbs] = [placesOf(said, subject), verb === undefined ? [] : placesOf(said, verb)];
  if (subjects.length === 0 || verbs.length === 0) return true;
  return subjects.some((at) => at < Math.max(...verbs));
}

/** A name for `who` and `where`, a number for `how many` and `when`: another than those of the question. */
function hasAsked({ folded, asked, said }: Pair): boolean {
  const known = new Set(asked.map(({ stem }) => stem));
  const isName = ({ isCapital, isContent, stem }: Word): boolean => isCapital && isContent && !known.has(stem);
  const hasName = said.some((word, at) => at > 0 && isName(word));
  const [first, second] = said;
  // Every first word has a capital: it is a name if the second one has, too, or is a verb.
  const opens = first !== undefined && second !== undefined && (second.isCapital || helping.has(second.folded));
  if (asksWho.test(folded)) return hasName || (opens && isName(first));
  if (asksWhere.test(folded)) return hasName;
  const numbers = said.filter((word) => /\d/.test(word.folded));
  return !asksForNumber.test(folded) || numbers.length === 0 || numbers.some(({ stem }) => !known.has(stem));
}

/** `What is a sluice?`: the sentence says that it is something. */
function definesIt({ folded, asked, said }: Pair): boolean {
  const things = asked.filter(({ isContent }) => isContent);
  const [first, last] = [things[0], things.at(-1)];
  const isShort = first !== undefined && last !== undefined && things.length <= mostDefined;
  if (!isShort || !asksWhat.test(folded) || !being.has(asked[1]?.folded ?? '')) return true;
  const isBeing = (words: readonly Word[]): boolean => words.some((word) => being.has(word.folded));
  return (
    placesOf(said, last).some((at) => isBeing(said.slice(at + 1, at + 3))) ||
    placesOf(said, first).some((at) => isBeing(said.slice(Math.max(0, at - 3), at)))
  );
}

function isMostly({ asked, said }: Pair): boolean {
  const known = new Set(asked.filter(({ isContent }) => isContent).map(({ stem }) => stem));
  const content = said.filter(({ isContent }) => isContent);
  return content.filter(({ stem }) => known.has(stem)).length >= leastShare * content.length;
}
