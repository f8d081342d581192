import { documentCues } from '#src/domain/describe-locally/document-cues.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';

export interface TypeGuess {
  /** One of the types of `documentCues`, or `unknown`. */
  readonly type: string;
  /** Matched words of the folded text; empty for `unknown` and for a guess by the shape of the text. */
  readonly evidence: readonly string[];
}

/** Fewest points for a guess. */
const enough = 3;
/** Bonus for cues in the first lines, which usually name the document itself. */
const headingBonus = 2;

/** Guesses the type by keywords. A long running text without keywords is an article. */
export function guessDocumentType(text: string): TypeGuess {
  const folded = foldText(text);
  const heading = folded.split('\n', 6).slice(0, 5).join('\n');
  let best = { type: 'unknown', score: 0, evidence: [] as string[] };
  for (const { type, cues } of documentCues) {
    let score = type === 'article' && isRunningText(text) ? enough - 1 : 0;
    const evidence: string[] = [];
    for (const [pattern, weight] of cues) {
      const found = pattern.exec(folded);
      if (found === null) continue;
      score += weight + (pattern.test(heading) ? headingBonus : 0);
      evidence.push(found[0].replace(/\s+/g, ' ').trim());
    }
    if (score > best.score) best = { type, score, evidence };
  }
  if (best.score >= enough) return { type: best.type, evidence: withoutParts(best.evidence).slice(0, 3) };
  return { type: isLongRunningText(text) ? 'article' : 'unknown', evidence: [] };
}

/** Removes evidence that is part of other evidence, such as "invoice" in "invoice number". */
function withoutParts(evidence: readonly string[]): string[] {
  return evidence.filter((words) => !evidence.some((other) => other !== words && other.includes(words)));
}

function isRunningText(text: string): boolean {
  return sentencesOf(text) >= 6 && text.length >= 800;
}

function isLongRunningText(text: string): boolean {
  return sentencesOf(text) >= 12 && text.length >= 1500;
}

/** Counts sentence ends after a lower-case word, which lists and tables do not have. */
function sentencesOf(text: string): number {
  return text.match(/\p{Ll}{2}[.!?]["'”’)]?(?:\s|$)/gu)?.length ?? 0;
}
